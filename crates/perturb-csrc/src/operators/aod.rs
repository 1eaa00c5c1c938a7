//! AOD, arithmetic operator deletion: `t1 op t2` with one of `+ - * / %` becomes `t1`, and `t2`.

use super::operand::{self, Fit};
use super::Mutations;
use crate::tree::{BinaryOp, NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    use BinaryOp::{Add, Div, Mul, Rem, Sub};
    let node = tree.node(id);
    if !matches!(node.kind, NodeKind::Binary(Add | Sub | Mul | Div | Rem)) {
        return;
    }
    // Of `p + i` only the pointer can stand for the sum; of the distance `p - q`, neither.
    let fit = |operand: NodeId| {
        let ty = tree.node(operand).ty;
        let same_kind = ty.is_arithmetic() && node.ty.is_arithmetic() || ty.is_pointer() && node.ty.is_pointer();
        if same_kind {
            Fit::AsItIs
        } else {
            Fit::No
        }
    };
    operand::keep_one(tree, id, fit, mutations);
}
