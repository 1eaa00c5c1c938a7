//! `perturb mutants`: lists every mutant, without running anything.

use crate::args::{Format, Global, Mutants};
use crate::console::Console;
use crate::exit::Failure;
use crate::page::Page;
use crate::session::Session;
use crate::{formats, terminal};
use std::io::Write;

pub fn run(global: &Global, arguments: &Mutants, console: &Console) -> Result<(), Failure> {
    let session = Session::open(global, &arguments.select, console)?;
    let mutants = session.mutants(&arguments.select, console)?;
    if mutants.is_empty() && arguments.select.diff.is_none() {
        return Err(super::no_mutants::explain(&session, &arguments.select, console));
    }
    let mut out = terminal::data();
    let mut page = Page::default();
    match arguments.format {
        _ if arguments.stats => formats::stats::write(&mutants, &mut page)?,
        Format::Text => formats::text::write(&mutants, &mut page)?,
        Format::Json => formats::json::write_array(&mutants, &mut out)?,
        Format::Jsonl => formats::json::write_lines(&mutants, &mut out)?,
        Format::Csv => formats::csv::write(&mutants, &mut out)?,
        // Byte for byte, unless a terminal would interpret the bytes.
        Format::Diff => formats::diff::of_all(&mutants).try_for_each(|diff| match terminal::is_read_by_people() {
            true => formats::diff::show(&diff, &mut page),
            false => formats::diff::write(&diff, &mut out),
        })?,
    }
    out.flush()?;
    terminal::print(&page)?;
    if mutants.is_empty() {
        console.note("nothing that changed has a mutant");
    }
    Ok(())
}
