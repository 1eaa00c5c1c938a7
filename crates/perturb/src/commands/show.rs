//! `perturb show ID`: one mutant, what it changes, and what can be done about it.

use crate::args::{Global, Show};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats;
use crate::session::Session;
use anstyle::Style;
use perturb_pipeline::{Mutant, Suppression};
use std::io::Write;

pub fn run(global: &Global, arguments: &Show, console: &Console) -> Result<(), Failure> {
    let session = Session::open(global, &arguments.select, console)?;
    let mutants = session.mutants(&arguments.select, console)?;
    let mutant = super::by_id(&mutants, &arguments.id)?;
    // Byte for byte, since the diff may be in any encoding; colour is decided here instead of taken out again.
    let is_coloured = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let mut out = std::io::stdout();
    let bold = if is_coloured { Style::new().bold() } else { Style::new() };
    let id = mutant.id;
    writeln!(out, "{bold}{}{bold:#}", mutant.name())?;
    writeln!(out, "id          {id}")?;
    writeln!(out, "operator    {}, {}", mutant.operator, mutant.operator.title())?;
    let (start, end) = (mutant.start(), mutant.end());
    let file = mutant.file.relative.display();
    writeln!(
        out,
        "where       {file}, line {} column {} to line {} column {}",
        start.line, start.column, end.line, end.column
    )?;
    if let Some(function) = mutant.function() {
        writeln!(out, "function    {function}")?;
    }
    match mutant.constant {
        None => writeln!(out, "switchable  yes: it can be chosen at run time")?,
        Some(context) => writeln!(out, "switchable  no: {}; it must be built by itself", context.reason())?,
    }
    write_suppression(mutant, &mut out)?;
    writeln!(out)?;
    formats::diff::write_one(mutant, is_coloured, &mut out)?;
    if mutant.suppression.is_none() {
        write_how_to_suppress(mutant, &mut out)?;
    }
    Ok(())
}

fn write_suppression(mutant: &Mutant, out: &mut impl Write) -> std::io::Result<()> {
    match mutant.suppression.as_deref() {
        None => writeln!(out, "suppressed  no"),
        Some(Suppression::Comment { reason }) => writeln!(out, "suppressed  by a comment: {}", or_none(reason)),
        Some(Suppression::Review { disposition, reason, reviewer }) => {
            let by = if reviewer.is_empty() { String::new() } else { format!(" by {reviewer}") };
            writeln!(out, "suppressed  {disposition} in review{by}: {}", or_none(reason))
        }
    }
}

fn or_none(reason: &str) -> &str {
    if reason.is_empty() {
        "(no reason given)"
    } else {
        reason
    }
}

fn write_how_to_suppress(mutant: &Mutant, out: &mut impl Write) -> std::io::Result<()> {
    let (operator, id) = (mutant.operator, mutant.id);
    let line = mutant.start().line;
    writeln!(out, "\nTo try it by hand: perturb apply {id} --to DIR")?;
    writeln!(out, "To leave it out, say why: on line {line} or alone on the line above")?;
    // A comment that every standard of C takes.
    writeln!(out, "    /* perturb: ignore[{operator}] REASON */")?;
    writeln!(out, "or, without touching the code, in {}", perturb_pipeline::Review::FILE_NAME)?;
    writeln!(out, "    [[mutant]]\n    id = \"{id}\"\n    disposition = \"equivalent\"  # or \"accepted\", \"todo\"")?;
    writeln!(out, "    reason = \"REASON\"\n    reviewer = \"NAME\"\n    date = 2026-01-01")
}
