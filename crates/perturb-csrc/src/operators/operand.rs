//! What the operators on binary expressions share: replacing the operator, and keeping one operand only.

use super::{Change, Mutations};
use crate::tree::{BinaryOp, NodeId, NodeKind, SyntaxNode, Tree, Type, TypeClass, Usage};

/// `t1 old t2` becomes `t1 new t2`.
pub fn replace_operator(tree: &Tree<'_>, id: NodeId, new: BinaryOp, suffix: &str, mutations: &mut Mutations) {
    let Some(edit) = tree.operator_edit(id, new, suffix) else { return };
    let operands = tree.operands(id).filter(|_| tree.node(id).constant.is_some());
    let values = operands.and_then(|(left, right)| Some((tree.evaluate(left, None)?, tree.evaluate(right, None)?)));
    match values.map(|(left, right)| new.apply(left, right)) {
        // A constant that divides by zero is none.
        Some(None) => {}
        Some(value) => mutations.push(tree, id, Change::Operator(new), edit, value),
        None => mutations.push(tree, id, Change::Operator(new), edit, None),
    }
}

/// How an operand may stand for the whole expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    AsItIs,
    /// Written `!!(t)`: it is no number, but has a truth value.
    AsTruth,
    No,
}

/// `t1 op t2` becomes `t1`, and `t2`, where `fit` lets it.
pub fn keep_one(tree: &Tree<'_>, id: NodeId, fit: impl Fn(NodeId) -> Fit, mutations: &mut Mutations) {
    let (Some(whole), Some((left, right))) = (tree.node(id).written, tree.operands(id)) else { return };
    for operand in [left, right] {
        let Some(range) = tree.node(operand).written.filter(|range| whole.contains(*range)) else { continue };
        let (text, as_truth) = match fit(operand) {
            Fit::AsItIs => (tree.text(range).to_vec(), false),
            Fit::AsTruth => ([b"!!(", tree.text(range), b")"].concat(), true),
            Fit::No => continue,
        };
        let change = Change::Operand { is_left: operand == left, as_truth };
        let value = tree.node(id).constant.and_then(|_| tree.evaluate(operand, None));
        mutations.push(tree, id, change, tree.expression_edit(whole, text), value);
    }
}

/// Whether an operand can stand where the truth value `whole` (the result of `&&`, `<` and their kin) stood.
pub fn fit_for_truth(tree: &Tree<'_>, whole: NodeId, operand: NodeId) -> Fit {
    let SyntaxNode { usage, narrow, .. } = tree.node(whole);
    let ty = tree.node(tree.peel_to_written_type(operand)).ty;
    // In braces, C++ does not narrow a number to a truth value.
    let fits = narrow.is_none()
        && match usage {
            Usage::Condition => !matches!(ty.class, TypeClass::Enum { scoped: true }) && has_truth(ty),
            Usage::Boolean => ty.is_arithmetic() || ty.is_pointer(),
            Usage::Arithmetic | Usage::Discarded => ty.is_arithmetic(),
            Usage::Integer | Usage::Exact => ty.is_integral(),
        };
    match fits {
        true => Fit::AsItIs,
        false if has_truth(ty) => Fit::AsTruth,
        false => Fit::No,
    }
}

pub fn has_truth(ty: Type) -> bool {
    let by_class = matches!(ty.class, TypeClass::Record | TypeClass::Dependent | TypeClass::NullPointer);
    ty.is_arithmetic() || ty.is_pointer() || by_class
}

impl Tree<'_> {
    /// The node whose type the written text has by itself: below conversions, but not below the one that reads a value.
    fn peel_to_written_type(&self, id: NodeId) -> NodeId {
        let inner = self.peel(id);
        match self.node(inner).ty.class {
            // An array or a function decays to a pointer wherever it is used.
            TypeClass::Array | TypeClass::Other => id,
            _ if self.node(inner).kind == NodeKind::Implicit => id,
            _ => inner,
        }
    }
}
