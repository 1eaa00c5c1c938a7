//! Protects generated text from the macros of the unit that it is inserted into.

use std::collections::BTreeSet;

/// Disables every macro of the unit whose name occurs in a generated text. The macros are restored after it.
pub(super) fn without_macros(text: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_foreign = |word: &&str| {
        let is_name = word.starts_with(|first: char| first.is_ascii_alphabetic());
        is_name && !word.starts_with("perturb_") && !word.starts_with("PERTURB_")
    };
    let code: String = text.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code)).collect();
    let words: BTreeSet<&str> = code.split(|letter| !is_letter(letter)).filter(is_foreign).collect();
    let put_away = words.iter().map(|word| format!("#pragma push_macro(\"{word}\")\n#undef {word}\n"));
    let bring_back = words.iter().map(|word| format!("#pragma pop_macro(\"{word}\")\n"));
    format!("{}{text}\n{}", put_away.collect::<String>(), bring_back.collect::<String>())
}
