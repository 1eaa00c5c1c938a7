//! Chooses the inputs that become tests of a function. Each input that shows a difference is tried on all mutants; the
//! smallest set that kills as many is kept and simplified.

use super::cover::{cover, CoverRow};
use crate::compare::comparison::Comparison;
use crate::compare::driver_request::{arguments, tolerance_argument, Guard};
use crate::compare::tool::Tool;
use crate::native::{hex, read, DriverReport, VersionIdx};
use crate::EquivError;
use perturb_host::HostError;
use perturb_model::{Difference, Kind, MutantIdx};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// An input that becomes a test.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    /// A mutant that only this test kills.
    pub own: MutantIdx,
    /// The differences of the mutants that it kills.
    pub kills: BTreeMap<MutantIdx, Difference>,
}

impl Chosen {
    /// Whether it shows only undefined behaviour, which takes sanitizers to see.
    pub fn is_for_sanitizers(&self) -> bool {
        self.kills.values().all(|by| by.kind == Kind::Undefined)
    }
}

/// The kind of difference that inputs are searched for.
#[derive(Debug, Clone, Copy)]
enum Aim {
    /// One that any test shows, whatever memory is around its objects.
    Plain,
    /// Undefined behaviour, with the guard page on that side of objects.
    Undefined(Guard),
}

impl Aim {
    fn is_hit(self, kind: Kind) -> bool {
        match self {
            Self::Plain => is_for_a_test(kind),
            Self::Undefined(_) => kind == Kind::Undefined,
        }
    }

    fn guard(self) -> Guard {
        match self {
            Self::Plain => Guard::Behind,
            Self::Undefined(guard) => guard,
        }
    }

    /// The ways in all of which it has to show.
    fn ways(self, [zeros, pattern]: &[PathBuf; 2]) -> Vec<(&PathBuf, Guard)> {
        match self {
            Self::Undefined(guard) => vec![(zeros, guard)],
            Self::Plain if pattern == zeros => vec![(zeros, Guard::Behind), (zeros, Guard::Before)],
            Self::Plain => vec![(zeros, Guard::Behind), (zeros, Guard::Before), (pattern, Guard::Behind)],
        }
    }
}

/// The result of choosing.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    pub tests: Vec<Chosen>,
    /// The mutants that differ on some inputs, but never by more than the tolerance.
    pub within_tolerance: BTreeSet<MutantIdx>,
}

/// How often an input is simplified again.
const ATTEMPTS: u64 = 5_000;

impl Tool<'_> {
    /// Chooses the inputs that become tests after a function was compared, then those that show undefined behaviour of
    /// mutants that no other input kills.
    pub(crate) fn choose(&mut self, comparison: &Comparison<'_>) -> Result<Choice, EquivError> {
        let mut choice = Choice::default();
        let Some(programs) = &comparison.programs else { return Ok(choice) };
        self.choose_for(Aim::Plain, comparison, programs, &mut choice)?;
        let sanitizers = self.sanitizers;
        for guard in [Guard::Behind, Guard::Before].into_iter().filter(|_| sanitizers) {
            self.choose_for(Aim::Undefined(guard), comparison, programs, &mut choice)?;
        }
        Ok(choice)
    }

    fn choose_for(
        &mut self,
        aim: Aim,
        comparison: &Comparison<'_>,
        programs: &[PathBuf; 2],
        choice: &mut Choice,
    ) -> Result<(), EquivError> {
        let is_killed = |mutant: &MutantIdx| choice.tests.iter().any(|chosen| chosen.kills.contains_key(mutant));
        let found = comparison.verdicts.iter().filter(|(mutant, _)| !is_killed(mutant));
        let found = found.filter_map(|(_, verdict)| verdict.witness()).filter(|found| aim.is_hit(found.by.kind));
        let inputs: BTreeSet<&Vec<u8>> = found.map(|found| &found.by.input).collect();
        let inputs: Vec<Vec<u8>> = inputs.into_iter().cloned().collect();
        if inputs.is_empty() || self.stop.is_due() {
            return Ok(());
        }
        let mut rows = self.matrix(aim, programs, &inputs)?;
        for row in &mut rows {
            row.retain(|version, _| !is_killed(&comparison.mutant(*version)));
        }
        if matches!(aim, Aim::Plain) {
            let hidden = self.hidden_by_tolerance(programs, &inputs, &rows)?;
            choice.within_tolerance = hidden.iter().map(|version| comparison.mutant(*version)).collect();
        }
        let chosen = chosen(&rows, &inputs);
        let plain = self.plainer(aim, programs, &inputs, &rows, &chosen)?;
        // A simplified input must still kill all mutants that it was chosen for, whatever is in uninitialised memory.
        let plain_rows = self.matrix(aim, programs, &plain)?;
        let kept = chosen.iter().enumerate().map(|(at, own)| {
            let is_as_good = own.kills.iter().all(|version| plain_rows[at].contains_key(version));
            match is_as_good {
                true => (plain[at].clone(), plain_rows[at].clone()),
                false => (inputs[own.input].clone(), rows[own.input].clone()),
            }
        });
        let (inputs, rows): (Vec<Vec<u8>>, Vec<Kills>) = kept.unzip();
        let last = self::chosen(&rows, &inputs);
        choice.tests.extend(self.replay_chosen(aim, comparison, programs, &inputs, &rows, &last)?);
        Ok(())
    }

    /// The mutants that would be killed if floats were compared bit by bit.
    fn hidden_by_tolerance(
        &mut self,
        programs: &[PathBuf; 2],
        inputs: &[Vec<u8>],
        rows: &[Kills],
    ) -> Result<BTreeSet<VersionIdx>, EquivError> {
        let Some(tolerance) = self.tolerance.take() else { return Ok(BTreeSet::new()) };
        let exact = self.matrix(Aim::Plain, programs, inputs)?;
        self.tolerance = Some(tolerance);
        let killed = |rows: &[Kills]| rows.iter().flat_map(|row| row.keys().copied()).collect::<BTreeSet<VersionIdx>>();
        Ok(&killed(&exact) - &killed(rows))
    }

    /// Which mutants each input kills, and how; only what shows in all ways counts.
    fn matrix(&mut self, aim: Aim, programs: &[PathBuf; 2], inputs: &[Vec<u8>]) -> Result<Vec<Kills>, EquivError> {
        let path = self.lines(inputs.iter().map(|input| hex(input)))?;
        let mut rows: Option<Vec<Kills>> = None;
        for (program, guard) in aim.ways(programs) {
            let answers = self.ask(program, "matrix", 0, guard, &path)?;
            let seen: Vec<Kills> = answers.into_iter().filter_map(|answer| kills(&answer, aim)).collect();
            // A program that ended early reports nothing about the last inputs.
            let seen = seen.into_iter().chain(std::iter::repeat(Kills::new())).take(inputs.len());
            rows = Some(match rows {
                None => seen.collect(),
                Some(rows) => rows.into_iter().zip(seen).map(|(one, other)| in_both(&one, &other)).collect(),
            });
        }
        Ok(rows.unwrap_or_default())
    }

    /// Simplifies the chosen inputs.
    fn plainer(
        &mut self,
        aim: Aim,
        [zeros, _]: &[PathBuf; 2],
        inputs: &[Vec<u8>],
        rows: &[Kills],
        chosen: &[Selected],
    ) -> Result<Vec<Vec<u8>>, EquivError> {
        let line = |own: &Selected| {
            // Endless loops take long, so these inputs are hardly simplified.
            let is_quick = |version: &&VersionIdx| rows[own.input][version] != Kind::Endless;
            let versions: Vec<String> = own.kills.iter().filter(is_quick).map(ToString::to_string).collect();
            format!("{} {}", hex(&inputs[own.input]), versions.join(" "))
        };
        let path = self.lines(chosen.iter().map(line))?;
        let answers = self.ask(zeros, "shrink", ATTEMPTS, aim.guard(), &path)?;
        let plain: Vec<Vec<u8>> = answers
            .into_iter()
            .filter_map(|answer| match answer {
                DriverReport::Plain(input) => Some(input),
                _ => None,
            })
            .collect();
        let is_whole = plain.len() == chosen.len();
        let input = |(at, own): (usize, &Selected)| match is_whole
            && own.kills.iter().any(|version| rows[own.input][version] != Kind::Endless)
        {
            true => plain[at].clone(),
            false => inputs[own.input].clone(),
        };
        Ok(chosen.iter().enumerate().map(input).collect())
    }

    /// Replays original and mutants on each chosen input.
    fn replay_chosen(
        &mut self,
        aim: Aim,
        comparison: &Comparison<'_>,
        [zeros, _]: &[PathBuf; 2],
        inputs: &[Vec<u8>],
        rows: &[Kills],
        chosen: &[Selected],
    ) -> Result<Vec<Chosen>, EquivError> {
        let mut tests = Vec::new();
        for own in chosen {
            let kills = &rows[own.input];
            let nothing = |kind: &Kind| Difference {
                kind: *kind,
                input: inputs[own.input].clone(),
                original: Vec::new(),
                other: Vec::new(),
            };
            let asked = kills.iter().map(|(version, kind)| (*version, nothing(kind))).collect();
            let again = self.replay(zeros, aim.guard(), &asked)?;
            let killed = again.into_iter().filter_map(|(version, answer)| match answer {
                DriverReport::Different { by, .. } if aim.is_hit(by.kind) => Some((comparison.mutant(version), by)),
                _ => None,
            });
            let kills: BTreeMap<MutantIdx, Difference> = killed.collect();
            let is_seen = |version: &VersionIdx| kills.contains_key(&comparison.mutant(*version));
            if let Some(version) = own.kills.iter().copied().find(is_seen) {
                tests.push(Chosen { own: comparison.mutant(version), kills });
            }
        }
        Ok(tests)
    }

    /// Writes a file with these lines.
    fn lines(&self, lines: impl Iterator<Item = String>) -> Result<PathBuf, EquivError> {
        let path = self.folder.join("inputs");
        let text: String = lines.map(|line| line + "\n").collect();
        std::fs::write(&path, text).map_err(HostError::io("write", &path))?;
        Ok(path)
    }

    fn ask(
        &mut self,
        program: &Path,
        how: &str,
        most: u64,
        guard: Guard,
        lines: &Path,
    ) -> Result<Vec<DriverReport>, EquivError> {
        let mut arguments = arguments(how, self.options, most, 0, guard);
        arguments.push(lines.to_string_lossy().into_owned());
        arguments.extend(self.tolerance.map(tolerance_argument));
        Ok(read(&String::from_utf8_lossy(&self.run(program, arguments)?.output)))
    }
}

/// Mutants by their number in the program, and how they differ.
type Kills = BTreeMap<VersionIdx, Kind>;

/// An input by its number, and the mutants for which it was chosen.
struct Selected {
    input: usize,
    kills: BTreeSet<VersionIdx>,
}

/// No test can be expected to show undefined behaviour.
pub(super) fn is_for_a_test(kind: Kind) -> bool {
    match kind {
        Kind::Output | Kind::Endless | Kind::Ended => true,
        Kind::Undefined => false,
    }
}

fn kills(answer: &DriverReport, aim: Aim) -> Option<Kills> {
    let DriverReport::Row(kinds) = answer else { return None };
    let of = |(version, kind): (VersionIdx, &Option<Kind>)| Some((version, kind.filter(|kind| aim.is_hit(*kind))?));
    Some(VersionIdx::of_mutants().zip(kinds).filter_map(of).collect())
}

fn in_both(one: &Kills, other: &Kills) -> Kills {
    one.iter().filter(|(version, kind)| other.get(version) == Some(kind)).map(|(at, kind)| (*at, *kind)).collect()
}

/// The smallest set of inputs that kills all; a test that waits for a time-out is only for mutants that show in no
/// other way.
fn chosen(rows: &[Kills], inputs: &[Vec<u8>]) -> Vec<Selected> {
    let of = |is_wanted: &dyn Fn(VersionIdx, Kind) -> bool| -> Vec<CoverRow> {
        let row = |(kills, input): (&Kills, &Vec<u8>)| CoverRow {
            kills: kills.iter().filter(|(at, kind)| is_wanted(**at, **kind)).map(|(at, _)| *at).collect(),
            cost: cost(input),
        };
        rows.iter().zip(inputs).map(row).collect()
    };
    let quick = of(&|_, kind| kind != Kind::Endless);
    let killed: BTreeSet<VersionIdx> = quick.iter().flat_map(|row| row.kills.iter().copied()).collect();
    let slow = of(&|version, kind| kind == Kind::Endless && !killed.contains(&version));
    let (of_quick, of_slow) = (cover(&quick), cover(&slow));
    let all: BTreeSet<usize> = of_quick.iter().chain(&of_slow).copied().collect();
    let mut open: BTreeSet<VersionIdx> = quick.iter().chain(&slow).flat_map(|row| row.kills.iter().copied()).collect();
    all.into_iter()
        .map(|input| {
            let is_own =
                |version: &VersionIdx| quick[input].kills.contains(version) || slow[input].kills.contains(version);
            let kills: BTreeSet<VersionIdx> = open.iter().copied().filter(is_own).collect();
            open.retain(|version| !kills.contains(version));
            Selected { input, kills }
        })
        .collect()
}

/// How hard an input is to read: bytes that are not zero, and bits set in them.
fn cost(input: &[u8]) -> u64 {
    input.iter().map(|byte| if *byte == 0 { 0 } else { 8 + u64::from(byte.count_ones()) }).sum()
}
