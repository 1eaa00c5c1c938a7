//! `perturb confidence`: how far a mutation score can be trusted, by what share of the mutants is shown not to be equivalent.

use super::comparing::Compared;
use super::gate;
use crate::args::{ConfidenceFormat, ConfidenceOfScore, Global};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats::confidence::Table;
use perturb_pipeline::equivalence::confidence::ProjectConfidence;
use std::io::Write;

pub fn run(global: &Global, arguments: &ConfidenceOfScore, console: &Console) -> Result<(), Failure> {
    let compared = Compared::new(global, &arguments.select, &arguments.comparing, None, console)?;
    let confidence = ProjectConfidence::of(&compared.mutants, &compared.judged);
    let table = Table { confidence: &confidence, baseline: arguments.baseline };
    match arguments.format {
        ConfidenceFormat::Text => {
            let mut text = Vec::new();
            table.write_text(&mut text)?;
            anstream::stdout().write_all(&text)?;
        }
        ConfidenceFormat::Json => table.write_json(&mut std::io::stdout())?,
        ConfidenceFormat::Csv => table.write_csv(&mut std::io::stdout())?,
    }
    compared.expect_whole()?;
    let percent = confidence.all.of_all().map(|share| 100.0 * share);
    gate::check_percent("the confidence", percent, arguments.fail_under)
}
