//! Telling with what the functions of a unit are called: the values that a layout has, as they are at each call.
//!
//! The unit's text gets a call at the start of the function's body, and behind its end what that does (`c/capture.h`).

use super::layout::{Layout, LeafKind, Object, ObjectKind};
use perturb_csrc::Signature;
use std::fmt::Write;

/// What stands behind the unit's text before all else; with the path of the file that inputs are told to, one a line.
pub fn capture_head(file: &str) -> String {
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\n#line 1 \"perturb-capture\"\n#define PERTURB_CAPTURED \"{file}\"\n{}", include_str!("../../c/capture.h"))
}

/// A function whose calls are told, under a name that no other has.
#[derive(Debug, Clone, Copy)]
pub struct Captured<'c> {
    pub name: &'c str,
    pub signature: &'c Signature,
    pub layout: &'c Layout,
}

impl Captured<'_> {
    /// What stands right behind the brace that opens the body; on one line.
    pub fn call(&self) -> String {
        let name = self.name;
        let addresses: Vec<String> =
            self.signature.parameters.iter().map(|parameter| format!("(void *)&{}", parameter.name)).collect();
        let count = addresses.len() + 1;
        format!(
            " {{ void {name}(void **); void *perturb_arguments[{count}] = {{{}}}; {name}(perturb_arguments); }} ",
            addresses.join(", ") + if addresses.is_empty() { "0" } else { ", 0" }
        )
    }

    /// What stands behind the unit's text.
    pub fn definition(&self) -> String {
        let Self { name, signature, layout } = self;
        let mut out = format!("void {name}(void **);\nvoid {name}(void **arguments)\n{{\n");
        let leaf = |leaf: &super::Leaf| {
            let kind = match leaf.kind {
                LeafKind::Choice => 'n',
                LeafKind::Refusal => 'm',
                _ => 'i',
            };
            // What is no object is none of the unit's.
            format!("{{'{kind}',{},{}u,{}}}", leaf.size, leaf.object.min(0xffff), leaf.offset)
        };
        let at = |leaf: Option<usize>| match leaf {
            Some(leaf) => layout.leaves[..leaf].iter().map(|leaf| i64::from(leaf.size)).sum::<i64>(),
            None => -1,
        };
        let link = |link: &super::Link| {
            let target = link.target.map_or(-1, |target| target as i64);
            let (other, other_at) = link.alias.map_or((-1, -1), |(other, leaf)| (other as i64, at(Some(leaf))));
            format!("{{{},{},{target},{},{other},{other_at}}}", link.object, link.offset, at(link.null))
        };
        let (leaves, links) = (layout.leaves.iter().map(leaf), layout.links.iter().map(link));
        table(&mut out, "leaf", "leaves", leaves.collect());
        table(&mut out, "link", "links", links.collect());
        let size = layout.input_size();
        let _ = writeln!(
            out,
            "static unsigned char input[{}];\nstatic unsigned long long seen[PERTURB_MOST_CAPTURED];\nstatic unsigned seen_count;\n\
             struct perturb_captured of;\nconst unsigned char *objects[{}];",
            size.max(1),
            layout.objects.len().max(1)
        );
        for (at, object) in layout.objects.iter().enumerate() {
            let _ = writeln!(out, "objects[{at}] = {};", self.address(at, object, signature));
        }
        let counts = [layout.objects.len(), layout.leaves.len(), layout.links.len()];
        let _ = writeln!(
            out,
            "of.function = \"{name}\"; of.object_count = {}; of.leaf_count = {}; of.link_count = {};\n\
             of.leaves = leaves; of.links = links; of.size = {size}; of.input = input; of.seen = seen; of.seen_count = &seen_count;\n\
             (void)arguments;\nperturb_capture(&of, objects);\n}}",
            counts[0], counts[1], counts[2]
        );
        out
    }

    /// Where an object is when the function is called, as far as that is known before pointers are followed.
    fn address(&self, at: usize, object: &Object, signature: &Signature) -> String {
        let is_kept_inside = self.layout.kept_inside(at).is_some();
        match object.kind {
            ObjectKind::Argument(_) if at < signature.parameters.len() => {
                format!("(const unsigned char *)arguments[{at}]")
            }
            ObjectKind::Global if !is_kept_inside => format!("(const unsigned char *)&{}", object.name),
            _ => "0".to_string(),
        }
    }
}

/// C has no empty tables.
fn table(out: &mut String, ty: &str, name: &str, rows: Vec<String>) {
    let rows = if rows.is_empty() { "{0}".to_string() } else { rows.join(",") };
    let _ = writeln!(out, "static const struct perturb_captured_{ty} {name}[] = {{{rows}}};");
}
