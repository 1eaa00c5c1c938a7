//! The functions to compare: each with its mutants, its signature, and the inputs that its contract permits.

use super::contracts::{Contracts, Proposal};
use super::elsewhere::{Bodies, Elsewhere, LinkedUnit, Wanted};
use super::read_unit::{read_unit, ReadUnit};
use super::{Equivalence, Judged};
use crate::contract::Contract;
use crate::native::{Layout, Leaf, LeafKind, Others};
use crate::{EquivError, MutatedProject};
use perturb_csrc::copies::{self, Copyable, FunctionIdx};
use perturb_csrc::{Signature, Signatures, SourceRange};
use perturb_host::{CompileCommand, CompilerFacts, CompilerProbe};
use perturb_model::{CopyableFile, Mutant, MutantIdx, MutatedFile};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// A function with mutants.
#[derive(Debug, Clone)]
pub struct FunctionSubject {
    pub file: Arc<MutatedFile>,
    /// All functions of the file that can be copied.
    pub functions: Arc<Vec<Copyable>>,
    /// This function in that list.
    pub at: FunctionIdx,
    pub signatures: Arc<Signatures>,
    /// The index of its signature.
    pub signature: usize,
    pub layout: Arc<Layout>,
    /// Other sets of inputs for tests, in the order in which they are tried.
    pub wider: Vec<Wider>,
    pub command: CompileCommand,
    pub facts: Arc<CompilerFacts>,
    /// The arguments for clang.
    pub clang: Arc<Vec<String>>,
    /// Other units that are linked because the function calls into them.
    pub linked: Vec<Arc<LinkedUnit>>,
    /// More units are linked than verdicts may rely on (see [`Wider`]).
    pub links_more: bool,
    pub mutants: Vec<MutantIdx>,
    /// The inputs with which the project's tests call it.
    pub seeds: Vec<Vec<u8>>,
}

/// A wider set of inputs, for tests alone. Only observed differences count; finding none proves nothing.
///
/// It goes beyond the assumptions about a function without a contract (see [`Contract::wide`]). If the function has
/// static variables, its programs begin with the call.
#[derive(Debug, Clone, Default)]
pub struct Wider {
    pub layout: Arc<Layout>,
    pub linked: Vec<Arc<LinkedUnit>>,
    /// Functions of other files are linked that are stubs otherwise.
    pub links_more: bool,
    pub seeds: Vec<Vec<u8>>,
}

impl Wider {
    /// A test begins with the call, so static variables have their initial values.
    fn of(layout: Layout, linked: Vec<Arc<LinkedUnit>>, links_more: bool) -> Self {
        let layout = Arc::new(layout.from_start().unwrap_or(layout));
        Self { layout, linked, links_more, seeds: Vec::new() }
    }
}

impl FunctionSubject {
    pub fn signature(&self) -> &Signature {
        &self.signatures.functions[self.signature]
    }

    /// The same function with one of its wider sets of inputs and some of its mutants.
    pub fn called(&self, wider: &Wider, mutants: Vec<MutantIdx>) -> Self {
        let Wider { layout, linked, links_more, seeds } = wider.clone();
        Self { layout, linked, links_more, seeds, mutants, ..self.clone() }
    }

    /// Whether pointers are compared by address only: a pointer to a constant and one to its copy would differ.
    fn shows_addresses(&self) -> bool {
        self.layout.heap.as_ref().is_some_and(|heap| !heap.knows_all())
    }

    /// Whether it is in the initialiser of a variable that is an input here.
    fn is_initialiser(&self, range: SourceRange) -> bool {
        let written = self.layout.statics.iter().filter_map(|variable| variable.written);
        written.into_iter().any(|written| written.initialiser.is_some_and(|initialiser| initialiser.contains(range)))
    }
}

/// Functions of a file that cannot be called.
#[derive(Debug)]
pub struct Uncallable {
    pub file: Arc<MutatedFile>,
    /// All functions of the file that can be copied.
    pub functions: Arc<Vec<Copyable>>,
    pub command: CompileCommand,
    pub facts: Arc<CompilerFacts>,
    /// Their mutants, each with the reason.
    pub reasons: BTreeMap<MutantIdx, String>,
}

impl Uncallable {
    /// Used when code is not compared.
    pub fn unknown(self) -> Vec<Judged> {
        self.reasons.iter().map(|(mutant, why)| unknown(*mutant, why)).collect()
    }
}

/// All subjects of a comparison.
#[derive(Debug, Default)]
pub struct Subjects {
    pub functions: Vec<FunctionSubject>,
    /// Functions that only their code can be compared of.
    pub uncallable: Vec<Uncallable>,
    /// Mutants that cannot be compared at all.
    pub others: Vec<Judged>,
    /// Contracts to propose for functions without one.
    pub proposals: Vec<Proposal>,
}

/// The functions of these mutants, sorted by what can be compared.
pub fn subjects(
    subject: MutatedProject<'_>,
    indices: &[MutantIdx],
    contracts: &Contracts,
) -> Result<Subjects, EquivError> {
    let MutatedProject { project, mutants, copyable, libclang } = subject;
    let probe = CompilerProbe::new();
    let mut elsewhere = Elsewhere::new(project, &probe, libclang);
    let mut by_file: BTreeMap<&std::path::Path, Vec<MutantIdx>> = BTreeMap::new();
    for index in indices {
        by_file.entry(&mutants[*index].file.relative).or_default().push(*index);
    }
    let mut subjects = Subjects::default();
    for (relative, indices) in by_file {
        let unknown =
            |why: &str, indices: &[MutantIdx]| indices.iter().map(|index| unknown(*index, why)).collect::<Vec<_>>();
        let copyable = copyable.iter().find(|file| file.file.relative == relative);
        let unit = project.units_under_test().find(|unit| project.relative(&unit.command.file) == Some(relative));
        let (Some(copyable), Some(unit)) = (copyable, unit) else {
            let why = "it is in a header, and only functions of source files are compared and tested by themselves";
            subjects.others.extend(unknown(why, &indices));
            continue;
        };
        let ReadUnit { signatures, facts, clang } = match read_unit(&probe, libclang, unit)? {
            Ok(read) => read,
            Err(why) => {
                subjects.others.extend(unknown(&why, &indices));
                continue;
            }
        };
        let of_file = OfFile { copyable, signatures, contracts, command: &unit.command, facts, clang };
        of_file.split(mutants, &indices, &mut elsewhere, &mut subjects)?;
    }
    Ok(subjects)
}

/// The inputs and outputs of a function under a contract, or the reason why it cannot be called.
pub(super) fn layout(
    signatures: &Signatures,
    signature: &Signature,
    contract: &Contract,
    others: &Others,
) -> Result<Layout, String> {
    Layout::of(signatures, signature, contract, others).map_err(|error| error.to_string())
}

fn unknown(mutant: MutantIdx, why: &str) -> Judged {
    Judged { mutant, verdict: Equivalence::Unknown { why: why.to_string() }, cpu: Duration::ZERO }
}

struct OfFile<'f> {
    copyable: &'f CopyableFile,
    signatures: Arc<Signatures>,
    contracts: &'f Contracts,
    command: &'f CompileCommand,
    facts: Arc<CompilerFacts>,
    clang: Arc<Vec<String>>,
}

impl OfFile<'_> {
    fn split(
        &self,
        mutants: &[Mutant],
        indices: &[MutantIdx],
        elsewhere: &mut Elsewhere<'_>,
        found: &mut Subjects,
    ) -> Result<(), EquivError> {
        let functions = Arc::new(self.copyable.functions.clone());
        let mut reasons = BTreeMap::new();
        let mut left: BTreeSet<MutantIdx> = indices.iter().copied().collect();
        for (at, function) in FunctionIdx::enumerate(&functions) {
            let is_inside = |index: &&MutantIdx| function.body.contains(mutants[**index].range);
            let mut own: Vec<MutantIdx> = indices.iter().filter(is_inside).copied().collect();
            left.retain(|index| !own.contains(index));
            // A mutant of a constant is compared by the first callable function that uses it.
            let of_constants: Vec<MutantIdx> =
                left.iter().copied().filter(|index| self.uses(function, mutants[*index].range)).collect();
            if own.is_empty() && of_constants.is_empty() {
                continue;
            }
            let [bodies, more] = self.bodies(function, elsewhere)?;
            found.proposals.extend(self.proposal(function, &own, &bodies));
            match self.subject(&functions, at, own.clone(), [bodies, more]) {
                Ok(mut subject) => {
                    if !subject.shows_addresses() {
                        own.extend(&of_constants);
                        left.retain(|index| !of_constants.contains(index));
                    }
                    let is_lost = |index: &MutantIdx| subject.is_initialiser(mutants[*index].range);
                    let (lost, kept) = own.into_iter().partition::<Vec<MutantIdx>, _>(is_lost);
                    let why = "it is in what a variable starts with";
                    found.others.extend(lost.iter().map(|index| unknown(*index, why)));
                    subject.mutants = kept;
                    if !subject.mutants.is_empty() {
                        found.functions.push(subject);
                    }
                }
                Err(why) => reasons.extend(own.iter().map(|index| (*index, why.clone()))),
            }
        }
        if !reasons.is_empty() {
            let (file, command, facts) = (self.copyable.file.clone(), self.command.clone(), self.facts.clone());
            found.uncallable.push(Uncallable { file, functions: functions.clone(), command, facts, reasons });
        }
        found.others.extend(left.iter().map(|index| unknown(*index, self.why_not_copied(mutants[*index].range))));
        Ok(())
    }

    /// The functions of other files to link for verdicts, and for tests.
    fn bodies(&self, function: &Copyable, elsewhere: &mut Elsewhere<'_>) -> Result<[Bodies; 2], EquivError> {
        let Some(signature) = self.signature_of(function) else { return Ok([Bodies::default(), Bodies::default()]) };
        let by = &self.signatures.functions[signature];
        let reading = Wanted::Reading { by, of: &self.command.file };
        Ok([elsewhere.bodies(by, Wanted::Stateless)?, elsewhere.bodies(by, reading)?])
    }

    fn subject(
        &self,
        functions: &Arc<Vec<Copyable>>,
        at: FunctionIdx,
        mutants: Vec<MutantIdx>,
        [bodies, more]: [Bodies; 2],
    ) -> Result<FunctionSubject, String> {
        let file = self.copyable.file.clone();
        let name = file.source.lossy(functions[at].name);
        let signature = self.signature_of(&functions[at]).ok_or("its function is not understood")?;
        let known = &self.signatures.functions[signature];
        let said = self.contracts.of(&file.relative, known);
        let is_free = said.is_none();
        let contract = said.unwrap_or_else(|| Ok(Contract::default()));
        let contract = contract.map_err(|error| format!("the contract of {name}: {error}"))?;
        let layout_of = |contract: &Contract, others: &Others| layout(&self.signatures, known, contract, others);
        let mut layout = layout_of(&contract, &bodies.others)?;
        let wide = is_free.then(|| Contract::wide(&self.signatures, known));
        let wide_of = |others: &Others| layout_of(wide.as_ref().unwrap_or(&contract), others).ok();
        let links_more = more.others.linked != bodies.others.linked;
        let with_more = links_more.then(|| wide_of(&more.others)).flatten();
        let with_more = with_more.map(|layout| Wider::of(layout, more.units.clone(), links_more));
        let without = is_free.then(|| wide_of(&bodies.others)).flatten().or_else(|| layout.from_start());
        let without = without.map(|layout| Wider::of(layout, bodies.units.clone(), false));
        let equal = wide.filter(|_| !known.equal.is_empty()).map(|wide| Contract { may_be_equal: true, ..wide });
        let equal = equal.and_then(|contract| layout_of(&contract, &more.others).ok());
        let equal = equal.filter(|layout| layout.links.iter().any(|link| link.alias.is_some()));
        let equal = equal.map(|layout| Wider::of(layout, more.units, links_more));
        let is_said = |leaf: &Leaf| {
            leaf.range.is_some() && !matches!(leaf.kind, LeafKind::Refusal | LeafKind::Offset | LeafKind::Length)
        };
        if layout.leaves.iter().any(is_said) {
            layout.assumptions.push(format!("the contract of {name} holds: {contract}"));
        }
        Ok(FunctionSubject {
            file,
            functions: functions.clone(),
            at,
            signatures: self.signatures.clone(),
            signature,
            layout: Arc::new(layout),
            // A stub may return what the real function never does, so each way shows differences that the other cannot.
            // Equal pointers come last, as they seldom show any.
            wider: with_more.into_iter().chain(without).chain(equal).collect(),
            command: self.command.clone(),
            facts: self.facts.clone(),
            clang: self.clang.clone(),
            linked: bodies.units,
            links_more: false,
            mutants,
            seeds: Vec::new(),
        })
    }

    /// Contracts to propose for functions without one.
    fn proposal(&self, function: &Copyable, mutants: &[MutantIdx], bodies: &Bodies) -> Option<Proposal> {
        let (file, signature) =
            (&self.copyable.file.relative, &self.signatures.functions[self.signature_of(function)?]);
        let is_said = mutants.is_empty() || self.contracts.of(file, signature).is_some();
        (!is_said).then(|| Proposal::of(file, &self.signatures, signature, &bodies.others, mutants)).flatten()
    }

    /// Whether a function uses the constant that contains a mutant.
    fn uses(&self, function: &Copyable, range: SourceRange) -> bool {
        let Some(constant) = self.signatures.constants.iter().find(|constant| constant.range.contains(range)) else {
            return false;
        };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let body = self.copyable.file.source.lossy(function.body);
        let names = body.split(|letter| !is_name(letter)).any(|word| word == constant.name);
        // The constant must be declared before the copy.
        names && constant.range.end <= function.range.start
    }

    fn why_not_copied(&self, mutated: SourceRange) -> &'static str {
        let around = self.signatures.functions.iter().find(|function| function.range.contains(mutated));
        around.map_or("it is in no function", |function| {
            copies::why_not(&self.copyable.file.source, function.range, &function.name)
        })
    }

    fn signature_of(&self, function: &Copyable) -> Option<usize> {
        let name = self.copyable.file.source.lossy(function.name);
        self.signatures.functions.iter().position(|signature| signature.name == name)
    }
}
