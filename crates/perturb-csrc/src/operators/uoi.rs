//! UOI, unary operator insertion: a read of an integer variable `v` becomes `--v`, `v--`, `++v`, `v++`.

use super::{Change, IncrementOrDecrement, Mutations};
use crate::tree::{ConstantContext, NodeId, NodeKind, Tree, TypeClass, Usage};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let (NodeKind::Variable { modifiable: true }, Some(range)) = (node.kind, node.written) else { return };
    // C++ has no `++` for enumerations and none (since C++17) for `bool`.
    let counts = match node.ty.class {
        TypeClass::Integer { .. } => true,
        _ => !tree.is_cpp && node.ty.is_integral(),
    };
    // What the compiler evaluates could not count before C++14.
    let is_evaluated = node.constant == Some(ConstantContext::Constexpr);
    if !counts || is_evaluated || node.usage == Usage::Discarded {
        return;
    }
    let name = tree.text(range);
    for (is_increment, is_prefix) in [(false, true), (false, false), (true, true), (true, false)] {
        let sign: &[u8] = if is_increment { b"++" } else { b"--" };
        let text = if is_prefix { [sign, name].concat() } else { [name, sign].concat() };
        let change = Change::Stepped(IncrementOrDecrement { is_prefix, is_increment });
        mutations.push(tree, id, change, tree.expression_edit(range, text), None);
    }
}
