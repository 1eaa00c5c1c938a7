//! The gate: a score that is too low ends the program with a code of its own, so that a pipeline stops.

use crate::exit::{Exit, Failure};
use perturb_pipeline::steps::score::Scores;
use perturb_pipeline::store::StoredRun;

/// Whether the score of covered code is at least so many percent; no score is none that suffices.
pub fn check(run: &StoredRun, least: Option<f64>) -> Result<(), Failure> {
    let Some(least) = least else { return Ok(()) };
    let error = match Scores::of(&run.tally(), run.sampled.as_ref()) {
        Some(scores) if scores.covered.percent() >= least => return Ok(()),
        Some(scores) => anyhow::anyhow!("the score is {:.2} %, less than {least} %", scores.covered.percent()),
        None => anyhow::anyhow!("no mutant was decided: there is no score that could reach {least} %"),
    };
    Err(Failure { exit: Exit::UnderGate, error })
}
