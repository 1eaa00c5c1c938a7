//! ABS, absolute value insertion: a read of an arithmetic variable `v` becomes `-(v)`.

use super::{Change, Mutations};
use crate::tree::{NodeId, NodeKind, Tree, Usage};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    // In C++ a negated enumerator is an `int` that its own type no longer takes.
    let is_number = node.ty.is_arithmetic() && !(tree.is_cpp && node.ty.is_enum());
    let (NodeKind::Variable { .. }, Some(range), true) = (node.kind, node.written, is_number) else { return };
    if node.usage != Usage::Discarded {
        let negated = [b"-(", tree.text(range), b")"].concat();
        let edit = tree.expression_edit(range, in_own_type(tree, id, negated));
        mutations.push(tree, id, Change::Negated, edit, None);
    }
}

/// `-` makes an `int` of a `short`. Where C++ deduces a type from the expression, it is cast back.
fn in_own_type(tree: &Tree<'_>, id: NodeId, negated: Vec<u8>) -> Vec<u8> {
    let node = tree.node(id);
    match node.ty.number {
        Some(number) if number.is_promoted() && tree.is_cpp && node.usage == Usage::Exact => {
            [b"(", number.name(true).as_bytes(), b")(", &negated, b")"].concat()
        }
        _ => negated,
    }
}
