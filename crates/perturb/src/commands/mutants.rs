//! `perturb mutants`: every mutant, without running anything.

use crate::args::{Format, Global, Mutants};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats;
use crate::session::Session;
use perturb_host::Role;
use std::io::{BufWriter, Write};

pub fn run(global: &Global, arguments: &Mutants, console: &Console) -> Result<(), Failure> {
    let session = Session::open(global, &arguments.select, console)?;
    let mutants = session.mutants(&arguments.select, console)?;
    if mutants.is_empty() && arguments.select.diff.is_none() {
        return Err(nothing(&session, arguments));
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

/// Says why there is nothing, as far as it can be told.
fn nothing(session: &Session, arguments: &Mutants) -> Failure {
    let project = &session.project;
    let under_test = project.units_under_test().count();
    if under_test == 0 {
        let tests = project.units.iter().filter(|unit| matches!(unit.role, Role::Test(_))).count();
        return Failure::nothing(format!(
            "nothing to mutate: of {} compiled files {tests} count as tests and none is under test; see `perturb doctor`, \
             and name the files under test with `include` in perturb.toml",
            project.units.len()
        ));
    }
    let asked = &arguments.select;
    if asked.paths.is_empty() && asked.function.is_empty() && asked.lines.is_empty() && asked.operators.is_none() {
        Failure::nothing(format!("nothing to mutate: no operator applies in the {under_test} files under test"))
    } else {
        Failure::nothing("nothing to mutate in what was asked for; `perturb doctor` lists which files are under test")
    }
}
