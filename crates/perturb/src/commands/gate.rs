//! The gate: a score that is too low ends the program with a code of its own, so that a pipeline stops.

use crate::exit::{Exit, Failure};
use perturb_pipeline::steps::score::Scores;
use perturb_store::StoredRun;

/// Whether the score of covered code is at least so many percent; no score is none that suffices.
pub fn check(run: &StoredRun, least: Option<f64>) -> Result<(), Failure> {
    // Nobody asks: a large run takes a moment to count.
    if least.is_none() {
        return Ok(());
    }
    let scores = Scores::of(&run.tally(), run.sampled.as_ref());
    check_percent("the score", scores.map(|scores| scores.covered.percent()), least)
}

/// The same of any share of mutants.
pub fn check_percent(what: &str, percent: Option<f64>, least: Option<f64>) -> Result<(), Failure> {
    let Some(least) = least else { return Ok(()) };
    let error = match percent {
        Some(percent) if percent >= least => return Ok(()),
        Some(percent) => anyhow::anyhow!("{what} is {percent:.2} %, less than {least} %"),
        None => anyhow::anyhow!("no mutant was decided: there is no score that could reach {least} %"),
    };
    Err(Failure { exit: Exit::UnderGate, error })
}
