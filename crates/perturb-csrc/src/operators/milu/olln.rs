//! OLLN, logical operator mutation: `&&` and `||` are exchanged.

use crate::operators::{lcr, Mutations};
use crate::tree::BinaryOp::{LogicalAnd, LogicalOr};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    if let NodeKind::Binary(LogicalAnd | LogicalOr) = tree.node(id).kind {
        lcr::mutate(tree, id, mutations);
    }
}
