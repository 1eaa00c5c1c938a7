//! A function with its mutants, as they are compared: which are still open, and the text that holds all of them.

use super::{Equivalence, FunctionSubject, Witness};
use crate::native::{glue, head, Functions, ObjectKind};
use crate::symbolic::Sought;
use perturb_csrc::copies::{self, Copy, Shown, Tag};
use perturb_csrc::{Constant, SourceFile, SourceRange};
use perturb_model::{Kind, Mutant, Tier};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// A function and what is known of its mutants.
pub(crate) struct Comparison<'c> {
    pub subject: &'c FunctionSubject,
    /// Those that compile: the first is the second function of the program.
    pub places: Vec<usize>,
    pub verdicts: BTreeMap<usize, Equivalence>,
    /// What reasoning took of the processor for each.
    pub costs: BTreeMap<usize, Duration>,
    /// Why some are still open.
    pub reasons: BTreeMap<usize, String>,
    /// Those for which an input was found that shows nothing when it is run: reasoning and running disagree about them.
    pub doubtful: BTreeSet<usize>,
    /// Those that do something undefined on some inputs, and the same on all others.
    pub only_undefined: BTreeSet<usize>,
    /// Inputs that were tried and are defined.
    pub defined: u64,
    /// The programs that call all of them, with zeros and with a pattern in what nobody wrote.
    pub programs: Option<[PathBuf; 2]>,
}

impl<'c> Comparison<'c> {
    pub fn new(subject: &'c FunctionSubject) -> Self {
        Self {
            subject,
            places: subject.places.clone(),
            verdicts: BTreeMap::new(),
            reasons: BTreeMap::new(),
            doubtful: BTreeSet::new(),
            only_undefined: BTreeSet::new(),
            costs: BTreeMap::new(),
            defined: 0,
            programs: None,
        }
    }

    /// Those without a verdict, by place.
    pub fn open_places(&self) -> Vec<usize> {
        self.places.iter().copied().filter(|place| !self.verdicts.contains_key(place)).collect()
    }

    /// What is looked for in this one. A test can show another output, and hardly something undefined: so where nothing
    /// else is known, that goes on.
    pub fn sought(&self, place: usize) -> Option<Sought> {
        match self.verdicts.get(&place) {
            None => Some(Sought::Difference),
            Some(verdict) => {
                let is_better_possible =
                    verdict.kind() == Some(Kind::Undefined) && !self.only_undefined.contains(&place);
                is_better_possible.then_some(Sought::Output)
            }
        }
    }

    /// Those in which something is looked for, by place.
    pub fn sought_places(&self) -> Vec<usize> {
        self.places.iter().copied().filter(|place| self.sought(*place).is_some()).collect()
    }

    /// The same by their numbers in the program.
    pub fn sought_functions(&self) -> Vec<usize> {
        (1..=self.places.len()).filter(|at| self.sought(self.places[at - 1]).is_some()).collect()
    }

    /// Keeps an input that shows a difference, unless a better one is known.
    pub fn show(&mut self, place: usize, witness: Witness) {
        let is_first = !self.verdicts.contains_key(&place);
        if is_first || witness.by.kind != Kind::Undefined {
            self.verdicts.insert(place, Equivalence::Different(witness));
        }
    }

    /// Keeps a proof of one that is open. Where reasoning was wrong once, it is not believed when it finds nothing.
    pub fn believe(&mut self, place: usize, proof: Equivalence) {
        if !self.doubtful.contains(&place) {
            self.verdicts.entry(place).or_insert(proof);
        }
    }

    /// An input of this one shows nothing when it is run.
    pub fn doubt(&mut self, place: usize) {
        self.doubtful.insert(place);
        self.reasons.insert(place, "the solver finds a difference that cannot be seen when it is run".to_string());
    }

    /// Why this one is still open. A doubt says more than what else could not be found out.
    pub fn give_reason(&mut self, place: usize, why: String) {
        if !self.doubtful.contains(&place) {
            self.reasons.insert(place, why);
        }
    }

    /// The file with the copies and what calls them.
    pub fn text(&self, mutants: &[Mutant], shown: Shown) -> Vec<u8> {
        let FunctionSubject { file, functions, at, signatures, layout, .. } = self.subject;
        let copy = |place: &usize| {
            let Mutant { range, replacement, .. } = &mutants[*place];
            let constant = self.subject.constant(*range);
            Copy { function: *at, number: *place as u32, range: *range, replacement, constant }
        };
        let copies: Vec<Copy<'_>> = self.places.iter().map(copy).collect();
        let left_alone = (0..functions.len()).filter(|other| other != at).collect();
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
            self.places.iter().map(|place| format!("{name}{}", Tag::Copy(*place as u32))).collect();
        let original = format!("{name}{}", Tag::Original(*at));
        let head = file.source.lossy(SourceRange::new(function.range.start, function.body.start));
        let body = file.source.lossy(function.range);
        let functions = Functions { original: &original, others: &others, head: &head, text: &body };
        text.extend(glue(signatures, self.subject.signature(), layout, functions).into_bytes());
        text
    }
}

impl FunctionSubject {
    /// The constant that a mutant is in which is not in the function itself.
    pub(super) fn constant(&self, range: SourceRange) -> Option<&Constant> {
        let is_inside = self.functions[self.at].range.contains(range);
        let is_in = |constant: &&Constant| constant.range.contains(range) && constant.written.end <= range.start;
        self.signatures.constants.iter().filter(|_| !is_inside).find(is_in)
    }

    /// What is known of a mutant of a constant by one function that uses it: a difference is one, and all else may be
    /// otherwise elsewhere.
    pub(super) fn of_one_user(&self, verdict: Equivalence, range: SourceRange) -> Equivalence {
        match (self.constant(range), verdict) {
            (Some(constant), Equivalence::Equivalent { .. } | Equivalence::Refused) => {
                let (name, function) = (&constant.name, &self.signature().name);
                Equivalence::Unknown { why: format!("no difference shows in {function}, one of those that use {name}") }
            }
            (_, verdict) => verdict,
        }
    }

    /// The file, where variables of functions that keep values from call to call are those of the glue. Everything
    /// stays where it is.
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

    /// What a proof comes to: it holds for the sizes of what pointers lead to, and within a bound of its own if it has
    /// one.
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

    /// A function of nothing, with these mutants.
    pub(crate) fn subject(places: Vec<usize>) -> FunctionSubject {
        let source = SourceFile::new("a.c", Vec::new());
        let arguments = vec!["cc".to_string(), "/a.c".to_string()];
        let command = CompileCommand { directory: "/".into(), file: "/a.c".into(), arguments };
        FunctionSubject {
            file: Arc::new(MutatedFile { relative: "a.c".into(), source }),
            functions: Arc::default(),
            at: 0,
            signatures: Arc::new(Signatures::default()),
            signature: 0,
            layout: Arc::new(Layout::default()),
            wider: Vec::new(),
            facts: CompilerProbe::new().probe(&command).unwrap(),
            command,
            clang: Arc::default(),
            linked: Vec::new(),
            links_more: false,
            places,
            seeds: Vec::new(),
        }
    }

    #[test]
    fn a_proof_is_not_believed_where_an_input_was_found_that_shows_nothing() {
        let subject = subject(vec![3, 4]);
        let mut comparison = Comparison::new(&subject);
        comparison.doubt(3);
        for place in [3, 4] {
            comparison.give_reason(place, "too many paths".to_string());
            comparison.believe(place, subject.proved(Tier::Paths, None));
        }
        assert_eq!(comparison.open_places(), [3]);
        assert!(comparison.reasons[&3].contains("cannot be seen when it is run"));
    }
}
