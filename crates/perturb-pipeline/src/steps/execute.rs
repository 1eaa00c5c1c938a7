//! MASS step 6, execute: each mutant against the tests that can kill it, by the fastest engine that is sound for
//! it.
//!
//! The split-stream engine runs each test about once for all mutants. The switched engine runs the same instrumented
//! build with one mutant turned on. The rebuild engine builds the project with the mutant in its source. An engine that
//! cannot answer for certain defers the pair to the next one. A mutant's tests run in a fixed order and the first that
//! kills it decides, so that verdicts do not depend on the number of workers.

mod estimate;
mod keys;
mod plan;
mod prioritise;
mod rebuild;
mod results;
mod split;
mod switched;

pub use estimate::{estimate, Need, Pace};
pub use keys::Keys;
pub use plan::{plan, EngineChoice, Plan, PlanOptions, TestChoice, Work};
pub use prioritise::{Priorities, Prioritised, Priority};
pub use rebuild::{RebuildTool, WarningPolicy};
pub use results::{ExecutionResults, Results};
pub use split::SplitResults;

use crate::bench::Allowance;
use crate::steps::compile::Switchboard;
use crate::steps::coverage::{InstrumentedBench, Recorded, Suite, SHORT};
use crate::PipelineError;
use perturb_host::{parallel_map, MayBeStop, Stop};
use perturb_model::{Engine, Mutant, MutantIdx, Outcome, TestIdx, Verdict};
use perturb_store::{BuildFailure, Execution, Known};
use std::collections::BTreeSet;
use std::time::Duration;

/// The time limits of tests on mutants, relative to the original.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeLimits {
    /// The factor by which a test may be slower. None: the factor depends on the length of the test.
    pub factor: Option<f64>,
    /// The time that even the shortest test may take.
    pub least: Duration,
    /// Whether memory is limited: all tests pass on the original with this limit.
    pub is_bounded: bool,
}

impl TimeLimits {
    /// The limits for a test that takes this long on the original. The limit of processor time is the one that matters;
    /// the wall-clock limit only ends tests that wait for ever, and is generous because other programs may use the
    /// machine.
    pub fn allowance(&self, cpu: Duration, wall: Duration, is_steady: bool) -> Allowance {
        let cpu = self.least + self.stretched(cpu, is_steady);
        let wall = cpu * 4 + self.stretched(wall, is_steady) + Duration::from_secs(5);
        Allowance { cpu, wall, is_bounded: self.is_bounded }
    }

    /// Short tests vary much from run to run, long ones mostly little; and a hang costs most in a long test.
    fn stretched(&self, original: Duration, is_steady: bool) -> Duration {
        const OF_SHORT: u32 = 10;
        const OF_LONG: u32 = 3;
        match self.factor {
            Some(factor) => original.mul_f64(factor),
            None if is_steady => original.min(SHORT) * OF_SHORT + original.saturating_sub(SHORT) * OF_LONG,
            None => original * OF_SHORT,
        }
    }
}

/// What all engines need to know.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionContext<'g> {
    pub mutants: &'g [Mutant],
    pub suite: &'g Suite,
    pub keys: &'g Keys,
    /// Verdicts of earlier runs.
    pub known: &'g Known,
    /// The verdicts of the split-stream engine in this run.
    pub found: &'g SplitResults,
    /// All tests in the order in which they are run.
    pub test_order: &'g [TestIdx],
    pub time_limits: TimeLimits,
    /// The instrumented build, and the recordings of tests on it.
    pub instrumented: Option<(&'g Switchboard, &'g Recorded)>,
    /// Whether tests are run after the first kill.
    pub kill_matrix: bool,
}

impl ExecutionContext<'_> {
    /// The processor time of a test on the original with every function instrumented.
    pub fn instrumented_cpu(&self, test: TestIdx) -> Duration {
        let instrumented = self.instrumented.map(|(_, recorded)| recorded.cpu[test]);
        self.suite.tests[test].cpu.max(instrumented.unwrap_or_default())
    }

    /// The limits of a test on a mutant in the instrumented build. Only the mutant's function is instrumented then, so
    /// that the time is increased by that function's share of the overhead.
    fn allowance(&self, test: TestIdx, mutant: MutantIdx) -> Allowance {
        let original = &self.suite.tests[test];
        let added = self.instrumented_cpu(test).saturating_sub(original.cpu);
        let share = self.instrumented.map_or(1.0, |(board, recorded)| board.share(mutant, recorded.shares.get(&test)));
        self.time_limits.allowance(original.cpu + added.mul_f64(share), original.wall, self.suite.is_steady[test])
    }

    /// The limits of a test with all functions instrumented.
    pub(crate) fn allowance_of_all(&self, test: TestIdx) -> Allowance {
        let suite = self.suite;
        self.time_limits.allowance(self.instrumented_cpu(test), suite.tests[test].wall, suite.is_steady[test])
    }

    /// The verdict of an earlier run, or of a faster engine in this one. The two engines of the instrumented build may
    /// replace each other; if both have a verdict, that of the slower one is used.
    fn verdict(&self, engine: Engine, mutant: MutantIdx, test: TestIdx) -> Option<Verdict> {
        let (Mutant { id, file, .. }, name) = (&self.mutants[mutant], &self.suite.tests[test].name);
        let known = |engine| self.known.verdict(*id, name, &self.keys.of(file, test), engine);
        match engine {
            Engine::Rebuild => known(engine),
            Engine::Split | Engine::Switched => {
                self.found.verdict(mutant, test).or_else(|| known(Engine::Switched)).or_else(|| known(Engine::Split))
            }
        }
    }
}

/// The result of executing one mutant with one engine.
#[derive(Debug)]
pub struct Executed {
    pub outcome: Outcome,
    pub executions: Vec<Execution>,
    pub build_failure: Option<BuildFailure>,
    /// The tests that kill it, among those that were run.
    pub kills: Vec<TestIdx>,
    /// How many verdicts of earlier runs were used.
    pub reused: usize,
    /// The processor time of building it.
    pub build_cpu: Duration,
}

impl Executed {
    pub(crate) fn new(outcome: Outcome) -> Self {
        let executions = Vec::new();
        let kills = Vec::new();
        Self { outcome, executions, build_failure: None, kills, reused: 0, build_cpu: Duration::ZERO }
    }
}

/// The most mutants in the load of a worker, where one run of a test serves many mutants.
const LARGEST_LOAD: usize = 2048;
/// The number of loads for each worker, so that all workers are busy until the end.
const LOADS: u32 = 4;
/// The longest time of a load if all its mutants live, so that outcomes are decided at intervals.
const LONGEST_LOAD: Duration = Duration::from_secs(60);
/// Each load costs one run of the tests. So if all its mutants live, it takes at least this many times as long; most of
/// them do not live.
const WORTH_A_RUN: u32 = 30;
/// The time that is assumed for a run that takes less.
const LEAST_RUN: Duration = Duration::from_micros(300);

/// Divides works into loads by their estimated time.
fn loads<'w>(works: &'w [&'w Work], workers: usize, cpu: impl Fn(TestIdx) -> Duration) -> Vec<&'w [&'w Work]> {
    let cost = |work: &Work| -> Duration { work.switched.iter().map(|test| cpu(*test).max(LEAST_RUN)).sum() };
    let tests: BTreeSet<TestIdx> = works.iter().flat_map(|work| work.switched.iter().copied()).collect();
    let least = tests.into_iter().map(|test| cpu(test).max(LEAST_RUN)).sum::<Duration>() * WORTH_A_RUN;
    let all = works.iter().map(|work| cost(work)).sum::<Duration>();
    let workers = workers.max(1) as u32;
    let fair = (all / (workers * LOADS)).min(LONGEST_LOAD).max(least).min(all / workers);
    let mut loads = Vec::new();
    let mut rest = works;
    while !rest.is_empty() {
        let mut count = 0;
        let mut sum = Duration::ZERO;
        while count < rest.len().min(LARGEST_LOAD) && (count == 0 || sum < fair) {
            sum += cost(rest[count]);
            count += 1;
        }
        let (load, others) = rest.split_at(count);
        loads.push(load);
        rest = others;
    }
    loads
}

/// Executes works on the instrumented build. With `may_split`, one run of a test serves many of them.
pub fn execute_instrumented(
    context: ExecutionContext<'_>,
    switchboard: &Switchboard,
    benches: &mut [InstrumentedBench<'_>],
    works: &[&Work],
    may_split: bool,
    stop: Stop<'_>,
    results: &mut Results<'_, '_>,
) -> Result<(), PipelineError> {
    results.begin(if may_split { Engine::Split } else { Engine::Switched }, works.len());
    let loads = match may_split {
        true => loads(works, benches.len(), |test| context.suite.tests[test].cpu),
        false => works.chunks(1).collect(),
    };
    let execute = |bench: &mut InstrumentedBench<'_>, load: &[&Work]| {
        execute_load(context, switchboard, bench, load, may_split, stop)
    };
    parallel_map(benches, &loads, stop, execute, |load, (mut found, executed)| {
        for (work, mut executed) in load.iter().zip(executed) {
            let split = work.switched.iter().filter_map(|test| found.executions.remove(&(work.mutant, *test)));
            executed.executions.extend(split);
            let is_open = executed.outcome == Outcome::Live || context.kill_matrix;
            match executed.outcome {
                Outcome::Pending => results.add_undecided(work.mutant, executed),
                _ if is_open && !work.rebuilt.is_empty() => results.defer(work.mutant, executed),
                _ => results.add(work.mutant, executed)?,
            }
        }
        results.add_split(&found)
    })
}

/// Executes a load. A mutant is pending if it was time to stop, or if the engines have no answer.
fn execute_load(
    context: ExecutionContext<'_>,
    switchboard: &Switchboard,
    bench: &mut InstrumentedBench<'_>,
    load: &[&Work],
    may_split: bool,
    stop: Stop<'_>,
) -> Result<(SplitResults, Vec<Executed>), PipelineError> {
    let found = match may_split {
        true => split::execute(context, switchboard, bench, load, stop)?,
        false => SplitResults::default(),
    };
    let context = ExecutionContext { found: &found, ..context };
    let mut all = Vec::new();
    for work in load {
        // The split-stream engine may have stopped early: what it has is used if it decides.
        let executed = match known(context, Engine::Switched, work.mutant, &work.switched)? {
            _ if stop.is_due() => None,
            None => match switched::execute(context, switchboard, &mut bench.bench, work) {
                Err(error) if error.is_stop() => None,
                executed => Some(executed?),
            },
            decided => decided,
        };
        all.push(executed.unwrap_or_else(|| Executed::new(Outcome::Pending)));
    }
    Ok((found, all))
}

/// Executes one mutant on the instrumented build by itself, without using known verdicts.
pub fn execute_alone(
    context: ExecutionContext<'_>,
    switchboard: &Switchboard,
    bench: &mut InstrumentedBench<'_>,
    work: &Work,
) -> Result<Executed, PipelineError> {
    let known = &Known::default();
    let found = &SplitResults::default();
    switched::execute(ExecutionContext { known, found, ..context }, switchboard, &mut bench.bench, work)
}

/// The result of a mutant from known verdicts, if they decide.
pub fn settled(context: ExecutionContext<'_>, work: &Work) -> Result<Option<Executed>, PipelineError> {
    let mut settled = Executed::new(Outcome::Live);
    for engine in [Engine::Switched, Engine::Rebuild] {
        let part = match engine {
            Engine::Rebuild => rebuild::known(context, work)?,
            Engine::Split | Engine::Switched => known(context, engine, work.mutant, &work.switched)?,
        };
        let Some(part) = part else { return Ok(None) };
        settled.reused += part.reused;
        settled.kills.extend(part.kills);
        if settled.outcome == Outcome::Live {
            settled.outcome = part.outcome;
        }
        if settled.outcome != Outcome::Live && !context.kill_matrix {
            break;
        }
    }
    Ok(Some(settled))
}

/// The result of these tests from known verdicts, if they decide: one of them kills, or all are known.
fn known(
    context: ExecutionContext<'_>,
    engine: Engine,
    mutant: MutantIdx,
    tests: &[TestIdx],
) -> Result<Option<Executed>, PipelineError> {
    let verdict = |test: &TestIdx| context.verdict(engine, mutant, *test);
    let kills = |test: &TestIdx| !context.kill_matrix && verdict(test).is_some_and(Verdict::is_kill);
    if !tests.iter().any(kills) && tests.iter().any(|test| verdict(test).is_none()) {
        return Ok(None);
    }
    run_tests(context, engine, mutant, tests, |_| unreachable!("all verdicts are known")).map(Some)
}

/// Executes works on builds of their own.
pub fn execute_rebuilt(
    context: ExecutionContext<'_>,
    tools: &mut [RebuildTool<'_>],
    works: &[&Work],
    stop: Stop<'_>,
    results: &mut Results<'_, '_>,
) -> Result<(), PipelineError> {
    let work = |tool: &mut RebuildTool<'_>, work: &Work| tool.execute(context, work, stop);
    results.begin(Engine::Rebuild, works.len());
    parallel_map(tools, works, stop, work, |work, executed| results.add(work.mutant, executed))
}

/// Runs `tests` in their order until one kills, or all of them. Known verdicts are used. A known kill decides at once,
/// because in an earlier run the tests may have had another order.
fn run_tests(
    context: ExecutionContext<'_>,
    engine: Engine,
    mutant: MutantIdx,
    tests: &[TestIdx],
    mut run: impl FnMut(TestIdx) -> Result<crate::bench::Observed, PipelineError>,
) -> Result<Executed, PipelineError> {
    let Mutant { id, file, .. } = &context.mutants[mutant];
    let mut executed = Executed::new(Outcome::Live);
    let known = |test: TestIdx| context.verdict(engine, mutant, test);
    let kills = |test: &&TestIdx| !context.kill_matrix && known(**test).is_some_and(Verdict::is_kill);
    let tests = tests.iter().find(kills).map_or(tests, std::slice::from_ref);
    for &test in tests {
        let name = &context.suite.tests[test].name;
        let verdict = match known(test) {
            Some(verdict) => {
                executed.reused += usize::from(context.found.verdict(mutant, test).is_none());
                verdict
            }
            None => {
                let observed = run(test)?;
                let key = context.keys.of(file, test);
                let verdict = observed.ending.verdict();
                tracing::trace!(mutant = %id, test = name.as_str(), %engine, ?verdict, "a verdict");
                let mutant = *id;
                let test = name.clone();
                let output = observed.output;
                let (cpu, wall) = (observed.cpu, observed.wall);
                executed.executions.push(Execution { mutant, test, key, engine, verdict, cpu, wall, output });
                verdict
            }
        };
        if let Verdict::Killed(how) = verdict {
            executed.kills.push(test);
            if executed.outcome == Outcome::Live {
                executed.outcome = Outcome::Killed { test: name.clone(), how };
            }
            if !context.kill_matrix {
                break;
            }
        }
    }
    Ok(executed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of mutants in each load, for mutants that each of ten tests of this length infects.
    fn divided(mutants: usize, ms: u64, workers: usize) -> Vec<usize> {
        let work = |mutant| Work { mutant, switched: TestIdx::all(10).collect(), rebuilt: Vec::new() };
        let works: Vec<Work> = MutantIdx::all(mutants).map(work).collect();
        let works: Vec<&Work> = works.iter().collect();
        let loads = loads(&works, workers, |_| Duration::from_millis(ms));
        assert!(
            loads.concat().iter().map(|work| work.mutant).eq(MutantIdx::all(mutants)),
            "each is in one load, in order"
        );
        loads.iter().map(|load| load.len()).collect()
    }

    #[test]
    fn a_load_is_worth_the_run_of_the_tests_that_it_costs() {
        assert_eq!(divided(4000, 1, 2), [500; 8]);
        assert_eq!(divided(100, 1, 2), [30, 30, 30, 10]);
        assert_eq!(divided(40, 1000, 2), [20, 20]);
        assert_eq!(divided(90, 1000, 2), [30, 30, 30]);
        assert_eq!(divided(20_000, 1, 1)[..2], [2048, 2048]);
        assert_eq!(divided(1, 1000, 4), [1]);
        assert!(divided(0, 1, 2).is_empty());
    }

    #[test]
    fn a_long_test_that_always_takes_the_same_time_has_a_lower_limit() {
        let least = Duration::from_millis(10);
        let cpu = |factor, ms, is_steady| {
            let time_limits = TimeLimits { factor, least, is_bounded: true };
            time_limits.allowance(Duration::from_millis(ms), Duration::ZERO, is_steady).cpu - least
        };
        assert_eq!(cpu(None, 50, true), Duration::from_millis(500));
        assert_eq!(cpu(None, 1100, true), Duration::from_millis(1000 + 3000));
        assert_eq!(cpu(None, 1100, false), Duration::from_millis(11_000));
        assert_eq!(cpu(Some(2.5), 1100, true), Duration::from_millis(2750));
    }
}
