//! `perturb apply ID --to DIR`: writes the mutated file into another folder, never in place.

use crate::args::{Apply, Global};
use crate::console::Console;
use crate::exit::Failure;
use crate::page::Page;
use crate::session::Session;
use crate::{terminal, visible};
use anyhow::Context;
use perturb_model::Mutant;
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(global: &Global, arguments: &Apply, console: &Console) -> Result<(), Failure> {
    // Without --all the first word is the id.
    let mut select = arguments.select.clone();
    let id = match (arguments.all, select.paths.is_empty()) {
        (true, _) => None,
        (false, true) => return Err(Failure::usage_text("which mutant? give its id, or --all")),
        (false, false) => Some(visible::name(&select.paths.remove(0)).into_owned()),
    };
    let session = Session::open(global, &select, console)?;
    let mutants = session.mutants(&select, console)?;
    let mut page = Page::default();
    match id {
        Some(id) => {
            let mutant = super::by_id(&mutants, &id)?;
            let file = write(mutant, &arguments.to, &session)?;
            writeln!(page, "{}", visible::path(&file))?;
        }
        None if mutants.is_empty() => return Err(Failure::nothing("no mutant to apply")),
        None => {
            for mutant in &mutants {
                write(mutant, &arguments.to.join(mutant.id.to_string()), &session)?;
            }
            writeln!(page, "{} mutants in {}", mutants.len(), visible::path(&arguments.to))?;
        }
    }
    Ok(terminal::print(&page)?)
}

fn write(mutant: &Mutant, folder: &Path, session: &Session) -> Result<PathBuf, Failure> {
    write_below(folder, &mutant.file.relative, &mutant.mutated_text(), session)
}

/// Writes a text into another folder, under the path that the file has in the project.
pub(super) fn write_below(folder: &Path, relative: &Path, text: &[u8], session: &Session) -> Result<PathBuf, Failure> {
    let file = folder.join(relative);
    let parent = file.parent().expect("a file below a folder has a parent");
    refuse_in_project(parent, session)?;
    let failed = |action: &str, path: &Path| format!("cannot {action} {}", visible::path(path));
    std::fs::create_dir_all(parent).with_context(|| failed("create", parent)).map_err(Failure::unusable)?;
    replace(&file, text).with_context(|| failed("write", &file)).map_err(Failure::unusable)?;
    Ok(file)
}

/// Creates a new file, because an old one may be a hard link to the user's own (`cp -al` makes such copies).
fn replace(file: &Path, text: &[u8]) -> std::io::Result<()> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::OpenOptions::new().write(true).create_new(true).open(file)?.write_all(text)
}

/// Refuses folders in the user's tree, also by way of links; the work folder is allowed.
fn refuse_in_project(folder: &Path, session: &Session) -> Result<(), Failure> {
    let real = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let there = absolute.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
        there.map(|(above, real)| real.join(absolute.strip_prefix(above).expect("an ancestor is a prefix")))
    };
    let (folder, work) = (real(folder), real(&session.work));
    let Some(folder) = folder.filter(|folder| folder.starts_with(&session.project.root)) else { return Ok(()) };
    if work.is_some_and(|work| folder.starts_with(work)) {
        return Ok(());
    }
    Err(Failure::usage_text(format!(
        "perturb never writes in place, and {} is in the project: give --to a folder outside it",
        visible::path(&folder)
    )))
}
