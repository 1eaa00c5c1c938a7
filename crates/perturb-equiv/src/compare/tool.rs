//! One worker, which judges functions one after another, tier by tier.

use super::comparison::Comparison;
use super::driver_request::{Domain, Effort, Guard};
use super::subject::Uncallable;
use super::{Equivalence, EquivalenceOptions, FunctionSubject, Judged, Tiers};
use crate::code::{CodeTool, CodeUnit, FileTask, Others};
use crate::native::{Tolerance, ALLOCATING, DRIVER};
use crate::EquivError;
use perturb_cell::{Cell, CellOptions};
use perturb_host::{
    find_clang, CompileCommand, CompilerFacts, CompilerFamily, HostError, MayBeStop, Mirror, Project, Stop, Unwritten,
};
use perturb_model::{Code, ContentHash, Level, Mutant, MutantIdx, Tier};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The optimisation levels at which code is compared.
const LEVELS: [Level; 3] = [Level::O1, Level::O2, Level::Os];

/// The search for tests tries this many times as many inputs on mutants without a difference.
const FURTHER: u64 = 4;
/// The limit on the steps of that search, for each mutant.
const FURTHEST: u64 = 20_000_000;

/// Compiles and calls functions, one after another.
#[derive(Debug)]
pub(crate) struct Tool<'n> {
    pub mutants: &'n [Mutant],
    pub options: &'n EquivalenceOptions,
    pub stop: Stop<'n>,
    pub code: CodeTool<'n>,
    pub cell: Cell,
    pub folder: PathBuf,
    /// The drivers compiled so far.
    pub drivers: BTreeMap<ContentHash, PathBuf>,
    /// The distance within which tests take floats for the same.
    pub tolerance: Option<Tolerance>,
    /// Whether inputs are also chosen that show undefined behaviour only.
    pub sanitizers: bool,
    pub cpu: Duration,
}

impl<'n> Tool<'n> {
    pub fn open(
        project: &Project,
        mutants: &'n [Mutant],
        options: &'n EquivalenceOptions,
        home: &Path,
        stop: Stop<'n>,
        is_stopped: &'n (dyn Fn() -> bool + Sync),
    ) -> Result<Self, EquivError> {
        let folder = home.join("program");
        let mirror = Mirror::of(&project.source_root, &home.join("mirror"), &options.work)?;
        std::fs::create_dir_all(&folder).map_err(HostError::io("create", &folder))?;
        for (name, text) in DRIVER {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(HostError::io("write", &path))?;
        }
        let cell = CellOptions {
            visible: vec![folder.clone()],
            sandbox: options.sandbox,
            ..CellOptions::new(home.join("cell"))
        };
        let cell = Cell::open(&cell)?;
        stop.interrupt.watch(vec![cell.stopper()?]);
        let code = CodeTool { mirror, mutants, fast_floats: false, stop: is_stopped, cpu: Duration::ZERO };
        Ok(Self {
            mutants,
            options,
            stop,
            code,
            cell,
            folder,
            drivers: BTreeMap::new(),
            tolerance: None,
            sanitizers: false,
            cpu: Duration::ZERO,
        })
    }

    pub fn judge(&mut self, subject: &FunctionSubject) -> Result<Vec<Judged>, EquivError> {
        let mut comparison = Comparison::new(subject);
        self.judge_by(&mut comparison, Self::compare, Self::write_witnesses)
    }

    /// The same with another comparison, and a final step.
    pub fn judge_by(
        &mut self,
        comparison: &mut Comparison<'_>,
        compare: impl FnOnce(&mut Self, &mut Comparison<'_>) -> Result<String, EquivError>,
        then: impl FnOnce(&mut Self, &mut Comparison<'_>) -> Result<(), EquivError>,
    ) -> Result<Vec<Judged>, EquivError> {
        let subject = comparison.subject;
        self.cpu = Duration::ZERO;
        let judged = compare(self, comparison);
        let share = self.cpu / u32::try_from(subject.mutants.len().max(1)).unwrap_or(1);
        let judged = judged.and_then(|why| then(self, comparison).map(|()| why));
        self.code.mirror.restore(&subject.file.relative)?;
        let why = match judged {
            Ok(why) => why,
            // A generated program that was stopped.
            Err(error) if error.is_stop() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let is_broken_off = self.stop.is_due();
        let of = |mutant: &MutantIdx| {
            let reason = || match comparison.reasons.get(mutant) {
                Some(reason) => format!("{why}; {reason}"),
                None => why.clone(),
            };
            let verdict = match comparison.verdicts.remove(mutant) {
                Some(verdict) => subject.of_one_user(verdict, self.mutants[*mutant].range),
                // The verdict is not known yet.
                None if is_broken_off => return None,
                None => Equivalence::Unknown { why: reason() },
            };
            let cpu = share + comparison.costs.get(mutant).copied().unwrap_or_default();
            Some(Judged { mutant: *mutant, verdict, cpu })
        };
        Ok(subject.mutants.iter().filter_map(of).collect())
    }

    /// Runs all tiers. Returns why the remaining mutants are unknown.
    pub fn compare(&mut self, comparison: &mut Comparison<'_>) -> Result<String, EquivError> {
        let EquivalenceOptions { tiers, .. } = *self.options;
        let [zeros, pattern] = match self.programs(comparison)? {
            Ok(programs) => programs,
            Err(why) => {
                self.compare_codes(comparison)?;
                return Ok(why);
            }
        };
        comparison.programs = Some([zeros.clone(), pattern.clone()]);
        if tiers.native {
            let effort = Effort { inputs: self.options.inputs, steps: None };
            self.search_both_ways(comparison, [&zeros, &pattern], effort, None)?;
        }
        if tiers.exhaustive && comparison.subject.layout.shows_all() {
            self.exhaust(comparison, [&zeros, &pattern], Domain::All)?;
        }
        self.compare_codes(comparison)?;
        let allocates = comparison.subject.layout.heap.as_ref().is_some_and(|heap| heap.allocates);
        let why = match (tiers.proof || tiers.paths, allocates) {
            (false, _) => None,
            (true, true) => Some("functions that allocate memory are not proved".to_string()),
            (true, false) => self.reason(comparison, &zeros, &pattern)?,
        };
        let tried = format!("no difference was found with {} inputs", comparison.defined);
        Ok(why.map_or(tried.clone(), |why| format!("{tried}; {why}")))
    }

    /// Only searches inputs whose difference a test can show, with the effort meant for this many mutants.
    pub fn search_only(&mut self, comparison: &mut Comparison<'_>, as_for: usize) -> Result<String, EquivError> {
        let [zeros, pattern] = match self.programs(comparison)? {
            Ok(programs) => programs,
            Err(why) => return Ok(why),
        };
        comparison.programs = Some([zeros.clone(), pattern.clone()]);
        let steps = FURTHEST * as_for as u64 / comparison.mutants.len().max(1) as u64;
        let effort = Effort { inputs: FURTHER * self.options.inputs, steps: Some(steps) };
        self.search_both_ways(comparison, [&zeros, &pattern], effort, self.tolerance)?;
        Ok(format!("no difference was found with {} inputs", comparison.defined))
    }

    fn search_both_ways(
        &mut self,
        comparison: &mut Comparison<'_>,
        programs: [&Path; 2],
        effort: Effort,
        tolerance: Option<Tolerance>,
    ) -> Result<(), EquivError> {
        let less = Effort { inputs: effort.inputs / 4, steps: effort.steps.map(|steps| steps / 4) };
        for (guard, effort) in [(Guard::Behind, effort), (Guard::Before, less)] {
            let answers = self.search(comparison, programs[0], effort, guard, tolerance)?;
            self.confirm(comparison, programs, guard, Tier::Native, answers)?;
        }
        Ok(())
    }

    /// The programs with zeros and with a pattern in uninitialised memory, or the reason why there are none.
    fn programs(&mut self, comparison: &mut Comparison<'_>) -> Result<Result<[PathBuf; 2], String>, EquivError> {
        let mut zeros = self.build(comparison, Unwritten::Zeros)?;
        if zeros.is_none() {
            if let Some(why) = self.leave_out_refused(comparison)? {
                return Ok(Err(why));
            }
            zeros = self.build(comparison, Unwritten::Zeros)?;
        }
        // Without uninitialised memory, the two would be the same.
        let subject = comparison.subject;
        let pattern = match subject.signature().has_unwritten || !subject.linked.is_empty() {
            true => self.build(comparison, Unwritten::Pattern)?,
            false => zeros.clone(),
        };
        Ok(match (zeros, pattern) {
            (Some(zeros), Some(pattern)) => Ok([zeros, pattern]),
            _ => Err("its function cannot be built into a program".to_string()),
        })
    }

    /// Compares compiled code: first that of the project's compiler, as MASS step 4 does; then, with the bodies of
    /// called functions visible, that of the same compiler and of clang, which sees more of what functions do with
    /// addresses.
    fn compare_codes(&mut self, comparison: &mut Comparison<'_>) -> Result<(), EquivError> {
        let Tiers { code, clang, .. } = self.options.tiers;
        let FunctionSubject { command, facts, .. } = comparison.subject;
        let called = comparison.subject.signature().calls_bodies.then_some(Others::Whole);
        if code {
            let unit = CodeUnit::new(command.clone(), facts.clone());
            self.compare_code(comparison, &unit, (&LEVELS, Others::Declared), |level| Tier::Code { level })?;
            if let Some(others) = called {
                self.compare_code(comparison, &unit, (&[Level::O2], others), |level| Tier::Code { level })?;
            }
        }
        if let Some(unit) = clang_unit(comparison.subject).filter(|_| clang) {
            let others = called.unwrap_or(Others::Declared);
            self.compare_code(comparison, &unit, (&[Level::O2], others), |_| Tier::Clang)?;
        }
        Ok(())
    }

    fn compare_code(
        &mut self,
        comparison: &mut Comparison<'_>,
        unit: &CodeUnit,
        how: (&[Level], Others),
        tier: impl Fn(Level) -> Tier,
    ) -> Result<(), EquivError> {
        let mut open = comparison.open_mutants();
        // Other functions may use a constant as well.
        open.retain(|mutant| comparison.subject.constant(self.mutants[*mutant].range).is_none());
        if open.is_empty() || self.stop.is_due() {
            return Ok(());
        }
        let FunctionSubject { file, functions, .. } = comparison.subject;
        let task = FileTask::new(file.clone(), functions.to_vec(), self.mutants, &open);
        for (mutant, level) in self.same_code(&task, unit, &open, how)? {
            comparison.verdicts.entry(mutant).or_insert(Equivalence::unconditional(tier(level)));
        }
        Ok(())
    }

    /// The mutants for which the compiler emits the code of the original, each with the first level at which it does.
    fn same_code(
        &mut self,
        task: &FileTask,
        unit: &CodeUnit,
        mutants: &[MutantIdx],
        (levels, others): (&[Level], Others),
    ) -> Result<BTreeMap<MutantIdx, Level>, EquivError> {
        self.code.cpu = Duration::ZERO;
        let codes = self.code.copies(task, unit, mutants, levels, others)?.unwrap_or_default();
        self.cpu += self.code.cpu;
        let mut same = BTreeMap::new();
        for (mutant, level, _) in codes.into_iter().filter(|(_, _, code)| *code == Code::Original) {
            same.entry(mutant).or_insert(level);
        }
        Ok(same)
    }

    /// Compares functions that cannot be called by their code alone.
    pub fn judge_uncallable(&mut self, subject: &Uncallable) -> Result<Vec<Judged>, EquivError> {
        let Uncallable { file, functions, command, facts, reasons } = subject;
        let mutants: Vec<MutantIdx> = reasons.keys().copied().collect();
        let task = FileTask::new(file.clone(), functions.to_vec(), self.mutants, &mutants);
        let unit = CodeUnit::new(command.clone(), facts.clone());
        let mut judged = Vec::new();
        for mutants in task.batches(&mutants) {
            self.cpu = Duration::ZERO;
            let mut same = self.same_code(&task, &unit, &mutants, (&LEVELS, Others::Declared))?;
            if self.stop.is_due() {
                break;
            }
            let cpu = self.cpu / u32::try_from(mutants.len().max(1)).unwrap_or(1);
            judged.extend(mutants.into_iter().map(|mutant| {
                let verdict = match same.remove(&mutant) {
                    Some(level) => Equivalence::unconditional(Tier::Code { level }),
                    None => Equivalence::Unknown { why: reasons[&mutant].clone() },
                };
                Judged { mutant, verdict, cpu }
            }));
        }
        Ok(judged)
    }
}

/// The unit as clang compiles it, if clang is installed and is not the project's compiler.
fn clang_unit(subject: &FunctionSubject) -> Option<CodeUnit> {
    let FunctionSubject { command, facts, clang: arguments, .. } = subject;
    let clang = find_clang().filter(|_| facts.family != CompilerFamily::Clang)?;
    let words = std::iter::once(clang.to_string_lossy().into_owned()).chain(arguments.iter().cloned());
    // Clang must not assume that allocations succeed, and must not contract floating-point expressions, as in proofs.
    let opaque = ALLOCATING.iter().map(|name| format!("-fno-builtin-{name}"));
    let words = words
        .chain(opaque)
        .chain(["-ffp-contract=off".to_string()])
        .chain([command.file.to_string_lossy().into_owned()]);
    let command = CompileCommand { arguments: words.collect(), ..command.clone() };
    let facts = CompilerFacts { program: clang, family: CompilerFamily::Clang, ..(**facts).clone() };
    Some(CodeUnit::new(command, Arc::new(facts)))
}
