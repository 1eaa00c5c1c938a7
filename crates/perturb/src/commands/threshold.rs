//! `--fail-under`: a score below the threshold ends the program with an exit code of its own, so that a pipeline stops.

use crate::exit::{Exit, Failure};
use perturb_pipeline::steps::score::Scores;
use perturb_store::StoredRun;

/// Fails if the score of covered code is less than `least` percent, or if there is no score.
pub fn check(run: &StoredRun, least: Option<f64>) -> Result<(), Failure> {
    // Without a threshold, a large run need not be counted, which takes a moment.
    if least.is_none() {
        return Ok(());
    }
    let scores = Scores::of(&run.tally(), run.sampled.as_ref());
    check_percent("the score", scores.map(|scores| scores.covered.percent()), least)
}

/// The same for any share of mutants.
pub fn check_percent(what: &str, percent: Option<f64>, least: Option<f64>) -> Result<(), Failure> {
    let Some(least) = least else { return Ok(()) };
    let error = match percent {
        Some(percent) if percent >= least => return Ok(()),
        Some(percent) => anyhow::anyhow!("{what} is {percent:.2} %, less than {least} %"),
        None => anyhow::anyhow!("no mutant was decided: there is no score that could reach {least} %"),
    };
    Err(Failure { exit: Exit::BelowThreshold, error })
}
