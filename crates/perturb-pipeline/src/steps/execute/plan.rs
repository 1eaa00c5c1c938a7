//! Plans which engine executes which mutant, with which tests, in which order.

use super::prioritise::{Priorities, Priority};
use crate::steps::compile::Switchboard;
use crate::steps::coverage::{Recorded, Suite};
use perturb_model::{Engine, Mutant, MutantIdx, Outcome, Recording, TestIdx};
use std::collections::HashMap;
use std::time::Duration;

/// Which engines may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    /// The fastest engine that is sound for each mutant.
    Fastest,
    /// Only this engine. Mutants that it cannot execute are not executed, except that the switched engine replaces the
    /// split-stream engine.
    Only(Engine),
}

/// Which tests a mutant is executed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestChoice {
    /// Tests that infect it: the others cannot kill it.
    Infecting,
    /// Tests that execute its location.
    Covering,
    All,
}

#[derive(Debug, Clone, Copy)]
pub struct PlanOptions {
    pub engine: EngineChoice,
    pub tests: TestChoice,
    /// Whether the recordings say which mutants a test infects. Coverage from other sources does not.
    pub knows_infection: bool,
    pub priority: Priority,
    /// Whether to find the reduced suite of each mutant.
    pub reduce: bool,
}

/// The tests to run on one mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    pub mutant: MutantIdx,
    /// Tests to run on the instrumented build.
    pub switched: Vec<TestIdx>,
    /// Tests to run on a build of its own, if none of the others kills it.
    pub rebuilt: Vec<TestIdx>,
}

/// The plan for all mutants.
#[derive(Debug, Default)]
pub struct Plan {
    pub works: Vec<Work>,
    /// All tests in the order in which they are run.
    pub order: Vec<TestIdx>,
    /// Outcomes that need no execution.
    pub decided: Vec<(MutantIdx, Outcome)>,
    /// The engine of each mutant, with the reason.
    pub engines: Vec<(MutantIdx, perturb_store::EngineAssignment)>,
    /// The reduced suite of each mutant, if reduced suites are used.
    pub reduced: HashMap<MutantIdx, Vec<TestIdx>>,
}

impl Work {
    /// The same work with only these tests.
    pub fn only(&self, tests: &[TestIdx]) -> Self {
        let selected = |all: &[TestIdx]| all.iter().copied().filter(|test| tests.contains(test)).collect();
        Self { mutant: self.mutant, switched: selected(&self.switched), rebuilt: selected(&self.rebuilt) }
    }
}

/// Plans the execution of the mutants in `chosen`. A test without a recording may kill every mutant. Without an
/// instrumented build, all of them are rebuilt.
pub fn plan(
    mutants: &[Mutant],
    chosen: &[MutantIdx],
    suite: &Suite,
    recordings: &[(TestIdx, Recording)],
    instrumented: Option<(&Switchboard, &Recorded)>,
    options: PlanOptions,
) -> Plan {
    let priorities = Priorities::new(recordings, options.priority);
    let recordings: HashMap<TestIdx, &Recording> =
        recordings.iter().map(|(test, recording)| (*test, recording)).collect();
    let breadth =
        |test: TestIdx| recordings.get(&test).map_or(mutants.len(), |recording| recording.reach.infected.len());
    let order = in_order(suite.taking_part(), |test| suite.tests[test].cpu, breadth);
    let cpu = suite.tests.iter().map(|test| test.cpu).collect();
    let planner = Planner { mutants, instrumented, recordings, order, options, priorities, cpu };
    let mut plan = Plan { order: planner.order.clone(), ..Plan::default() };
    for &mutant in chosen {
        planner.add(mutant, &mut plan);
    }
    plan
}

/// Orders tests by cost, because most mutants are killed by many tests. Among long tests, those that infect few mutants
/// come first: they test a part of the program more thoroughly.
fn in_order(
    mut tests: Vec<TestIdx>,
    cpu: impl Fn(TestIdx) -> Duration,
    breadth: impl Fn(TestIdx) -> usize,
) -> Vec<TestIdx> {
    tests.sort_by_key(|&test| match cost_class(cpu(test)) {
        0 => (0, 0, test),
        class => (class, breadth(test), test),
    });
    tests
}

/// Groups tests of about the same cost, so that small variations of their time do not change which test kills.
fn cost_class(cpu: Duration) -> u32 {
    const LEAST_MS: u128 = 32;
    (cpu.as_millis() / LEAST_MS + 1).ilog2()
}

struct Planner<'p> {
    mutants: &'p [Mutant],
    instrumented: Option<(&'p Switchboard, &'p Recorded)>,
    recordings: HashMap<TestIdx, &'p Recording>,
    order: Vec<TestIdx>,
    options: PlanOptions,
    priorities: Priorities<'p>,
    cpu: Vec<Duration>,
}

impl Planner<'_> {
    fn add(&self, mutant: MutantIdx, plan: &mut Plan) {
        let (engine, why) = self.engine(mutant);
        plan.engines.push((mutant, perturb_store::EngineAssignment { engine, why }));
        let chosen = |test: &TestIdx| match (self.recordings.get(test), self.options.tests) {
            (None, _) | (_, TestChoice::All) => true,
            (Some(recording), TestChoice::Covering) => recording.reach.reached.contains(mutant),
            (Some(recording), TestChoice::Infecting) => recording.reach.infected.contains(mutant),
        };
        let tests: Vec<TestIdx> = self.order.iter().copied().filter(|test| chosen(test)).collect();
        if tests.is_empty() {
            let is_reached = self.recordings.values().any(|recording| recording.reach.reached.contains(mutant));
            let outcome = if is_reached { Outcome::NotInfected } else { Outcome::NotCovered };
            plan.decided.push((mutant, outcome));
            return;
        }
        let tests = self.prioritised(mutant, tests, plan);
        let passes =
            |test: &TestIdx| self.instrumented.is_some_and(|(_, recorded)| !recorded.not_instrumented.contains(test));
        let by_switch = |test: &TestIdx| engine != Engine::Rebuild && passes(test);
        let (switched, rebuilt): (Vec<TestIdx>, Vec<TestIdx>) = tests.into_iter().partition(by_switch);
        let work = match self.options.engine {
            EngineChoice::Only(Engine::Split | Engine::Switched) if engine == Engine::Rebuild => return,
            EngineChoice::Only(Engine::Split | Engine::Switched) => Work { mutant, switched, rebuilt: Vec::new() },
            _ => Work { mutant, switched, rebuilt },
        };
        plan.works.push(work);
    }

    /// Orders the tests of a mutant that runs by itself: by cost, and at about the same cost by the distance to the
    /// tests before. A mutant that can share runs with others keeps the common order, so that the same test kills it in
    /// both ways.
    fn prioritised(&self, mutant: MutantIdx, mut tests: Vec<TestIdx>, plan: &mut Plan) -> Vec<TestIdx> {
        let switch = self.instrumented.and_then(|(switchboard, _)| switchboard.switch(mutant));
        let can_split = switch.is_some_and(|switch| switch.can_split());
        if can_split && !self.options.reduce {
            return tests;
        }
        let mut found = self.priorities.of(&self.mutants[mutant], &tests);
        if self.options.reduce {
            plan.reduced.insert(mutant, found.order[..found.reduced].to_vec());
        }
        if !can_split {
            found.order.sort_by_key(|test| cost_class(self.cpu[*test]));
            tests = found.order;
        }
        tests
    }

    fn engine(&self, mutant: MutantIdx) -> (Engine, String) {
        if self.options.engine == EngineChoice::Only(Engine::Rebuild) {
            return (Engine::Rebuild, "asked for".to_string());
        }
        let Some((switchboard, _)) = self.instrumented else {
            return (Engine::Rebuild, "the project cannot be built with its mutants in it".to_string());
        };
        if let Some(switch) = switchboard.switch(mutant) {
            let why = match self.options.engine {
                EngineChoice::Only(Engine::Switched) => "asked for",
                _ if self.options.tests != TestChoice::Infecting => "tests are run that do not infect it",
                _ if !self.options.knows_infection => "the coverage data do not say which tests infect it",
                _ if !switch.can_split() => "it is in C++",
                _ => return (Engine::Split, String::new()),
            };
            return (Engine::Switched, why.to_string());
        }
        let why = switchboard.reason(mutant).or(self.mutants[mutant].constant.map(|context| context.reason()));
        (Engine::Rebuild, why.unwrap_or("its function is not in the instrumented build").to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_tests_come_first_and_of_long_ones_those_for_a_part() {
        // The time of each test, and the number of mutants that it infects.
        let tests = [(1300, 900), (2, 500), (1290, 40), (9, 3), (60, 7), (1310, 40)];
        let cpu = |test: TestIdx| Duration::from_millis(tests[test].0);
        let order = in_order(TestIdx::all(tests.len()).collect(), cpu, |test| tests[test].1);
        assert_eq!(order, [1, 3, 4, 2, 5, 0].map(TestIdx::new));
    }
}
