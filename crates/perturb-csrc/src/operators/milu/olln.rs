//! OLLN, logical operator mutation: `&&` and `||` are exchanged.

use crate::operators::{lcr, Mutations};
use crate::tree::BinaryOp::{LogicalAnd, LogicalOr};
use crate::tree::{Kind, NodeId, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    if let Kind::Binary(LogicalAnd | LogicalOr) = tree.node(id).kind {
        lcr::mutate(tree, id, mutations);
    }
}
