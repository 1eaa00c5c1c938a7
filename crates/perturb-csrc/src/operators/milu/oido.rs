//! OIDO, increment or decrement mutation: `++` and `--` are exchanged, before and behind their operand.

use crate::operators::{Change, Mutations};
use crate::tree::{NodeId, NodeKind, Tree, TypeClass, UnaryOp};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let (NodeKind::Unary(UnaryOp::Step), Some(range)) = (node.kind, node.written) else { return };
    // Iterators may go one way only.
    if matches!(node.ty.class, TypeClass::Record | TypeClass::Dependent) {
        return;
    }
    let text = tree.text(range);
    let other = |sign: &[u8]| if sign == b"++" { *b"--" } else { *b"++" };
    let replacement = match (text.first_chunk::<2>(), text.last_chunk::<2>()) {
        (Some(sign @ (b"++" | b"--")), _) => [&other(sign)[..], &text[2..]].concat(),
        (_, Some(sign @ (b"++" | b"--"))) => [&text[..text.len() - 2], &other(sign)[..]].concat(),
        _ => return,
    };
    mutations.push(tree, id, Change::Text, tree.expression_edit(range, replacement), None);
}
