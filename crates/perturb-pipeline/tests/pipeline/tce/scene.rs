//! A project of a few files that exists only to be compiled, and the findings on it.

use perturb_csrc::{Libclang, OperatorSet};
use perturb_host::{discover, find_program, DiscoverOptions, Project};
use perturb_model::{Level, Mutant, MutantIdx, Review, Selection};
use perturb_pipeline::steps::mutate::{mutate, MutateOptions, Mutated};
use perturb_pipeline::steps::tce::{Finding, Same, Tce, TceOptions, TceSubject, TceWhen};
use perturb_store::{NewRun, Store};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::SystemTime;

/// The compilers that the tests use, if they are installed.
pub fn compilers() -> Vec<String> {
    let names = ["gcc", "clang", "clang-14", "clang-16", "clang-19"];
    names.iter().filter(|name| find_program(name).is_some()).map(ToString::to_string).collect()
}

pub struct Source {
    folder: tempfile::TempDir,
    compiler: String,
    flags: Vec<String>,
    levels: Vec<Level>,
    fast_floats: bool,
    selection: Selection,
    /// The files to compile, each with flags of its own.
    units: Vec<(String, Vec<String>)>,
}

impl Source {
    /// A project of one file.
    pub fn new(text: &str) -> Source {
        Source::of(&[("a.c", text)], &[("a.c", &[])])
    }

    /// A project of some files, and the units that are compiled.
    pub fn of(files: &[(&str, &str)], units: &[(&str, &[&str])]) -> Source {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("project").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let owned = |flags: &[&str]| flags.iter().map(ToString::to_string).collect();
        let units = units.iter().map(|(file, flags)| (file.to_string(), owned(flags))).collect();
        let levels = TceOptions::LEVELS.to_vec();
        let flags = Vec::new();
        let selection = Selection::default();
        Source { folder, compiler: "gcc".into(), flags, levels, fast_floats: false, selection, units }
    }

    pub fn compiled_by(mut self, compiler: &str) -> Source {
        self.compiler = compiler.into();
        self
    }

    pub fn with_flags(mut self, flags: &[&str]) -> Source {
        self.flags = flags.iter().map(ToString::to_string).collect();
        self
    }

    pub fn at(mut self, levels: &[Level]) -> Source {
        self.levels = levels.to_vec();
        self
    }

    pub fn with_fast_floats(mut self) -> Source {
        self.fast_floats = true;
        self
    }

    /// Selects the mutants of this function only.
    pub fn only(mut self, function: &str) -> Source {
        self.selection.functions.push(function.to_string());
        self
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    pub fn project(&self) -> Project {
        let root = self.root();
        let entry = |(file, flags): &(String, Vec<String>)| {
            let mut arguments = vec![self.compiler.clone()];
            // Flags that must have no effect here.
            arguments.extend(["-O3", "-g", "-MD", "-flto", "--coverage", "-Wall", "-Werror"].map(str::to_string));
            arguments.extend(self.flags.iter().chain(flags).cloned());
            let object = format!("{}.o", file.replace('/', "_"));
            arguments.extend(["-c".to_string(), file.clone(), "-o".to_string(), object]);
            serde_json::json!({ "directory": root, "file": file, "arguments": arguments })
        };
        let entries: Vec<_> = self.units.iter().map(entry).collect();
        let database = self.folder.path().join("compile_commands.json");
        std::fs::write(&database, serde_json::Value::from(entries).to_string()).unwrap();
        let options = DiscoverOptions { compile_database: Some(database), ..DiscoverOptions::default() };
        discover(&root, &self.work(), &options, &mut |_| {}).unwrap()
    }

    pub fn mutated(&self, project: &Project) -> Mutated {
        let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
        let options = MutateOptions {
            operators: OperatorSet::mass(),
            never_in: Vec::new(),
            mutate_macros: false,
            selection: self.selection.clone(),
            instrument: true,
            jobs: 2,
        };
        mutate(project, &libclang, &Review::default(), &options, &mut |_| {}).unwrap()
    }

    pub fn find(&self) -> Findings {
        let project = self.project();
        find_in(project, |project| self.mutated(project), &self.options(), self.work())
    }

    fn options(&self) -> TceOptions {
        TceOptions { when: TceWhen::Always, levels: self.levels.clone(), fast_floats: self.fast_floats }
    }
}

/// Compares all mutants of a project.
pub fn find_in(
    project: Project,
    mutated: impl FnOnce(&Project) -> Mutated,
    options: &TceOptions,
    work: PathBuf,
) -> Findings {
    let Mutated { mutants, copyable, .. } = mutated(&project);
    let arguments = Vec::new();
    let manifest = serde_json::Value::Null;
    let new = NewRun { started: SystemTime::now(), root: project.root.clone(), arguments, seed: 0, manifest };
    let writer = Store::open(&work).unwrap().begin(&new).unwrap();
    let subject = TceSubject {
        mutants: mutants.clone().into(),
        copyable,
        units: project.units.clone(),
        tree: project.source_root.clone(),
        home: work.join("tce"),
        jobs: 2,
        options: options.clone(),
    };
    let mut tce = Tce::start(subject, writer.code_cache().unwrap()).unwrap();
    tce.wait(&|| false, &mut |_, _| {}).unwrap();
    let found = tce.findings().all();
    let cpu_ms = tce.cpu().as_millis();
    let compilations = tce.progress().1;
    Findings { project, mutants, found, cpu_ms, compilations }
}

pub struct Findings {
    pub project: Project,
    pub mutants: Vec<Mutant>,
    pub found: BTreeMap<MutantIdx, Finding>,
    pub cpu_ms: u128,
    pub compilations: usize,
}

impl Findings {
    /// The mutant's name: `f: > => !=`.
    fn name(&self, index: MutantIdx) -> String {
        let mutant = &self.mutants[index];
        let scope = &mutant.scope.name;
        format!("{scope}: {} => {}", mutant.original().trim(), mutant.replacement().trim())
    }

    pub fn all(&self) -> Vec<String> {
        let line = |(index, found): (&MutantIdx, &Finding)| match found.same {
            Same::AsOriginal { level } => format!("{} is the original ({level})", self.name(*index)),
            Same::AsMutant { mutant: other, level } => {
                format!("{} is {} ({level})", self.name(*index), self.name(other))
            }
        };
        self.found.iter().map(line).collect()
    }

    /// The mutants in a function with this change.
    fn indices(&self, function: &str, change: &str) -> Vec<MutantIdx> {
        let wanted = format!("{function}: {}", change.trim());
        let indices: Vec<MutantIdx> =
            MutantIdx::all(self.mutants.len()).filter(|index| self.name(*index).trim() == wanted).collect();
        assert!(!indices.is_empty(), "there is no mutant `{wanted}`; there are\n{}", self.list());
        indices
    }

    fn list(&self) -> String {
        MutantIdx::all(self.mutants.len()).map(|index| self.name(index)).collect::<Vec<_>>().join("\n")
    }

    /// Whether any mutant with this change is the same as the original.
    pub fn is_equivalent(&self, function: &str, change: &str) -> bool {
        let is_equivalent =
            |index: &MutantIdx| matches!(self.found.get(index), Some(Finding { same: Same::AsOriginal { .. }, .. }));
        self.indices(function, change).iter().any(is_equivalent)
    }

    pub fn is_duplicate(&self, function: &str, change: &str) -> bool {
        let is_duplicate =
            |index: &MutantIdx| matches!(self.found.get(index), Some(Finding { same: Same::AsMutant { .. }, .. }));
        self.indices(function, change).iter().any(is_duplicate)
    }

    pub fn equivalents_in(&self, function: &str) -> usize {
        let is_equivalent = |(index, found): &(&MutantIdx, &Finding)| {
            self.mutants[**index].scope.name == function && matches!(found.same, Same::AsOriginal { .. })
        };
        self.found.iter().filter(is_equivalent).count()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{}", self.all().join("\n"))
    }
}
