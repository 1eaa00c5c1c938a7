//! Step 6, execute: each mutant against the tests that can kill it, by the fastest engine that is sound for it.
//!
//! The split-stream engine runs each test about once for all mutants, the switched engine runs the same instrumented
//! build with one mutant turned on, the rebuild engine builds the project with the mutant in its source. What the first
//! cannot answer for certain the second does, and then the third. A mutant's tests come in a fixed order and the first
//! that kills it decides, so that verdicts do not depend on how many workers there are.

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
pub use rebuild::{RebuildTool, Warnings};
pub use results::{Done, Results};
pub use split::Found;

use crate::bench::Allowance;
use crate::steps::compile::Switchboard;
use crate::steps::coverage::{InstrumentedBench, Recorded, Suite, SHORT};
use crate::PipelineError;
use perturb_host::{parallel_map, MayBeStop, Stop};
use perturb_model::{Engine, Mutant, MutantIdx, Outcome, TestIdx, Verdict};
use perturb_store::{BuildFailure, Execution, Known};
use std::collections::BTreeSet;
use std::time::Duration;

/// How much longer than on the original a test may take on a mutant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    /// None: as many times as suits the length of the test.
    pub factor: Option<f64>,
    /// What even the shortest test may take.
    pub least: Duration,
    /// Whether its memory is limited: all tests pass on the original with as much.
    pub is_bounded: bool,
}

impl Patience {
    /// What a test may take that takes so long on the original. Processor time is what counts; the clock on the wall
    /// only ends what waits for ever, and is generous, since others may be using the machine.
    pub fn allowance(&self, cpu: Duration, wall: Duration, is_steady: bool) -> Allowance {
        let cpu = self.least + self.stretched(cpu, is_steady);
        let wall = cpu * 4 + self.stretched(wall, is_steady) + Duration::from_secs(5);
        Allowance { cpu, wall, is_bounded: self.is_bounded }
    }

    /// Short tests differ much from run to run, long ones mostly little; and it is in the long ones that a hang costs.
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
pub struct Ground<'g> {
    pub mutants: &'g [Mutant],
    pub suite: &'g Suite,
    pub keys: &'g Keys,
    /// Verdicts of earlier runs.
    pub known: &'g Known,
    /// What the split-stream engine has found.
    pub found: &'g Found,
    /// All tests in the order in which they are run.
    pub test_order: &'g [TestIdx],
    pub patience: Patience,
    /// The instrumented build, and what tests take on it.
    pub instrumented: Option<(&'g Switchboard, &'g Recorded)>,
    /// Go on after the first kill.
    pub kill_matrix: bool,
}

impl Ground<'_> {
    /// What a test takes on the original with every function instrumented.
    pub fn instrumented_cpu(&self, test: TestIdx) -> Duration {
        let instrumented = self.instrumented.map(|(_, recorded)| recorded.cpu[test]);
        self.suite.tests[test].cpu.max(instrumented.unwrap_or_default())
    }

    /// What a test may take on a mutant in the instrumented build: one function is instrumented, and what that adds is
    /// its share of what all of them add.
    fn allowance(&self, test: TestIdx, mutant: MutantIdx) -> Allowance {
        let original = &self.suite.tests[test];
        let added = self.instrumented_cpu(test).saturating_sub(original.cpu);
        let share = self.instrumented.map_or(1.0, |(board, recorded)| board.share(mutant, recorded.shares.get(&test)));
        self.patience.allowance(original.cpu + added.mul_f64(share), original.wall, self.suite.is_steady[test])
    }

    /// What a test may take with all functions instrumented.
    pub(crate) fn allowance_of_all(&self, test: TestIdx) -> Allowance {
        let suite = self.suite;
        self.patience.allowance(self.instrumented_cpu(test), suite.tests[test].wall, suite.is_steady[test])
    }

    /// What an earlier run says of a mutant and a test, or a faster engine in this one. The two engines for the
    /// instrumented build stand for each other; the slower one is believed where both have said something.
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

/// What came of one mutant in one engine.
#[derive(Debug)]
pub struct Executed {
    pub outcome: Outcome,
    pub executions: Vec<Execution>,
    pub build_failure: Option<BuildFailure>,
    /// The tests that kill it, as far as they were run.
    pub kills: Vec<TestIdx>,
    /// How many verdicts were known from before.
    pub reused: usize,
    /// What building it took of the processors.
    pub build_cpu: Duration,
}

impl Executed {
    pub(crate) fn new(outcome: Outcome) -> Self {
        let (executions, kills) = Default::default();
        Self { outcome, executions, build_failure: None, kills, reused: 0, build_cpu: Duration::ZERO }
    }
}

/// Mutants that one worker takes at a time where tests are run for many of them.
const LARGEST_LOAD: usize = 2048;
/// So many loads for each worker, so that all are busy until the end.
const LOADS: u32 = 4;
/// What a load may take, if all its mutants live: something is to be decided now and then.
const LONGEST_LOAD: Duration = Duration::from_secs(60);
/// Each load costs a run of the tests besides. So it takes at least so many times as long, if all its mutants live;
/// most do not.
const WORTH_A_RUN: u32 = 30;
/// What a run takes that takes no time.
const LEAST_RUN: Duration = Duration::from_micros(300);

/// Divides works into loads, by what they may take.
fn loads<'w>(works: &'w [&'w Work], workers: usize, cpu: impl Fn(TestIdx) -> Duration) -> Vec<&'w [&'w Work]> {
    let cost = |work: &Work| -> Duration { work.switched.iter().map(|test| cpu(*test).max(LEAST_RUN)).sum() };
    let tests: BTreeSet<TestIdx> = works.iter().flat_map(|work| work.switched.iter().copied()).collect();
    let least = tests.into_iter().map(|test| cpu(test).max(LEAST_RUN)).sum::<Duration>() * WORTH_A_RUN;
    let (all, workers) = (works.iter().map(|work| cost(work)).sum::<Duration>(), workers.max(1) as u32);
    let fair = (all / (workers * LOADS)).min(LONGEST_LOAD).max(least).min(all / workers);
    let (mut loads, mut rest) = (Vec::new(), works);
    while !rest.is_empty() {
        let (mut count, mut sum) = (0, Duration::ZERO);
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

/// Runs the works on the instrumented build; where they may split, one run of a test for many of them.
pub fn execute_instrumented(
    ground: Ground<'_>,
    switchboard: &Switchboard,
    benches: &mut [InstrumentedBench<'_>],
    works: &[&Work],
    may_split: bool,
    stop: Stop<'_>,
    results: &mut Results<'_, '_>,
) -> Result<(), PipelineError> {
    results.begin(if may_split { Engine::Split } else { Engine::Switched }, works.len());
    let loads = match may_split {
        true => loads(works, benches.len(), |test| ground.suite.tests[test].cpu),
        false => works.chunks(1).collect(),
    };
    let work =
        |bench: &mut InstrumentedBench<'_>, load: &[&Work]| unload(ground, switchboard, bench, load, may_split, stop);
    parallel_map(benches, &loads, stop, work, |load, (mut found, executed)| {
        for (work, mut executed) in load.iter().zip(executed) {
            let split = work.switched.iter().filter_map(|test| found.executions.remove(&(work.mutant, *test)));
            executed.executions.extend(split);
            let is_open = executed.outcome == Outcome::Live || ground.kill_matrix;
            match executed.outcome {
                Outcome::Pending => results.keep(work.mutant, executed),
                _ if is_open && !work.rebuilt.is_empty() => results.hold(work.mutant, executed),
                _ => results.add(work.mutant, executed)?,
            }
        }
        results.split(&found)
    })
}

/// What becomes of each mutant of a load; pending where it was time to stop, or where the engines do not tell.
fn unload(
    ground: Ground<'_>,
    switchboard: &Switchboard,
    bench: &mut InstrumentedBench<'_>,
    load: &[&Work],
    may_split: bool,
    stop: Stop<'_>,
) -> Result<(Found, Vec<Executed>), PipelineError> {
    let found = match may_split {
        true => split::execute(ground, switchboard, bench, load, stop)?,
        false => Found::default(),
    };
    let ground = Ground { found: &found, ..ground };
    let mut all = Vec::new();
    for work in load {
        // A load that is not done says only which mutants die early.
        let executed = match known(ground, Engine::Switched, work.mutant, &work.switched)? {
            _ if stop.is_due() => None,
            None => match switched::execute(ground, switchboard, &mut bench.bench, work) {
                Err(error) if error.is_stop() => None,
                executed => Some(executed?),
            },
            decided => decided,
        };
        all.push(executed.unwrap_or_else(|| Executed::new(Outcome::Pending)));
    }
    Ok((found, all))
}

/// Executes one mutant on the instrumented build by itself, whatever is known of it.
pub fn execute_alone(
    ground: Ground<'_>,
    switchboard: &Switchboard,
    bench: &mut InstrumentedBench<'_>,
    work: &Work,
) -> Result<Executed, PipelineError> {
    let (known, found) = (&Known::default(), &Found::default());
    switched::execute(Ground { known, found, ..ground }, switchboard, &mut bench.bench, work)
}

/// What is known of a mutant from earlier runs, if that decides.
pub fn settled(ground: Ground<'_>, work: &Work) -> Result<Option<Executed>, PipelineError> {
    let mut settled = Executed::new(Outcome::Live);
    for engine in [Engine::Switched, Engine::Rebuild] {
        let part = match engine {
            Engine::Rebuild => rebuild::known(ground, work)?,
            Engine::Split | Engine::Switched => known(ground, engine, work.mutant, &work.switched)?,
        };
        let Some(part) = part else { return Ok(None) };
        settled.reused += part.reused;
        settled.kills.extend(part.kills);
        if settled.outcome == Outcome::Live {
            settled.outcome = part.outcome;
        }
        if settled.outcome != Outcome::Live && !ground.kill_matrix {
            break;
        }
    }
    Ok(Some(settled))
}

/// What earlier runs of these tests say, if that decides: all of them, or one that kills.
fn known(
    ground: Ground<'_>,
    engine: Engine,
    mutant: MutantIdx,
    tests: &[TestIdx],
) -> Result<Option<Executed>, PipelineError> {
    let verdict = |test: &TestIdx| ground.verdict(engine, mutant, *test);
    let kills = |test: &TestIdx| !ground.kill_matrix && verdict(test).is_some_and(Verdict::is_kill);
    if !tests.iter().any(kills) && tests.iter().any(|test| verdict(test).is_none()) {
        return Ok(None);
    }
    run_tests(ground, engine, mutant, tests, |_| unreachable!("it is known")).map(Some)
}

/// Runs the works on builds of their own.
pub fn execute_rebuilt(
    ground: Ground<'_>,
    tools: &mut [RebuildTool<'_>],
    works: &[&Work],
    stop: Stop<'_>,
    results: &mut Results<'_, '_>,
) -> Result<(), PipelineError> {
    let work = |tool: &mut RebuildTool<'_>, work: &Work| tool.execute(ground, work, stop);
    results.begin(Engine::Rebuild, works.len());
    parallel_map(tools, works, stop, work, |work, executed| results.add(work.mutant, executed))
}

/// Runs `tests` in their order until one kills, or all of them; what is known is not run again. A kill that is known
/// decides at once: in an earlier run the tests may have come in another order.
fn run_tests(
    ground: Ground<'_>,
    engine: Engine,
    mutant: MutantIdx,
    tests: &[TestIdx],
    mut run: impl FnMut(TestIdx) -> Result<crate::bench::Observed, PipelineError>,
) -> Result<Executed, PipelineError> {
    let Mutant { id, file, .. } = &ground.mutants[mutant];
    let mut executed = Executed::new(Outcome::Live);
    let known = |test: TestIdx| ground.verdict(engine, mutant, test);
    let kills = |test: &&TestIdx| !ground.kill_matrix && known(**test).is_some_and(Verdict::is_kill);
    let tests = tests.iter().find(kills).map_or(tests, std::slice::from_ref);
    for &test in tests {
        let name = &ground.suite.tests[test].name;
        let verdict = match known(test) {
            Some(verdict) => {
                executed.reused += usize::from(ground.found.verdict(mutant, test).is_none());
                verdict
            }
            None => {
                let (observed, key) = (run(test)?, ground.keys.of(file, test));
                let verdict = observed.ending.verdict();
                tracing::trace!(mutant = %id, test = name.as_str(), %engine, ?verdict, "a verdict");
                let (mutant, test, output) = (*id, name.clone(), observed.output);
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
            if !ground.kill_matrix {
                break;
            }
        }
    }
    Ok(executed)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many mutants each load has, of so many that each of ten tests of this length infects.
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
    fn a_long_test_that_always_takes_the_same_is_granted_less() {
        let least = Duration::from_millis(10);
        let cpu = |factor, ms, is_steady| {
            let patience = Patience { factor, least, is_bounded: true };
            patience.allowance(Duration::from_millis(ms), Duration::ZERO, is_steady).cpu - least
        };
        assert_eq!(cpu(None, 50, true), Duration::from_millis(500));
        assert_eq!(cpu(None, 1100, true), Duration::from_millis(1000 + 3000));
        assert_eq!(cpu(None, 1100, false), Duration::from_millis(11_000));
        assert_eq!(cpu(Some(2.5), 1100, true), Duration::from_millis(2750));
    }
}
