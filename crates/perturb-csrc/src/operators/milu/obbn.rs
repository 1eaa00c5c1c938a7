//! OBBN, bitwise operator mutation: one of `& | ^` becomes another.

use crate::operators::{lcr, Mutations};
use crate::tree::BinaryOp::{And, Or, Xor};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    if let NodeKind::Binary(And | Or | Xor) = tree.node(id).kind {
        lcr::mutate(tree, id, mutations);
    }
}
