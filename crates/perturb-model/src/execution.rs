//! How a run executes mutants: the forecast, the time of each step, and the number of pairs of mutant and test that
//! each engine ran.

use crate::outcome::Engine;
use crate::step::Step;
use std::time::Duration;

/// The expected wall-clock time of executing mutants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forecast {
    /// Runs of tests on the instrumented build.
    pub switched: Duration,
    /// Mutants that have to be built by themselves.
    pub builds: usize,
    /// The time to build and test those; None as long as no build has been timed.
    pub rebuild: Option<Duration>,
}

/// The time that a step took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepTime {
    pub step: Step,
    pub wall: Duration,
    pub cpu: Duration,
}

/// How many pairs of a mutant and a test an engine executed; or, with a reason, how many it could not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairCount {
    pub engine: Engine,
    pub why: String,
    pub pairs: usize,
}
