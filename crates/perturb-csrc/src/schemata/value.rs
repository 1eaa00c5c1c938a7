//! Points that compute a value: the runtime takes the operands and returns the original's value or an alternative's.
//!
//! Only exact alternatives: they have the type of the original, and evaluate the same operands. All others become
//! variants (see `variant`).

use super::code;
use super::weave::{Layer, PLACE};
use crate::literal::IntegerLiteral;
use crate::operators::{Change, Mutation};
use crate::source::SourceRange;
use crate::tree::{BinaryOp, NodeId, NodeKind, Number, SyntaxNode, Tree, Type, TypeClass, Usage};
use perturb_rt::AlternativeCode;
use std::collections::BTreeSet;

/// The text that is written around a node, without the number of its point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeWrap {
    pub range: SourceRange,
    pub layer: Layer,
    pub open: Vec<u8>,
    pub swap: Option<(SourceRange, Vec<u8>)>,
    pub close: Vec<u8>,
    /// The floating type whose functions it calls.
    pub floating: Option<Number>,
}

impl Tree<'_> {
    /// How a mutation is chosen where its value is made; None where only a variant is exact.
    pub(super) fn value_point(
        &self,
        mutation: &Mutation,
        last_uses: &BTreeSet<SourceRange>,
    ) -> Option<(NodeWrap, AlternativeCode)> {
        let id = mutation.node;
        let node = self.node(id);
        match (node.kind, mutation.change) {
            (_, Change::Not) => self.negation(node),
            (NodeKind::Integer | NodeKind::Character | NodeKind::Boolean(_), Change::Literal(value)) => {
                self.literal(node, value)
            }
            (NodeKind::Floating, change) => self.floating_literal(node, change),
            (NodeKind::Variable { .. }, change) => self.variable(id, change, self.is_last_use(id, last_uses)),
            (NodeKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr), change) => self.connector(id, change),
            (NodeKind::Binary(op), change) if op.is_relation() => self.relation(id, op, change),
            (NodeKind::Binary(op), change) => self.arithmetic(id, op, change),
            (NodeKind::CompoundAssign(op), Change::Operator(new)) => self.assignment(id, op, new),
            _ => None,
        }
    }

    fn negation(&self, node: &SyntaxNode) -> Option<(NodeWrap, AlternativeCode)> {
        let (open, close) = ([b"__perturb_not(", &[PLACE][..], b",!!("].concat(), b"))".to_vec());
        let range = node.written?;
        Some((
            NodeWrap { range, layer: Layer::Negation, open, swap: None, close, floating: None },
            AlternativeCode::ONLY,
        ))
    }

    fn literal(&self, node: &SyntaxNode, value: i128) -> Option<(NodeWrap, AlternativeCode)> {
        let range = node.written?;
        let number = node.ty.number?;
        let (original, is_same_type) = match node.kind {
            NodeKind::Boolean(original) => (i128::from(original), true),
            NodeKind::Integer => (node.value?, keeps_type(self.text(range), node.ty, value)),
            // In C a character is an `int`; in C++ the replacement is made a `char`.
            _ => (node.value?, true),
        };
        let code = code::of_literal(original, value).filter(|_| is_same_type)?;
        let open = [format!("(({})__perturb_lit(", number.name(self.is_cpp)).as_bytes(), &[PLACE], b","].concat();
        Some((NodeWrap { range, layer: Layer::Value, open, swap: None, close: b"))".to_vec(), floating: None }, code))
    }

    fn floating_literal(&self, node: &SyntaxNode, change: Change) -> Option<(NodeWrap, AlternativeCode)> {
        let (range, number) = (node.written?, node.ty.number?);
        let code = match change {
            Change::Literal(0) => AlternativeCode::ZERO,
            Change::Literal(-1) => AlternativeCode::MINUS_ONE,
            Change::Negated => AlternativeCode::NEGATED,
            _ => return None,
        };
        let open = [b"__perturb_lit_", letter(number)?.as_bytes(), b"(", &[PLACE], b","].concat();
        let floating = Some(number);
        Some((NodeWrap { range, layer: Layer::Value, open, swap: None, close: b")".to_vec(), floating }, code))
    }

    fn variable(&self, id: NodeId, change: Change, is_last_use: bool) -> Option<(NodeWrap, AlternativeCode)> {
        let node = self.node(id);
        let (range, number) = (node.written?, node.ty.number?);
        let code = match change {
            Change::Negated => AlternativeCode::NEGATED,
            Change::Stepped(step) => code::of_step(step),
            _ => return None,
        };
        if node.ty.is_volatile {
            return None;
        }
        let by_address = matches!(node.kind, NodeKind::Variable { modifiable: true })
            && node.is_addressable
            && node.ty.class != TypeClass::Floating
            && self.may_step(id);
        // Nobody will see that it was counted.
        let by_value = is_last_use && by_address;
        if !by_address && code != AlternativeCode::NEGATED {
            return None;
        }
        // Where C++ looks at the type of an expression, it must stay what it was.
        let cast = if self.is_cpp && node.usage == Usage::Exact { number } else { number.promoted() };
        let cast = cast.name(self.is_cpp);
        let (open, close) = if node.ty.class == TypeClass::Floating {
            ([b"__perturb_neg_", letter(number)?.as_bytes(), b"(", &[PLACE], b","].concat(), b")".to_vec())
        } else if by_address {
            let size = if number == Number::Bool { 0 } else { size(node.ty) };
            let (name, how) = if by_value { ("last", "") } else { ("var", "&") };
            let call = format!("(({cast})__perturb_{name}(");
            ([call.as_bytes(), &[PLACE], format!(",{size},{how}").as_bytes()].concat(), b"))".to_vec())
        } else {
            // A narrow type is promoted before it is negated.
            ([format!("(({cast})__perturb_neg(").as_bytes(), &[PLACE], b","].concat(), b"))".to_vec())
        };
        let floating = number.is_floating().then_some(number);
        Some((NodeWrap { range, layer: Layer::Value, open, swap: None, close, floating }, code))
    }

    fn arithmetic(&self, id: NodeId, op: BinaryOp, change: Change) -> Option<(NodeWrap, AlternativeCode)> {
        let node = self.node(id);
        let (left, right) = self.operands(id)?;
        let number = node.ty.number.filter(|number| !number.is_promoted())?;
        // Both sides are converted to the type of the result; a shift's count keeps its own.
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let converted = |side: NodeId| self.node(side).ty.number == Some(number);
        let counts = self.node(right).ty.number.is_some_and(|count| !count.is_floating());
        if !converted(left) || !(converted(right) || is_shift && counts) {
            return None;
        }
        let code = match change {
            Change::Operator(new) => code::of_operator(new)?,
            Change::Operand { is_left, as_truth: false } => self.operand_code(id, is_left, number)?,
            _ => return None,
        };
        let (name, how) = if number.is_floating() {
            (format!("__perturb_bin_{}(", letter(number)?), code::of_operator(op)?.0.to_string())
        } else {
            let how = u32::from(code::of_operator(op)?.0) | size(node.ty) << 8;
            (format!("(({})__perturb_bin(", number.name(self.is_cpp)), how.to_string())
        };
        let right_type = if is_shift { self.node(right).ty.number? } else { number };
        let call = RuntimeCall { name, how, types: [number, right_type].map(|n| n.name(self.is_cpp).to_string()) };
        let close = if number.is_floating() { ")" } else { "))" };
        let floating = number.is_floating().then_some(number);
        Some((self.call(id, call, close, floating)?, code))
    }

    /// `L op R` becomes one of its operands: exact if that has the type of the whole, and the other one need not be
    /// evaluated.
    fn operand_code(&self, id: NodeId, is_left: bool, number: Number) -> Option<AlternativeCode> {
        let (left, right) = self.operands(id)?;
        let (kept, dropped) = if is_left { (left, right) } else { (right, left) };
        let own = self.node(self.peel(kept)).ty.number?;
        let exact = if self.is_cpp && self.node(id).usage == Usage::Exact { own } else { own.promoted() };
        (exact == number && self.is_total(dropped)).then_some(if is_left {
            AlternativeCode::LEFT
        } else {
            AlternativeCode::RIGHT
        })
    }

    fn relation(&self, id: NodeId, op: BinaryOp, change: Change) -> Option<(NodeWrap, AlternativeCode)> {
        let node = self.node(id);
        let (left, right) = self.operands(id)?;
        let (left_type, right_type) = (self.node(left).ty, self.node(right).ty);
        let truth_only = matches!(node.usage, Usage::Condition | Usage::Boolean);
        let number = left_type.number.filter(|number| right_type.number == Some(*number) && !number.is_promoted());
        let are_pointers = !self.is_cpp && is_pointer(left_type) && is_pointer(right_type);
        let code = match change {
            Change::Operator(new) => code::of_operator(new)?,
            Change::Operand { is_left, .. } => {
                let dropped = if is_left { right } else { left };
                match (truth_only, is_left) {
                    _ if !self.is_total(dropped) => return None,
                    (true, true) => AlternativeCode::LEFT_TRUE,
                    (true, false) => AlternativeCode::RIGHT_TRUE,
                    (false, _) if self.is_cpp || number != Some(Number::Int) => return None,
                    (false, _) => self.operand_code(id, is_left, Number::Int)?,
                }
            }
            _ => return None,
        };
        let op = code::of_operator(op)?.0;
        let is_floating = number.is_some_and(Number::is_floating);
        let (name, how, ty) = match number {
            Some(number) if is_floating => {
                (format!("__perturb_rel_{}(", letter(number)?), op.to_string(), number.name(self.is_cpp).to_string())
            }
            Some(number) => {
                let how = u32::from(op) | size(left_type) << 8;
                ("__perturb_rel(".to_string(), how.to_string(), number.name(self.is_cpp).to_string())
            }
            None if are_pointers => {
                // As addresses, which is how pointers are compared.
                ("__perturb_rel(".to_string(), (u32::from(op) | 8 << 8).to_string(), "__UINTPTR_TYPE__".to_string())
            }
            None => return None,
        };
        let (name, close) = if self.is_cpp { (format!("((bool){name}"), "))") } else { (name, ")") };
        let floating = number.filter(|_| is_floating);
        Some((self.call(id, RuntimeCall { name, how, types: [ty.clone(), ty] }, close, floating)?, code))
    }

    /// A call of the runtime with both operands. Where one has effects they are evaluated in the order in which
    /// compilers evaluate the operands of an operator, which is not that of arguments.
    fn call(&self, id: NodeId, call: RuntimeCall, close: &str, floating: Option<Number>) -> Option<NodeWrap> {
        let node = self.node(id);
        let (range, token) = (node.written?, node.operator?);
        let (left, right) = self.operands(id)?;
        let RuntimeCall { name, how, types: [left_type, right_type] } = call;
        let start = [name.as_bytes(), &[PLACE], format!(",{how},").as_bytes()].concat();
        let written = |open: Vec<u8>, swap: String, close: Vec<u8>| NodeWrap {
            range,
            layer: Layer::Value,
            open,
            swap: Some((token, swap.into_bytes())),
            close,
            floating,
        };
        if !self.has_effects(left) && !self.has_effects(right) {
            let open = [&start[..], format!("({left_type})(").as_bytes()].concat();
            return Some(written(open, format!("),({right_type})("), format!("){close}").into_bytes()));
        }
        let open = format!("(__extension__({{{left_type} __perturb_l=({left_type})(");
        let swap = format!(");{right_type} __perturb_r=({right_type})(");
        let close = [b");", &start[..], b"__perturb_l,__perturb_r", close.as_bytes(), b";}))"].concat();
        Some(written(open.into_bytes(), swap, close))
    }

    fn connector(&self, id: NodeId, change: Change) -> Option<(NodeWrap, AlternativeCode)> {
        let node = self.node(id);
        let (range, token) = (node.written?, node.operator?);
        let (left, right) = self.operands(id)?;
        let truth_only = matches!(node.usage, Usage::Condition | Usage::Boolean);
        let has_truth = |side: NodeId| {
            let ty = self.node(side).ty;
            ty.number.is_some() || is_pointer(ty) || ty.class == TypeClass::Bool
        };
        if node.ty.number.is_none() || !has_truth(left) || !has_truth(right) {
            return None;
        }
        let code = match change {
            Change::Operator(_) => AlternativeCode::OTHER_CONNECTOR,
            Change::Operand { as_truth, .. } if !as_truth && !truth_only => return None,
            Change::Operand { is_left: true, .. } => AlternativeCode::LEFT_TRUE,
            Change::Operand { is_left: false, .. } if self.is_total(left) => AlternativeCode::RIGHT_TRUE,
            _ => return None,
        };
        // What the left operand is when the right one is not needed.
        let stop = u8::from(node.kind == NodeKind::Binary(BinaryOp::LogicalOr));
        let effects = u8::from(self.has_effects(right));
        let open = format!("(__extension__({{int __perturb_c=__perturb_logic(\u{3},{stop},{effects},!!(");
        let swap = format!("));__perturb_c<2?__perturb_c:__perturb_right(\u{3},{stop},!!(");
        let close = "));}))".to_string();
        let (open, close) = if self.is_cpp { (format!("((bool){open}"), format!("{close})")) } else { (open, close) };
        let swap = Some((token, swap.into_bytes()));
        let (open, close) = (open.into_bytes(), close.into_bytes());
        Some((NodeWrap { range, layer: Layer::Value, open, swap, close, floating: None }, code))
    }

    /// `a op= b` as `a = f(a, b)`, where `a` can be read once more without harm.
    fn assignment(&self, id: NodeId, op: BinaryOp, new: BinaryOp) -> Option<(NodeWrap, AlternativeCode)> {
        let node = self.node(id);
        let (range, token) = (node.written?, node.operator?);
        let (left, right) = self.operands(id)?;
        let target = self.node(left).written?;
        let (left_type, right_type) = (self.node(left).ty, self.node(right).ty);
        let number = usual(left_type, right_type)?;
        let has_address_only =
            matches!(self.node(left).kind, NodeKind::Reference | NodeKind::Postfix) && self.is_plain(left);
        if !has_address_only || left_type.is_volatile || self.is_cpp && left_type.is_enum() {
            return None;
        }
        let code = code::of_operator(new)?;
        let name = number.0.name(self.is_cpp);
        let (call, how, end) = if number.0.is_floating() {
            (format!("__perturb_bin_{}(", letter(number.0)?), u32::from(code::of_operator(op)?.0), ")")
        } else {
            (format!("({name})__perturb_bin("), u32::from(code::of_operator(op)?.0) | number.1 << 8, ")")
        };
        let own = left_type.number?.name(self.is_cpp);
        let own = if left_type.is_enum() { name } else { own };
        let read = self.text(target);
        let start = [format!("({own})({call}").as_bytes(), &[PLACE], format!(",{how},({name})").as_bytes(), read, b","]
            .concat();
        let (swap, close) = if self.has_effects(right) {
            // Compilers evaluate the right side first.
            let swap = [b"=(__extension__({", name.as_bytes(), b" __perturb_r=(", name.as_bytes(), b")("].concat();
            (swap, [b");", &start[..], b"__perturb_r", end.as_bytes(), b");}))"].concat())
        } else {
            ([b"=", &start[..], b"(", name.as_bytes(), b")("].concat(), [b")", end.as_bytes(), b")"].concat())
        };
        let floating = Some(number.0).filter(|number| number.is_floating());
        let swap = Some((token, swap));
        Some((NodeWrap { range, layer: Layer::Value, open: Vec::new(), swap, close, floating }, code))
    }

    /// A name, or a member of one: what can be written twice, since nothing in it is mutated or has effects.
    fn is_plain(&self, id: NodeId) -> bool {
        let node = self.node(id);
        match node.kind {
            NodeKind::Reference => !node.ty.is_volatile && node.macro_use.is_none() && node.written.is_some(),
            NodeKind::Postfix => {
                let is_member = node.written.is_some_and(|range| !self.text(range).ends_with(b"]"));
                is_member && !node.ty.is_volatile && node.children.iter().all(|&base| self.is_plain(base))
            }
            NodeKind::Implicit => node.children.iter().all(|&base| self.is_plain(base)),
            _ => false,
        }
    }
}

/// A call of the runtime on two operands.
struct RuntimeCall {
    name: String,
    how: String,
    types: [String; 2],
}

impl BinaryOp {
    pub(super) fn is_relation(self) -> bool {
        matches!(self, Self::Lt | Self::Gt | Self::Le | Self::Ge | Self::Eq | Self::Ne)
    }
}

fn is_pointer(ty: Type) -> bool {
    ty.is_pointer() || ty.class == TypeClass::Array
}

/// The letter of a floating type in the runtime's names.
pub(super) fn letter(number: Number) -> Option<&'static str> {
    match number {
        Number::Float => Some("f"),
        Number::Double => Some("d"),
        Number::LongDouble => Some("e"),
        _ => None,
    }
}

/// An integer type as the runtime takes it: its size in bytes, and whether it is signed.
fn size(ty: Type) -> u32 {
    const SIGNED: u32 = 0x80;
    let is_signed = match ty.number {
        // Which of the two a plain `char` is, its class knows.
        Some(Number::Char) => ty.class == TypeClass::Integer { signed: true },
        Some(number) => {
            matches!(number, Number::SignedChar | Number::Short | Number::Int | Number::Long | Number::LongLong)
        }
        None => false,
    };
    u32::from(ty.bits / 8) | if is_signed { SIGNED } else { 0 }
}

/// The type in which `a op= b` computes, and its size as the runtime takes it. The right side is promoted already.
fn usual(left: Type, right: Type) -> Option<(Number, u32)> {
    let (left_number, right_number) = (left.number?.promoted(), right.number?.promoted());
    if left_number.is_floating() || right_number.is_floating() {
        return Some((left_number.max(right_number), 0));
    }
    let int_bits = 32;
    let with = |ty: Type, number: Number| {
        let bits = if ty.number == Some(number) { ty.bits } else { int_bits };
        (number, size(Type { number: Some(number), bits, ..ty }), bits)
    };
    let (a, b) = (with(left, left_number), with(right, right_number));
    // The one of higher rank, if it holds all values of the other; which it does unless it is signed, no wider, and the
    // other is not signed.
    let (high, low) = if a.0 >= b.0 { (a, b) } else { (b, a) };
    let is_unsigned = |n: Number| matches!(n, Number::UnsignedInt | Number::UnsignedLong | Number::UnsignedLongLong);
    let holds = is_unsigned(high.0) || !is_unsigned(low.0) || high.2 > low.2;
    holds.then_some((high.0, high.1))
}

/// Whether a literal of another value, written in the same style, has the same type.
fn keeps_type(text: &[u8], ty: Type, value: i128) -> bool {
    let (Some(literal), Some(number)) = (IntegerLiteral::parse(text), ty.number) else { return false };
    let bits = u32::from(ty.bits);
    let suffix = literal.suffix.to_ascii_lowercase();
    let rank = if suffix.contains('u') { suffix.len() - 1 } else { suffix.len() };
    let expected = match (rank, suffix.contains('u')) {
        (0, false) => Number::Int,
        (0, true) => Number::UnsignedInt,
        (1, false) => Number::Long,
        (1, true) => Number::UnsignedLong,
        (_, false) => Number::LongLong,
        (_, true) => Number::UnsignedLongLong,
    };
    let largest = if suffix.contains('u') { 1i128 << bits } else { 1i128 << (bits - 1) };
    // A suffix `z` is the size type's; a value that does not fit makes the type a larger one.
    number == expected && !suffix.contains('z') && value.unsigned_abs() < largest.unsigned_abs()
}
