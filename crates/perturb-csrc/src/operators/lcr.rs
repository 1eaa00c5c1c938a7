//! LCR, logical connector replacement: `&&` and `||` are exchanged; one of `& | ^`, or of `&= |= ^=`, becomes another.

use super::{operand, Mutations};
use crate::tree::BinaryOp::{And, LogicalAnd, LogicalOr, Or, Xor};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let (old, suffix) = match tree.node(id).kind {
        NodeKind::Binary(LogicalAnd) => return operand::replace_operator(tree, id, LogicalOr, "", mutations),
        NodeKind::Binary(LogicalOr) => return operand::replace_operator(tree, id, LogicalAnd, "", mutations),
        NodeKind::Binary(op @ (And | Or | Xor)) => (op, ""),
        NodeKind::CompoundAssign(op @ (And | Or | Xor)) => (op, "="),
        _ => return,
    };
    for new in [And, Or, Xor] {
        if new != old {
            operand::replace_operator(tree, id, new, suffix, mutations);
        }
    }
}
