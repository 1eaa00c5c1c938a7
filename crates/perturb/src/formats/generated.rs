//! The outcomes and scores that a run would have with generated tests. The run itself stays as it is.

use super::{plural, scores};
use crate::visible;
use perturb_model::{Judgement, Kill, Outcome, Tally, TestName, TestgenOutcome};
use perturb_pipeline::steps::discard::equivalence::proved_by;
use perturb_pipeline::steps::score::is_part;
use perturb_store::{MutantState, StoredRun};
use std::collections::BTreeSet;
use std::path::Path;

/// The text for a live mutant that generated tests kill: `killed by generated test test_push_e1898e03 in
/// test_src_ring.c: not part of the project yet`
pub fn kill(state: &MutantState) -> Option<String> {
    match &state.generated.as_ref()?.outcome {
        TestgenOutcome::Killed { .. } | TestgenOutcome::Sanitized { .. } => {
            Some(format!("{}: not part of the project yet", result(state)))
        }
        TestgenOutcome::Unconfirmed { .. } | TestgenOutcome::Left(_) => None,
    }
}

/// The result of test generation for a mutant, in a line; empty if there was none.
pub fn result(state: &MutantState) -> String {
    match state.generated.as_ref().map(|generated| &generated.outcome) {
        None => String::new(),
        Some(TestgenOutcome::Killed { tests, file }) => format!("killed by {} in {file}", named(tests)),
        Some(TestgenOutcome::Sanitized { tests, file, .. }) => {
            format!("killed, with sanitizers, by {} in {file}", named(tests))
        }
        Some(TestgenOutcome::Unconfirmed { judgement, why }) => format!("no test: {why}; {judgement}"),
        // The run has the same judgement, which is written beside.
        Some(TestgenOutcome::Left(judgement)) if state.judgement.as_ref() == Some(judgement) => "no test".to_string(),
        Some(TestgenOutcome::Left(judgement)) => format!("no test: {judgement}"),
    }
}

fn named(tests: &[String]) -> String {
    let noun = if tests.len() == 1 { "generated test" } else { "generated tests" };
    format!("{noun} {}", tests.join(", "))
}

/// The outcome of a mutant if generated tests count too.
pub fn outcome_with(outcome: &Outcome, testgen: Option<&TestgenOutcome>) -> Outcome {
    match testgen {
        Some(TestgenOutcome::Killed { tests, .. }) => {
            Outcome::Killed { test: TestName::from(tests.concat()), how: Kill::Failed }
        }
        Some(TestgenOutcome::Left(Judgement::Equivalent(proof))) => {
            proved_by(proof).map_or_else(|| outcome.clone(), |by| Outcome::Equivalent { by })
        }
        _ => outcome.clone(),
    }
}

/// A run together with the tests that were generated for it.
pub struct WithTests<'r> {
    /// How many live mutants the generated tests kill.
    pub killed: usize,
    /// The scores with these tests, of covered code and of all code. None for a sample, whose interval they would not
    /// fit.
    pub scores: Option<[String; 2]>,
    /// The folders of the tests.
    pub folders: BTreeSet<&'r Path>,
}

impl<'r> WithTests<'r> {
    /// None if no generated test kills a mutant.
    pub fn of(run: &'r StoredRun) -> Option<Self> {
        let generated = run.mutants.iter().filter_map(|state| state.generated.as_ref());
        let kills = generated.filter(|generated| matches!(generated.outcome, TestgenOutcome::Killed { .. }));
        let folders: Vec<&Path> = kills.map(|generated| generated.generation.folder.as_path()).collect();
        if folders.is_empty() {
            return None;
        }
        let outcome = |state: &'r MutantState| state.generated.as_ref().map(|generated| &generated.outcome);
        let outcomes: Vec<Outcome> =
            run.mutants.iter().map(|state| outcome_with(&state.outcome, outcome(state))).collect();
        let tally: Tally = outcomes.iter().collect();
        let is_sample = run.sampled.as_ref().is_some_and(is_part);
        Some(Self {
            killed: folders.len(),
            scores: (!is_sample).then(|| scores::scores(run, &tally)),
            folders: folders.into_iter().collect(),
        })
    }

    /// `3 live mutants`
    pub fn mutants(&self) -> String {
        plural(self.killed, "live mutant")
    }

    /// `with them the score would be 93.3 % of covered code, 80.0 % of all code`; empty for a sample.
    pub fn would_be(&self) -> String {
        match &self.scores {
            Some([covered, all]) => {
                format!("with them the score would be {covered} of covered code, {all} of all code")
            }
            None => String::new(),
        }
    }

    /// `/projects/ring/.perturb/tests`
    pub fn places(&self) -> String {
        self.folders.iter().map(|folder| visible::path(folder)).collect::<Vec<_>>().join(", ")
    }

    /// The whole sentence.
    pub fn sentence(&self) -> String {
        let would_be = match self.would_be() {
            text if text.is_empty() => text,
            text => format!("; {text}"),
        };
        format!(
            "Generated tests in {} kill {}; they are not part of the project yet{would_be}.",
            self.places(),
            self.mutants()
        )
    }
}
