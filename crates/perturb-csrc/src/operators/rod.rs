//! ROD, relational operator deletion: `t1 op t2` with one of `> >= < <= == !=` becomes `t1`, and `t2`.

use super::operand::{self, Fit};
use super::Mutations;
use crate::tree::{BinaryOp, NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let node = tree.node(id);
    if !matches!(node.kind, NodeKind::Binary(Gt | Ge | Lt | Le | Eq | Ne)) {
        return;
    }
    // A pointer stands for a comparison only where its truth is asked for; what is compared in a template need have
    // none.
    let fit = |side: NodeId| match operand::fit_for_truth(tree, id, side) {
        Fit::AsItIs if !tree.node(side).ty.is_dependent() => Fit::AsItIs,
        _ => Fit::No,
    };
    operand::keep_one(tree, id, fit, mutations);
}
