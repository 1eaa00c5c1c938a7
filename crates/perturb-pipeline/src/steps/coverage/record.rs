//! The recordings: every test is run on the instrumented original, to find what it executes, which mutants it reaches,
//! and which it infects.
//!
//! A test that passes on the original but not on this build is a fault of the instrumentation. The functions that cause
//! it are found by switching some of them off; their mutants lose their switches. A function is accused only if a
//! second run with it and one without it confirm that: a test that failed once, because the machine was busy or for no
//! visible reason, is no proof.

use super::{InstrumentedBench, Suite};
use crate::bench::{Allowance, TestEnding};
use crate::steps::compile::{FunctionShares, FunctionSwitch, Switchboard};
use crate::PipelineError;
use perturb_host::{parallel_map, Stop};
use perturb_model::{Event, Recording, TestIdx};
use perturb_rt::{Record, RECORD_VARIABLE};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// The result of recording, for all tests that take part.
#[derive(Debug)]
pub struct Recorded {
    pub recordings: Vec<(TestIdx, Recording)>,
    /// The processor time of each test on the instrumented program; zero for tests that do not take part.
    pub cpu: Vec<Duration>,
    /// The shares of functions in what each test executes.
    pub shares: HashMap<TestIdx, FunctionShares>,
    /// Tests that run only on builds of single mutants: they do not pass on the instrumented program even with every
    /// function plain, or they start programs without perturb's variables.
    pub not_instrumented: HashSet<TestIdx>,
    /// Functions with which some test does not pass. Their instrumented versions stay off.
    pub off: HashSet<FunctionSwitch>,
}

/// With more culprits than this in one test, the cause is assumed to be something else.
const MOST_CULPRITS: usize = 8;
/// A test that fails this often for a reason that no second run confirms is not recorded.
const MOST_UNCONFIRMED: usize = 3;

/// Runs each test that takes part once, and again where it does not pass, to find the cause.
pub fn record(
    suite: &Suite,
    switchboard: &mut Switchboard,
    benches: &mut [InstrumentedBench<'_>],
    timeout: Duration,
    stop: Stop<'_>,
    events: &mut dyn FnMut(Event),
) -> Result<Recorded, PipelineError> {
    let mut todo = suite.taking_part();
    events(Event::RecordStarted { tests: todo.len() });
    let mut recorded = Recorded {
        recordings: Vec::new(),
        cpu: vec![Duration::ZERO; suite.tests.len()],
        shares: HashMap::new(),
        not_instrumented: HashSet::new(),
        off: HashSet::new(),
    };
    let mut off: HashSet<FunctionSwitch> = HashSet::new();
    loop {
        let run = RecordingRun { suite, board: switchboard, timeout, off: &off };
        let culprits = run.all(&todo, benches, stop, &mut recorded, events)?;
        if culprits.is_empty() {
            break;
        }
        for (culprit, test) in &culprits {
            let function = switchboard.function_name(*culprit);
            let test = suite.tests[*test].name.clone();
            let reason = format!("{test} does not pass with its function instrumented");
            switchboard.take_away(*culprit, &reason);
            events(Event::FunctionLeftOut { function, test });
        }
        // A function that disturbs one test is switched off for all, so that all recordings with it are repeated.
        off.extend(culprits.into_keys());
        recorded.recordings.clear();
        todo.retain(|test| !recorded.not_instrumented.contains(test));
    }
    recorded.recordings.sort_by_key(|(test, _)| *test);
    if benches.iter().any(InstrumentedBench::has_lost) {
        let run = RecordingRun { suite, board: switchboard, timeout, off: &off };
        run.find_lost(&mut benches[0], &mut recorded, events)?;
    }
    recorded.off = off;
    events(Event::RecordFinished);
    Ok(recorded)
}

/// The result of recording one test.
struct TestRecording {
    /// None if the test never passes.
    record: Option<(Record, Duration)>,
    culprits: Vec<FunctionSwitch>,
}

/// The result of looking for a function with which a test does not pass.
enum Suspicion {
    Confirmed(FunctionSwitch),
    /// The test passes after all, or fails without the function too.
    Unconfirmed,
    /// The test does not pass even with all functions plain.
    EvenPlain,
}

struct RecordingRun<'r> {
    suite: &'r Suite,
    board: &'r Switchboard,
    timeout: Duration,
    off: &'r HashSet<FunctionSwitch>,
}

impl RecordingRun<'_> {
    /// Records all tests. Returns the functions that must be off for the tests to pass, each with a test.
    fn all(
        &self,
        tests: &[TestIdx],
        benches: &mut [InstrumentedBench<'_>],
        stop: Stop<'_>,
        recorded: &mut Recorded,
        events: &mut dyn FnMut(Event),
    ) -> Result<BTreeMap<FunctionSwitch, TestIdx>, PipelineError> {
        let mut culprits = BTreeMap::new();
        let mut done = 0;
        let take = |test: TestIdx, found: TestRecording| {
            done += 1;
            events(Event::RecordAdvanced);
            let name = self.suite.tests[test].name.clone();
            culprits.extend(found.culprits.into_iter().map(|culprit| (culprit, test)));
            match found.record {
                Some((record, cpu)) => {
                    recorded.cpu[test] = cpu;
                    recorded.shares.insert(test, self.board.shares(&record));
                    recorded.recordings.push((test, self.board.recording(name, &record)));
                }
                None => {
                    events(Event::TestNotInstrumented { test: name });
                    recorded.not_instrumented.insert(test);
                }
            }
            Ok(())
        };
        parallel_map(benches, tests, stop, |bench, test| self.one(bench, test), take)?;
        if done < tests.len() {
            return Err(PipelineError::stopped(stop));
        }
        Ok(culprits)
    }

    /// Finds the tests that start programs without perturb's variables, which neither record nor turn mutants on, by
    /// running one test at a time.
    fn find_lost(
        &self,
        bench: &mut InstrumentedBench<'_>,
        recorded: &mut Recorded,
        events: &mut dyn FnMut(Event),
    ) -> Result<(), PipelineError> {
        for test in recorded.recordings.iter().map(|(test, _)| *test).collect::<Vec<_>>() {
            bench.clear_lost(test)?;
            self.attempt(bench, test, &|function| !self.off.contains(&function))?;
            if bench.has_lost() {
                events(Event::TestNotInstrumented { test: self.suite.tests[test].name.clone() });
                recorded.not_instrumented.insert(test);
            }
        }
        recorded.recordings.retain(|(test, _)| !recorded.not_instrumented.contains(test));
        Ok(())
    }

    fn one(&self, bench: &mut InstrumentedBench<'_>, test: TestIdx) -> Result<TestRecording, PipelineError> {
        let mut off = self.off.clone();
        let mut culprits = Vec::new();
        let mut unconfirmed = 0;
        loop {
            if let Some(record) = self.attempt(bench, test, &|function| !off.contains(&function))? {
                return Ok(TestRecording { record: Some(record), culprits });
            }
            match self.culprit(bench, test, &off)? {
                Suspicion::Confirmed(culprit) if culprits.len() < MOST_CULPRITS => {
                    off.insert(culprit);
                    culprits.push(culprit);
                }
                Suspicion::Unconfirmed if unconfirmed < MOST_UNCONFIRMED => unconfirmed += 1,
                _ => return Ok(TestRecording { record: None, culprits: Vec::new() }),
            }
        }
    }

    /// Finds by bisection one function with which the test does not pass, while it passes with all functions before it.
    fn culprit(
        &self,
        bench: &mut InstrumentedBench<'_>,
        test: TestIdx,
        off: &HashSet<FunctionSwitch>,
    ) -> Result<Suspicion, PipelineError> {
        let functions: Vec<FunctionSwitch> = self.board.functions().filter(|f| !off.contains(f)).collect();
        let mut passes_with = |count: usize| -> Result<bool, PipelineError> {
            let on: HashSet<FunctionSwitch> = functions[..count].iter().copied().collect();
            Ok(self.attempt(bench, test, &|function| on.contains(&function))?.is_some())
        };
        if !passes_with(0)? {
            return Ok(Suspicion::EvenPlain);
        }
        // The test passes with `low` functions on, and fails with `high`.
        let (mut low, mut high) = (0, functions.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if passes_with(middle)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(match functions.get(low) {
            Some(culprit) if !passes_with(low + 1)? && passes_with(low)? => Suspicion::Confirmed(*culprit),
            _ => Suspicion::Unconfirmed,
        })
    }

    /// Runs a test with some functions on. Returns its record if the test passes.
    fn attempt(
        &self,
        bench: &mut InstrumentedBench<'_>,
        test: TestIdx,
        is_on: &dyn Fn(FunctionSwitch) -> bool,
    ) -> Result<Option<(Record, Duration)>, PipelineError> {
        bench.put_record(test, &self.board.blank(is_on))?;
        let limit = self.suite.cases[test].timeout.unwrap_or(self.timeout);
        let variable = (RECORD_VARIABLE, bench.files.record.to_string_lossy().into_owned());
        let observed = bench.bench.run(test, &[variable], Allowance { cpu: limit, wall: limit, is_bounded: false })?;
        if observed.ending != TestEnding::Passed {
            return Ok(None);
        }
        let bytes = bench.take_record(test)?;
        // A program that overwrites its own record has no valid record.
        Ok(self.board.layout().read(&bytes).ok().map(|record| (record, observed.cpu)))
    }
}
