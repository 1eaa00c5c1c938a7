//! Step 6, execute: each mutant against the tests that can kill it, by the fastest engine that is sound for it.
//!
//! The switched engine runs the instrumented build with one mutant turned on; the rebuild engine builds the project with the
//! mutant in its source. A mutant's tests come in a fixed order and the first that kills it decides, so that verdicts do
//! not depend on how many workers there are.

mod estimate;
mod keys;
mod plan;
mod rebuild;
mod results;
mod switched;

pub use estimate::{estimate, Estimate, Need, Pace};
pub use keys::Keys;
pub use plan::{plan, EngineChoice, Plan, PlanOptions, TestChoice, Work};
pub use rebuild::{RebuildTool, Warnings};
pub use results::{Done, Results};

use crate::bench::{Allowance, Bench};
use crate::crew::spread;
use crate::interrupt::Stop;
use crate::mutant::Mutant;
use crate::outcome::{Engine, Outcome, Verdict};
use crate::steps::compile::Switchboard;
use crate::steps::coverage::Suite;
use crate::store::{BuildFailure, Execution, Known};
use crate::PipelineError;
use std::time::Duration;

/// How much longer than on the original a test may take on a mutant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patience {
    pub factor: f64,
    /// What even the shortest test may take.
    pub least: Duration,
}

impl Patience {
    /// What a test may take that takes so long on the original. Processor time is what counts; the clock on the wall only
    /// ends what waits for ever, and is generous, since others may be using the machine.
    pub fn allowance(&self, cpu: Duration, wall: Duration) -> Allowance {
        let cpu = self.least + cpu.mul_f64(self.factor);
        Allowance { cpu, wall: cpu * 4 + wall.mul_f64(self.factor) + Duration::from_secs(5) }
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
    pub patience: Patience,
    /// What each test takes on the instrumented program, by its place.
    pub instrumented_cpu: &'g [Duration],
    /// Go on after the first kill.
    pub kill_matrix: bool,
}

impl Ground<'_> {
    /// What an earlier run says of a mutant and a test.
    fn verdict(&self, engine: Engine, place: usize, test: usize) -> Option<Verdict> {
        let (mutant, name) = (&self.mutants[place], &self.suite.tests[test].name);
        self.known.verdict(mutant.id, name, &self.keys.of(&mutant.file, test), engine)
    }
}

/// What came of one mutant in one engine.
#[derive(Debug)]
pub struct Executed {
    pub outcome: Outcome,
    pub executions: Vec<Execution>,
    pub build_failure: Option<BuildFailure>,
    /// How many verdicts were known from before.
    pub reused: usize,
    /// What building it took of the processors.
    pub build_cpu: Duration,
}

impl Executed {
    fn new(outcome: Outcome) -> Self {
        Self { outcome, executions: Vec::new(), build_failure: None, reused: 0, build_cpu: Duration::ZERO }
    }
}

/// Runs the works on the instrumented build.
pub fn execute_switched(
    ground: Ground<'_>,
    switchboard: &Switchboard,
    benches: &mut [Bench<'_>],
    works: &[&Work],
    stop: Stop<'_>,
    results: &mut Results<'_>,
) -> Result<(), PipelineError> {
    let work = |bench: &mut Bench<'_>, work: &Work| switched::execute(ground, switchboard, bench, work);
    results.begin(Engine::Switched, works.len());
    spread(benches, works, stop, work, |work, executed| {
        let is_open = executed.outcome == Outcome::Live || ground.kill_matrix;
        if is_open && !work.rebuilt.is_empty() {
            results.hold(work.place, executed);
            return Ok(());
        }
        results.add(work.place, executed)
    })
}

/// What is known of a mutant from earlier runs, if that decides.
pub fn settled(ground: Ground<'_>, work: &Work) -> Result<Option<Executed>, PipelineError> {
    let mut settled = Executed::new(Outcome::Live);
    for (engine, tests) in [(Engine::Switched, &work.switched), (Engine::Rebuild, &work.rebuilt)] {
        let part = match engine {
            Engine::Switched => known(ground, engine, work.place, tests)?,
            Engine::Rebuild => rebuild::known(ground, work)?,
        };
        let Some(part) = part else { return Ok(None) };
        settled.reused += part.reused;
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
fn known(ground: Ground<'_>, engine: Engine, place: usize, tests: &[usize]) -> Result<Option<Executed>, PipelineError> {
    let verdict = |test: &usize| ground.verdict(engine, place, *test);
    let kills = |test: &usize| !ground.kill_matrix && matches!(verdict(test), Some(Verdict::Killed(_)));
    if !tests.iter().any(kills) && tests.iter().any(|test| verdict(test).is_none()) {
        return Ok(None);
    }
    run_tests(ground, engine, place, tests, |_| unreachable!("it is known")).map(Some)
}

/// Runs the works on builds of their own.
pub fn execute_rebuilt(
    ground: Ground<'_>,
    tools: &mut [RebuildTool<'_>],
    works: &[&Work],
    stop: Stop<'_>,
    results: &mut Results<'_>,
) -> Result<(), PipelineError> {
    let work = |tool: &mut RebuildTool<'_>, work: &Work| tool.execute(ground, work, stop);
    results.begin(Engine::Rebuild, works.len());
    spread(tools, works, stop, work, |work, executed| results.add(work.place, executed))
}

/// Runs `tests` in their order until one kills, or all of them; what is known is not run again. A kill that is known
/// decides at once: in an earlier run the tests may have come in another order.
fn run_tests(
    ground: Ground<'_>,
    engine: Engine,
    place: usize,
    tests: &[usize],
    mut run: impl FnMut(usize) -> Result<crate::bench::Observed, PipelineError>,
) -> Result<Executed, PipelineError> {
    let mutant = &ground.mutants[place];
    let mut executed = Executed::new(Outcome::Live);
    let known = |test: usize| ground.verdict(engine, place, test);
    let kills = |test: &&usize| !ground.kill_matrix && matches!(known(**test), Some(Verdict::Killed(_)));
    let tests = tests.iter().find(kills).map_or(tests, std::slice::from_ref);
    for &test in tests {
        let name = &ground.suite.tests[test].name;
        let verdict = match known(test) {
            Some(verdict) => {
                executed.reused += 1;
                verdict
            }
            None => {
                let (observed, key) = (run(test)?, ground.keys.of(&mutant.file, test));
                let verdict = observed.ending.verdict();
                let (mutant, test, output) = (mutant.id, name.clone(), observed.output);
                let (cpu, wall) = (observed.cpu, observed.wall);
                executed.executions.push(Execution { mutant, test, key, engine, verdict, cpu, wall, output });
                verdict
            }
        };
        if let Verdict::Killed(how) = verdict {
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
