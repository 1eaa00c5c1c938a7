//! Variants: an expression or statement repeated with the text of each mutant, of which one runs. The compiler sees
//! exactly the mutant's source, with its types and its order of evaluation.

use crate::lexer;
use crate::operators::sdl::statement_end;
use crate::operators::Mutation;
use crate::source::SourceRange;
use crate::tree::{NodeId, NodeKind, Number, SyntaxNode, Tree, TypeClass, Usage};

/// Where the variants of an expression stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Host {
    pub range: SourceRange,
    pub kind: HostKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostKind {
    /// A statement with its semicolon.
    Statement,
    /// Only its truth counts.
    Condition,
    /// Its value does not count.
    Discarded,
    /// It is converted to this when it initialises something.
    Converted(Number),
    /// All variants have its own type.
    SameType,
}

/// Texts beyond this are left to a build of their own: they would be written once for each of their mutants.
const LONGEST_HOST_BYTES: u32 = 600;

impl Tree<'_> {
    /// The smallest whole around a mutation that can stand beside its variants.
    pub(super) fn host(&self, mutation: &Mutation) -> Option<Host> {
        let full = self.full_expression(mutation.node);
        let host = self.host_of_expression(full).or_else(|| self.enclosing_statement(full));
        let fits = |host: &Host| {
            host.range.contains(mutation.edit.range)
                && host.range.len() <= LONGEST_HOST_BYTES
                && !holds_directive(self.text(host.range))
        };
        host.filter(fits)
    }

    fn host_of_expression(&self, id: NodeId) -> Option<Host> {
        let node = self.node(id);
        let range = node.written?;
        let parent = self.node(node.parent?);
        if node.is_statement {
            return self.statement_host(node);
        }
        let kind = match parent.kind {
            NodeKind::Return => return self.statement_host(parent),
            _ if node.is_condition => HostKind::Condition,
            NodeKind::Loop if node.usage == Usage::Discarded => HostKind::Discarded,
            _ if node.initialises.is_some() => HostKind::Converted(node.initialises?),
            NodeKind::Switch if is_same_type(node) => HostKind::SameType,
            NodeKind::OtherStatement if node.ty.is_pointer() => HostKind::SameType,
            _ => return None,
        };
        Some(Host { range, kind })
    }

    fn statement_host(&self, statement: &SyntaxNode) -> Option<Host> {
        let range = statement.written.filter(|_| !statement.holds_labels)?;
        let end = statement_end(self, range, statement.ends_with_semicolon)?;
        Some(Host { range: SourceRange::new(range.start, end), kind: HostKind::Statement })
    }

    /// An expression in a macro's argument, where the macro makes a statement of it: the use of the macro as a whole.
    fn enclosing_statement(&self, id: NodeId) -> Option<Host> {
        let mut at = self.node(id).parent?;
        loop {
            let node = self.node(at);
            if node.kind == NodeKind::Root || node.kind == NodeKind::Compound && node.written.is_some() {
                return None;
            }
            if node.is_statement && node.written.is_some() {
                let host = self.statement_host(node)?;
                // A block of its own would be written twice, with all that is declared in it.
                let text = self.text(host.range);
                let is_simple = !text.contains(&b'{') && node.macro_use.is_some();
                return is_simple.then_some(host);
            }
            at = node.parent?;
        }
    }

    /// The host's text with the mutation in it, on one line.
    pub(super) fn variant_text(&self, host: Host, mutation: &Mutation) -> Vec<u8> {
        let edit = &mutation.edit;
        let before = self.text(SourceRange::new(host.range.start, edit.range.start));
        let after = self.text(SourceRange::new(edit.range.end, host.range.end));
        in_one_line(&[before, &edit.replacement, after].concat())
    }
}

/// What stands around an expression or statement and its variants.
pub(super) struct Around {
    pub open: Vec<u8>,
    /// By code.
    pub variants: Vec<(u8, Vec<u8>)>,
    pub tail: Vec<u8>,
    pub close: Vec<u8>,
}

/// Puts the texts of variants, by their codes, beside the original.
pub(super) fn around(kind: HostKind, is_cpp: bool, texts: Vec<(u8, Vec<u8>)>) -> Around {
    let with = |before: &dyn Fn(u8) -> String, after: &str| -> Vec<(u8, Vec<u8>)> {
        let written =
            |(code, text): &(u8, Vec<u8>)| (*code, [before(*code).as_bytes(), text, after.as_bytes()].concat());
        texts.iter().map(written).collect()
    };
    if kind == HostKind::Statement {
        return Around {
            open: b"{int __perturb_k=__perturb_at(\x01);".to_vec(),
            variants: with(&|code| format!("if(__perturb_k=={code}){{"), "}else "),
            tail: b"{".to_vec(),
            close: b"}}".to_vec(),
        };
    }
    let before = match kind {
        HostKind::Condition => "!!(".to_string(),
        HostKind::Discarded => "(void)(".to_string(),
        HostKind::Converted(number) => format!("({})(", number.name(is_cpp)),
        HostKind::Statement | HostKind::SameType => "(".to_string(),
    };
    Around {
        open: b"(__extension__({int __perturb_k=__perturb_at(\x01);".to_vec(),
        variants: with(&|code| format!("__perturb_k=={code}?{before}"), "):"),
        tail: before.into_bytes(),
        close: b");}))".to_vec(),
    }
}

fn is_same_type(node: &SyntaxNode) -> bool {
    node.ty.number.is_some_and(|number| !number.is_promoted()) && !matches!(node.ty.class, TypeClass::Enum { .. })
}

/// White space with a line end or a comment in it becomes a space; all else stays as it is written.
fn in_one_line(text: &[u8]) -> Vec<u8> {
    let mut line = Vec::with_capacity(text.len());
    let mut at = 0;
    for token in lexer::tokens(text, 0, text.len() as u32) {
        let between = &text[at..token.start as usize];
        if between.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            line.extend_from_slice(between);
        } else {
            line.push(b' ');
        }
        line.extend_from_slice(token.text(text));
        at = token.end as usize;
    }
    line
}

/// Whether a preprocessor's line is in it.
fn holds_directive(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').skip(1).any(|line| line.trim_ascii_start().starts_with(b"#"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_line_ends_become_spaces() {
        let text = b"a  /* x */ + \"/* y */\"\n // z\r\n + b";
        assert_eq!(String::from_utf8(in_one_line(text)).unwrap(), "a + \"/* y */\" + b");
    }
}
