//! Estimates how long executing mutants will take, before it begins.
//!
//! The estimate is a guess, and must be presented as one. The times of tests and builds are measured in this run. How
//! soon mutants are killed is not known before, and is taken from measurements of other projects: see the constants.

use super::{ExecutionContext, Work};
use perturb_model::{Engine, Verdict};
use perturb_model::{Forecast, MutantIdx, TestIdx};
use std::time::Duration;

/// The share of mutants that their first test does not kill. Most of them live, so that all their tests are run. On
/// jansson there are 9.7 runs for each mutant that 34 tests could kill, on the example 1.14 for 1.31 tests.
const OUTLIVES_FIRST_TEST: f64 = 0.25;

/// The share of mutants that hang until they are stopped: 2.2 % on the example, 2.4 % on jansson, 3.4 % on mxml.
const HANGS: f64 = 0.025;

/// The speed of this machine at the moment.
#[derive(Debug, Clone, Copy)]
pub struct Pace<'p> {
    pub jobs: usize,
    /// The time of a run of each test, including overhead.
    pub tests: &'p [Duration],
    /// The time limit of each test, which it takes where a mutant hangs.
    pub limits: &'p [Duration],
    /// The time of one build.
    pub build: Option<Duration>,
}

/// The tests that a mutant still needs: on the instrumented build, and on a build of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Need {
    pub switched: Vec<TestIdx>,
    pub rebuilt: Vec<TestIdx>,
}

impl Need {
    /// What `work` needs beyond the known verdicts.
    pub fn of(context: ExecutionContext<'_>, work: &Work) -> Self {
        let mutant = &context.mutants[work.mutant];
        let is_refused = context.known.build_failed(mutant.id, &context.keys.of_build(&mutant.file));
        let rebuilt =
            if is_refused { Vec::new() } else { unknown(context, Engine::Rebuild, work.mutant, &work.rebuilt) };
        Self { switched: unknown(context, Engine::Switched, work.mutant, &work.switched), rebuilt }
    }
}

/// The tests without a known verdict; none if a known verdict is a kill.
fn unknown(context: ExecutionContext<'_>, engine: Engine, mutant: MutantIdx, tests: &[TestIdx]) -> Vec<TestIdx> {
    let verdict = |test: &&TestIdx| context.verdict(engine, mutant, **test);
    let is_kill = |test: &TestIdx| !context.kill_matrix && verdict(&test).is_some_and(Verdict::is_kill);
    if tests.iter().any(is_kill) {
        return Vec::new();
    }
    tests.iter().filter(|test| verdict(test).is_none()).copied().collect()
}

/// The forecast for all these needs.
pub fn estimate(needs: &[Need], pace: Pace<'_>, kill_matrix: bool) -> Forecast {
    let mut switched = Duration::ZERO;
    let mut rebuilt = Duration::ZERO;
    let mut builds = 0;
    for need in needs {
        switched += expected(&need.switched, pace, kill_matrix);
        if !need.rebuilt.is_empty() {
            // If it has other tests, it is built only if it survives them.
            let share = if need.switched.is_empty() || kill_matrix { 1.0 } else { OUTLIVES_FIRST_TEST };
            let one = pace.build.unwrap_or_default() + expected(&need.rebuilt, pace, kill_matrix);
            rebuilt += one.mul_f64(share);
            builds += 1;
        }
    }
    let jobs = u32::try_from(pace.jobs.max(1)).unwrap_or(u32::MAX);
    let rebuild = (builds == 0 || pace.build.is_some()).then_some(rebuilt / jobs);
    Forecast { switched: switched / jobs, builds, rebuild }
}

/// The expected time of running these tests on one mutant, until it is killed or all of them have been run.
fn expected(tests: &[TestIdx], pace: Pace<'_>, kill_matrix: bool) -> Duration {
    let Some((&first, rest)) = tests.split_first() else { return Duration::ZERO };
    let share = if kill_matrix { 1.0 } else { OUTLIVES_FIRST_TEST };
    let rest: Duration = rest.iter().map(|&test| pace.tests[test]).sum();
    pace.tests[first] + rest.mul_f64(share) + pace.limits[first].mul_f64(HANGS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Tests that take 1, 2 and 4 s, ended after 40 s; builds that take 10 s.
    fn pace(jobs: usize) -> Pace<'static> {
        const TESTS: [Duration; 3] = [SECOND, Duration::from_secs(2), Duration::from_secs(4)];
        const LIMITS: [Duration; 3] = [Duration::from_secs(40); 3];
        Pace { jobs, tests: &TESTS, limits: &LIMITS, build: Some(Duration::from_secs(10)) }
    }

    fn need(switched: &[usize], rebuilt: &[usize]) -> Need {
        let indices = |numbers: &[usize]| numbers.iter().copied().map(TestIdx::new).collect();
        Need { switched: indices(switched), rebuilt: indices(rebuilt) }
    }

    /// Needs, whether there is a kill matrix, and the expected times in seconds: switched, rebuild.
    type Row = (Vec<Need>, bool, f64, f64);

    #[test]
    fn time_is_that_of_the_first_test_a_share_of_the_others_hangs_and_builds() {
        let rows: [Row; 8] = [
            (vec![], false, 0.0, 0.0),
            (vec![need(&[0], &[])], false, 1.0 + 1.0, 0.0),
            (vec![need(&[0, 1, 2], &[])], false, 1.0 + 1.0 + 1.5, 0.0),
            (vec![need(&[0, 1, 2], &[])], true, 1.0 + 1.0 + 6.0, 0.0),
            (vec![need(&[], &[1])], false, 0.0, 10.0 + 2.0 + 1.0),
            (vec![need(&[0], &[1])], false, 2.0, (10.0 + 2.0 + 1.0) * 0.25),
            (vec![need(&[0], &[1])], true, 2.0, 10.0 + 2.0 + 1.0),
            (vec![need(&[0], &[]), need(&[], &[0]), need(&[], &[])], false, 2.0, 10.0 + 1.0 + 1.0),
        ];
        for (needs, kill_matrix, switched, rebuild) in rows {
            let found = estimate(&needs, pace(1), kill_matrix);
            let shown = (found.switched.as_secs_f64(), found.rebuild.unwrap().as_secs_f64());
            assert_eq!(shown, (switched, rebuild), "{needs:?}");
            let halved = estimate(&needs, pace(2), kill_matrix);
            assert_eq!((halved.switched * 2, halved.rebuild.unwrap() * 2), (found.switched, found.rebuild.unwrap()));
        }
    }

    #[test]
    fn without_a_measured_build_the_forecast_has_no_time_of_builds() {
        let unmeasured = Pace { build: None, ..pace(1) };
        let found = estimate(&[need(&[0], &[]), need(&[], &[0])], unmeasured, false);
        assert_eq!((found.builds, found.rebuild, found.switched), (1, None, 2 * SECOND));
        assert_eq!(estimate(&[need(&[0], &[])], unmeasured, false).rebuild, Some(Duration::ZERO));
    }
}
