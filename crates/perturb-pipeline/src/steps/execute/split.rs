//! The split-stream engine: each test is run about once on the instrumented original, which makes a copy of itself
//! wherever living mutants would continue differently (`perturb-rt/c/split.h`).
//!
//! It answers for pairs of mutant and test, never for a mutant. A pair whose outcome copying could change is deferred
//! to the switched engine, and so is a pair whose mutant made no difference in this run.

use super::{ExecutionContext, Work};
use crate::bench::{Allowance, TestEnding};
use crate::steps::compile::Switchboard;
use crate::steps::coverage::InstrumentedBench;
use crate::PipelineError;
use perturb_cell::End;
use perturb_host::{MayBeStop, Stop};
use perturb_model::{Clock, Engine, Kill, MutantIdx, TestIdx, Verdict};
use perturb_rt::{CopyEnd, CopyResult, Living, SPLIT_VARIABLE};
use perturb_store::Execution;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// Makes the dynamic linker resolve symbols once before the first copy, instead of in each copy.
const BIND_NOW: (&str, &str) = ("LD_BIND_NOW", "1");

const NOT_ITS_OWN: &str = "the program that the test starts is not instrumented itself";
const DOES_NOT_PASS: &str = "the test does not pass while its program is copied";

/// The results of the engine, by mutant and test.
#[derive(Debug, Default)]
pub struct SplitResults {
    pub(super) executions: HashMap<(MutantIdx, TestIdx), Execution>,
    /// Why pairs were deferred to another engine, and how many.
    pub(super) deferred: BTreeMap<&'static str, usize>,
    /// The processor time of the runs, originals and copies.
    pub(super) cpu: Duration,
}

impl SplitResults {
    pub fn verdict(&self, mutant: MutantIdx, test: TestIdx) -> Option<Verdict> {
        self.executions.get(&(mutant, test)).map(|execution| execution.verdict)
    }

    fn defer(&mut self, pairs: usize, why: &'static str) {
        *self.deferred.entry(why).or_default() += pairs;
    }
}

/// Runs each test for all mutants of `works` that it infects and that no earlier test has killed.
pub(super) fn execute(
    context: ExecutionContext<'_>,
    switchboard: &Switchboard,
    bench: &mut InstrumentedBench<'_>,
    works: &[&Work],
    stop: Stop<'_>,
) -> Result<SplitResults, PipelineError> {
    let can_split = |work: &Work| switchboard.switch(work.mutant).is_some_and(|switch| switch.can_split());
    let mut mutants: HashMap<TestIdx, Vec<MutantIdx>> = HashMap::new();
    for work in works.iter().filter(|work| can_split(work)) {
        for &test in work.switched.iter().filter(|test| bench.bench.is_judged_by_exit(**test)) {
            if context.verdict(Engine::Switched, work.mutant, test).is_none() {
                mutants.entry(test).or_default().push(work.mutant);
            }
        }
    }
    let mut found = SplitResults::default();
    let mut dead = HashSet::new();
    for (test, mutants) in context.test_order.iter().filter_map(|test| Some((*test, mutants.remove(test)?))) {
        let living: Vec<MutantIdx> = mutants.into_iter().filter(|mutant| !dead.contains(mutant)).collect();
        if stop.is_due() {
            break;
        }
        if living.is_empty() {
            continue;
        }
        match (SplitRun { context, switchboard, test, living: &living }).once(bench, &mut found) {
            // The results so far are used.
            Err(error) if error.is_stop() => break,
            result => result?,
        }
        let is_dead = |mutant: &MutantIdx| found.verdict(*mutant, test).is_some_and(Verdict::is_kill);
        if !context.kill_matrix {
            dead.extend(living.into_iter().filter(is_dead));
        }
    }
    Ok(found)
}

/// One run of a test.
struct SplitRun<'r> {
    context: ExecutionContext<'r>,
    switchboard: &'r Switchboard,
    test: TestIdx,
    /// The mutants that the run serves.
    living: &'r [MutantIdx],
}

impl SplitRun<'_> {
    fn once(&self, bench: &mut InstrumentedBench<'_>, found: &mut SplitResults) -> Result<(), PipelineError> {
        let allowances: Vec<Allowance> =
            self.living.iter().map(|mutant| self.context.allowance(self.test, *mutant)).collect();
        let longest = allowances.iter().map(|allowance| allowance.wall).max().unwrap_or_default();
        let layout = self.switchboard.sheet();
        let living = self.living.iter().zip(&allowances).map(|(mutant, allowance)| {
            let (file, entry) = self.entry(*mutant);
            Living { file, mutant: entry, cpu: allowance.cpu }
        });
        bench.put_sheet(self.test, &layout.blank(longest, living))?;
        let sheet = (SPLIT_VARIABLE, bench.files.sheet.to_string_lossy().into_owned());
        let variables = [sheet, (BIND_NOW.0, BIND_NOW.1.to_string())];
        // Each copy has its own limit, and the run as a whole has the sum of all. There are at most two copies for each
        // mutant, because every copy of a group decides at least one mutant, unless its result is invalid.
        let original = self.context.allowance_of_all(self.test);
        let copies: Duration = allowances.iter().map(|allowance| allowance.cpu).sum();
        let cpu = (original.cpu + copies) * 2;
        let wall = (original.wall + longest * self.living.len() as u32) * 2;
        let observed = bench.bench.run(self.test, &variables, Allowance { cpu, wall, ..original })?;
        found.cpu += observed.cpu;
        let bytes = bench.take_sheet(self.test)?;
        let sheet = match (layout.read(bytes), observed.ending) {
            (Some(sheet), TestEnding::Passed) if sheet.is_claimed() => sheet,
            (Some(_), TestEnding::Passed) => {
                found.defer(self.living.len(), NOT_ITS_OWN);
                return Ok(());
            }
            _ => {
                found.defer(self.living.len(), DOES_NOT_PASS);
                return Ok(());
            }
        };
        for &mutant in self.living {
            let (key, entry) = self.entry(mutant);
            match self.answer(bench, mutant, sheet.result(key, entry)) {
                Ok(execution) => {
                    found.executions.insert((mutant, self.test), execution);
                }
                Err(why) => found.defer(1, why),
            }
        }
        Ok(())
    }

    fn entry(&self, mutant: MutantIdx) -> (u32, u32) {
        let switch = self.switchboard.switch(mutant).expect("only what has a switch is split");
        self.switchboard.entry(switch)
    }

    /// The execution of a mutant, or why the pair is deferred.
    fn answer(
        &self,
        bench: &InstrumentedBench<'_>,
        mutant: MutantIdx,
        result: Option<CopyResult>,
    ) -> Result<Execution, &'static str> {
        let CopyResult { end, held, cpu } = result.ok_or("the program wrote over what was noted about it")?;
        if let Some(held) = held {
            return Err(held.reason());
        }
        let verdict = match end {
            CopyEnd::NoneMade => return Err("it made no difference this time"),
            CopyEnd::OutOfCpu => Verdict::Killed(Kill::TimedOut { clock: Clock::Cpu }),
            CopyEnd::Ended { status } => bench.bench.judged(self.test, End::of_status(status)).verdict(),
        };
        let mutant = &self.context.mutants[mutant];
        Ok(Execution {
            mutant: mutant.id,
            test: self.context.suite.tests[self.test].name.clone(),
            key: self.context.keys.of(&mutant.file, self.test),
            engine: Engine::Split,
            verdict,
            cpu,
            wall: cpu,
            output: Vec::new(),
        })
    }
}
