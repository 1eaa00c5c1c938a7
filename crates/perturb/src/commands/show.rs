//! `perturb show ID`: what a mutant changes, what the tests found, how to reproduce it and how to suppress it.

pub mod reproduce;
mod stored;

use crate::args::{Global, Show};
use crate::console::Console;
use crate::exit::Failure;
use crate::page::{Page, Style};
use crate::session::{mutant_id, Session};
use crate::{formats, terminal, visible};
use perturb_model::{Mutant, MutantId, Suppression};
use perturb_store::{StoreError, StoreReader};
use stored::StoredMutant;

pub use reproduce::Rerun;

pub fn run(global: &Global, arguments: &Show, console: &Console) -> Result<(), Failure> {
    let session = Session::open(global, &arguments.select, console)?;
    let mutants = session.mutants(&arguments.select, console)?;
    let store = open_store(&session, console);
    let mut page = Page::default();
    let out = &mut page;
    match super::by_id(&mutants, &arguments.id) {
        Ok(mutant) => {
            let stored = store.and_then(|store| read(&store, mutant.id, &session, console));
            write_mutant(mutant, out)?;
            match stored {
                Some(stored) => {
                    stored.write(arguments.all_tests, out)?;
                    reproduce::write(&session, global, mutant, &stored, out)?;
                }
                None => {
                    writeln!(out)?;
                    writeln!(out, "To try it by hand: perturb apply {} --to DIR", mutant.id)?;
                }
            }
            if mutant.suppression.is_none() {
                write_how_to_suppress(mutant, out)?;
            }
        }
        Err(failure) => {
            // The code has changed, but the store may still have the mutant.
            let digits = mutant_id(&arguments.id)?;
            let id = store.as_ref().and_then(|store| stored::stored_id(store, &digits).ok().flatten());
            let found = store.zip(id).and_then(|(store, id)| read(&store, id, &session, console));
            let Some(stored) = found else { return Err(failure) };
            console.warning("this mutant is not in the code any more: what follows is from the store");
            write_mutant(stored.mutant(), out)?;
            stored.write(arguments.all_tests, out)?;
        }
    }
    Ok(terminal::print(&page)?)
}

/// If the store cannot be used, warns and goes on without it.
fn open_store(session: &Session, console: &Console) -> Option<StoreReader> {
    match StoreReader::open(&session.work) {
        Ok(reader) => Some(reader),
        Err(StoreError::Missing { .. }) => None,
        Err(error) => {
            console.warning(error);
            None
        }
    }
}

fn read(store: &StoreReader, id: MutantId, session: &Session, console: &Console) -> Option<StoredMutant> {
    StoredMutant::read(store, id, &session.project.root, &session.work).unwrap_or_else(|error| {
        console.warning(error);
        None
    })
}

fn write_mutant(mutant: &Mutant, out: &mut Page) -> std::io::Result<()> {
    let bold = Style::BOLD;
    writeln!(out, "{bold}{}{bold:#}", mutant.name())?;
    writeln!(out, "id          {}", mutant.id)?;
    writeln!(out, "operator    {}, {}", mutant.operator, mutant.operator.title())?;
    let (start, end) = (mutant.start(), mutant.end());
    let file = visible::path(&mutant.file.relative);
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
    write_suppression(mutant, out)?;
    writeln!(out)?;
    formats::diff::show(&formats::diff::of(mutant), out)
}

fn write_suppression(mutant: &Mutant, out: &mut Page) -> std::io::Result<()> {
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

fn write_how_to_suppress(mutant: &Mutant, out: &mut Page) -> std::io::Result<()> {
    let operator = mutant.operator;
    let id = mutant.id;
    let line = mutant.start().line;
    writeln!(out)?;
    writeln!(out, "To leave it out, say why: on line {line} or alone on the line above")?;
    writeln!(out, "    {}", formats::suppression_comment(operator))?;
    writeln!(out, "or, without touching the code, in {}", perturb_model::Review::FILE_NAME)?;
    let disposition = "disposition = \"equivalent\"  # or \"accepted\", \"todo\"";
    let entry = format!(
        "[[mutant]]\nid = \"{id}\"\n{disposition}\nreason = \"REASON\"\nreviewer = \"NAME\"\ndate = 2026-01-01"
    );
    out.lines("    ", &entry);
    Ok(())
}
