//! `perturb confidence`: how far a mutation score can be trusted, from the share of mutants that are shown not to be
//! equivalent.

use super::comparing::Compared;
use super::threshold;
use crate::args::{ConfidenceFormat, ConfidenceOfScore, Global};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats::confidence::Table;
use crate::page::Page;
use crate::terminal;
use perturb_equiv::compare::confidence::ProjectConfidence;

pub fn run(global: &Global, arguments: &ConfidenceOfScore, console: &Console) -> Result<(), Failure> {
    let compared = Compared::new(global, &arguments.select, &arguments.comparing, None, console)?;
    let confidence = ProjectConfidence::of(&compared.mutants, &compared.judged);
    let table = Table { confidence: &confidence, baseline: arguments.baseline };
    match arguments.format {
        ConfidenceFormat::Text => {
            let mut page = Page::default();
            table.write_text(&mut page)?;
            terminal::print(&page)?;
        }
        ConfidenceFormat::Json => terminal::write_data(|out| table.write_json(out))?,
        ConfidenceFormat::Csv => terminal::write_data(|out| table.write_csv(out))?,
    }
    compared.expect_whole()?;
    let percent = confidence.all.of_all().map(|share| 100.0 * share);
    threshold::check_percent("the confidence", percent, arguments.fail_under)
}
