//! The fixtures: where they are, and what the real program says of a temporary copy of one.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

/// What the program finds in a fixture that has nothing to mutate.
const NOTHING_TO_MUTATE: i32 = 4;
pub const GOLDEN: &str = "mutants.golden";

/// A mutant as the program prints it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Mutant {
    pub id: String,
    pub name: String,
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    pub operator: String,
    pub original: String,
    pub replacement: String,
    pub switchable: bool,
    pub not_switchable_because: Option<String>,
    pub suppressed: bool,
    pub suppression_reason: Option<String>,
}

/// A folder of `fixtures/`.
#[derive(Debug, Clone)]
pub struct Fixture {
    pub name: String,
    pub folder: PathBuf,
    /// The only source, in a fixture that is no project of its own.
    pub source: Option<&'static str>,
    /// The compiler's flags for that source.
    pub flags: Vec<String>,
}

impl Fixture {
    fn read(folder: PathBuf) -> Self {
        let name = folder.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let is_project = folder.join("compile_commands.json").is_file();
        let source = ["input.c", "input.cpp"].into_iter().find(|file| !is_project && folder.join(file).is_file());
        assert!(is_project || source.is_some(), "{name}: neither input.c, input.cpp nor compile_commands.json");
        let flags = fs::read_to_string(folder.join("flags")).unwrap_or_default();
        Self { name, folder, source, flags: flags.lines().map(str::to_owned).collect() }
    }

    /// Its bytes in the repository.
    pub fn original(&self, file: &str) -> Vec<u8> {
        fs::read(self.folder.join(file)).unwrap_or_else(|error| panic!("{}: {file}: {error}", self.name))
    }

    pub fn copy(&self) -> Copy<'_> {
        let place = tempfile::tempdir().expect("a temporary folder");
        let project = place.path().join("project");
        copy_folder(&self.folder, &project);
        Copy { fixture: self, place, project }
    }
}

/// A temporary copy of a fixture, with a work folder beside it.
#[derive(Debug)]
pub struct Copy<'f> {
    fixture: &'f Fixture,
    place: TempDir,
    pub project: PathBuf,
}

impl Copy<'_> {
    /// Runs a command of the program here and gives its standard output.
    pub fn run(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.output(arguments);
        let code = output.status.code();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(code, Some(0 | NOTHING_TO_MUTATE)),
            "{}: perturb {}: exit code {code:?}\n{errors}",
            self.fixture.name,
            arguments.join(" ")
        );
        output.stdout
    }

    pub fn output(&self, arguments: &[&str]) -> Output {
        let mut command = self.program(arguments);
        command.args(self.fixture.source);
        if !self.fixture.flags.is_empty() {
            command.arg("--").args(&self.fixture.flags);
        }
        command.output().expect("the program starts")
    }

    fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
        command.current_dir(&self.project).env_remove("PERTURB_LIBCLANG").args(arguments);
        command.arg("--work").arg(self.place.path().join("work"));
        command
    }

    pub fn list(&self, arguments: &[&str]) -> Vec<u8> {
        self.run(&[&["mutants", "--format", "jsonl"], arguments].concat())
    }

    /// Every mutated file by its mutant's id, as `perturb apply --all` writes it.
    fn apply_all(&self, mutants: &[Mutant]) -> BTreeMap<String, Vec<u8>> {
        if mutants.is_empty() {
            return BTreeMap::new();
        }
        let folder = self.place.path().join("applied");
        let to = folder.to_str().expect("a temporary folder has a plain name");
        let output = self.output(&["apply", "--all", "--to", to]);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: perturb apply --all: {errors}", self.fixture.name);
        let text = |mutant: &Mutant| {
            let file = folder.join(&mutant.id).join(&mutant.file);
            fs::read(&file).unwrap_or_else(|error| panic!("{}: {}: {error}", self.fixture.name, file.display()))
        };
        mutants.iter().map(|mutant| (mutant.id.clone(), text(mutant))).collect()
    }
}

/// What the program says of a fixture, asked once for all tests.
#[derive(Debug)]
pub struct Listed {
    pub fixture: Fixture,
    pub output: Vec<u8>,
    pub mutants: Vec<Mutant>,
    mutated: BTreeMap<String, Vec<u8>>,
}

impl Listed {
    fn new(fixture: Fixture) -> Self {
        let copy = fixture.copy();
        let output = copy.list(&[]);
        let mutants = parse(&output);
        let mutated = copy.apply_all(&mutants);
        drop(copy);
        Self { fixture, output, mutants, mutated }
    }

    /// The mutant's whole file with the mutant in it.
    pub fn mutated(&self, mutant: &Mutant) -> &[u8] {
        &self.mutated[&mutant.id]
    }
}

/// All fixtures with their mutants.
pub fn all() -> &'static [Listed] {
    static ALL: OnceLock<Vec<Listed>> = OnceLock::new();
    ALL.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let entries = fs::read_dir(&root).expect("the folder fixtures/").map(|entry| entry.expect("an entry").path());
        // `projects` holds whole projects for other tests, `nequivack` functions to be compared with their mutants.
        let is_golden = |path: &PathBuf| path.is_dir() && !path.ends_with("projects") && !path.ends_with("nequivack");
        let mut folders: Vec<_> = entries.filter(is_golden).collect();
        folders.sort();
        in_parallel(&folders, |folder| Listed::new(Fixture::read(folder.clone())))
    })
}

pub fn parse(output: &[u8]) -> Vec<Mutant> {
    let lines = output.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("a mutant a line")).collect()
}

/// What `work` makes of each item, on all cores, in the order of the items.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    let mut made: Vec<(usize, R)> = std::thread::scope(|scope| {
        let part = |first: usize| move || (first..items.len()).step_by(threads).map(|i| (i, work(&items[i]))).collect();
        let workers: Vec<_> = (0..threads).map(|first| scope.spawn(part(first))).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, Vec<_>>| match worker.join() {
            Ok(made) => made,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().flat_map(join).collect()
    });
    made.sort_by_key(|(i, _)| *i);
    made.into_iter().map(|(_, result)| result).collect()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder in a temporary one");
    for entry in fs::read_dir(from).expect("a fixture's folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else if entry.file_name() != GOLDEN {
            fs::copy(entry.path(), target).expect("a copied file");
        }
    }
}
