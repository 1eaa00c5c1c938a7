//! UOI as Milu has it: a read of a variable `v` becomes `-(v)`, `~(v)`, `!(v)`, `++v`, `--v`.

use crate::operators::{Change, IncrementOrDecrement, Mutations};
use crate::tree::{NodeId, NodeKind, Tree, TypeClass, Usage};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let (NodeKind::Variable { modifiable }, Some(range)) = (node.kind, node.written) else { return };
    let is_number = node.ty.is_arithmetic() && !(tree.is_cpp && (node.ty.is_enum() || node.usage == Usage::Exact));
    if !is_number || node.usage == Usage::Discarded {
        return;
    }
    let name = tree.text(range);
    let mut insert = |sign: &[u8], change| {
        let text = match change {
            Change::Stepped(_) => [sign, name].concat(),
            _ => [sign, b"(", name, b")"].concat(),
        };
        mutations.push(tree, id, change, tree.expression_edit(range, text), None);
    };
    insert(b"-", Change::Negated);
    if node.ty.is_integral() {
        insert(b"~", Change::Text);
    }
    insert(b"!", Change::Text);
    // What the compiler evaluates could not count before C++14, and C++17 has no `++` for `bool`.
    let counts = !tree.is_cpp || node.ty.class != TypeClass::Bool;
    if modifiable && node.constant.is_none() && counts {
        insert(b"++", Change::Stepped(IncrementOrDecrement { is_prefix: true, is_increment: true }));
        insert(b"--", Change::Stepped(IncrementOrDecrement { is_prefix: true, is_increment: false }));
    }
}
