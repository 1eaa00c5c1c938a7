//! Mutants for people: grouped by file and function, with counts per operator at the end.

use super::plural;
use crate::page::{Page, Style};
use crate::visible;
use anstyle::AnsiColor;
use perturb_csrc::Operator;
use perturb_model::Mutant;
use std::io::Result;

const FILE: Style = Style::BOLD;
const FUNCTION: Style = Style::colour(AnsiColor::Cyan);
const DIM: Style = Style::DIM;

pub fn write(mutants: &[Mutant], out: &mut Page) -> Result<()> {
    let mut above: Option<&Mutant> = None;
    for mutant in mutants {
        let new_file = above.is_none_or(|above| above.file.relative != mutant.file.relative);
        if new_file {
            if above.is_some() {
                writeln!(out)?;
            }
            writeln!(out, "{FILE}{}{FILE:#}", visible::path(&mutant.file.relative))?;
        }
        if new_file || above.is_some_and(|above| above.scope != mutant.scope) {
            let brackets = if mutant.scope.is_function { "()" } else { "" };
            writeln!(out, "  {FUNCTION}{}{brackets}{FUNCTION:#}", mutant.scope.name)?;
        }
        write_mutant(mutant, out)?;
        above = Some(mutant);
    }
    write_counts(mutants, out)
}

fn write_mutant(mutant: &Mutant, out: &mut Page) -> Result<()> {
    let start = mutant.start();
    let place = format!("{}:{}", start.line, start.column);
    write!(out, "    {DIM}{}{DIM:#} {place:>8} {} {}", mutant.id, mutant.operator, mutant.change())?;
    if !mutant.is_switchable() {
        write!(out, " {DIM}[constant]{DIM:#}")?;
    }
    if let Some(suppression) = &mutant.suppression {
        write!(out, " {DIM}[suppressed: {}]{DIM:#}", suppression.reason())?;
    }
    writeln!(out)
}

fn write_counts(mutants: &[Mutant], out: &mut Page) -> Result<()> {
    let count = |operator| mutants.iter().filter(|mutant| mutant.operator == operator).count();
    let counts = Operator::ALL.map(|operator| (operator, count(operator)));
    let counts: Vec<_> = counts.iter().filter(|(_, n)| *n > 0).map(|(operator, n)| format!("{operator} {n}")).collect();
    let suppressed = mutants.iter().filter(|mutant| mutant.suppression.is_some()).count();
    let suppressed = if suppressed > 0 { format!(", {suppressed} of them suppressed") } else { String::new() };
    let mut files: Vec<_> = mutants.iter().map(|mutant| &mutant.file.relative).collect();
    files.dedup();
    let (total, files) = (plural(mutants.len(), "mutant"), plural(files.len(), "file"));
    let separator = if mutants.is_empty() { "" } else { ": " };
    writeln!(out)?;
    writeln!(out, "{FILE}{total} in {files}{suppressed}{FILE:#}{separator}{}", counts.join(" · "))
}
