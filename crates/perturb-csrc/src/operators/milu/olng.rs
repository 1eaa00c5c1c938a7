//! OLNG, logical negation: an operand of `&&` or `||` is negated.

use crate::operators::{operand, Change, Mutations};
use crate::tree::BinaryOp::{LogicalAnd, LogicalOr};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let NodeKind::Binary(LogicalAnd | LogicalOr) = tree.node(id).kind else { return };
    let Some((left, right)) = tree.operands(id) else { return };
    for side in [left, right] {
        let Some(range) = tree.node(side).written.filter(|_| operand::has_truth(tree.node(side).ty)) else { continue };
        let text = [b"!(", tree.text(range), b")"].concat();
        mutations.push(tree, side, Change::Text, tree.expression_edit(range, text), None);
    }
}
