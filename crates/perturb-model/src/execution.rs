//! How a run executes mutants: how long it will take, what each step took, and which pairs of mutant and test each
//! engine ran.

use crate::outcome::Engine;
use crate::step::Step;
use std::time::Duration;

/// What executing is expected to take, by the clock on the wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forecast {
    /// Runs of tests on the instrumented build.
    pub switched: Duration,
    /// Mutants that have to be built by themselves.
    pub builds: usize,
    /// Building and testing those; None where nobody knows yet what a build takes.
    pub rebuild: Option<Duration>,
}

/// What a step took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepTime {
    pub step: Step,
    pub wall: Duration,
    pub cpu: Duration,
}

/// How many pairs of a mutant and a test an engine executed; or, with a reason, did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairCount {
    pub engine: Engine,
    pub why: String,
    pub pairs: usize,
}
