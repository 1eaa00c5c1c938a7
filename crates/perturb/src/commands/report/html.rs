//! Writes the report for a browser: to standard output or one file, or as an index with a folder of pages beside it.

use crate::args::Global;
use crate::commands::show::Rerun;
use crate::console::Console;
use crate::exit::Failure;
use crate::formats::html::Report;
use crate::formats::plural;
use crate::{out_file, visible};
use anyhow::Context;
use perturb_store::{StoreReader, StoredRun};
use std::fs;
use std::path::{Path, PathBuf};

pub fn write(
    global: &Global,
    reader: &StoreReader,
    run: &StoredRun,
    out: Option<&Path>,
    console: &Console,
) -> Result<(), Failure> {
    let rerun = Rerun::new(global, &run.arguments);
    let report = Report::read(reader, run, Box::new(move |id, outcome| rerun.of(id, outcome)))?;
    let whole = report.whole();
    // A pipe takes only one file, like standard output.
    let is_pipe = out.is_none_or(|out| out.exists() && !out.is_file() && !out.is_dir());
    let index = out.map(index_of).transpose().map_err(Failure::unusable)?;
    match (whole, index) {
        (Some(whole), index) => super::write_out(index.as_deref(), |out| out.write_all(whole.as_bytes())),
        (None, Some(index)) if !is_pipe => write_parts(&report, &index, console),
        (None, _) => Err(Failure::usage_text(format!(
            "a report of {} is an index and a page for each file: name a file or a folder for it with --out",
            plural(run.mutants.len(), "mutant")
        ))),
    }
}

/// The path of the index. A name that ends in `.html`, or an existing path that is no folder, is the index itself; any
/// other name is a folder for it.
fn index_of(out: &Path) -> anyhow::Result<PathBuf> {
    let is_page =
        out.extension().is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"));
    if !out.is_dir() && (is_page || out.exists()) {
        return Ok(out.to_path_buf());
    }
    if !out.is_dir() {
        fs::create_dir(out).with_context(|| format!("cannot make the folder {}", visible::path(out)))?;
    }
    Ok(out.join("index.html"))
}

/// Writes the index and, beside it, a folder named after it, as browsers save a page.
fn write_parts(report: &Report<'_>, index: &Path, console: &Console) -> Result<(), Failure> {
    let name = |path: &Path| visible::name(Path::new(path.file_name().unwrap_or_default())).into_owned();
    let mut folder = index.file_stem().unwrap_or_default().to_os_string();
    folder.push("_files");
    let folder = index.with_file_name(folder);
    let (index_name, folder_name) = (name(index), name(&folder));
    out_file::write_with_folder(index, &folder, "report.css", |put| report.parts(&index_name, &folder_name, put))
        .with_context(|| format!("cannot write {} and {}", visible::path(index), visible::path(&folder)))
        .map_err(Failure::unusable)?;
    console.note(format!(
        "wrote {} and {} in {}",
        visible::path(index),
        plural(report.pages(), "page"),
        visible::path(&folder)
    ));
    Ok(())
}
