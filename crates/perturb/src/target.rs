//! Finds what the arguments name: a project, or a single file.

use crate::args::{Global, Select};
use crate::config::{self, Config};
use crate::console::Console;
use crate::exit::Failure;
use crate::visible;
use std::path::{Path, PathBuf};

/// The name of the work folder in the project's folder, unless `--work` names another.
pub const WORK_FOLDER: &str = ".perturb";

/// What to analyse. All paths are absolute.
#[derive(Debug)]
pub struct Target {
    /// A project's folder, or a single source file.
    pub path: PathBuf,
    /// The folder that configuration and work folder belong to.
    pub folder: PathBuf,
    /// The work folder.
    pub work: PathBuf,
    /// The files and folders of the project to analyse.
    pub paths: Vec<PathBuf>,
}

impl Target {
    pub fn find(global: &Global, select: &Select, console: &Console) -> Result<Self, Failure> {
        let current = existing(Path::new("."))?;
        let here = match &global.project {
            Some(folder) => existing_folder(folder)?,
            None => project_above(&current),
        };
        // With -C, paths are relative to the project's folder.
        let from = if global.project.is_some() { here.as_path() } else { Path::new("") };
        let paths: Vec<_> = select.paths.iter().map(|path| existing(&from.join(path))).collect::<Result<_, _>>()?;
        let is_project = is_project(global, &here)?;
        match paths.as_slice() {
            [file] if file.is_file() && (!is_project || !file.starts_with(&here) || !select.flags.is_empty()) => {
                let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
                Ok(Self::new(global, file.clone(), folder, Vec::new()))
            }
            _ if !select.flags.is_empty() => Err(Failure::usage_text(
                "flags after `--` are for one source file: name it, or leave the flags to the project's build",
            )),
            [folder] if folder.is_dir() && !is_project => {
                Ok(Self::new(global, folder.clone(), folder.clone(), Vec::new()))
            }
            _ => {
                if global.project.is_none() && here != current {
                    console.note(format_args!("the project is {}", visible::path(&here)));
                }
                refuse_users_folder(global, &here)?;
                Ok(Self::new(global, here.clone(), here, paths))
            }
        }
    }

    /// Only the work folder, for commands that need no project.
    pub fn work(global: &Global) -> Result<PathBuf, Failure> {
        match &global.work {
            Some(work) => Ok(work.clone()),
            None => Ok(Self::project(global)?.join(WORK_FOLDER)),
        }
    }

    /// Only the folder of the project.
    pub fn project(global: &Global) -> Result<PathBuf, Failure> {
        match &global.project {
            Some(project) => existing_folder(project),
            None => Ok(project_above(&existing(Path::new("."))?)),
        }
    }

    /// Whether the target is a folder that can be built.
    pub fn is_project(&self, global: &Global) -> Result<bool, Failure> {
        Ok(self.path.is_dir() && is_project(global, &self.path)?)
    }

    fn new(global: &Global, path: PathBuf, folder: PathBuf, paths: Vec<PathBuf>) -> Self {
        let work = global.work.clone().unwrap_or_else(|| folder.join(WORK_FOLDER));
        Self { path, folder, work, paths }
    }
}

/// Whether a folder, its configuration or the command line says how to build it.
fn is_project(global: &Global, folder: &Path) -> Result<bool, Failure> {
    let config = Config::read(global.config.as_deref(), folder)?.project;
    let named = global.build.is_some() || global.compile_commands.is_some();
    let configured = config.build.is_some() || config.compile_commands.is_some();
    Ok(named || configured || perturb_host::looks_like_project(folder))
}

pub fn existing(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| Failure::usage_text(format!("{}: {error}", visible::path(path))))
}

/// Refuses a work folder with the user's files in it: a folder in the project has to be new, empty or ours.
fn refuse_users_folder(global: &Global, root: &Path) -> Result<(), Failure> {
    let Some(work) = global.work.as_deref() else { return Ok(()) };
    let Ok(real) = work.canonicalize() else { return Ok(()) };
    if real == root || (real.starts_with(root) && !perturb_host::is_work_folder(&real)) {
        let work = visible::path(work);
        return Err(Failure::usage_text(format!(
            "`--work {work}` is a folder with sources or other files of the project, where perturb never writes: name \
             another folder, or one that does not exist yet"
        )));
    }
    Ok(())
}

fn existing_folder(path: &Path) -> Result<PathBuf, Failure> {
    let found = existing(path)?;
    if found.is_dir() {
        return Ok(found);
    }
    let path = visible::path(path);
    Err(Failure::usage_text(format!(
        "{path} is a file: -C takes the folder of a project; for one source file, `perturb mutants {path}`"
    )))
}

/// The nearest folder, this one or above, that is configured; otherwise the nearest that can be built; otherwise this
/// one. The search ends at the repository, or without a repository at the user's home.
fn project_above(folder: &Path) -> PathBuf {
    let repository = folder.ancestors().find(|above| above.join(".git").exists());
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let is_within = |above: &&Path| match repository {
        Some(top) => above.starts_with(top),
        None => above.parent().is_some() && home.as_deref() != Some(*above),
    };
    let within = || folder.ancestors().take_while(is_within);
    let configured = within().find(|above| above.join(config::FILE_NAME).is_file());
    let built = || within().find(|above| perturb_host::looks_like_project(above));
    configured.or_else(built).unwrap_or(folder).to_path_buf()
}
