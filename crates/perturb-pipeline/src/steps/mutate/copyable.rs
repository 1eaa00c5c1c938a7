//! The functions of each file that can be copied, as all translation units agree on them.

use perturb_csrc::copies::Copyable;
use perturb_csrc::SourceRange;
use std::collections::BTreeMap;

/// Those of one file, by where they stand.
#[derive(Debug, Default)]
pub struct MergedCopyable {
    /// None where two units see different functions.
    by_range: BTreeMap<SourceRange, Option<Copyable>>,
}

impl MergedCopyable {
    pub fn add(&mut self, functions: Vec<Copyable>) {
        for mut function in functions {
            let known = self.by_range.entry(function.range).or_insert_with(|| Some(function.clone()));
            if let Some(known) = known {
                known.is_seen |= function.is_seen;
                function.is_seen = known.is_seen;
            }
            if known.as_ref().is_some_and(|known| *known != function) {
                *known = None;
            }
        }
    }

    /// Units that see different branches of an `#if` may tell of functions that share text: only the first is taken.
    pub fn into_functions(self) -> Vec<Copyable> {
        let mut functions: Vec<Copyable> = Vec::new();
        for function in self.by_range.into_values().flatten() {
            if functions.last().is_none_or(|last| last.range.end <= function.range.start) {
                functions.push(function);
            }
        }
        functions
    }
}
