//! The native tier: one program in the sandbox calls the original and its mutants with the same inputs.

use super::comparison::Comparison;
use super::driver_request::{arguments, tolerance_argument, Domain, Effort, Guard};
use super::elsewhere::LinkedUnit;
use super::tool::Tool;
use super::{Equivalence, FunctionSubject, RawWitness};
use crate::native::{hex, read, DriverReport, Tolerance, VersionIdx, ALLOCATING, COMPARING, OF_PROCESS};
use crate::EquivError;
use perturb_cell::{Ended, Job, Limits};
use perturb_csrc::copies::{self, Shown, Tag};
use perturb_host::{compile_trapping, link_trapping, HostError, Made, Unwritten};
use perturb_model::{Difference, Kind, MutantIdx, Tier};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Gives up on a text that still does not compile after this many attempts.
const MOST_ATTEMPTS: usize = 8;

/// The longest time that a program may search.
const LONGEST: Duration = Duration::from_secs(120);

/// The shortest limit on a program, even if no time is left: it is about to be stopped.
const SHORTEST: Duration = Duration::from_millis(10);

/// The memory limit of a program.
const MOST_MEMORY: u64 = 2 << 30;

impl Tool<'_> {
    /// Leaves out the mutants that do not compile, until the rest does. Returns the reason if that never happens.
    pub(super) fn leave_out_refused(&mut self, comparison: &mut Comparison<'_>) -> Result<Option<String>, EquivError> {
        let alone = |why: &str| Some(format!("its function does not compile by itself{why}"));
        for _ in 0..MOST_ATTEMPTS {
            let errors = match self.compile(comparison, Shown::Copy, Unwritten::Zeros, None)? {
                Made::Made => return Ok(None),
                Made::Stopped => return Ok(alone("")),
                Made::Refused(errors) => errors,
            };
            let copy = |file: &Path| match copies::copy_in(&file.to_string_lossy()) {
                Some(Tag::Copy(number)) => Some(MutantIdx::new(number as usize)),
                _ => None,
            };
            let refused: BTreeSet<MutantIdx> = errors.iter().filter_map(|error| copy(&error.file)).collect();
            let refused: Vec<MutantIdx> =
                comparison.mutants.iter().copied().filter(|mutant| refused.contains(mutant)).collect();
            if refused.is_empty() {
                let first = errors.first().map(|error| format!(": {}", error.message));
                return Ok(alone(&first.unwrap_or_default()));
            }
            comparison.mutants.retain(|mutant| !refused.contains(mutant));
            comparison.verdicts.extend(refused.into_iter().map(|mutant| (mutant, Equivalence::Refused)));
        }
        Ok(alone(""))
    }

    fn compile(
        &mut self,
        comparison: &Comparison<'_>,
        shown: Shown,
        unwritten: Unwritten,
        out: Option<&Path>,
    ) -> Result<Made, EquivError> {
        let FunctionSubject { file, command, facts, .. } = comparison.subject;
        self.code.mirror.put(&file.relative, &comparison.text(self.mutants, shown))?;
        let interrupt = self.stop.interrupt;
        let (made, cpu) =
            compile_trapping(command, facts, &self.code.mirror, unwritten, out, &|| interrupt.is_raised())?;
        self.cpu += cpu;
        Ok(made)
    }

    /// Builds the program, if that is possible.
    pub(super) fn build(
        &mut self,
        comparison: &Comparison<'_>,
        unwritten: Unwritten,
    ) -> Result<Option<PathBuf>, EquivError> {
        let FunctionSubject { command, facts, .. } = comparison.subject;
        let interrupt = self.stop.interrupt;
        let stop = || interrupt.is_raised();
        let unit = self.folder.join("unit.o");
        if self.compile(comparison, Shown::File, unwritten, Some(&unit))? != Made::Made {
            return Ok(None);
        }
        let Some(driver) = self.driver(command, facts)? else { return Ok(None) };
        let program = self.folder.join(match unwritten {
            Unwritten::Zeros => "zeros",
            Unwritten::Pattern => "pattern",
        });
        let mut objects = vec![unit, driver];
        for linked in &comparison.subject.linked {
            match self.linked_object(linked, unwritten)? {
                Some(object) => objects.push(object),
                None => return Ok(None),
            }
        }
        let objects: Vec<&Path> = objects.iter().map(PathBuf::as_path).collect();
        let wrapped = [ALLOCATING, COMPARING, OF_PROCESS].concat();
        let (made, cpu) = link_trapping(command, facts, &objects, &wrapped, &program, &stop)?;
        self.cpu += cpu;
        Ok((made == Made::Made).then_some(program))
    }

    /// The object of another unit, compiled once for all functions that call into it.
    fn linked_object(&mut self, unit: &LinkedUnit, unwritten: Unwritten) -> Result<Option<PathBuf>, EquivError> {
        let object = self.folder.join(format!("linked-{}-{unwritten:?}.o", unit.number));
        if !object.exists() {
            let LinkedUnit { command, facts, .. } = unit;
            let interrupt = self.stop.interrupt;
            let stop = || interrupt.is_raised();
            let (made, cpu) = compile_trapping(command, facts, &self.code.mirror, unwritten, Some(&object), &stop)?;
            self.cpu += cpu;
            if made != Made::Made {
                let _ = std::fs::remove_file(&object);
                return Ok(None);
            }
        }
        Ok(Some(object))
    }

    pub(crate) fn run(&mut self, program: &Path, arguments: Vec<String>) -> Result<Ended, EquivError> {
        let arguments: Vec<OsString> = arguments.into_iter().map(OsString::from).collect();
        let memory_bytes = Some(MOST_MEMORY);
        // A run that is not finished when the time is up is discarded.
        let wall = self.stop.left().map_or(3 * LONGEST, |left| left.clamp(SHORTEST, 3 * LONGEST));
        let limits = Limits { cpu: LONGEST, wall, output_bytes: 64 << 20, memory_bytes, ..Limits::default() };
        let job = Job { program, arguments: &arguments, directory: &self.folder, environment: &[], limits };
        let ended = self.cell.run(&job)?;
        self.cpu += ended.cpu;
        Ok(ended)
    }

    /// Tries inputs on the open mutants.
    pub(super) fn search(
        &mut self,
        comparison: &mut Comparison<'_>,
        program: &Path,
        effort: Effort,
        guard: Guard,
        tolerance: Option<Tolerance>,
    ) -> Result<Vec<DriverReport>, EquivError> {
        let mut arguments = arguments("search", self.options, effort.inputs, 0, guard);
        arguments.extend(effort.steps.map(|steps| format!("work={steps}")));
        arguments.extend(tolerance.map(tolerance_argument));
        if !comparison.subject.seeds.is_empty() {
            let path = self.folder.join("seeds");
            let lines: String = comparison.subject.seeds.iter().map(|seed| hex(seed) + "\n").collect();
            std::fs::write(&path, lines).map_err(HostError::io("write", &path))?;
            arguments.push(format!("seeds={}", path.display()));
        }
        let sought = comparison.sought_versions();
        self.drive(comparison, program, arguments, &sought)
    }

    /// Runs the driver on some of the mutants and parses what it reports.
    fn drive(
        &mut self,
        comparison: &mut Comparison<'_>,
        program: &Path,
        mut arguments: Vec<String>,
        versions: &[VersionIdx],
    ) -> Result<Vec<DriverReport>, EquivError> {
        if versions.is_empty() {
            return Ok(Vec::new());
        }
        arguments.extend(versions.iter().map(ToString::to_string));
        let ended = self.run(program, arguments)?;
        let answers = read(&String::from_utf8_lossy(&ended.output));
        if let Some(DriverReport::Done { defined, .. }) = answers.last() {
            comparison.defined += defined;
        }
        Ok(answers)
    }

    /// Confirms every difference by running it again: alone, with other values in uninitialised memory, and with the
    /// guard page on the other side.
    pub(super) fn confirm(
        &mut self,
        comparison: &mut Comparison<'_>,
        programs: [&Path; 2],
        guard: Guard,
        tier: Tier,
        answers: Vec<DriverReport>,
    ) -> Result<(), EquivError> {
        let differences = answers.into_iter().filter_map(|answer| match answer {
            DriverReport::Different { version, by } => Some((version, by)),
            _ => None,
        });
        // For a mutant with both kinds of difference, undefined behaviour counts only if the other one cannot be
        // confirmed.
        let (undefined, others): (Vec<_>, Vec<_>) = differences.partition(|(_, by)| by.kind == Kind::Undefined);
        self.confirm_each(comparison, programs, guard, tier, others.into_iter().collect())?;
        let is_open =
            |(version, _): &(VersionIdx, Difference)| !comparison.verdicts.contains_key(&comparison.mutant(*version));
        let undefined = undefined.into_iter().filter(is_open).collect();
        self.confirm_each(comparison, programs, guard, tier, undefined)
    }

    fn confirm_each(
        &mut self,
        comparison: &mut Comparison<'_>,
        [zeros, pattern]: [&Path; 2],
        guard: Guard,
        tier: Tier,
        found: BTreeMap<VersionIdx, Difference>,
    ) -> Result<(), EquivError> {
        if found.is_empty() {
            return Ok(());
        }
        let again = self.replay(zeros, guard, &found)?;
        let mut ways = vec![self.replay(zeros, guard.other(), &found)?];
        if pattern != zeros {
            ways.push(self.replay(pattern, guard, &found)?);
        }
        for (version, by) in found {
            // A difference that does not recur is dropped.
            if !matches!(again.get(&version), Some(DriverReport::Different { by: same, .. }) if *same == by) {
                continue;
            }
            let Some(by) = confirmed(by, ways.iter().map(|way| way.get(&version))) else { continue };
            let mutant = comparison.mutant(version);
            let witness = RawWitness { by, tier, layout: comparison.subject.layout.clone(), program: None };
            comparison.show(mutant, witness);
        }
        Ok(())
    }

    /// The results of running these differences again.
    pub(crate) fn replay(
        &mut self,
        program: &Path,
        guard: Guard,
        found: &BTreeMap<VersionIdx, Difference>,
    ) -> Result<BTreeMap<VersionIdx, DriverReport>, EquivError> {
        let mut lines = String::new();
        for (version, by) in found {
            let _ = writeln!(lines, "{version} {}", hex(&by.input));
        }
        let path = self.folder.join("inputs");
        std::fs::write(&path, lines).map_err(HostError::io("write", &path))?;
        let mut arguments = arguments("replay", self.options, 0, 0, guard);
        arguments.push(path.to_string_lossy().into_owned());
        let ended = self.run(program, arguments)?;
        let by_version = |answer: DriverReport| match answer {
            DriverReport::Different { version, .. }
            | DriverReport::Same { version }
            | DriverReport::Excluded { version } => Some((version, answer)),
            _ => None,
        };
        Ok(read(&String::from_utf8_lossy(&ended.output)).into_iter().filter_map(by_version).collect())
    }

    /// Enumerates all inputs, where these are few: mutants without a difference are equivalent. Where only the order of
    /// elements matters, enumerates all orders.
    pub(super) fn exhaust(
        &mut self,
        comparison: &mut Comparison<'_>,
        programs: [&Path; 2],
        domain: Domain,
    ) -> Result<(), EquivError> {
        let [zeros, pattern] = programs;
        let (by, elements, versions) = match domain {
            Domain::All => (Tier::Exhaustive, 0, comparison.sought_versions()),
            Domain::Orders { of, versions } => (Tier::Order, of, versions),
        };
        let (mut proved, mut is_bounded): (Option<BTreeSet<VersionIdx>>, _) = (None, false);
        let mut ways = vec![(zeros, Guard::Behind), (zeros, Guard::Before)];
        if pattern != zeros {
            ways.push((pattern, Guard::Behind));
        }
        for (program, guard) in ways {
            let arguments = arguments("exhaust", self.options, self.options.exhaust, elements, guard);
            let answers = self.drive(comparison, program, arguments, &versions)?;
            // If the original never has defined behaviour, any claim about it would be true.
            let is_whole = matches!(answers.last(), Some(DriverReport::Done { defined: 1.., .. }));
            if !is_whole || answers.contains(&DriverReport::Large) {
                return Ok(());
            }
            is_bounded |= answers.contains(&DriverReport::Unfinished);
            let exhausted = answers.iter().filter_map(|answer| match answer {
                DriverReport::Exhausted { version } => Some(*version),
                _ => None,
            });
            let exhausted: BTreeSet<VersionIdx> = exhausted.collect();
            proved = Some(proved.map_or(exhausted.clone(), |proved| &proved & &exhausted));
            // A mutant that is undefined in one of the ways counts as undefined in all.
            let only_undefined = answers.iter().filter_map(|answer| match answer {
                DriverReport::OnlyUndefined { version } => Some(comparison.mutant(*version)),
                _ => None,
            });
            let only_undefined: Vec<MutantIdx> = only_undefined.collect();
            self.confirm(comparison, programs, guard, by, answers)?;
            comparison.only_undefined.extend(only_undefined);
        }
        let steps = is_bounded.then(|| format!("the original takes no more than {} steps", self.options.steps));
        for version in proved.unwrap_or_default() {
            let mutant = comparison.mutant(version);
            let verdict = comparison.subject.proved(by, steps.clone());
            comparison.verdicts.entry(mutant).or_insert(verdict);
        }
        Ok(())
    }
}

/// The kind of a difference after runs with other values in uninitialised memory and with the guard page on the other
/// side. `None` if the original itself behaves differently then: the input is no valid one.
fn confirmed<'a>(mut by: Difference, ways: impl Iterator<Item = Option<&'a DriverReport>>) -> Option<Difference> {
    for way in ways {
        match way? {
            DriverReport::Different { by: other, .. } if other.original != by.original => return None,
            DriverReport::Different { by: other, .. } if other.kind == by.kind && other.other == by.other => {}
            // The mutant depends on memory that it must not read.
            DriverReport::Different { .. } | DriverReport::Same { .. } => {
                by = Difference { kind: Kind::Undefined, other: Vec::new(), ..by }
            }
            _ => return None,
        }
    }
    Some(by)
}
