//! The scores of a run as text: its own, or the expected ones if it ended early.

use perturb_model::{Projected, Tally};
use perturb_store::{Ending, StoredRun};

/// The scores of covered code and of all code, for tables.
pub fn scores(run: &StoredRun, tally: &Tally) -> [String; 2] {
    match projection(run, tally) {
        Some(Projected { covered, all }) => [covered, all].map(projected),
        None => [tally.score_of_covered(), tally.score_of_all()]
            .map(|score| score.map_or_else(|| "-".to_string(), |score| score.to_string())),
    }
}

/// The expected scores of a run that ended early: the executed mutants stand for the others.
pub fn projection(run: &StoredRun, tally: &Tally) -> Option<Projected> {
    match run.finished {
        None | Some((_, Ending::Interrupted | Ending::OutOfBudget)) => tally.projected(),
        Some((_, Ending::Complete | Ending::Stopped | Ending::Failed)) => None,
    }
}

/// An expected score: rounded down like other scores, and marked with a tilde.
pub fn projected(percent: f64) -> String {
    format!("~{} %", percent.floor())
}
