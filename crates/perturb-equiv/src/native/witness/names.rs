//! Names that C takes and nothing else in the program has.

use std::collections::BTreeSet;

/// The letters, digits and underscores of a name.
pub(super) fn identifier(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
}

/// A name like this one that is not taken.
pub(super) fn free(like: &str, taken: &mut BTreeSet<String>) -> String {
    let base = match identifier(like) {
        base if base.is_empty() => "object".to_string(),
        base => base,
    };
    let names = std::iter::once(base.clone()).chain((2..).map(|number| format!("{base}_{number}")));
    names.into_iter().find(|name| taken.insert(name.clone())).expect("numbers do not end")
}
