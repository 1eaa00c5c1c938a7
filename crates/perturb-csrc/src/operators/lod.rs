//! LOD, logical operator deletion: `t1 && t2` and `t1 || t2` become `t1`, and `t2`.

use super::{operand, Mutations};
use crate::tree::{BinaryOp, Kind, NodeId, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    if matches!(node.kind, Kind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr)) {
        operand::keep_one(tree, id, |side| operand::fit_for_truth(tree, id, side), mutations);
    }
}
