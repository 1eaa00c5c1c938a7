//! A run as it is stored, with its lists: what reports are made of.

use super::{Ending, Plan, RunId};
use perturb_model::{
    AuditCount, Contradiction, Covered, Fate, Framework, Judgement, Mutant, Outcome, PairCount, Sampled, StepTime,
    Tally, Test, TestName, Trace,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A run with its lists.
#[derive(Debug)]
pub struct StoredRun {
    pub id: RunId,
    pub started: SystemTime,
    /// `None` while it goes on, and for ever if it was killed.
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
    /// How many pairs of a mutant and a test each engine executed, and why the fastest left some to others.
    pub pairs: Vec<PairCount>,
    pub audit: Option<AuditCount>,
    /// How many statements of each file any test executes; empty where that was not found out.
    pub covered: Vec<Covered>,
    /// None where no mutant was executed.
    pub sampled: Option<Sampled>,
}

/// A mutant and what is known of it.
#[derive(Debug)]
pub struct MutantState {
    pub mutant: Mutant,
    pub plan: Option<Arc<Plan>>,
    pub outcome: Outcome,
    /// What its code says, where a test says otherwise.
    pub code_says: Option<Contradiction>,
    /// What it leaves in the counts of statements, where it lives and was looked at.
    pub trace: Option<Trace>,
    /// What comparing its function with the original's says, where it was still alive.
    pub judgement: Option<Judgement>,
    /// What came of generating tests for it, if that was done since.
    pub generated: Option<GeneratedFor>,
}

/// What executing one mutant came to, over all its tests.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Executed {
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

/// One time that tests were generated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    pub at: SystemTime,
    pub framework: Framework,
    /// That the tests were written to.
    pub folder: PathBuf,
}

/// What came of a mutant the last time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFor {
    pub fate: Fate,
    pub generation: Arc<Generation>,
}
