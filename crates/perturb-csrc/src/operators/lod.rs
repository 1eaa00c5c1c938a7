//! LOD, logical operator deletion: `t1 && t2` and `t1 || t2` become `t1`, and `t2`.

use super::{operand, Mutations};
use crate::tree::{BinaryOp, NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    if matches!(node.kind, NodeKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr)) {
        operand::keep_one(tree, id, |side| operand::fit_for_truth(tree, id, side), mutations);
    }
}
