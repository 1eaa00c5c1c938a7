//! ICR, integer constant replacement: a literal `i` becomes `1`, `-1`, `0`, `i+1`, `i-1`, `-i`, each once.
//!
//! The literal is replaced as the token it is: base, width and suffix are kept, and a character stays one where it can.

use super::{Change, Mutations};
use crate::literal::{CharacterLiteral, IntegerLiteral};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    replace(tree, id, &[], mutations);
}

/// By the six values, and some more.
pub fn replace(tree: &Tree<'_>, id: NodeId, more: &[i128], mutations: &mut Mutations) {
    let node = tree.node(id);
    let Some(range) = node.written else { return };
    let text = tree.text(range);
    let replacements = match node.kind {
        NodeKind::Integer => IntegerLiteral::parse(text).map(|literal| of_integer(&literal, more)),
        NodeKind::Character => CharacterLiteral::parse(text).map(|literal| of_character(&literal, more, tree.is_cpp)),
        _ => return,
    };
    if node.zero_may_be_null && node.value == Some(0) {
        return;
    }
    for (value, text) in replacements.into_iter().flatten() {
        if node.narrow.is_none_or(|range| range.holds(value)) {
            mutations.push(tree, id, Change::Literal(value), tree.expression_edit(range, text), Some(value));
        }
    }
}

/// The six values, and more, without repeats and without `i` itself.
fn values(i: i128, more: &[i128]) -> Vec<i128> {
    let mut values = Vec::with_capacity(6 + more.len());
    for value in [1, -1, 0, i + 1, i - 1, -i].into_iter().chain(more.iter().copied()) {
        if value != i && !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

fn of_integer(literal: &IntegerLiteral, more: &[i128]) -> Vec<(i128, String)> {
    let text = |value: i128| match value {
        -1..=1 => Some(literal.plain(value)),
        _ => literal.in_same_style(value),
    };
    values(literal.value, more).into_iter().filter_map(|value| Some((value, text(value)?))).collect()
}

/// In C a character literal is an `int`. In C++ it is a `char`, which overload resolution distinguishes from an `int`.
fn of_character(literal: &CharacterLiteral, more: &[i128], is_cpp: bool) -> Vec<(i128, String)> {
    let number = |value: i128| match (is_cpp, value) {
        (false, _) if value < 0 => Some(format!("({value})")),
        (false, _) => Some(value.to_string()),
        (true, 0..) => literal.neighbour(value),
        (true, _) => literal.cpp_type().map(|cpp_type| format!("(({cpp_type}){value})")),
    };
    let text = |value: i128| match value {
        -1..=1 => number(value),
        _ if value < 0 => number(value),
        _ => literal.neighbour(value),
    };
    values(literal.value, more).into_iter().filter_map(|value| Some((value, text(value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_six_values_come_without_repeats() {
        assert_eq!(values(5, &[]), [1, -1, 0, 6, 4, -5]);
        assert_eq!(values(0, &[]), [1, -1]);
        assert_eq!(values(1, &[]), [-1, 0, 2]);
        assert_eq!(values(2, &[7, 3]), [1, -1, 0, 3, -2, 7]);
    }
}
