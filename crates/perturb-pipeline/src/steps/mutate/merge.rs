//! Merges the mutations of many translation units into one list of mutants: each once, in order, with its id.

use super::copyable::MergedCopyable;
use super::schemata::MergedFunctions;
use perturb_csrc::{FileMutations, Mutation, Operator, Scope, SourceFile, SourceRange, Suppressions};
use perturb_host::Project;
use perturb_model::{Event, Identities, Mutant, MutatedFile, Review, Suppression};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The merged mutations of each file so far.
#[derive(Debug, Default)]
pub struct Merged {
    files: BTreeMap<PathBuf, MergedFile>,
}

#[derive(Debug)]
struct MergedFile {
    source: SourceFile,
    scopes: Vec<Arc<Scope>>,
    mutations: Vec<(u32, Mutation)>,
    functions: MergedFunctions,
    copyable: MergedCopyable,
}

/// A file, and its functions on which all units agree.
#[derive(Debug)]
pub struct MutatedFunctions {
    pub file: Arc<MutatedFile>,
    pub functions: MergedFunctions,
    pub copyable: MergedCopyable,
}

impl Merged {
    /// Adds the mutations of one unit. If several units include a file, each mutation is kept once.
    pub fn add(&mut self, files: Vec<FileMutations>) {
        for FileMutations { source, scopes, mutations, functions, copyable } in files {
            let path = source.path().to_path_buf();
            let new = || MergedFile {
                source,
                scopes: Vec::new(),
                mutations: Vec::new(),
                functions: MergedFunctions::default(),
                copyable: MergedCopyable::default(),
            };
            let file = self.files.entry(path).or_insert_with(new);
            file.functions.add(functions);
            file.copyable.add(copyable);
            let offset = file.scopes.len() as u32;
            file.scopes.extend(scopes.into_iter().map(Arc::new));
            file.mutations.extend(mutations.into_iter().map(|(scope, mutation)| (scope + offset, mutation)));
            sort_and_deduplicate(&mut file.mutations);
        }
    }

    /// The mutants, and each file's functions with their mutations. If the list is `complete`, reports decisions of the
    /// review file that match no mutant.
    pub fn into_mutants(
        self,
        project: &Project,
        review: &Review,
        complete: bool,
        events: &mut dyn FnMut(Event),
    ) -> (Vec<Mutant>, Vec<MutatedFunctions>) {
        let mut files = Vec::new();
        let mut mutants = Vec::with_capacity(self.files.values().map(|file| file.mutations.len()).sum());
        let mut identities = Identities::default();
        let mut unmatched: HashSet<&str> = review.ids().collect();
        let by_relative = self.files.into_iter().filter_map(|(path, file)| {
            let relative = project.relative(&path)?.to_path_buf();
            Some((relative, file))
        });
        for (relative, file) in by_relative.collect::<BTreeMap<_, _>>() {
            let suppressions = Suppressions::of(&file.source);
            report_comments(&relative, &suppressions, events);
            let mutated = Arc::new(MutatedFile { relative, source: file.source });
            let functions = file.functions;
            let copyable = file.copyable;
            files.push(MutatedFunctions { file: mutated.clone(), functions, copyable });
            let mut by_comment = CommentCache { suppressions: &suppressions, known: HashMap::new() };
            for (scope, mutation) in file.mutations {
                let scope = file.scopes[scope as usize].clone();
                let mut mutant = mutant_of(&mutated, scope, mutation, &mut identities);
                let id = mutant.id.to_string();
                unmatched.remove(id.as_str());
                let line = mutant.start().line;
                mutant.suppression = by_review(review, &id).or_else(|| by_comment.get(line, mutant.operator));
                mutants.push(mutant);
            }
        }
        if complete && !unmatched.is_empty() {
            let mut ids: Vec<_> = unmatched.into_iter().map(str::to_string).collect();
            ids.sort();
            events(Event::ReviewUnmatched { ids });
        }
        (mutants, files)
    }
}

fn report_comments(relative: &Path, suppressions: &Suppressions, events: &mut dyn FnMut(Event)) {
    for misread in &suppressions.misread {
        let file = relative.to_path_buf();
        let text = misread.text.clone();
        events(Event::CommentMisread { file, line: misread.line, text });
    }
    for &line in &suppressions.without_reason {
        events(Event::SuppressionWithoutReason { file: relative.to_path_buf(), line });
    }
    if let Some(line) = suppressions.not_closed {
        events(Event::RegionNotClosed { file: relative.to_path_buf(), line });
    }
}

/// The suppressions by comments. Mutants of a line share the reason.
struct CommentCache<'s> {
    suppressions: &'s Suppressions,
    known: HashMap<(u32, Operator), Option<Arc<Suppression>>>,
}

impl CommentCache<'_> {
    fn get(&mut self, line: u32, operator: Operator) -> Option<Arc<Suppression>> {
        let found = self.known.entry((line, operator)).or_insert_with(|| {
            let reason = self.suppressions.reason(line, operator)?.to_string();
            Some(Arc::new(Suppression::Comment { reason }))
        });
        found.clone()
    }
}

fn by_review(review: &Review, id: &str) -> Option<Arc<Suppression>> {
    let decision = review.decision(id).filter(|decision| decision.disposition.suppresses())?;
    let (reason, reviewer) = (decision.reason.clone(), decision.reviewer.clone());
    Some(Arc::new(Suppression::Review { disposition: decision.disposition, reason, reviewer }))
}

fn mutant_of(file: &Arc<MutatedFile>, scope: Arc<Scope>, mutation: Mutation, identities: &mut Identities) -> Mutant {
    let Mutation { operator, edit, constant, .. } = mutation;
    let original = file.source.slice(edit.range);
    let relative: &Path = &file.relative;
    let id = identities.next(relative, &scope, operator, original, &edit.replacement);
    let range = edit.range;
    let replacement = edit.replacement.into_boxed_slice();
    Mutant { id, file: file.clone(), range, operator, replacement, scope, constant, suppression: None }
}

/// Sorts by range, then by operator, then keeps the operator's own order. A mutation of several units is kept once, and
/// is switchable only if it is in all of them.
fn sort_and_deduplicate(mutations: &mut Vec<(u32, Mutation)>) {
    let key = |m: &(u32, Mutation)| -> (SourceRange, Operator) { (m.1.edit.range, m.1.operator) };
    mutations.sort_by_key(key);
    let mut unique: Vec<(u32, Mutation)> = Vec::with_capacity(mutations.len());
    for (scope, mutation) in mutations.drain(..) {
        let group = unique
            .iter_mut()
            .rev()
            .take_while(|k| k.1.edit.range == mutation.edit.range && k.1.operator == mutation.operator);
        match group.into_iter().find(|k| k.1.edit.replacement == mutation.edit.replacement) {
            Some((_, same)) => same.constant = same.constant.or(mutation.constant),
            None => unique.push((scope, mutation)),
        }
    }
    *mutations = unique;
}
