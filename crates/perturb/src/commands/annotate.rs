//! `perturb equiv --annotate`: writes contracts for functions that have none, as a diff or into copies of the files,
//! never in place.

use super::apply::write_below;
use crate::args::{Equiv, EquivFormat, Global};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats::{annotations, diff};
use crate::page::Page;
use crate::session::Session;
use crate::{terminal, visible};
use perturb_equiv::compare::annotate::{annotate, AnnotatedFile};
use std::path::{Path, PathBuf};

pub fn run(global: &Global, arguments: &Equiv, console: &Console) -> Result<(), Failure> {
    let session = Session::open(global, &arguments.select, console)?;
    let selection = session.selection(&arguments.select)?;
    let contracts = session.contracts()?;
    let files = annotate(&session.project, &session.libclang, &selection, &contracts)?;
    let copies = arguments.to.as_deref().map(|folder| write_copies(&files, folder, &session)).transpose()?;
    match (arguments.format, copies) {
        (EquivFormat::Text, None) => {
            let lines = annotations::diff(&files);
            match terminal::is_read_by_people() {
                true => {
                    let mut page = Page::default();
                    diff::show(&lines, &mut page)?;
                    terminal::print(&page)?;
                }
                false => terminal::write_data(|out| diff::write(&lines, out))?,
            }
        }
        (EquivFormat::Text, Some(copies)) => {
            let mut page = Page::default();
            copies.iter().try_for_each(|copy| writeln!(page, "{}", visible::path(copy)))?;
            terminal::print(&page)?;
        }
        (EquivFormat::Json, _) => terminal::write_data(|out| annotations::write_array(&files, out))?,
        (EquivFormat::Jsonl, _) => terminal::write_data(|out| annotations::write_lines(&files, out))?,
    }
    if arguments.format == EquivFormat::Text {
        note_others(&files, console);
    }
    Ok(())
}

/// Writes the files that get a new contract.
fn write_copies(files: &[AnnotatedFile], folder: &Path, session: &Session) -> Result<Vec<PathBuf>, Failure> {
    let is_new = |file: &&AnnotatedFile| file.functions.iter().any(|function| function.contract.is_ok());
    let write = |file: &AnnotatedFile| write_below(folder, &file.relative, &file.text(), session);
    files.iter().filter(is_new).map(write).collect()
}

/// Notes the functions that get no contract, and why.
fn note_others(files: &[AnnotatedFile], console: &Console) {
    for file in files {
        let name = visible::path(&file.relative);
        if let Some(why) = &file.why_not {
            console.note(format_args!("{name}: no contracts: {why}"));
        }
        for function in &file.functions {
            if let Err(why) = &function.contract {
                console.note(format_args!("{name}:{}: no contract for {}(): {why}", function.line, function.function));
            }
        }
    }
    if files.iter().all(|file| file.functions.is_empty() && file.why_not.is_none()) {
        console.note("every function that is asked for has a contract, or there is none");
    }
}
