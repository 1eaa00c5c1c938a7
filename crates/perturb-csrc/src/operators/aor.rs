//! AOR, arithmetic operator replacement: one of `+ - * / %`, or of `+= -= *= /= %=`, becomes another.

use super::{operand, Mutations};
use crate::tree::BinaryOp::{self, Add, Div, Mul, Rem, Sub};
use crate::tree::{NodeId, NodeKind, Tree, Type};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let (old, suffix) = match tree.node(id).kind {
        NodeKind::Binary(op @ (Add | Sub | Mul | Div | Rem)) => (op, ""),
        NodeKind::CompoundAssign(op @ (Add | Sub | Mul | Div | Rem)) => (op, "="),
        _ => return,
    };
    let Some((left, right)) = tree.operands(id) else { return };
    for new in [Add, Sub, Mul, Div, Rem] {
        if new != old && is_typed(old, new, tree.node(left).ty, tree.node(right).ty) {
            operand::replace_operator(tree, id, new, suffix, mutations);
        }
    }
}

/// Whether `left new right` has a type, given that `left old right` has one.
fn is_typed(old: BinaryOp, new: BinaryOp, left: Type, right: Type) -> bool {
    if left.is_dependent() || right.is_dependent() {
        // Types that define one of a pair usually define the other.
        return matches!((old, new), (Add, Sub) | (Sub, Add) | (Mul, Div) | (Div, Mul));
    }
    if left.is_pointer() {
        // The distance of two pointers has no sum.
        return matches!((old, new), (Add, Sub) | (Sub, Add)) && right.is_integral();
    }
    let integers = left.is_integral() && right.is_integral();
    left.is_arithmetic() && right.is_arithmetic() && (new != Rem || integers)
}
