//! A user's project in a temporary folder and the real program run in it. Every run checks that the program ended in
//! time, that it did not break down, and that the project is what it was: names, contents, modes and times.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

/// Far more than any test needs, so that only a hang reaches it.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Exit codes, as the book lists them.
pub const FINE: i32 = 0;
pub const UNDER_GATE: i32 = 1;
pub const USAGE: i32 = 2;
pub const BROKEN: i32 = 3;
pub const NOTHING: i32 = 4;
pub const UNUSABLE: i32 = 5;
pub const STORE: i32 = 6;
pub const IN_DOUBT: i32 = 8;
pub const NO_SCORE: i32 = 9;
pub const INTERRUPTED: i32 = 130;

pub struct Scene {
    folder: tempfile::TempDir,
}

/// What one run of the program said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Scene {
    pub fn new(files: &[(&str, &str)]) -> Scene {
        let scene = Scene { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(scene.root()).unwrap();
        files.iter().for_each(|(path, text)| scene.write(path, text));
        scene
    }

    /// A project whose sources are all compiled alike, by a compile database with relative paths.
    pub fn compiled(files: &[(&str, &str)]) -> Scene {
        let scene = Scene::new(files);
        let sources = files.iter().map(|(path, _)| *path).filter(|path| path.ends_with(".c") || path.ends_with(".cpp"));
        let entry = |file: &str| {
            let compiler = if file.ends_with(".c") { "cc" } else { "c++" };
            serde_json::json!({"directory": ".", "file": file, "arguments": [compiler, "-Iinclude", "-c", file]})
        };
        let entries: Vec<Value> = sources.map(entry).collect();
        scene.write("compile_commands.json", Value::from(entries).to_string());
        scene
    }

    /// A copy of the bundled example.
    pub fn example() -> Scene {
        let scene = Scene::new(&[]);
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/telemetry");
        copy(&from, &scene.root());
        scene
    }

    /// A copy of one of the whole projects among the fixtures.
    pub fn fixture(name: &str) -> Scene {
        let scene = Scene::new(&[]);
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/projects").join(name), &scene.root());
        scene
    }

    pub fn root(&self) -> PathBuf {
        self.outside("project")
    }

    /// A path beside the project.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, &text).unwrap();
        if text.as_ref().starts_with(b"#!") {
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    /// The program in the project's folder, its work folder beside the project unless the arguments name one.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
        if !arguments.iter().any(|argument| argument.as_ref() == "--work") {
            command.arg("--work").arg(self.outside("work"));
        }
        command.args(arguments).current_dir(self.root());
        for variable in
            ["PERTURB_LIBCLANG", "PERTURB_LOG", "CC", "CXX", "CFLAGS", "CXXFLAGS", "MAKEFLAGS", "CLICOLOR_FORCE"]
        {
            command.env_remove(variable);
        }
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Ran {
        self.finish(self.command(arguments))
    }

    /// Runs a prepared command, and checks that it left the project alone.
    #[track_caller]
    pub fn finish(&self, command: Command) -> Ran {
        let before = snapshot(&self.root());
        let ran = run_in_time(command);
        assert_unchanged(&before, &snapshot(&self.root()));
        ran
    }

    /// The mutants that `perturb mutants ARGUMENTS` lists.
    #[track_caller]
    pub fn mutants(&self, arguments: &[&str]) -> Vec<Value> {
        let all = [&["mutants", "--format", "json"], arguments].concat();
        self.run(&all).expect(FINE).mutants()
    }
}

/// A shell that runs this script with mounts of its own. None, and a word on standard error, where the kernel does not
/// allow that.
pub fn with_own_mounts(script: &str) -> Option<Command> {
    let unshare = |arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(arguments).args(["--mount", "sh", "-c"]);
        command
    };
    let ways = [&[][..], &["--user", "--map-root-user"]];
    let works = |way: &&&[&str]| {
        let mount = "mount -t tmpfs -o size=64k none /mnt";
        unshare(way).arg(mount).output().is_ok_and(|output| output.status.success())
    };
    let Some(way) = ways.iter().find(works) else {
        eprintln!("skipped: no file system can be mounted here");
        return None;
    };
    let mut command = unshare(way);
    command.arg(script);
    Some(command)
}

/// Runs a command to its end; a hang, a signal and a panic fail the test, as does what could act on a terminal.
#[track_caller]
pub fn run_in_time(mut command: Command) -> Ran {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (id, (sender, receiver)) = (child.id(), mpsc::channel());
    let waiting = std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(TIME_LIMIT) else {
        let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
        panic!("{command:?} did not end within {TIME_LIMIT:?}");
    };
    waiting.join().unwrap().unwrap();
    let output = output.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let Some(code) = output.status.code() else { panic!("{command:?}: {}\n{stderr}", output.status) };
    assert!(code != 70 && code != 101 && !stderr.contains("panicked"), "{command:?} broke down:\n{stderr}");
    if !command.get_args().any(|argument| argument == "always") {
        crate::hostile::expect_harmless(&stderr, &['\t']);
    }
    Ran { code, stdout, stderr }
}

impl Ran {
    #[track_caller]
    pub fn expect(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "exit code; stderr:\n{}\nstdout:\n{:.2000}", self.stderr, self.stdout);
        self
    }

    /// The run failed with this code, and standard error says all of this.
    #[track_caller]
    pub fn expect_error(self, code: i32, parts: &[&str]) -> Ran {
        let ran = self.expect(code);
        assert!(ran.stderr.contains("error: "), "no error is told:\n{}", ran.stderr);
        ran.told(parts)
    }

    /// Standard error says all of this.
    #[track_caller]
    pub fn told(self, parts: &[&str]) -> Ran {
        for part in parts {
            assert!(self.stderr.contains(part), "`{part}` is not told:\n{}", self.stderr);
        }
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub fn mutants(&self) -> Vec<Value> {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}:\n{:.2000}", self.stdout))
    }
}

/// A text field of a mutant; what is null is empty.
pub fn text<'m>(mutant: &'m Value, field: &str) -> &'m str {
    mutant[field].as_str().unwrap_or_default()
}

/// One field of every mutant.
pub fn all<'m>(mutants: &'m [Value], field: &'static str) -> Vec<&'m str> {
    mutants.iter().map(|mutant| text(mutant, field)).collect()
}

/// One field of every mutant, each value once, sorted.
pub fn distinct<'m>(mutants: &'m [Value], field: &'static str) -> Vec<&'m str> {
    let set: std::collections::BTreeSet<&str> = mutants.iter().map(|mutant| text(mutant, field)).collect();
    set.into_iter().collect()
}

/// Whether an optional tool is there; says so when it is not.
pub fn has(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    if !found {
        eprintln!("skipped: {tool} is not installed");
    }
    found
}

/// Path, mode, time and contents of everything in a tree, but for git's own.
pub type Snapshot = BTreeMap<PathBuf, (u32, i64, Vec<u8>)>;

pub fn snapshot(root: &Path) -> Snapshot {
    let mut found = BTreeMap::new();
    let mut paths = vec![root.to_path_buf()];
    while let Some(path) = paths.pop() {
        let data = fs::symlink_metadata(&path).unwrap();
        let contents = if data.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        if data.is_dir() && path.file_name() != Some(OsStr::new(".git")) {
            paths.extend(fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
        }
        let time = data.mtime() * 1_000_000_000 + data.mtime_nsec();
        found.insert(path, (data.mode(), time, contents));
    }
    // The time of the folder with git's index is git's business.
    found.retain(|path, _| path.file_name() != Some(OsStr::new(".git")));
    found
}

#[track_caller]
pub fn assert_unchanged(before: &Snapshot, after: &Snapshot) {
    let changed = |one: &Snapshot, other: &Snapshot| -> Vec<PathBuf> {
        one.iter().filter(|(path, data)| other.get(*path) != Some(data)).map(|(path, _)| path.clone()).collect()
    };
    let (gone, new) = (changed(before, after), changed(after, before));
    assert!(gone.is_empty() && new.is_empty(), "the user's tree was written: {gone:?} {new:?}");
}

/// Copies a tree, without what git would not keep of the example.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for item in fs::read_dir(from).unwrap() {
        let item = item.unwrap();
        let name = item.file_name();
        if item.file_type().unwrap().is_dir() {
            if name != "build" && name != ".perturb" {
                copy(&item.path(), &to.join(name));
            }
        } else {
            fs::copy(item.path(), to.join(name)).unwrap();
        }
    }
}
