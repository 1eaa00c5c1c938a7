//! ABS, absolute value insertion: a read of an arithmetic variable `v` becomes `-(v)`.

use super::Mutations;
use crate::tree::{Kind, NodeId, Tree, Usage};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    // In C++ a negated enumerator is an `int` that its own type no longer takes.
    let is_number = node.ty.is_arithmetic() && !(tree.is_cpp && node.ty.is_enum());
    let (Kind::Variable { .. }, Some(range), true) = (node.kind, node.written, is_number) else { return };
    if node.usage != Usage::Discarded {
        let name = String::from_utf8_lossy(tree.text(range));
        mutations.push(tree, id, tree.expression_edit(range, format!("-({name})")), None);
    }
}
