//! CRCR, constant replacement: a literal `c` becomes `0`, `1`, `-1`, `c+1`, `c-1`, `-c` and one value at random, each
//! once.
//!
//! The random value is seeded by the literal's own text: equal literals get the same value, independent of their
//! surroundings.

use crate::literal;
use crate::operators::{icr, Change, Mutations};
use crate::tree::{NodeId, NodeKind, Tree};

pub fn mutate(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let node = tree.node(id);
    let Some(range) = node.written else { return };
    if node.kind == NodeKind::Floating {
        return floating(tree, id, mutations);
    }
    icr::replace(tree, id, &[at_random(tree.text(range))], mutations);
}

fn floating(tree: &Tree<'_>, id: NodeId, mutations: &mut Mutations) {
    let Some(range) = tree.node(id).written else { return };
    let text = String::from_utf8_lossy(tree.text(range)).into_owned();
    let Some((suffix, is_zero)) = literal::floating(text.as_bytes()) else { return };
    let random = at_random(text.as_bytes());
    let values = [format!("0.0{suffix}"), format!("1.0{suffix}"), format!("(-1.0{suffix})")];
    let around = [format!("({text} + 1)"), format!("({text} - 1)"), format!("(-{text})")];
    let mut found: Vec<String> = Vec::new();
    for value in
        values.into_iter().chain(around.into_iter().filter(|_| !is_zero)).chain([format!("{random}.0{suffix}")])
    {
        let is_same = is_zero && value.starts_with("0.0") || value == text;
        if !is_same && !found.contains(&value) {
            found.push(value);
        }
    }
    for value in found {
        mutations.push(tree, id, Change::Text, tree.expression_edit(range, value), None);
    }
}

/// From 2 to 1000: what fits every type but `bool`, where it is true.
fn at_random(text: &[u8]) -> i128 {
    // FNV-1a.
    let hash = text
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    i128::from(2 + (hash >> 16) % 999)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_literal_has_the_same_random_value_and_others_have_others() {
        let values: Vec<i128> = (0..100).map(|number: u8| at_random(number.to_string().as_bytes())).collect();
        assert_eq!(at_random(b"42"), at_random(b"42"));
        assert!(values.iter().all(|value| (2..=1000).contains(value)));
        let distinct: std::collections::BTreeSet<_> = values.iter().collect();
        assert!(distinct.len() > 80, "{values:?}");
    }
}
