//! SOD, shift operator deletion: `t1 << t2` and `t1 >> t2` become `t1`, and `t2`.

use super::operand::{self, Fit};
use super::Mutations;
use crate::tree::{BinaryOp, NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    if matches!(node.kind, NodeKind::Binary(BinaryOp::Shl | BinaryOp::Shr)) {
        // What is streamed (`out << x` on a type not known yet) is no shift.
        let fit = |_| if node.ty.is_dependent() { Fit::No } else { Fit::AsItIs };
        operand::keep_one(tree, id, fit, mutations);
    }
}
