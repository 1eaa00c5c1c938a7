//! ABS as Milu has it: an arithmetic expression `e` becomes `abs(e)`.
//!
//! It is written as the compiler's own function of the type, which needs no header. What has no sign is left alone.

use crate::operators::{Change, Mutations};
use crate::tree::BinaryOp::{Add, Div, Mul, Rem, Sub};
use crate::tree::{NodeId, NodeKind, Number, Tree, TypeClass, Usage};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let is_value = match node.kind {
        NodeKind::Variable { .. } | NodeKind::Binary(Add | Sub | Mul | Div | Rem) | NodeKind::Call => true,
        NodeKind::Postfix => node.is_read,
        _ => false,
    };
    let has_sign = matches!(node.ty.class, TypeClass::Integer { signed: true } | TypeClass::Floating);
    let (Some(range), Some(number)) = (node.written, node.ty.number.filter(|_| is_value && has_sign)) else { return };
    // C++ deduces types from what is written, and constants call no function.
    let is_exact = tree.is_cpp && node.usage == Usage::Exact;
    if is_exact || node.constant.is_some() || node.usage == Usage::Discarded {
        return;
    }
    let Some(function) = function(number) else { return };
    let text = [function, b"(", tree.text(range), b")"].concat();
    mutations.push(tree, id, Change::Text, tree.expression_edit(range, text), None);
}

fn function(number: Number) -> Option<&'static [u8]> {
    Some(match number.promoted() {
        Number::Int => b"__builtin_abs",
        Number::Long => b"__builtin_labs",
        Number::LongLong => b"__builtin_llabs",
        Number::Float => b"__builtin_fabsf",
        Number::Double => b"__builtin_fabs",
        Number::LongDouble => b"__builtin_fabsl",
        _ => return None,
    })
}
