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
    let percent = scores.map(|scores| scores.covered.percent());
    check_percent("the score", percent.ok_or("no mutant was executed that a test could kill"), least)
}

/// The same for any share of mutants, or the reason why there is none.
pub fn check_percent(what: &str, percent: Result<f64, &str>, least: Option<f64>) -> Result<(), Failure> {
    let Some(least) = least else { return Ok(()) };
    let (exit, error) = match percent {
        Ok(percent) if percent >= least => return Ok(()),
        Ok(percent) => (Exit::BelowThreshold, format!("{what} is {percent:.2} %, less than {least} %")),
        Err(why) => (Exit::NoScore, format!("{what} cannot reach {least} %: there is none, as {why}")),
    };
    Err(Failure { exit, error: anyhow::anyhow!(error) })
}
