//! A stored run with its lists, from which reports are made.

use super::{Ending, EngineAssignment, RunId};
use perturb_model::{
    AuditCount, Contradiction, Covered, Framework, Judgement, Mutant, Outcome, PairCount, Sampled, StepTime, Tally,
    Test, TestName, TestgenOutcome, Trace,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A run with its lists.
#[derive(Debug)]
pub struct StoredRun {
    pub id: RunId,
    pub started: SystemTime,
    /// `None` while the run goes on, and for ever if it was killed.
    pub finished: Option<(SystemTime, Ending)>,
    /// The version of perturb.
    pub version: String,
    pub root: PathBuf,
    pub arguments: Vec<String>,
    pub seed: u64,
    pub manifest: serde_json::Value,
    pub steps: Vec<StepTime>,
    pub tests: Vec<Test>,
    pub mutants: Vec<MutantState>,
    /// How many pairs of a mutant and a test each engine executed, and why the fastest engine deferred some.
    pub pairs: Vec<PairCount>,
    pub audit: Option<AuditCount>,
    /// How many statements of each file the tests execute; empty where that is unknown.
    pub covered: Vec<Covered>,
    /// None where no mutant was executed.
    pub sampled: Option<Sampled>,
}

/// A mutant and its results.
#[derive(Debug)]
pub struct MutantState {
    pub mutant: Mutant,
    pub plan: Option<Arc<EngineAssignment>>,
    pub outcome: Outcome,
    /// The outcome that its compiled code suggests, where a test refutes it.
    pub code_says: Option<Contradiction>,
    /// Its trace in the statement counts, if it is live and was compared.
    pub trace: Option<Trace>,
    /// The result of comparing its function with the original's, if it was live then.
    pub judgement: Option<Judgement>,
    /// The result of generating tests for it, if that was done since.
    pub generated: Option<GeneratedFor>,
}

/// The executions of one mutant over all its tests, added up.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ExecutionTotals {
    pub tests: usize,
    pub wall: Duration,
    pub cpu: Duration,
    pub killed_by: Vec<TestName>,
}

impl StoredRun {
    pub fn tally(&self) -> Tally {
        self.mutants.iter().map(|state| &state.outcome).collect()
    }
}

/// One generation of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    pub at: SystemTime,
    pub framework: Framework,
    /// The folder that the tests were written to.
    pub folder: PathBuf,
}

/// The last result of generating tests for a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFor {
    pub outcome: TestgenOutcome,
    pub generation: Arc<Generation>,
}
