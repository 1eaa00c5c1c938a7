//! The split-stream engine: each test runs about once, on the instrumented original, which makes a copy of itself wherever
//! living mutants would go on in another way (`perturb-rt/c/split.h`).
//!
//! It answers for pairs of a mutant and a test, never for a mutant: a pair of which forking could change the outcome has no
//! answer here, and the switched engine gives it. So does one whose mutant made no difference this time.

use super::{Ground, Work};
use crate::bench::{Allowance, TestEnding};
use crate::crew::spread;
use crate::interrupt::Stop;
use crate::outcome::{Clock, Engine, Kill, Verdict};
use crate::steps::compile::Switchboard;
use crate::steps::coverage::{overwrite, InstrumentedBench};
use crate::store::Execution;
use crate::PipelineError;
use perturb_host::{End, HostError};
use perturb_rt::{CopyEnd, CopyResult, SheetLimits, SPLIT_VARIABLE};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// More would only wait for each other.
const DEEPEST: u32 = 16;

/// With fewer runs than this for each worker, tests are run several times, each time for a part of the mutants.
const FEWEST_RUNS: usize = 4;

/// Fewer mutants than this are not worth a run of their own.
const SMALLEST_PART: usize = 64;

/// What the engine has found out.
#[derive(Debug, Default)]
pub struct Found {
    verdicts: HashMap<(usize, usize), Verdict>,
    /// Why pairs had to be left to another engine, and how many.
    pub held: BTreeMap<&'static str, usize>,
}

impl Found {
    pub fn verdict(&self, place: usize, test: usize) -> Option<Verdict> {
        self.verdicts.get(&(place, test)).copied()
    }

    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }
}

/// What one run of a test told about one mutant.
#[derive(Debug)]
pub(super) enum Answer {
    Given(Execution),
    Held(&'static str),
}

/// By the mutants' places.
type Answers = Vec<(usize, Answer)>;

/// What one run of a test came to.
#[derive(Debug)]
pub(super) struct SplitRun {
    pub executions: Vec<Execution>,
    /// Of the original and all its copies.
    pub cpu: Duration,
}

const NOT_ITS_OWN: &str = "the program that the test starts is not instrumented itself";

/// One run: a test, and which of its mutants.
#[derive(Debug, Clone, Copy)]
struct Run {
    test: usize,
    part: usize,
    parts: usize,
}

/// Which tests may be run for many mutants at once, on the pairs that nobody knows yet.
pub(super) struct Splitter<'s> {
    ground: Ground<'s>,
    switchboard: &'s Switchboard,
    /// By test, in the order in which tests are run: the places of the mutants.
    tests: Vec<(usize, Vec<usize>)>,
    /// By place: a test has killed it, and no further one is needed.
    is_dead: Vec<AtomicBool>,
}

impl<'s> Splitter<'s> {
    /// `can_split` says which tests may.
    pub fn new(
        ground: Ground<'s>,
        switchboard: &'s Switchboard,
        works: &[&Work],
        can_split: &dyn Fn(usize) -> bool,
    ) -> Self {
        let mut places: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut order: Vec<usize> = Vec::new();
        for work in works {
            let switch = switchboard.switch(work.place);
            if !switch.is_some_and(|switch| switch.can_split()) {
                continue;
            }
            for &test in work.switched.iter().filter(|test| can_split(**test)) {
                if ground.verdict(Engine::Switched, work.place, test).is_some() {
                    continue;
                }
                places.entry(test).or_insert_with(|| {
                    order.push(test);
                    Vec::new()
                });
                places.entry(test).or_default().push(work.place);
            }
        }
        // All works have their tests in the same order.
        let rank: HashMap<usize, usize> =
            ground.test_order.iter().enumerate().map(|(rank, test)| (*test, rank)).collect();
        order.sort_by_key(|test| rank.get(test).copied());
        let tests = order.into_iter().map(|test| (test, places.remove(&test).unwrap_or_default())).collect();
        let is_dead = (0..ground.mutants.len()).map(|_| AtomicBool::new(false)).collect();
        Self { ground, switchboard, tests, is_dead }
    }

    /// Runs all tests in their order. `told` hears of each run as it is done, with how many there are.
    pub fn run(
        &self,
        benches: &mut [InstrumentedBench<'_>],
        stop: Stop<'_>,
        found: &mut Found,
        mut told: impl FnMut(usize, SplitRun) -> Result<(), PipelineError>,
    ) -> Result<(), PipelineError> {
        let runs = self.runs(benches.len());
        let work = |bench: &mut InstrumentedBench<'_>, index: usize| self.one(bench, runs[index]);
        let indices: Vec<usize> = (0..runs.len()).collect();
        spread(benches, &indices, stop, work, |index, (answers, cpu)| {
            let test = self.tests[runs[index].test].0;
            let mut executions = Vec::new();
            for (place, answer) in answers {
                match answer {
                    Answer::Given(execution) => {
                        found.verdicts.insert((place, test), execution.verdict);
                        executions.push(execution);
                    }
                    Answer::Held(why) => *found.held.entry(why).or_default() += 1,
                }
            }
            told(runs.len(), SplitRun { executions, cpu })
        })
    }

    fn runs(&self, workers: usize) -> Vec<Run> {
        let parts = |mutants: usize| match self.tests.len() >= FEWEST_RUNS * workers {
            true => 1,
            false => workers.min(mutants.div_ceil(SMALLEST_PART)).max(1),
        };
        let of_test = |(test, (_, places)): (usize, &(usize, Vec<usize>))| {
            let parts = parts(places.len());
            (0..parts).map(move |part| Run { test, part, parts })
        };
        self.tests.iter().enumerate().flat_map(of_test).collect()
    }

    /// Runs one test for those of its mutants that still live.
    fn one(&self, bench: &mut InstrumentedBench<'_>, run: Run) -> Result<(Answers, Duration), PipelineError> {
        let (test, places) = &self.tests[run.test];
        let lives = |place: &usize| self.ground.kill_matrix || !self.is_dead[*place].load(Ordering::Relaxed);
        let mine = places.iter().enumerate().filter(|(index, _)| index % run.parts == run.part);
        let living: Vec<usize> = mine.map(|(_, place)| *place).filter(lives).collect();
        if living.is_empty() {
            return Ok((Vec::new(), Duration::ZERO));
        }
        let entry = |place: usize| {
            let switch = self.switchboard.switch(place).expect("only what has a switch is split");
            self.switchboard.entry(switch)
        };
        let original = &self.ground.suite.tests[*test];
        let cpu = original.cpu.max(self.ground.instrumented_cpu[*test]);
        let Allowance { cpu, wall } = self.ground.patience.allowance(cpu, original.wall);
        let layout = self.switchboard.sheet();
        let limits = SheetLimits { cpu, wall, deepest: DEEPEST };
        overwrite(&bench.sheet, &layout.blank(limits, living.iter().map(|place| entry(*place))))?;
        let variable = [(SPLIT_VARIABLE, bench.sheet.to_string_lossy().into_owned())];
        // Each copy has its own time; the run as a whole has that of all of them.
        let copies = living.len() as u32 + 2;
        let observed = bench.bench.run(*test, &variable, Allowance { cpu: cpu * copies, wall: wall * copies })?;
        let bytes = std::fs::read(&bench.sheet).map_err(HostError::io("read", &bench.sheet))?;
        let sheet = layout.read(bytes);
        let sheet = match (&sheet, observed.ending) {
            (Some(sheet), TestEnding::Passed) if sheet.is_claimed() => sheet,
            (Some(_), TestEnding::Passed) => return Ok((all_held(living, NOT_ITS_OWN), observed.cpu)),
            _ => return Ok((all_held(living, "the test does not pass while its program is copied"), observed.cpu)),
        };
        let answer = |place: usize| {
            let (key, mutant) = entry(place);
            (place, self.answer(bench, place, *test, sheet.result(key, mutant)))
        };
        let answers: Answers = living.into_iter().map(answer).collect();
        for (place, answer) in &answers {
            if matches!(answer, Answer::Given(Execution { verdict: Verdict::Killed(_), .. })) {
                self.is_dead[*place].store(true, Ordering::Relaxed);
            }
        }
        Ok((answers, observed.cpu))
    }

    fn answer(&self, bench: &InstrumentedBench<'_>, place: usize, test: usize, result: Option<CopyResult>) -> Answer {
        let Some(CopyResult { end, held, cpu }) = result else {
            return Answer::Held("the program wrote over what was noted about it");
        };
        if let Some(held) = held {
            return Answer::Held(held.reason());
        }
        let verdict = match end {
            CopyEnd::NoneMade => return Answer::Held("it made no difference this time"),
            CopyEnd::OutOfCpu => Verdict::Killed(Kill::TimedOut { clock: Clock::Cpu }),
            CopyEnd::Ended { status } => bench.bench.judged(test, End::of_status(status)).verdict(),
        };
        let mutant = &self.ground.mutants[place];
        Answer::Given(Execution {
            mutant: mutant.id,
            test: self.ground.suite.tests[test].name.clone(),
            key: self.ground.keys.of(&mutant.file, test),
            engine: Engine::Split,
            verdict,
            cpu,
            wall: cpu,
            output: Vec::new(),
        })
    }
}

fn all_held(living: Vec<usize>, why: &'static str) -> Answers {
    living.into_iter().map(|place| (place, Answer::Held(why))).collect()
}
