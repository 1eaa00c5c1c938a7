//! `perturb apply ID --to DIR`: the mutated file, somewhere else. Never in place.

use crate::args::{Apply, Global};
use crate::console::Console;
use crate::exit::Failure;
use crate::session::Session;
use anyhow::Context;
use perturb_pipeline::Mutant;
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(global: &Global, arguments: &Apply, console: &Console) -> Result<(), Failure> {
    // Without --all the first word is the id.
    let mut select = arguments.select.clone();
    let id = match (arguments.all, select.paths.is_empty()) {
        (true, _) => None,
        (false, true) => return Err(Failure::usage_text("which mutant? give its id, or --all")),
        (false, false) => Some(select.paths.remove(0).to_string_lossy().into_owned()),
    };
    let session = Session::open(global, &select, console)?;
    let mutants = session.mutants(&select, console)?;
    let root = &session.project.root;
    let mut out = anstream::stdout();
    match id {
        Some(id) => {
            let mutant = super::by_id(&mutants, &id)?;
            let file = write(mutant, &arguments.to, root)?;
            writeln!(out, "{}", file.display())?;
        }
        None if mutants.is_empty() => return Err(Failure::nothing("no mutant to apply")),
        None => {
            for mutant in &mutants {
                write(mutant, &arguments.to.join(mutant.id.to_string()), root)?;
            }
            writeln!(out, "{} mutants in {}", mutants.len(), arguments.to.display())?;
        }
    }
    Ok(())
}

fn write(mutant: &Mutant, folder: &Path, root: &Path) -> Result<PathBuf, Failure> {
    let file = folder.join(&mutant.file.relative);
    refuse_in_place(&file, root)?;
    let parent = file.parent().expect("a file below a folder has a parent");
    std::fs::create_dir_all(parent)
        .with_context(|| format!("cannot create {}", parent.display()))
        .map_err(Failure::unusable)?;
    let text = mutant.mutated_text();
    std::fs::write(&file, text)
        .with_context(|| format!("cannot write {}", file.display()))
        .map_err(Failure::unusable)?;
    Ok(file)
}

/// A file of the user's tree is never replaced, whichever way the path leads to it.
fn refuse_in_place(file: &Path, root: &Path) -> Result<(), Failure> {
    match file.canonicalize() {
        Ok(real) if real.starts_with(root) => Err(Failure::usage_text(format!(
            "{} is a file of the project: perturb never writes in place; give --to a folder outside it",
            real.display()
        ))),
        _ => Ok(()),
    }
}
