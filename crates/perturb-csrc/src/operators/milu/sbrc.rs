//! SBRC, `break` replacement: `break` becomes `continue`, where there is a loop to go on with, and `continue` becomes
//! `break`.

use crate::operators::{Change, Mutations};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let (NodeKind::Jump, Some(range)) = (node.kind, node.written) else { return };
    let other: &[u8] = match tree.text(range) {
        b"break" if is_in_loop(tree, id) => b"continue",
        b"continue" => b"break",
        _ => return,
    };
    mutations.push(tree, id, Change::Text, tree.expression_edit(range, other), None);
}

/// A `break` may also leave a `switch`, which `continue` does not know.
fn is_in_loop(tree: &Tree<'_>, id: NodeId) -> bool {
    let mut above = tree.node(id).parent;
    while let Some(id) = above {
        let node = tree.node(id);
        if matches!(node.kind, NodeKind::Loop | NodeKind::DoLoop) {
            return true;
        }
        // The body of a lambda is a function of its own.
        if node.kind.is_expression() {
            return false;
        }
        above = node.parent;
    }
    false
}
