//! The native tier: original and mutants in one program, called with the same inputs, in the sandbox.

use super::comparison::Comparison;
use super::driver_request::{arguments, told_tolerance, Domain, Effort, Guard};
use super::elsewhere::LinkedUnit;
use super::tool::Tool;
use super::{Equivalence, FunctionSubject, Witness};
use crate::native::{hex, read, Answer, Tolerance, ALLOCATING, COMPARING, OF_PROCESS};
use crate::EquivError;
use perturb_cell::{Ended, Job, Limits};
use perturb_csrc::copies::{self, Shown, Tag};
use perturb_host::{compile_trapping, link_trapping, HostError, Made, Unwritten};
use perturb_model::{Difference, Kind, Tier};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Texts that still do not compile after so many attempts are given up.
const MOST_ATTEMPTS: usize = 8;

/// So long a program may search.
const LONGEST: Duration = Duration::from_secs(120);

/// So long any program may run, whatever time is left: it is about to be stopped.
const SHORTEST: Duration = Duration::from_millis(10);

/// So much memory it may use.
const MOST_MEMORY: u64 = 2 << 30;

impl Tool<'_> {
    /// Leaves out what does not compile, until the rest does. Answers with why it never does.
    pub(super) fn leave_out_refused(&mut self, comparison: &mut Comparison<'_>) -> Result<Option<String>, EquivError> {
        let alone = |why: &str| Some(format!("its function does not compile by itself{why}"));
        for _ in 0..MOST_ATTEMPTS {
            let errors = match self.compile(comparison, Shown::Copy, Unwritten::Zeros, None)? {
                Made::Made => return Ok(None),
                Made::Stopped => return Ok(alone("")),
                Made::Refused(errors) => errors,
            };
            let copy = |file: &Path| match copies::copy_in(&file.to_string_lossy()) {
                Some(Tag::Copy(place)) => Some(place as usize),
                _ => None,
            };
            let refused: BTreeSet<usize> = errors.iter().filter_map(|error| copy(&error.file)).collect();
            let refused: Vec<usize> =
                comparison.places.iter().copied().filter(|place| refused.contains(place)).collect();
            if refused.is_empty() {
                let first = errors.first().map(|error| format!(": {}", error.message));
                return Ok(alone(&first.unwrap_or_default()));
            }
            comparison.places.retain(|place| !refused.contains(place));
            comparison.verdicts.extend(refused.into_iter().map(|place| (place, Equivalence::Refused)));
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

    /// The program, if it can be made.
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

    /// Another unit, compiled once for all functions that call its own.
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
        // What is not finished when the time is up counts for nothing.
        let wall = self.stop.left().map_or(3 * LONGEST, |left| left.clamp(SHORTEST, 3 * LONGEST));
        let limits = Limits { cpu: LONGEST, wall, output_bytes: 64 << 20, memory_bytes, ..Limits::default() };
        let job = Job { program, arguments: &arguments, directory: &self.folder, environment: &[], limits };
        let ended = self.cell.run(&job)?;
        self.cpu += ended.cpu;
        Ok(ended)
    }

    /// Tries inputs on those that are still open.
    pub(super) fn search(
        &mut self,
        comparison: &mut Comparison<'_>,
        program: &Path,
        effort: Effort,
        guard: Guard,
        tolerance: Option<Tolerance>,
    ) -> Result<Vec<Answer>, EquivError> {
        let mut arguments = arguments("search", self.options, effort.inputs, 0, guard);
        arguments.extend(effort.steps.map(|steps| format!("work={steps}")));
        arguments.extend(tolerance.map(told_tolerance));
        if !comparison.subject.seeds.is_empty() {
            let path = self.folder.join("seeds");
            let lines: String = comparison.subject.seeds.iter().map(|seed| hex(seed) + "\n").collect();
            std::fs::write(&path, lines).map_err(HostError::io("write", &path))?;
            arguments.push(format!("seeds={}", path.display()));
        }
        let sought = comparison.sought_functions();
        self.drive(comparison, program, arguments, &sought)
    }

    /// What the driver says of some of the functions.
    fn drive(
        &mut self,
        comparison: &mut Comparison<'_>,
        program: &Path,
        mut arguments: Vec<String>,
        functions: &[usize],
    ) -> Result<Vec<Answer>, EquivError> {
        if functions.is_empty() {
            return Ok(Vec::new());
        }
        arguments.extend(functions.iter().map(ToString::to_string));
        let ended = self.run(program, arguments)?;
        let answers = read(&String::from_utf8_lossy(&ended.output));
        if let Some(Answer::Done { defined, .. }) = answers.last() {
            comparison.defined += defined;
        }
        Ok(answers)
    }

    /// Every difference is run once more, by itself; and with other values in what was never written, and other memory
    /// around.
    pub(super) fn confirm(
        &mut self,
        comparison: &mut Comparison<'_>,
        programs: [&Path; 2],
        guard: Guard,
        tier: Tier,
        answers: Vec<Answer>,
    ) -> Result<(), EquivError> {
        let differences = answers.into_iter().filter_map(|answer| match answer {
            Answer::Different { function, by } => Some((function, by)),
            _ => None,
        });
        // Of one that has both, what is undefined counts only if the other cannot be seen again.
        let (undefined, others): (Vec<_>, Vec<_>) = differences.partition(|(_, by)| by.kind == Kind::Undefined);
        self.confirm_each(comparison, programs, guard, tier, others.into_iter().collect())?;
        let is_open =
            |(function, _): &(usize, Difference)| !comparison.verdicts.contains_key(&comparison.places[*function - 1]);
        let undefined = undefined.into_iter().filter(is_open).collect();
        self.confirm_each(comparison, programs, guard, tier, undefined)
    }

    fn confirm_each(
        &mut self,
        comparison: &mut Comparison<'_>,
        [zeros, pattern]: [&Path; 2],
        guard: Guard,
        tier: Tier,
        found: BTreeMap<usize, Difference>,
    ) -> Result<(), EquivError> {
        if found.is_empty() {
            return Ok(());
        }
        let again = self.replay(zeros, guard, &found)?;
        let mut ways = vec![self.replay(zeros, guard.other(), &found)?];
        if pattern != zeros {
            ways.push(self.replay(pattern, guard, &found)?);
        }
        for (function, by) in found {
            // What cannot be seen again was no difference.
            if !matches!(again.get(&function), Some(Answer::Different { by: same, .. }) if *same == by) {
                continue;
            }
            let Some(by) = seen_otherwise(by, ways.iter().map(|way| way.get(&function))) else { continue };
            let place = comparison.places[function - 1];
            let witness = Witness { by, tier, layout: comparison.subject.layout.clone(), program: None };
            comparison.show(place, witness);
        }
        Ok(())
    }

    /// What so many differences come to when they are run again.
    pub(crate) fn replay(
        &mut self,
        program: &Path,
        guard: Guard,
        found: &BTreeMap<usize, Difference>,
    ) -> Result<BTreeMap<usize, Answer>, EquivError> {
        let mut lines = String::new();
        for (function, by) in found {
            let _ = writeln!(lines, "{function} {}", hex(&by.input));
        }
        let path = self.folder.join("inputs");
        std::fs::write(&path, lines).map_err(HostError::io("write", &path))?;
        let mut arguments = arguments("replay", self.options, 0, 0, guard);
        arguments.push(path.to_string_lossy().into_owned());
        let ended = self.run(program, arguments)?;
        let by_function = |answer: Answer| match answer {
            Answer::Different { function, .. } | Answer::Same { function } | Answer::Excluded { function } => {
                Some((function, answer))
            }
            _ => None,
        };
        Ok(read(&String::from_utf8_lossy(&ended.output)).into_iter().filter_map(by_function).collect())
    }

    /// All inputs, where they are few: those that still do the same are equivalent. Where only the order of elements
    /// counts, all orders.
    pub(super) fn exhaust(
        &mut self,
        comparison: &mut Comparison<'_>,
        programs: [&Path; 2],
        domain: Domain,
    ) -> Result<(), EquivError> {
        let [zeros, pattern] = programs;
        let (by, elements, functions) = match domain {
            Domain::All => (Tier::Exhaustive, 0, comparison.sought_functions()),
            Domain::Orders { of, functions } => (Tier::Order, of, functions),
        };
        let (mut proved, mut is_bounded): (Option<BTreeSet<usize>>, _) = (None, false);
        let mut ways = vec![(zeros, Guard::Behind), (zeros, Guard::Before)];
        if pattern != zeros {
            ways.push((pattern, Guard::Behind));
        }
        for (program, guard) in ways {
            let arguments = arguments("exhaust", self.options, self.options.exhaust, elements, guard);
            let answers = self.drive(comparison, program, arguments, &functions)?;
            // Of an original that is never defined, everything would be true.
            let is_whole = matches!(answers.last(), Some(Answer::Done { defined: 1.., .. }));
            if !is_whole || answers.contains(&Answer::Large) {
                return Ok(());
            }
            is_bounded |= answers.contains(&Answer::Unfinished);
            let exhausted = answers.iter().filter_map(|answer| match answer {
                Answer::Exhausted { function } => Some(*function),
                _ => None,
            });
            let exhausted: BTreeSet<usize> = exhausted.collect();
            proved = Some(proved.map_or(exhausted.clone(), |proved| &proved & &exhausted));
            // What would be undefined in another of the ways is so in all.
            let only_undefined = answers.iter().filter_map(|answer| match answer {
                Answer::OnlyUndefined { function } => Some(comparison.places[function - 1]),
                _ => None,
            });
            let only_undefined: Vec<usize> = only_undefined.collect();
            self.confirm(comparison, programs, guard, by, answers)?;
            comparison.only_undefined.extend(only_undefined);
        }
        let steps = is_bounded.then(|| format!("the original takes no more than {} steps", self.options.steps));
        for function in proved.unwrap_or_default() {
            let place = comparison.places[function - 1];
            let verdict = comparison.subject.proved(by, steps.clone());
            comparison.verdicts.entry(place).or_insert(verdict);
        }
        Ok(())
    }
}

/// What a difference is when it is seen again with other values in what nobody wrote, and with other memory around what
/// pointers lead to. None if the original is not the same then: the input is none.
fn seen_otherwise<'a>(mut by: Difference, ways: impl Iterator<Item = Option<&'a Answer>>) -> Option<Difference> {
    for way in ways {
        match way? {
            Answer::Different { by: other, .. } if other.original != by.original => return None,
            Answer::Different { by: other, .. } if other.kind == by.kind && other.other == by.other => {}
            // It depends on what it must not read.
            Answer::Different { .. } | Answer::Same { .. } => {
                by = Difference { kind: Kind::Undefined, other: Vec::new(), ..by }
            }
            _ => return None,
        }
    }
    Some(by)
}
