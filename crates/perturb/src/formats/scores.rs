//! The scores of a run as text: those it has, or those to be expected of one that came to an early end.

use perturb_model::{Projected, Tally};
use perturb_store::{Ending, StoredRun};

/// The scores of covered code and of all, as tables have them.
pub fn scores(run: &StoredRun, tally: &Tally) -> [String; 2] {
    match projection(run, tally) {
        Some(Projected { covered, all }) => [covered, all].map(projected),
        None => [tally.score_of_covered(), tally.score_of_all()]
            .map(|score| score.map_or_else(|| "-".to_string(), |score| score.to_string())),
    }
}

/// Where a run came to an early end, what was executed stands for the rest.
pub fn projection(run: &StoredRun, tally: &Tally) -> Option<Projected> {
    match run.finished {
        None | Some((_, Ending::Interrupted | Ending::OutOfBudget)) => tally.projected(),
        Some((_, Ending::Complete | Ending::Stopped | Ending::Failed)) => None,
    }
}

/// A score that is to be expected: rounded down as others are, and marked.
pub fn projected(percent: f64) -> String {
    format!("~{} %", percent.floor())
}
