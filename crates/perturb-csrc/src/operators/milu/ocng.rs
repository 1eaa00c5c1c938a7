//! OCNG, logical context negation: the condition of `if`, `while`, `do`, `for` and `?:` is negated.

use crate::operators::{ror, Mutations};
use crate::tree::{NodeId, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    ror::negate_condition(tree, id, mutations);
}
