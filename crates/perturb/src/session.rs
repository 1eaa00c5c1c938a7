//! From what was typed to checked values: which project, which configuration, which libclang, which mutants.

use crate::args::{Global, Select};
use crate::config::{self, Config};
use crate::console::Console;
use crate::exit::Failure;
use perturb_csrc::{Libclang, OperatorSet};
use perturb_host::{DiscoverOptions, Project};
use perturb_pipeline::steps::mutate::{mutate, MutateOptions};
use perturb_pipeline::{Event, LinesByFile, Mutant, Review, Selection};
use std::path::{Path, PathBuf};

/// A project that was found, with all that is needed to list its mutants.
pub struct Session {
    pub project: Project,
    pub libclang: Libclang,
    pub config: Config,
    review: Review,
    jobs: usize,
    paths: Vec<PathBuf>,
}

/// What the arguments point at.
pub struct Target {
    /// A project's folder, or a single source file.
    pub path: PathBuf,
    /// The folder that configuration and work folder belong to.
    pub folder: PathBuf,
    /// Files and folders of the project to look at, absolute.
    pub paths: Vec<PathBuf>,
}

impl Target {
    pub fn find(global: &Global, select: &Select) -> Result<Self, Failure> {
        let here = match &global.project {
            Some(folder) => existing(folder)?,
            None => project_above(&existing(Path::new("."))?),
        };
        // With -C, paths are those of the project, as if one were in its folder.
        let from = if global.project.is_some() { here.as_path() } else { Path::new("") };
        let paths: Vec<_> = select.paths.iter().map(|path| existing(&from.join(path))).collect::<Result<_, _>>()?;
        let config = Config::read(global.config.as_deref(), &here)?.project;
        let named = global.build.is_some() || global.compile_commands.is_some();
        let named = named || config.build.is_some() || config.compile_commands.is_some();
        let is_project = named || perturb_host::looks_like_project(&here);
        match paths.as_slice() {
            [file] if file.is_file() && (!is_project || !select.flags.is_empty()) => {
                let folder = file.parent().unwrap_or(Path::new("/")).to_path_buf();
                Ok(Self { path: file.clone(), folder, paths: Vec::new() })
            }
            _ if !select.flags.is_empty() => Err(Failure::usage_text(
                "flags after `--` are for one source file: name it, or leave the flags to the project's build",
            )),
            [folder] if folder.is_dir() && !is_project => {
                Ok(Self { path: folder.clone(), folder: folder.clone(), paths: Vec::new() })
            }
            _ => Ok(Self { path: here.clone(), folder: here, paths }),
        }
    }
}

fn existing(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(|error| Failure::usage_text(format!("{}: {error}", path.display())))
}

/// The nearest folder at or above this one with a configuration; this one if there is none.
fn project_above(folder: &Path) -> PathBuf {
    let configured = folder.ancestors().find(|above| above.join(config::FILE_NAME).is_file());
    configured.unwrap_or(folder).to_path_buf()
}

impl Session {
    pub fn open(global: &Global, select: &Select, console: &Console) -> Result<Self, Failure> {
        let target = Target::find(global, select)?;
        let config = Config::read(global.config.as_deref(), &target.folder)?;
        let libclang = load_libclang(global)?;
        let project = discover(global, &config, &target, select)?;
        console.notices(&project.notices);
        let review = Review::read(&target.folder.join(Review::FILE_NAME)).map_err(Failure::usage)?;
        Ok(Self { project, libclang, config, review, jobs: jobs(global), paths: target.paths })
    }

    /// Lists the mutants that are asked for.
    pub fn mutants(&self, select: &Select, console: &Console) -> Result<Vec<Mutant>, Failure> {
        self.mutants_telling(select, &mut |event| console.event(&event))
    }

    /// The same, with what is told on the way going elsewhere.
    pub fn mutants_telling(&self, select: &Select, tell: &mut dyn FnMut(Event)) -> Result<Vec<Mutant>, Failure> {
        let operators = match &select.operators {
            Some(text) => text.parse().map_err(Failure::usage)?,
            None => self.config.mutants.operators.clone().unwrap_or_else(OperatorSet::mass),
        };
        let selection = self.selection(select)?;
        let never_in = self.config.mutants.never_in.clone();
        let mutate_macros = select.mutate_macros || self.config.mutants.mutate_macros;
        let options = MutateOptions { operators, never_in, mutate_macros, selection, jobs: self.jobs };
        mutate(&self.project, &self.libclang, &self.review, &options, tell).map_err(Failure::usage)
    }

    fn selection(&self, select: &Select) -> Result<Selection, Failure> {
        let paths = self.paths.iter().map(|path| self.below_root(path)).collect::<Result<_, _>>()?;
        let lines = (!select.lines.is_empty()).then(|| self.lines(&select.lines)).transpose()?;
        let changed = select.diff.as_deref().map(|revision| perturb_host::changed_lines(&self.project.root, revision));
        let changed = changed.transpose().map_err(Failure::usage)?;
        Ok(Selection { paths, functions: select.function.clone(), lines, changed })
    }

    fn below_root(&self, path: &Path) -> Result<PathBuf, Failure> {
        let outside = || {
            let root = self.project.root.display();
            Failure::usage_text(format!("{} is not in the project at {root}", path.display()))
        };
        path.strip_prefix(&self.project.root).map(Path::to_path_buf).map_err(|_| outside())
    }

    /// `FILE:A-B` and `FILE:A`, the file below the current folder or below the root.
    fn lines(&self, texts: &[String]) -> Result<LinesByFile, Failure> {
        let mut lines = LinesByFile::new();
        for text in texts {
            let bad =
                || Failure::usage_text(format!("`{text}`: write --lines FILE:FIRST-LAST, such as src/ring.c:10-20"));
            let (file, range) = text.rsplit_once(':').ok_or_else(bad)?;
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.parse().map_err(|_| bad())?, last.parse().map_err(|_| bad())?);
            if first == 0 || last < first {
                return Err(bad());
            }
            let in_root = self.project.root.join(file);
            let path = existing(Path::new(file)).or_else(|error| existing(&in_root).map_err(|_| error))?;
            lines.entry(self.below_root(&path)?).or_default().push(first..=last);
        }
        Ok(lines)
    }
}

pub fn load_libclang(global: &Global) -> Result<Libclang, Failure> {
    let loaded = global.libclang.as_deref().map_or_else(Libclang::newest, Libclang::named);
    loaded.map_err(Failure::unusable)
}

pub fn discover(global: &Global, config: &Config, target: &Target, select: &Select) -> Result<Project, Failure> {
    let options = DiscoverOptions {
        build_command: global.build.clone().or_else(|| config.project.build.clone()),
        compile_database: global.compile_commands.clone().or_else(|| config.project.compile_commands.clone()),
        include: config.project.include.clone(),
        exclude: config.project.exclude.clone(),
        single_file_flags: select.flags.clone(),
        compiler: None,
        configure_arguments: config.project.configure.clone(),
    };
    let work = global.work.clone().unwrap_or_else(|| target.folder.join(".perturb"));
    perturb_host::discover(&target.path, &work, &options).map_err(Failure::unusable)
}

fn jobs(global: &Global) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    global.jobs.map_or_else(cores, usize::from)
}
