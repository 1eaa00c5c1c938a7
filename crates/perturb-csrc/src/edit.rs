//! Makes replacements mean what they should: adds parentheses where precedence requires them, and spaces where tokens
//! would merge.

use crate::lexer::{self, is_identifier_byte};
use crate::source::SourceRange;
use crate::tree::{BinaryOp, ConstantContext, NodeId, NodeKind, Tree};

/// A replacement of one range. Bytes, as the file is bytes: a string in it may be in any encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub range: SourceRange,
    pub replacement: Vec<u8>,
}

/// Tighter than any operator.
const PRIMARY: u8 = 16;

/// Bytes that may be part of a longer operator.
const SYMBOLS: &[u8] = b"+-*/%&|^<>=!~:.#";

impl Tree<'_> {
    /// `text` in the place of an expression, in parentheses if it would merge with what stands beside it.
    pub fn expression_edit(&self, range: SourceRange, text: impl Into<Vec<u8>>) -> Edit {
        let text = text.into();
        let merges = self.merges(range, &text);
        Edit { range, replacement: if merges { [b"(", &text[..], b")"].concat() } else { text } }
    }

    /// The operator of node `id` replaced, and nothing else changed: operands and the whole get the parentheses that
    /// the new precedence needs. `suffix` is `=` for compound assignments. None where macros stand in the way.
    pub fn operator_edit(&self, id: NodeId, new: BinaryOp, suffix: &str) -> Option<Edit> {
        let node = self.node(id);
        let token = node.operator?;
        let text = format!("{}{suffix}", new.text());
        let NodeKind::Binary(old) = node.kind else { return Some(self.token_edit(token, &text)) };
        let (left, right) = self.operands(id)?;
        let around_left = self.precedence(left) < new.precedence();
        let around_right = self.precedence(right) <= new.precedence();
        let around_all = self.needs_parentheses(id, old, new);
        let edit = self.token_edit(token, &text);
        if !(around_left || around_right || around_all) {
            return Some(edit);
        }
        let whole = node.written?;
        let left = self.side(left, around_left, SourceRange::new(whole.start, token.start))?;
        let right = self.side(right, around_right, SourceRange::new(token.end, whole.end))?;
        let all = [left, edit.replacement, right].concat();
        Some(self.expression_edit(whole, if around_all { [b"(", &all[..], b")"].concat() } else { all }))
    }

    /// The text on one side of an operator, its operand in parentheses if need be.
    fn side(&self, operand: NodeId, wrap: bool, side: SourceRange) -> Option<Vec<u8>> {
        if !wrap {
            return Some(self.text(side).to_vec());
        }
        let range = self.node(operand).written.filter(|range| side.contains(*range))?;
        let (before, after) = (SourceRange::new(side.start, range.start), SourceRange::new(range.end, side.end));
        Some([self.text(before), b"(", self.text(range), b")", self.text(after)].concat())
    }

    /// An operator's token, kept apart from its neighbours (`a*-b` becomes `a- -b`).
    fn token_edit(&self, range: SourceRange, text: &str) -> Edit {
        let (before, after) = self.neighbours(range);
        let space = |byte: Option<u8>| if byte.is_some_and(|b| SYMBOLS.contains(&b)) { " " } else { "" };
        Edit { range, replacement: format!("{}{text}{}", space(before), space(after)).into_bytes() }
    }

    fn neighbours(&self, range: SourceRange) -> (Option<u8>, Option<u8>) {
        let source = self.source.text();
        let before = range.start.checked_sub(1).and_then(|at| source.get(at as usize)).copied();
        (before, source.get(range.end as usize).copied())
    }

    fn merges(&self, range: SourceRange, text: &[u8]) -> bool {
        let (before, after) = self.neighbours(range);
        let join = |a: Option<u8>, b: Option<u8>| match (a, b) {
            (Some(a), Some(b)) => {
                is_identifier_byte(a) && is_identifier_byte(b) || SYMBOLS.contains(&a) && SYMBOLS.contains(&b)
            }
            _ => false,
        };
        // `i[a]` with a sign before it would be the element's sign.
        let is_subscripted = lexer::token_at(self.source.text(), range.end).text(self.source.text()) == b"[";
        let has_prefix = text.first().is_some_and(|first| SYMBOLS.contains(first));
        join(before, text.first().copied()) || join(text.last().copied(), after) || is_subscripted && has_prefix
    }

    /// How tightly the text of a node holds together.
    fn precedence(&self, id: NodeId) -> u8 {
        let node = self.node(id);
        match (node.macro_use, node.kind) {
            (Some(atomic), _) => u8::from(atomic) * PRIMARY,
            (None, NodeKind::Implicit) => node.children.first().map_or(PRIMARY, |&child| self.precedence(child)),
            (None, NodeKind::Binary(op)) => op.precedence(),
            (None, NodeKind::Conditional) => 3,
            (None, NodeKind::Assign | NodeKind::CompoundAssign(_)) => 2,
            // Rare expressions, GNU's `a ?: b` among them, may be of any precedence.
            (None, NodeKind::OtherExpression) if node.children.len() > 1 => 0,
            (None, NodeKind::Unary(_) | NodeKind::Cast) => 14,
            _ => PRIMARY,
        }
    }

    /// Whether the expression needs parentheses where it stands once its operator is `new`.
    fn needs_parentheses(&self, id: NodeId, old: BinaryOp, new: BinaryOp) -> bool {
        if self.node(id).constant == Some(ConstantContext::TemplateArgument) && new.text().contains('>') {
            return true;
        }
        let looser = new.precedence() < old.precedence();
        let Some((parent, child)) = self.written_parent(id) else { return false };
        let node = self.node(parent);
        match node.kind {
            NodeKind::Binary(BinaryOp::Unknown) | NodeKind::Unary(_) | NodeKind::Cast | NodeKind::OtherExpression => {
                looser
            }
            NodeKind::Binary(above) => {
                let is_right = node.children.last() == Some(&child);
                new.precedence() < above.precedence() || is_right && new.precedence() == above.precedence()
            }
            // The left of a subscript or a call is in parentheses already, or part of a macro.
            NodeKind::Postfix | NodeKind::Call => looser && node.children.first() == Some(&child),
            _ => false,
        }
    }
}
