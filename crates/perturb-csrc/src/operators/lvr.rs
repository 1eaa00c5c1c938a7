//! LVR, literal value replacement: a floating literal `l` becomes `-l` and `0.0`, zero becomes `-1.0`, and `true` and
//! `false` are exchanged.

use super::{Change, Mutations};
use crate::literal;
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let Some(range) = node.written else { return };
    let mut replace = |change, text: String, value| {
        mutations.push(tree, id, change, tree.expression_edit(range, text), value);
    };
    match node.kind {
        NodeKind::Boolean(value) => {
            let other = i128::from(!value);
            replace(Change::Literal(other), (!value).to_string(), Some(other));
        }
        NodeKind::Floating => match literal::floating(tree.text(range)) {
            Some((suffix, true)) => replace(Change::Literal(-1), format!("(-1.0{suffix})"), None),
            Some((suffix, false)) => {
                replace(Change::Negated, format!("(-{})", String::from_utf8_lossy(tree.text(range))), None);
                replace(Change::Literal(0), format!("0.0{suffix}"), None);
            }
            None => {}
        },
        _ => {}
    }
}
