//! The functions of each file that can be copied out of it to be compiled alone, on which all translation units agree.

use perturb_csrc::copies::Copyable;
use perturb_csrc::SourceRange;
use std::collections::BTreeMap;

/// The functions of one file, by their range.
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

    /// Units that see different branches of an `#if` may have functions that overlap: only the first is used.
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
