//! SDL, statement deletion: a whole statement becomes `;`.
//!
//! Never a declaration, and never one that holds a label somebody may jump to. A `return` with a value, and what
//! holds one, goes only where control then meets another statement: a function does not end without its value.

use super::{Change, Mutations};
use crate::edit::Edit;
use crate::lexer;
use crate::source::SourceRange;
use crate::tree::{NodeId, NodeKind, Tree, TypeClass};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let Some(range) = node.written.filter(|_| node.is_statement && !node.holds_labels) else { return };
    let is_needed = node.is_tail && node.needs_value && returns_value(tree, id);
    // The function ends there anyway.
    let is_idle = node.is_tail && node.kind == NodeKind::Return && node.children.is_empty();
    if is_needed || is_idle || is_void_cast(tree, id) {
        return;
    }
    let Some(end) = statement_end(tree, range, node.ends_with_semicolon) else { return };
    let range = SourceRange::new(range.start, end);
    mutations.push(tree, id, Change::Deleted, Edit { range, replacement: b";".to_vec() }, None);
}

/// Whether a function may leave with a value in this statement.
fn returns_value(tree: &Tree<'_>, id: NodeId) -> bool {
    let node = tree.node(id);
    match node.kind {
        NodeKind::Return => !node.children.is_empty(),
        kind => !kind.is_expression() && node.children.iter().any(|&child| returns_value(tree, child)),
    }
}

/// `(void)x;` does nothing that could be missed.
fn is_void_cast(tree: &Tree<'_>, id: NodeId) -> bool {
    let node = tree.node(id);
    let is_leaf = |child: &NodeId| tree.node(tree.peel_parens(*child)).children.is_empty();
    node.kind == NodeKind::Cast && node.ty.class == TypeClass::Void && node.children.iter().all(is_leaf)
}

/// Where the statement ends, its semicolon included; None if that semicolon is in a macro.
pub(crate) fn statement_end(tree: &Tree<'_>, range: SourceRange, needs_semicolon: bool) -> Option<u32> {
    if !needs_semicolon {
        return Some(range.end);
    }
    let token = lexer::token_at(tree.source.text(), range.end);
    (token.text(tree.source.text()) == b";").then_some(token.end)
}
