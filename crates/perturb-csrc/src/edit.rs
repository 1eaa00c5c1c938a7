//! Making replacements that mean what they should: parentheses where precedence asks for them, space where tokens
//! would grow together.

use crate::lexer::is_identifier_byte;
use crate::source::SourceRange;
use crate::tree::{BinaryOp, ConstantContext, Kind, NodeId, Tree};

/// A replacement of one range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    pub range: SourceRange,
    pub replacement: String,
}

/// Tighter than any operator.
const PRIMARY: u8 = 16;

impl Tree<'_> {
    /// `text` in the place of an expression, in parentheses if its ends would merge with what stands beside it.
    pub fn expression_edit(&self, range: SourceRange, text: String) -> Edit {
        let merges = self.merges(range, &text);
        Edit { range, replacement: if merges { format!("({text})") } else { text } }
    }

    /// The operator of node `id` replaced, and nothing else changed: operands and the whole get the parentheses that the
    /// new precedence needs. `suffix` is `=` for compound assignments. None where macros stand in the way.
    pub fn operator_edit(&self, id: NodeId, new: BinaryOp, suffix: &str) -> Option<Edit> {
        let node = self.node(id);
        let token = node.operator?;
        let text = format!("{}{suffix}", new.text());
        let Kind::Binary(old) = node.kind else { return Some(self.token_edit(token, text)) };
        let (left, right) = self.operands(id)?;
        let around_left = self.precedence(left) < new.precedence();
        let around_right = self.precedence(right) <= new.precedence();
        let around_all = self.needs_parentheses(id, old, new);
        if !(around_left || around_right || around_all) {
            return Some(self.token_edit(token, text));
        }
        let whole = node.written?;
        let operand = |side: NodeId, wrap: bool, from: u32, to: u32| {
            let between = String::from_utf8_lossy(self.text(SourceRange::new(from, to))).into_owned();
            if !wrap {
                return Some(between);
            }
            let range = self.node(side).written.filter(|range| from <= range.start && range.end <= to)?;
            let at = |start, end| String::from_utf8_lossy(self.text(SourceRange::new(start, end))).into_owned();
            Some(format!("{}({}){}", at(from, range.start), at(range.start, range.end), at(range.end, to)))
        };
        let left = operand(left, around_left, whole.start, token.start)?;
        let right = operand(right, around_right, token.end, whole.end)?;
        let text = self.token_edit(token, text).replacement;
        let all = format!("{left}{text}{right}");
        Some(self.expression_edit(whole, if around_all { format!("({all})") } else { all }))
    }

    /// An operator's token, kept apart from its neighbours (`a*-b` becomes `a- -b`).
    fn token_edit(&self, range: SourceRange, text: String) -> Edit {
        let source = self.source.text();
        let touches = |byte: Option<&u8>| byte.is_some_and(|b| b"+-*/%&|^<>=!~:.#".contains(b));
        let before = touches(range.start.checked_sub(1).and_then(|at| source.get(at as usize)));
        let after = touches(source.get(range.end as usize));
        let word = |byte: Option<&u8>| byte.is_some_and(|&b| is_identifier_byte(b));
        // An operator spelled as a word (`and`) may be replaced by a symbol: nothing to keep apart.
        debug_assert!(!word(text.as_bytes().first()), "operators are written as symbols");
        let (space_before, space_after) = (if before { " " } else { "" }, if after { " " } else { "" });
        Edit { range, replacement: format!("{space_before}{text}{space_after}") }
    }

    fn merges(&self, range: SourceRange, text: &str) -> bool {
        let source = self.source.text();
        let before = range.start.checked_sub(1).and_then(|at| source.get(at as usize)).copied();
        let after = source.get(range.end as usize).copied();
        let (first, last) = (text.bytes().next(), text.bytes().next_back());
        let join = |a: Option<u8>, b: Option<u8>| match (a, b) {
            (Some(a), Some(b)) => {
                let symbol = |c: u8| b"+-*/%&|^<>=!~:.#".contains(&c);
                is_identifier_byte(a) && is_identifier_byte(b) || symbol(a) && symbol(b)
            }
            _ => false,
        };
        join(before, first) || join(last, after)
    }

    /// How tightly the text of a node holds together.
    fn precedence(&self, id: NodeId) -> u8 {
        let node = self.node(id);
        match (node.macro_use, node.kind) {
            (Some(atomic), _) => u8::from(atomic) * PRIMARY,
            (None, Kind::Implicit) => node.children.first().map_or(PRIMARY, |&child| self.precedence(child)),
            (None, Kind::Binary(op)) => op.precedence(),
            (None, Kind::Conditional) => 3,
            (None, Kind::Assign | Kind::CompoundAssign(_)) => 2,
            // Rare expressions, GNU's `a ?: b` among them, may be of any precedence.
            (None, Kind::OtherExpression) if node.children.len() > 1 => 0,
            (None, Kind::Unary(_) | Kind::Cast) => 14,
            _ => PRIMARY,
        }
    }

    /// Whether the expression needs parentheses where it stands once its operator is `new`.
    fn needs_parentheses(&self, id: NodeId, old: BinaryOp, new: BinaryOp) -> bool {
        if self.node(id).constant == Some(ConstantContext::TemplateArgument) {
            return new.text().contains('>');
        }
        let looser = new.precedence() < old.precedence();
        let Some((parent, child)) = self.written_parent(id) else { return false };
        let node = self.node(parent);
        match node.kind {
            Kind::Binary(BinaryOp::Unknown) | Kind::Unary(_) | Kind::Cast | Kind::OtherExpression => looser,
            Kind::Binary(above) => {
                let is_right = node.children.last() == Some(&child);
                new.precedence() < above.precedence() || is_right && new.precedence() == above.precedence()
            }
            // The left of a subscript or a call is in parentheses already, or part of a macro.
            Kind::Postfix | Kind::Call => looser && node.children.first() == Some(&child),
            _ => false,
        }
    }
}
