//! BOD, bitwise operator deletion: `t1 op t2` with one of `& | ^` becomes `t1`, and `t2`.

use super::operand::{self, Fit};
use super::Mutations;
use crate::tree::{BinaryOp, NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    if matches!(tree.node(id).kind, NodeKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor)) {
        operand::keep_one(tree, id, |_| Fit::AsItIs, mutations);
    }
}
