//! The functions of each file with all their mutants, on which all translation units agree.

use perturb_csrc::schemata::SchemaFunction;
use perturb_csrc::{Operator, SourceRange};
use perturb_model::{Mutant, MutantIdx, MutatedFile};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The functions of one file, by their range.
#[derive(Debug, Default)]
pub struct MergedFunctions {
    /// None where two units see different functions: one text cannot serve both.
    by_range: BTreeMap<SourceRange, Option<SchemaFunction>>,
}

impl MergedFunctions {
    pub fn add(&mut self, functions: Vec<SchemaFunction>) {
        use std::collections::btree_map::Entry;
        for function in functions {
            match self.by_range.entry(function.schema.range) {
                Entry::Vacant(entry) => {
                    entry.insert(Some(function));
                }
                Entry::Occupied(mut entry) => {
                    if entry.get().as_ref().is_some_and(|known| !known.is_same(&function)) {
                        entry.insert(None);
                    }
                    if let Some(known) = entry.get_mut() {
                        known.schema.is_cpp |= function.schema.is_cpp;
                    }
                }
            }
        }
    }
}

/// A file that can contain all its mutants at once.
#[derive(Debug)]
pub struct FileSchema {
    pub file: Arc<MutatedFile>,
    /// In the order of the file.
    pub functions: Vec<SchemaFunction>,
    /// For each function and each of its mutations: the mutant, if it is selected.
    pub mutants: Vec<Vec<Option<MutantIdx>>>,
}

/// Joins functions with the selected mutants. Files without any are left out.
pub fn of_mutants(
    mutants: &[Mutant],
    functions: impl IntoIterator<Item = (Arc<MutatedFile>, MergedFunctions)>,
) -> Vec<FileSchema> {
    type Key<'m> = (SourceRange, Operator, &'m [u8]);
    let mut by_file: HashMap<*const MutatedFile, HashMap<Key<'_>, MutantIdx>> = HashMap::new();
    for (index, mutant) in MutantIdx::enumerate(mutants) {
        let key = (mutant.range, mutant.operator, &*mutant.replacement);
        by_file.entry(Arc::as_ptr(&mutant.file)).or_default().insert(key, index);
    }
    let mut schemata = Vec::new();
    for (file, merged) in functions {
        let Some(known) = by_file.get(&Arc::as_ptr(&file)) else { continue };
        let functions: Vec<SchemaFunction> = without_overlaps(merged);
        let mutants = functions.iter().map(|function| {
            let index = |m: &perturb_csrc::Mutation| {
                known.get(&(m.edit.range, m.operator, m.edit.replacement.as_slice())).copied()
            };
            function.mutations.iter().map(index).collect()
        });
        let mutants: Vec<Vec<Option<MutantIdx>>> = mutants.collect();
        if mutants.iter().flatten().any(Option::is_some) {
            schemata.push(FileSchema { file, functions, mutants });
        }
    }
    schemata
}

/// Drops functions that overlap with an earlier one: units may see different branches of an `#if`.
fn without_overlaps(merged: MergedFunctions) -> Vec<SchemaFunction> {
    let mut functions: Vec<SchemaFunction> = Vec::new();
    for function in merged.by_range.into_values().flatten() {
        if functions.last().is_none_or(|last| last.schema.range.end <= function.schema.range.start) {
            functions.push(function);
        }
    }
    functions
}
