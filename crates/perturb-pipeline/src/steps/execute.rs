//! Step 6, execute: each mutant against the tests that can kill it, by the fastest engine that is sound for it.
//!
//! The switched engine runs the instrumented build with one mutant turned on; the rebuild engine builds the project with the
//! mutant in its source. A mutant's tests come in a fixed order and the first that kills it decides, so that verdicts do
//! not depend on how many workers there are.

mod keys;
mod plan;
mod rebuild;
mod results;
mod switched;

pub use keys::Keys;
pub use plan::{plan, EngineChoice, Plan, PlanOptions, TestChoice, Work};
pub use rebuild::{RebuildTool, Warnings};
pub use results::Results;

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

/// What came of one mutant in one engine.
#[derive(Debug)]
pub struct Executed {
    pub outcome: Outcome,
    pub executions: Vec<Execution>,
    pub build_failure: Option<BuildFailure>,
    /// How many verdicts were known from before.
    pub reused: usize,
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
    spread(benches, works, stop, work, |work, executed| results.add(work.place, executed))?;
    results.flush()
}

/// Takes what is known of the works from earlier runs, and answers with those that have to be built.
pub fn reuse_rebuilt<'w>(
    ground: Ground<'_>,
    works: Vec<&'w Work>,
    results: &mut Results<'_>,
) -> Result<Vec<&'w Work>, PipelineError> {
    let mut left = Vec::new();
    for work in works {
        match rebuild::known(ground, work)? {
            Some(executed) => results.add(work.place, executed)?,
            None => left.push(work),
        }
    }
    results.flush()?;
    Ok(left)
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
    spread(tools, works, stop, work, |work, executed| results.add(work.place, executed))?;
    results.flush()
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
    let mut executed = Executed { outcome: Outcome::Live, executions: Vec::new(), build_failure: None, reused: 0 };
    let known = |test: usize| {
        let (name, key) = (&ground.suite.tests[test].name, ground.keys.of(&mutant.file, test));
        ground.known.verdict(mutant.id, name, &key, engine)
    };
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
