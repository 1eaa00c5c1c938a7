//! LCR, logical connector replacement: `&&` and `||` are exchanged; one of `& | ^`, or of `&= |= ^=`, becomes another.

use super::{operand, Mutations};
use crate::tree::BinaryOp::{And, LogicalAnd, LogicalOr, Or, Xor};
use crate::tree::{Kind, NodeId, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let (old, suffix) = match tree.node(id).kind {
        Kind::Binary(LogicalAnd) => return operand::replace_operator(tree, id, LogicalOr, "", mutations),
        Kind::Binary(LogicalOr) => return operand::replace_operator(tree, id, LogicalAnd, "", mutations),
        Kind::Binary(op @ (And | Or | Xor)) => (op, ""),
        Kind::CompoundAssign(op @ (And | Or | Xor)) => (op, "="),
        _ => return,
    };
    for new in [And, Or, Xor] {
        if new != old {
            operand::replace_operator(tree, id, new, suffix, mutations);
        }
    }
}
