//! OAAA, arithmetic assignment mutation: one of `+= -= *= /= %=` becomes another.

use crate::operators::{aor, Mutations};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    if let NodeKind::CompoundAssign(_) = tree.node(id).kind {
        aor::mutate(tree, id, mutations);
    }
}
