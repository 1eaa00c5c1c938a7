//! ROR, relational operator replacement: one of `> >= < <= == !=` becomes another, and the condition of `if`, `while`,
//! `do`, `for` and `?:` is negated.

use super::{operand, Change, Mutations};
use crate::tree::BinaryOp::{self, Eq, Ge, Gt, Le, Lt, Ne};
use crate::tree::{NodeId, NodeKind, Tree, Type, TypeClass};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    replace_relation(tree, id, mutations);
    negate_condition(tree, id, mutations);
}

pub fn replace_relation(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    if let NodeKind::Binary(old @ (Gt | Ge | Lt | Le | Eq | Ne)) = tree.node(id).kind {
        for new in [Gt, Ge, Lt, Le, Eq, Ne] {
            if new != old && is_typed(tree, id, old, new) {
                operand::replace_operator(tree, id, new, "", mutations);
            }
        }
    }
}

fn is_typed(tree: &Tree<'_>, id: NodeId, old: BinaryOp, new: BinaryOp) -> bool {
    let Some((left, right)) = tree.operands(id) else { return false };
    let (left, right) = (tree.node(left).ty, tree.node(right).ty);
    let is_equality = |op| matches!(op, Eq | Ne);
    if left.is_dependent() || right.is_dependent() {
        // Types that define one of a pair usually define the other.
        return is_equality(old) == is_equality(new);
    }
    let ordered = is_ordered(left, tree.is_cpp) && is_ordered(right, tree.is_cpp) && !compares_with_null(tree, id);
    is_equality(new) || ordered
}

fn is_ordered(ty: Type, is_cpp: bool) -> bool {
    match ty.class {
        TypeClass::Bool | TypeClass::Integer { .. } | TypeClass::Floating | TypeClass::Enum { .. } => true,
        TypeClass::Pointer => true,
        TypeClass::FunctionPointer => !is_cpp,
        _ => false,
    }
}

/// C++ does not order a pointer and a null pointer constant; C does.
fn compares_with_null(tree: &Tree<'_>, id: NodeId) -> bool {
    let is_null = |child: &NodeId| {
        let node = tree.node(*child);
        let from_number = node.kind == NodeKind::Implicit && node.ty.is_pointer() && node.children.is_empty();
        let inner = tree.node(tree.peel(*child)).ty.class;
        from_number || inner == TypeClass::NullPointer
    };
    tree.is_cpp && tree.node(id).children.iter().any(is_null)
}

pub fn negate_condition(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let Some(range) = node.written.filter(|_| node.is_condition) else { return };
    let has_truth = matches!(node.ty.class, TypeClass::Record | TypeClass::Dependent | TypeClass::NullPointer)
        || node.ty.is_arithmetic()
        || node.ty.is_pointer()
        || node.ty.class == TypeClass::Array;
    if has_truth {
        let value = tree.evaluate(id, None).map(|value| i128::from(value == 0));
        let edit = tree.expression_edit(range, [b"!(", tree.text(range), b")"].concat());
        mutations.push(tree, id, Change::Not, edit, value);
    }
}
