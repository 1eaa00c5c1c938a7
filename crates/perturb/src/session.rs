//! Makes validated values of the command line: the project, the configuration, libclang, the mutants.

use crate::args::{Global, Select};
use crate::config::Config;
use crate::console::Console;
use crate::exit::Failure;
use crate::target::{existing, Target};
use crate::visible;
use perturb_csrc::{Libclang, OperatorSet};
use perturb_equiv::compare::contracts::{Contracts, ContractsError};
use perturb_equiv::MutatedProject;
use perturb_host::{DiscoverOptions, Project};
use perturb_model::{Event, LinesByFile, Mutant, Review, Selection};
use perturb_pipeline::steps::mutate::{mutate, MutateOptions, Mutated};
use perturb_pipeline::PipelineError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A project, with everything that is needed to list its mutants.
pub struct Session {
    pub project: Project,
    pub libclang: Libclang,
    pub config: Config,
    /// The work folder, an absolute path.
    pub work: PathBuf,
    /// How the project was found.
    pub discover: DiscoverOptions,
    pub jobs: usize,
    review: Review,
    paths: Vec<PathBuf>,
}

impl Session {
    pub fn open(global: &Global, select: &Select, console: &Console) -> Result<Self, Failure> {
        Self::open_at(Target::find(global, select, console)?, global, select, console)
    }

    pub fn open_at(target: Target, global: &Global, select: &Select, console: &Console) -> Result<Self, Failure> {
        let config = Config::read(global.config.as_deref(), &target.folder)?;
        let libclang = load_libclang(global)?;
        let discover = discover_options(global, &config, select);
        let project = find_project(&discover, &target, console)?;
        console.notices(&project.notices);
        let beside = global.config.as_deref().and_then(Path::parent).unwrap_or(&target.folder);
        let review = Review::read(&beside.join(Review::FILE_NAME)).map_err(Failure::usage)?;
        let Target { work, paths, .. } = target;
        let work = work.canonicalize().unwrap_or(work);
        Ok(Self { project, libclang, config, work, discover, review, jobs: jobs(global), paths })
    }

    /// The contracts of functions in the configuration.
    pub fn contracts(&self) -> Result<Arc<Contracts>, Failure> {
        let Config { contracts, path, .. } = &self.config;
        let read = Contracts::read(contracts, &self.project, &self.libclang)?;
        let failed = |(key, error): (String, ContractsError)| {
            let context = format!("in {}: [contracts] \"{key}\"", visible::path(path));
            Failure::usage(anyhow::Error::new(error).context(context))
        };
        read.map(Arc::new).map_err(failed)
    }

    /// Lists the selected mutants.
    pub fn mutants(&self, select: &Select, console: &Console) -> Result<Vec<Mutant>, Failure> {
        self.mutants_reporting(select, &mut |event| console.event(&event))
    }

    /// Lists the selected mutants, and reports events to another receiver.
    pub fn mutants_reporting(&self, select: &Select, report: &mut dyn FnMut(Event)) -> Result<Vec<Mutant>, Failure> {
        self.mutants_in(select, self.selection(select)?, report)
    }

    /// Lists the selected mutants, with the texts that contain them all.
    pub fn mutated(&self, select: &Select, report: &mut dyn FnMut(Event)) -> Result<Mutated, Failure> {
        self.mutate(select, self.selection(select)?, true, report)
    }

    /// The project with these mutants, whose functions are compared.
    pub fn compared<'s>(&'s self, mutated: &'s Mutated) -> MutatedProject<'s> {
        let Mutated { mutants, copyable, .. } = mutated;
        MutatedProject { project: &self.project, mutants, copyable, libclang: &self.libclang }
    }

    /// Lists the mutants of another selection.
    pub fn mutants_in(
        &self,
        select: &Select,
        selection: Selection,
        report: &mut dyn FnMut(Event),
    ) -> Result<Vec<Mutant>, Failure> {
        self.mutate(select, selection, false, report).map(|mutated| mutated.mutants)
    }

    fn mutate(
        &self,
        select: &Select,
        selection: Selection,
        instrument: bool,
        report: &mut dyn FnMut(Event),
    ) -> Result<Mutated, Failure> {
        let operators = match &select.operators {
            Some(text) => text.parse().map_err(Failure::usage)?,
            None => self.config.mutants.operators.clone().unwrap_or_else(OperatorSet::mass),
        };
        let never_in = self.config.mutants.never_in.clone();
        let mutate_macros = select.mutate_macros || self.config.mutants.mutate_macros;
        let jobs = self.jobs;
        let options = MutateOptions { operators, never_in, mutate_macros, selection, instrument, jobs };
        mutate(&self.project, &self.libclang, &self.review, &options, report).map_err(|error| match error {
            PipelineError::NothingParsed { .. } | PipelineError::NoThread(_) => Failure::unusable(error),
            _ => Failure::usage(error),
        })
    }

    pub fn selection(&self, select: &Select) -> Result<Selection, Failure> {
        let paths = self.paths.iter().map(|path| self.below_root(path)).collect::<Result<_, _>>()?;
        let lines = (!select.lines.is_empty()).then(|| self.lines(&select.lines)).transpose()?;
        let changed = select.diff.as_deref().map(|revision| perturb_host::changed_lines(&self.project.root, revision));
        let changed = changed.transpose().map_err(Failure::usage)?;
        let ids = select.mutant.iter().map(|id| mutant_id(id)).collect::<Result<_, _>>()?;
        Ok(Selection { paths, functions: select.function.clone(), lines, changed, ids })
    }

    fn below_root(&self, path: &Path) -> Result<PathBuf, Failure> {
        let outside = || {
            let root = visible::path(&self.project.root);
            Failure::usage_text(format!("{} is not in the project at {root}", visible::path(path)))
        };
        path.strip_prefix(&self.project.root).map(Path::to_path_buf).map_err(|_| outside())
    }

    /// Parses `FILE:A-B` and `FILE:A`; the path is relative to the current folder or to the root.
    fn lines(&self, texts: &[String]) -> Result<LinesByFile, Failure> {
        let mut lines = LinesByFile::new();
        for text in texts {
            let bad = || {
                Failure::usage_text(format!(
                    "`{}`: write --lines FILE:FIRST-LAST, such as src/ring.c:10-20",
                    visible::line(text)
                ))
            };
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

/// Parses the digits of an id, or the first of them.
pub fn mutant_id(text: &str) -> Result<String, Failure> {
    let digits = text.to_ascii_lowercase();
    if digits.is_empty() || digits.len() > 16 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        let text = visible::line(text);
        return Err(Failure::usage_text(format!("`{text}` is no mutant id: ids are 16 hexadecimal digits")));
    }
    Ok(digits)
}

pub fn load_libclang(global: &Global) -> Result<Libclang, Failure> {
    let loaded = global.libclang.as_deref().map_or_else(Libclang::newest, Libclang::named);
    loaded.map_err(Failure::unusable)
}

/// Finds the project for `doctor` and `init`.
pub fn discover(
    global: &Global,
    config: &Config,
    target: &Target,
    select: &Select,
    console: &Console,
) -> Result<Project, Failure> {
    find_project(&discover_options(global, config, select), target, console)
}

fn discover_options(global: &Global, config: &Config, select: &Select) -> DiscoverOptions {
    DiscoverOptions {
        build_command: global.build.clone().or_else(|| config.project.build.clone()),
        compile_database: global.compile_commands.clone().or_else(|| config.project.compile_commands.clone()),
        include: config.project.include.clone(),
        exclude: config.project.exclude.clone(),
        single_file_flags: select.flags.clone(),
        compiler: None,
        configure_arguments: config.project.configure.clone(),
        rebuild: global.rebuild,
        added_flags: Vec::new(),
        variables: Vec::new(),
    }
}

fn find_project(options: &DiscoverOptions, target: &Target, console: &Console) -> Result<Project, Failure> {
    let mut report = |progress: &perturb_host::DiscoveryProgress| console.note(progress);
    Ok(perturb_host::discover(&target.path, &target.work, options, &mut report)?)
}

/// The number of workers.
pub fn jobs(global: &Global) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    global.jobs.map_or_else(cores, usize::from)
}
