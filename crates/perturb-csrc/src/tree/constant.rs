//! Contexts that need constants: why an expression cannot be switched at run time, and which values it may take.

use super::{BinaryOp, NodeId, NodeKind, SwitchLabels, Tree, UnaryOp};

/// Why an expression must be a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConstantContext {
    ArraySize { initialised: bool },
    CaseLabel { switch: u32 },
    BitFieldWidth { bits: u32 },
    Enumerator,
    StaticInitialiser,
    TemplateArgument,
    Constexpr,
    DefaultArgument,
    MemberInitialiser,
    MacroBody,
}

impl ConstantContext {
    /// The end of a sentence that starts with "not switchable: ".
    pub fn reason(self) -> &'static str {
        match self {
            Self::ArraySize { .. } => "the size of an array must be a constant",
            Self::CaseLabel { .. } => "a case label must be a constant",
            Self::BitFieldWidth { .. } => "the width of a bit-field must be a constant",
            Self::Enumerator => "the value of an enumerator must be a constant",
            Self::StaticInitialiser => "an object with static storage is initialised before the program runs",
            Self::TemplateArgument => "a template argument must be a constant",
            Self::Constexpr => "a constexpr may be evaluated by the compiler",
            Self::DefaultArgument => "a default argument stands outside functions",
            Self::MacroBody => "a macro may be used where a constant is needed",
            Self::MemberInitialiser => "a default member initialiser stands outside functions",
        }
    }
}

impl Tree<'_> {
    /// Whether the program still compiles when the constant `id` becomes `value` (None: not known).
    pub fn constant_may_become(&self, id: NodeId, value: Option<i128>) -> bool {
        let Some(context) = self.node(id).constant else { return true };
        if self.is_undefined(id, value, context) {
            return false;
        }
        let of_whole = || self.evaluate(self.constant_root(id), Some((id, value?)));
        match context {
            ConstantContext::ArraySize { initialised } => {
                let before = self.evaluate(self.constant_root(id), None);
                of_whole().is_some_and(|size| size >= 0 && !(initialised && self.is_cpp && Some(size) < before))
            }
            ConstantContext::BitFieldWidth { bits } => of_whole().is_some_and(|w| (1..=i128::from(bits)).contains(&w)),
            ConstantContext::CaseLabel { switch } => {
                of_whole().is_some_and(|label| self.label_is_free(switch, label, self.constant_root(id)))
            }
            ConstantContext::Enumerator => of_whole().is_none_or(|value| !self.other_enumerators.contains(&value)),
            ConstantContext::TemplateArgument => of_whole().is_some_and(|argument| argument >= 0),
            _ => true,
        }
    }

    /// Whether a label (or one end of a range label, `case 1 ... 5`) may move without meeting another one.
    fn label_is_free(&self, switch: u32, label: i128, root: NodeId) -> bool {
        let SwitchLabels { ranges, type_range } = &self.switches[switch as usize];
        let Some(own) = self.evaluate(root, None) else { return false };
        let Some(at) = ranges.iter().position(|&(low, high)| low == own || high == own) else { return false };
        let (low, high) = match ranges[at] {
            (low, high) if low == high => (label, label),
            (low, high) if low == own => (label, high),
            (low, _) => (low, label),
        };
        let meets = |&(l, h): &(i128, i128)| l <= high && low <= h;
        low <= high
            && type_range.is_none_or(|range| range.holds(label))
            && !ranges.iter().enumerate().any(|(i, other)| i != at && meets(other))
    }

    /// Whether the constant then divides by zero or shifts by what is no count.
    fn is_undefined(&self, id: NodeId, value: Option<i128>, context: ConstantContext) -> bool {
        let Some(value) = value else { return false };
        let mut child = id;
        while let Some(parent) = self.node(child).parent.filter(|&p| self.node(p).constant == Some(context)) {
            let is_right = self.node(parent).children.last() == Some(&child);
            let right = || self.evaluate(child, Some((id, value))).filter(|_| is_right);
            match self.node(parent).kind {
                NodeKind::Binary(BinaryOp::Div | BinaryOp::Rem) if right() == Some(0) => return true,
                NodeKind::Binary(BinaryOp::Shl | BinaryOp::Shr) if right().is_some_and(|by| by < 0) => return true,
                _ => {}
            }
            child = parent;
        }
        false
    }

    /// The outermost expression of the same constant.
    fn constant_root(&self, mut id: NodeId) -> NodeId {
        let context = self.node(id).constant;
        while let Some(parent) = self.node(id).parent {
            let node = self.node(parent);
            if node.constant != context
                || matches!(node.kind, NodeKind::Case | NodeKind::Root | NodeKind::OtherStatement)
            {
                break;
            }
            id = parent;
        }
        id
    }

    /// The value of an integer constant expression, with one node's value replaced.
    pub fn evaluate(&self, id: NodeId, replaced: Option<(NodeId, i128)>) -> Option<i128> {
        if let Some((_, value)) = replaced.filter(|(node, _)| *node == id) {
            return Some(value);
        }
        let node = self.node(id);
        if let Some(value) = node.value {
            return Some(value);
        }
        let value = |child: NodeId| self.evaluate(child, replaced);
        match (node.kind, node.children.as_slice()) {
            (NodeKind::Paren | NodeKind::Implicit | NodeKind::Cast, [only]) => value(*only),
            (NodeKind::Unary(UnaryOp::Minus), [only]) => value(*only).map(|v| -v),
            (NodeKind::Unary(UnaryOp::Plus), [only]) => value(*only),
            (NodeKind::Unary(UnaryOp::Not), [only]) => value(*only).map(|v| i128::from(v == 0)),
            (NodeKind::Unary(UnaryOp::BitNot), [only]) => value(*only).map(|v| !v),
            (NodeKind::Binary(op), [left, right]) => op.apply(value(*left)?, value(*right)?),
            (NodeKind::Conditional, [condition, yes, no]) => value(if value(*condition)? != 0 { *yes } else { *no }),
            _ => None,
        }
    }
}
