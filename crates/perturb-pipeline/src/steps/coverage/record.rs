//! The recording run: every test on the instrumented original. What each of them executes, which mutants it reaches,
//! and in which of them something differs.
//!
//! A test that passes on the original but not on this is a fault of the instrumentation: the functions that cause it
//! are found by switching some of them off, and lose their switches.

use super::{InstrumentedBench, Suite};
use crate::bench::{Allowance, TestEnding};
use crate::steps::compile::{FunctionShares, FunctionSwitch, Switchboard};
use crate::PipelineError;
use perturb_host::{parallel_map, Stop};
use perturb_model::{Event, Recording, TestIdx};
use perturb_rt::{Record, RECORD_VARIABLE};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// What a recording run found, for each test that takes part.
#[derive(Debug)]
pub struct Recorded {
    pub recordings: Vec<(TestIdx, Recording)>,
    /// What each test took on the instrumented program; nothing for those that do not take part.
    pub cpu: Vec<Duration>,
    /// How much of what it executes is in which function.
    pub shares: HashMap<TestIdx, FunctionShares>,
    /// Tests that do not pass on the instrumented program even with every function plain, or that keep it from being
    /// told what to do: they run on builds of single mutants only.
    pub not_instrumented: HashSet<TestIdx>,
    /// Functions that tests do not pass with: they run as they are.
    pub off: HashSet<FunctionSwitch>,
}

/// More culprits than this in one test are taken to be something else.
const MOST_CULPRITS: usize = 8;

/// Runs each test that takes part once, and more often where that is needed to find out why it does not pass.
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
        let run = Run { suite, board: switchboard, timeout, off: &off };
        let culprits = run.all(&todo, benches, stop, &mut recorded, events)?;
        if culprits.is_empty() {
            break;
        }
        for (culprit, test) in &culprits {
            let (function, test) = (switchboard.function_name(*culprit), suite.tests[*test].name.clone());
            let reason = format!("{test} does not pass with its function instrumented");
            switchboard.take_away(*culprit, &reason);
            events(Event::FunctionLeftOut { function, test });
        }
        // A function that disturbs one test is off for all: what was recorded with it is recorded again.
        off.extend(culprits.into_keys());
        recorded.recordings.clear();
        todo.retain(|test| !recorded.not_instrumented.contains(test));
    }
    recorded.recordings.sort_by_key(|(test, _)| *test);
    if benches.iter().any(InstrumentedBench::has_lost) {
        let run = Run { suite, board: switchboard, timeout, off: &off };
        run.find_lost(&mut benches[0], &mut recorded, events)?;
    }
    recorded.off = off;
    events(Event::RecordFinished);
    Ok(recorded)
}

/// What came of one test.
struct Found {
    /// None if it never passes.
    record: Option<(Record, Duration)>,
    culprits: Vec<FunctionSwitch>,
}

struct Run<'r> {
    suite: &'r Suite,
    board: &'r Switchboard,
    timeout: Duration,
    off: &'r HashSet<FunctionSwitch>,
}

impl Run<'_> {
    /// Records all tests. Answers with the functions that have to be off for one of them to pass.
    fn all(
        &self,
        tests: &[TestIdx],
        benches: &mut [InstrumentedBench<'_>],
        stop: Stop<'_>,
        recorded: &mut Recorded,
        events: &mut dyn FnMut(Event),
    ) -> Result<BTreeMap<FunctionSwitch, TestIdx>, PipelineError> {
        let (mut culprits, mut done) = (BTreeMap::new(), 0);
        let take = |test: TestIdx, found: Found| {
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

    /// Some test starts programs without our variables, so that they neither record nor can be told of a mutant: it is
    /// found by running one test at a time.
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

    fn one(&self, bench: &mut InstrumentedBench<'_>, test: TestIdx) -> Result<Found, PipelineError> {
        let mut off = self.off.clone();
        let mut culprits = Vec::new();
        loop {
            if let Some(record) = self.attempt(bench, test, &|function| !off.contains(&function))? {
                return Ok(Found { record: Some(record), culprits });
            }
            if culprits.len() == MOST_CULPRITS {
                return Ok(Found { record: None, culprits: Vec::new() });
            }
            let Some(culprit) = self.culprit(bench, test, &off)? else {
                return Ok(Found { record: None, culprits: Vec::new() });
            };
            off.insert(culprit);
            culprits.push(culprit);
        }
    }

    /// One function with which the test does not pass while it passes with those before it: found by halving. None if
    /// it does not even pass with all of them plain.
    fn culprit(
        &self,
        bench: &mut InstrumentedBench<'_>,
        test: TestIdx,
        off: &HashSet<FunctionSwitch>,
    ) -> Result<Option<FunctionSwitch>, PipelineError> {
        let functions: Vec<FunctionSwitch> = self.board.functions().filter(|f| !off.contains(f)).collect();
        let mut passes_with = |count: usize| -> Result<bool, PipelineError> {
            let on: HashSet<FunctionSwitch> = functions[..count].iter().copied().collect();
            Ok(self.attempt(bench, test, &|function| on.contains(&function))?.is_some())
        };
        if !passes_with(0)? {
            return Ok(None);
        }
        // Passes with `low` functions on, fails with `high`.
        let (mut low, mut high) = (0, functions.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if passes_with(middle)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(functions.get(low).copied())
    }

    /// The record of a run with some functions on, if the test passes.
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
        // A program that scribbles over its own record says nothing about itself.
        Ok(self.board.layout().read(&bytes).ok().map(|record| (record, observed.cpu)))
    }
}
