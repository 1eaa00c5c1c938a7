//! `perturb report`: reports what the last run found, from the store alone.

mod html;

use super::threshold;
use crate::args::{Global, Report, ReportFormat};
use crate::console::Console;
use crate::exit::Failure;
use crate::formats::tables::{Table, Tables};
use crate::formats::{compare, elements, github, junit, markdown, report, sarif};
use crate::page::Page;
use crate::target::Target;
use crate::{out_file, terminal, visible};
use anyhow::Context;
use perturb_store::{StoreError, StoreReader, StoredRun};
use std::io::Write;
use std::path::Path;

pub fn run(global: &Global, arguments: &Report, console: &Console) -> Result<(), Failure> {
    let work = Target::work(global)?;
    let reader = StoreReader::open(&work)?;
    let latest = reader.latest()?;
    let id = latest.ok_or(StoreError::Missing { work })?;
    let run = reader.run(id)?;
    warn_of_another_root(global, &run, console);
    // perturb reads everything before it writes a byte.
    let file = arguments.out.as_deref();
    match &arguments.compare {
        Some(old) => {
            let write = |out: &mut Page| Ok(compare::write(&earlier(&reader, &run, old)?, &run, out)?);
            write_page(file, Page::default(), write)?
        }
        None => write(global, &reader, &run, arguments, console)?,
    }
    threshold::check(&run, arguments.fail_under)
}

/// A copy of a project, with its work folder, has the results of the first project until perturb runs in the copy.
fn warn_of_another_root(global: &Global, run: &StoredRun, console: &Console) {
    let Ok(project) = Target::project(global) else { return };
    if global.work.is_none() && run.root != project && run.root.is_dir() {
        console.warning(format_args!(
            "the last run was of the project in {}: `perturb run` here analyses {}",
            visible::path(&run.root),
            visible::path(&project)
        ));
    }
}

fn write(
    global: &Global,
    reader: &StoreReader,
    run: &StoredRun,
    arguments: &Report,
    console: &Console,
) -> Result<(), Failure> {
    let file = arguments.out.as_deref();
    match arguments.format {
        ReportFormat::Text => write_page(file, Page::default(), |out| Ok(report::write(run, out)?)),
        ReportFormat::Json => {
            let report = elements::Report::read(reader, run)?;
            write_out(file, |out| report.write(out))
        }
        ReportFormat::Junit => {
            let report = junit::Report::read(reader, run)?;
            write_page(file, Page::default(), |out| Ok(report.write(out)?))
        }
        ReportFormat::Sarif => write_out(file, |out| sarif::write(run, out)),
        ReportFormat::Csv => write_tables(&Tables::read(reader, run)?, file),
        ReportFormat::Html => html::write(global, reader, run, file, console),
        ReportFormat::Markdown => write_page(file, Page::default(), |out| Ok(markdown::write(run, out)?)),
        ReportFormat::Github => write_page(file, Page::of_commands(), |out| Ok(github::write(run, out)?)),
    }
}

/// Writes all tables into a folder, or the first one to standard output.
fn write_tables(tables: &Tables<'_>, folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return write_out(None, |out| tables.write(Table::Mutants, out)) };
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", visible::path(folder)))
        .map_err(Failure::unusable)?;
    Table::ALL
        .into_iter()
        .try_for_each(|table| write_out(Some(&folder.join(table.file())), |out| tables.write(table, out)))
}

/// The run to compare with.
fn earlier(reader: &StoreReader, run: &StoredRun, old: &str) -> Result<StoredRun, Failure> {
    if old.bytes().all(|byte| byte.is_ascii_digit()) {
        let mut others = reader.listed()?;
        others.retain(|id| *id != run.id);
        if let Some(id) = others.iter().find(|id| id.to_string() == old) {
            return Ok(reader.run(*id)?);
        }
        let known = match others.is_empty() {
            true => "no other is kept".to_string(),
            false => format!("kept are {}", others.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        };
        return Err(Failure::usage_text(format!("`--compare {old}`: there is no such run in this store; {known}")));
    }
    let work = Path::new(old);
    let other = StoreReader::open(work)?;
    let id = other.latest()?.ok_or(StoreError::Missing { work: work.to_path_buf() })?;
    Ok(other.run(id)?)
}

/// Writes a text for people, in colour only on a terminal.
fn write_page(
    file: Option<&Path>,
    mut page: Page,
    content: impl FnOnce(&mut Page) -> Result<(), Failure>,
) -> Result<(), Failure> {
    content(&mut page)?;
    match file {
        None => Ok(terminal::print(&page)?),
        Some(_) => write_out(file, |out| out.write_all(page.plain().as_bytes())),
    }
}

/// Writes data for programs, to the named file or to standard output.
fn write_out(file: Option<&Path>, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    let Some(file) = file else {
        return Ok(terminal::write_data(|out| content(out))?);
    };
    let written = out_file::write(file, content).with_context(|| format!("cannot write {}", visible::path(file)));
    written.map_err(Failure::unusable)
}
