//! A function and its mutants while they are compared: which mutants are still open, and the text that contains all of
//! them.

use super::{Equivalence, FunctionSubject, RawWitness};
use crate::native::{glue, head, Functions, ObjectKind, VersionIdx};
use crate::symbolic::Sought;
use perturb_csrc::copies::{self, Copy, FunctionIdx, Shown, Tag};
use perturb_csrc::{Constant, SourceFile, SourceRange};
use perturb_model::{Kind, Mutant, MutantIdx, Tier};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// A function and the verdicts on its mutants so far.
pub(crate) struct Comparison<'c> {
    pub subject: &'c FunctionSubject,
    /// The mutants that compile. The first is version number 1 in the program, after the original.
    pub mutants: Vec<MutantIdx>,
    pub verdicts: BTreeMap<MutantIdx, Equivalence>,
    /// The CPU time of reasoning.
    pub costs: BTreeMap<MutantIdx, Duration>,
    /// The reason why a mutant is still open, where there is one.
    pub reasons: BTreeMap<MutantIdx, String>,
    /// Mutants for which reasoning found an input that shows no difference when it is run: the two disagree.
    pub doubtful: BTreeSet<MutantIdx>,
    /// Mutants that have undefined behaviour on some inputs and are the same as the original on all others.
    pub only_undefined: BTreeSet<MutantIdx>,
    /// The number of inputs tried on which the original has defined behaviour.
    pub defined: u64,
    /// The programs that call all of them: one fills uninitialised memory with zeros, the other with a pattern.
    pub programs: Option<[PathBuf; 2]>,
}

impl<'c> Comparison<'c> {
    pub fn new(subject: &'c FunctionSubject) -> Self {
        Self {
            subject,
            mutants: subject.mutants.clone(),
            verdicts: BTreeMap::new(),
            reasons: BTreeMap::new(),
            doubtful: BTreeSet::new(),
            only_undefined: BTreeSet::new(),
            costs: BTreeMap::new(),
            defined: 0,
            programs: None,
        }
    }

    /// The mutant with this number in the program.
    pub fn mutant(&self, version: VersionIdx) -> MutantIdx {
        self.mutants[version.get() - 1]
    }

    /// The mutants without a verdict.
    pub fn open_mutants(&self) -> Vec<MutantIdx> {
        self.mutants.iter().copied().filter(|mutant| !self.verdicts.contains_key(mutant)).collect()
    }

    /// Whether inputs are still searched for this mutant. A test can show different output, but hardly undefined
    /// behaviour: where only that is known, the search goes on.
    pub fn sought(&self, mutant: MutantIdx) -> Option<Sought> {
        match self.verdicts.get(&mutant) {
            None => Some(Sought::Difference),
            Some(verdict) => {
                let is_better_possible =
                    verdict.kind() == Some(Kind::Undefined) && !self.only_undefined.contains(&mutant);
                is_better_possible.then_some(Sought::Output)
            }
        }
    }

    /// The mutants for which inputs are searched.
    pub fn sought_mutants(&self) -> Vec<MutantIdx> {
        self.mutants.iter().copied().filter(|mutant| self.sought(*mutant).is_some()).collect()
    }

    /// The same, by their numbers in the program.
    pub fn sought_versions(&self) -> Vec<VersionIdx> {
        let versions = VersionIdx::of_mutants().take(self.mutants.len());
        versions.filter(|version| self.sought(self.mutant(*version)).is_some()).collect()
    }

    /// Records an input that shows a difference, unless a better one is known.
    pub fn show(&mut self, mutant: MutantIdx, witness: RawWitness) {
        let is_first = !self.verdicts.contains_key(&mutant);
        if is_first || witness.by.kind != Kind::Undefined {
            self.verdicts.insert(mutant, Equivalence::Different(witness));
        }
    }

    /// Records a proof for an open mutant. After reasoning was wrong about a mutant once, its proofs are not believed.
    pub fn believe(&mut self, mutant: MutantIdx, proof: Equivalence) {
        if !self.doubtful.contains(&mutant) {
            self.verdicts.entry(mutant).or_insert(proof);
        }
    }

    /// Records that an input found by reasoning shows nothing when it is run.
    pub fn doubt(&mut self, mutant: MutantIdx) {
        self.doubtful.insert(mutant);
        self.reasons.insert(mutant, "the solver finds a difference that cannot be seen when it is run".to_string());
    }

    /// Records why a mutant is still open. A disagreement says more than any other reason.
    pub fn give_reason(&mut self, mutant: MutantIdx, why: String) {
        if !self.doubtful.contains(&mutant) {
            self.reasons.insert(mutant, why);
        }
    }

    /// The file with the copies and the code that calls them.
    pub fn text(&self, mutants: &[Mutant], shown: Shown) -> Vec<u8> {
        let FunctionSubject { file, functions, at, signatures, layout, .. } = self.subject;
        let copy = |mutant: &MutantIdx| {
            let Mutant { range, replacement, .. } = &mutants[*mutant];
            let constant = self.subject.constant(*range);
            Copy { function: *at, number: mutant.get() as u32, range: *range, replacement, constant }
        };
        let copies: Vec<Copy<'_>> = self.mutants.iter().map(copy).collect();
        let left_alone = FunctionIdx::all(functions.len()).filter(|other| other != at).collect();
        let source = self.subject.with_statics_outside();
        let head_of_unit = match head(layout) {
            head if head.is_empty() => head,
            head => head + "#line 1\n",
        };
        let mut text = head_of_unit.into_bytes();
        text.extend(copies::with_copies(&source, functions, &left_alone, &copies, shown));
        let function = &functions[*at];
        let name = file.source.lossy(function.name);
        let others: Vec<String> =
            self.mutants.iter().map(|mutant| format!("{name}{}", Tag::Copy(mutant.get() as u32))).collect();
        let original = format!("{name}{}", Tag::Original(*at));
        let head = file.source.lossy(SourceRange::new(function.range.start, function.body.start));
        let body = file.source.lossy(function.range);
        let functions = Functions { original: &original, others: &others, head: &head, text: &body };
        text.extend(glue(signatures, self.subject.signature(), layout, functions).into_bytes());
        text
    }
}

impl FunctionSubject {
    /// The constant that contains a mutant outside of the function.
    pub(super) fn constant(&self, range: SourceRange) -> Option<&Constant> {
        let is_inside = self.functions[self.at].range.contains(range);
        let is_in = |constant: &&Constant| constant.range.contains(range) && constant.written.end <= range.start;
        self.signatures.constants.iter().filter(|_| !is_inside).find(is_in)
    }

    /// Turns the verdict of one function that uses a mutated constant into one on the mutant: a difference holds, but
    /// other users may differ where this one does not.
    pub(super) fn of_one_user(&self, verdict: Equivalence, range: SourceRange) -> Equivalence {
        match (self.constant(range), verdict) {
            (Some(constant), Equivalence::Equivalent { .. } | Equivalence::Refused) => {
                let (name, function) = (&constant.name, &self.signature().name);
                Equivalence::Unknown { why: format!("no difference shows in {function}, one of those that use {name}") }
            }
            (_, verdict) => verdict,
        }
    }

    /// The file in which static local variables are replaced by variables of the glue. All source ranges stay the same.
    fn with_statics_outside(&self) -> SourceFile {
        let mut text = self.file.source.text().to_vec();
        for written in self.layout.statics.iter().filter_map(|variable| variable.written) {
            text[written.word.start as usize..written.word.end as usize].copy_from_slice(b"extern");
            let Some(initialiser) = written.initialiser else { continue };
            let bytes = &mut text[initialiser.start as usize..initialiser.end as usize];
            bytes.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        SourceFile::new(self.file.source.path(), text)
    }

    /// The verdict of a proof: it holds for the assumed sizes of pointer targets, and within a bound if there is one.
    pub(super) fn proved(&self, by: Tier, bound: Option<String>) -> Equivalence {
        let pointed = self.layout.objects.iter().filter(|object| object.kind == ObjectKind::Pointed);
        let sizes = pointed.map(|object| format!("{} has {} bytes", object.name, object.size));
        let bounds: Vec<String> = sizes.chain(bound).collect();
        let bound = (!bounds.is_empty()).then(|| bounds.join(", "));
        Equivalence::Equivalent { by, bound, assumptions: self.layout.assumptions.clone() }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::native::Layout;
    use perturb_csrc::Signatures;
    use perturb_host::{CompileCommand, CompilerProbe};
    use perturb_model::MutatedFile;
    use std::sync::Arc;

    pub(crate) fn indices(numbers: &[usize]) -> Vec<MutantIdx> {
        numbers.iter().copied().map(MutantIdx::new).collect()
    }

    /// A subject without parameters, with these mutants.
    pub(crate) fn subject(mutants: &[usize]) -> FunctionSubject {
        let source = SourceFile::new("a.c", Vec::new());
        let arguments = vec!["cc".to_string(), "/a.c".to_string()];
        let command = CompileCommand { directory: "/".into(), file: "/a.c".into(), arguments };
        FunctionSubject {
            file: Arc::new(MutatedFile { relative: "a.c".into(), source }),
            functions: Arc::default(),
            at: FunctionIdx::new(0),
            signatures: Arc::new(Signatures::default()),
            signature: 0,
            layout: Arc::new(Layout::default()),
            wider: Vec::new(),
            facts: CompilerProbe::new().probe(&command).unwrap(),
            command,
            clang: Arc::default(),
            linked: Vec::new(),
            links_more: false,
            mutants: indices(mutants),
            seeds: Vec::new(),
        }
    }

    #[test]
    fn a_proof_is_not_believed_where_an_input_was_found_that_shows_nothing() {
        let subject = subject(&[3, 4]);
        let mut comparison = Comparison::new(&subject);
        let [doubtful, other] = [3, 4].map(MutantIdx::new);
        comparison.doubt(doubtful);
        for mutant in [doubtful, other] {
            comparison.give_reason(mutant, "too many paths".to_string());
            comparison.believe(mutant, subject.proved(Tier::Paths, None));
        }
        assert_eq!(comparison.open_mutants(), [doubtful]);
        assert!(comparison.reasons[&doubtful].contains("cannot be seen when it is run"));
    }
}
