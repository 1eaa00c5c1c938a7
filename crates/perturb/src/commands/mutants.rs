//! `perturb mutants`: every mutant, without running anything.

use crate::args::{Format, Global, Mutants};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats;
use crate::session::Session;
use std::io::{BufWriter, Write};

pub fn run(global: &Global, arguments: &Mutants, console: &Console) -> Result<(), Failure> {
    let session = Session::open(global, &arguments.select, console)?;
    let mutants = session.mutants(&arguments.select, console)?;
    if mutants.is_empty() && arguments.select.diff.is_none() {
        return Err(super::nothing::explain(&session, &arguments.select, console));
    }
    // Data is written byte for byte; what people read loses its colour where nobody sees it.
    let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
    let mut console_out = BufWriter::with_capacity(1 << 16, anstream::stdout());
    match arguments.format {
        _ if arguments.stats => formats::stats::write(&mutants, &mut console_out)?,
        Format::Text => formats::text::write(&mutants, &mut console_out)?,
        Format::Json => formats::json::write_array(&mutants, &mut out)?,
        Format::Jsonl => formats::json::write_lines(&mutants, &mut out)?,
        Format::Csv => formats::csv::write(&mutants, &mut out)?,
        Format::Diff => formats::diff::write_all(&mutants, &mut out)?,
    }
    out.flush()?;
    console_out.flush()?;
    if mutants.is_empty() {
        console.note("nothing that changed holds a mutant");
    }
    Ok(())
}
