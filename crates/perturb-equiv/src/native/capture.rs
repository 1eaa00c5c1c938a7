//! Records the arguments of calls: the values that a layout has, at each call of a unit's functions.
//!
//! The function's body gets a call at its start, and the unit gets the code that records (`c/capture.h`) at its end.

use super::layout::list::{self, List};
use super::layout::{Layout, Object, ObjectKind};
use super::leaf::LeafKind;
use super::macros::without_macros;
use perturb_csrc::{Parameter, Signature};
use std::fmt::Write;

/// The text right after the unit's own, with the path of the file that inputs are appended to, one a line.
pub fn capture_head(file: &str) -> String {
    let file = file.replace('\\', "\\\\").replace('"', "\\\"");
    let capture = without_macros(include_str!("../../c/capture.h"));
    format!("\n#line 1 \"perturb-capture\"\n#define PERTURB_CAPTURED \"{file}\"\n{capture}")
}

/// A function whose calls are recorded, under a unique name.
#[derive(Debug, Clone, Copy)]
pub struct Captured<'c> {
    pub name: &'c str,
    pub signature: &'c Signature,
    pub layout: &'c Layout,
}

impl Captured<'_> {
    /// The text right after the brace that opens the body; on one line.
    pub fn call(&self) -> String {
        let name = self.name;
        let list = self.layout.list.map(|list| list.parameter);
        let address = |(at, parameter): (usize, &Parameter)| match list == Some(at) {
            // It points to the position of the next argument, or is a pointer to that itself.
            true => format!("(void *){}", parameter.name),
            false => format!("(void *)&{}", parameter.name),
        };
        let addresses: Vec<String> = self.signature.parameters.iter().enumerate().map(address).collect();
        let count = addresses.len() + 1;
        format!(
            " {{ void {name}(void **); void *perturb_arguments[{count}] = {{{}}}; {name}(perturb_arguments); }} ",
            addresses.join(", ") + if addresses.is_empty() { "0" } else { ", 0" }
        )
    }

    /// The text after the unit's own.
    pub fn definition(&self) -> String {
        let Self { name, signature, layout } = self;
        let mut out = format!("void {name}(void **);\nvoid {name}(void **perturb_arguments)\n{{\n");
        let leaf = |leaf: &super::Leaf| {
            let kind = match leaf.kind {
                LeafKind::Choice => 'n',
                LeafKind::Offset => 'o',
                LeafKind::Refusal => 'm',
                _ => 'i',
            };
            // Variables of glue and stubs are not in the unit.
            format!("{{'{kind}',{},{}u,{}}}", leaf.size, leaf.object.min(0xffff), leaf.offset)
        };
        let at = |leaf: Option<usize>| match leaf {
            Some(leaf) => layout.leaves[..leaf].iter().map(|leaf| i64::from(leaf.size)).sum::<i64>(),
            None => -1,
        };
        let link = |link: &super::Link| {
            // The contents of streams are not recorded.
            let is_stream = |target: &usize| matches!(layout.objects[*target].kind, ObjectKind::Stream { .. });
            let target = link.target.filter(|target| !is_stream(target)).map_or(-1, |target| target as i64);
            let (other, other_at) = link.alias.map_or((-1, -1), |(other, leaf)| (other as i64, at(Some(leaf))));
            let (step, place_at) = link.place.map_or((0, -1), |(leaf, step)| (step, at(Some(leaf))));
            let size = link.target.map_or(0, |target| layout.objects[target].size);
            format!(
                "{{{},{},{target},{},{other},{other_at},{place_at},{step},{size}}}",
                link.object,
                link.offset,
                at(link.null)
            )
        };
        let (leaves, links) = (layout.leaves.iter().map(leaf), layout.links.iter().map(link));
        table(&mut out, "leaf", "perturb_leaves", leaves.collect());
        table(&mut out, "link", "perturb_links", links.collect());
        let size = layout.input_size();
        let _ = writeln!(
            out,
            "static unsigned char perturb_input[{}];\nstatic unsigned long long perturb_seen[PERTURB_MOST_CAPTURED];\n\
             static unsigned perturb_seen_count;\nstruct perturb_captured perturb_of;\n\
             const unsigned char *perturb_objects[{}];",
            size.max(1),
            layout.objects.len().max(1)
        );
        out.push_str(&layout.list.map(capture_list).unwrap_or_default());
        for (at, object) in layout.objects.iter().enumerate() {
            let _ = writeln!(out, "perturb_objects[{at}] = {};", self.address(at, object, signature));
        }
        let counts = [layout.objects.len(), layout.leaves.len(), layout.links.len()];
        let _ = writeln!(
            out,
            "perturb_of.function = \"{name}\"; perturb_of.object_count = {}; perturb_of.leaf_count = {}; \
             perturb_of.link_count = {};\n\
             perturb_of.leaves = perturb_leaves; perturb_of.links = perturb_links; perturb_of.size = {size};\n\
             perturb_of.input = perturb_input; perturb_of.seen = perturb_seen; perturb_of.seen_count = \
             &perturb_seen_count;\n\
             (void)perturb_arguments;\nperturb_capture(&perturb_of, perturb_objects);\n}}",
            counts[0], counts[1], counts[2]
        );
        without_macros(&out)
    }

    /// The address of an object when the function is called, as far as it is known before pointers are followed.
    fn address(&self, at: usize, object: &Object, signature: &Signature) -> String {
        let is_kept_inside = self.layout.kept_inside(at).is_some();
        match object.kind {
            ObjectKind::Argument(_) if self.layout.list.is_some_and(|list| list.parameter == at) => {
                "perturb_words".to_string()
            }
            ObjectKind::Argument(_) if self.layout.list.is_some_and(|list| list.fractions == at) => {
                "perturb_fractions".to_string()
            }
            ObjectKind::Argument(_) if at < signature.parameters.len() => {
                format!("(const unsigned char *)perturb_arguments[{at}]")
            }
            ObjectKind::Global if !is_kept_inside => format!("(const unsigned char *)&{}", object.name),
            _ => "0".to_string(),
        }
    }
}

/// Statements that read the arguments of a `va_list`.
fn capture_list(list: List) -> String {
    let (words, fractions) = (list::WORDS * list::WORD_SIZE, list::FRACTIONS * list::FRACTION_SIZE);
    format!(
        "unsigned char perturb_words[{words}] = {{0}}, perturb_fractions[{fractions}] = {{0}};\n\
         perturb_capture_list((const unsigned char *)perturb_arguments[{}], perturb_words, {}, perturb_fractions, \
         {});\n",
        list.parameter,
        list::WORDS,
        list::FRACTIONS
    )
}

/// C has no empty arrays.
fn table(out: &mut String, ty: &str, name: &str, rows: Vec<String>) {
    let rows = if rows.is_empty() { "{0}".to_string() } else { rows.join(",") };
    let _ = writeln!(out, "static const struct perturb_captured_{ty} {name}[] = {{{rows}}};");
}
