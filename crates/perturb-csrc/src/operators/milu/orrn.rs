//! ORRN, relational operator mutation: one of `> >= < <= == !=` becomes another.

use crate::operators::{ror, Mutations};
use crate::tree::{NodeId, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    ror::replace_relation(tree, id, mutations);
}
