//! Folders for cells, programs to run in them, and the ways in which a cell can be made.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use perturb_cell::{Cell, CellError, CellOptions, Ended, Job, Limits, Sandbox};

/// Enough for anything that ends by itself, on a busy machine too.
pub const LIMITS: Limits = Limits {
    cpu: Duration::from_secs(20),
    wall: Duration::from_secs(60),
    memory_bytes: None,
    file_bytes: 1 << 24,
    processes: 64,
    output_bytes: 1 << 16,
};

pub const LONG: Duration = Duration::from_secs(60);

/// Folders for cells: `build` is private, `log` is shared, `tree` is only visible.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place::within(&std::env::temp_dir())
    }

    pub fn within(folder: &Path) -> Place {
        let place = Place { folder: tempfile::tempdir_in(folder).unwrap() };
        ["build", "log", "tree"].iter().for_each(|name| fs::create_dir(place.path(name)).unwrap());
        place
    }

    /// A name with a comma, a colon and a quote: mounts must live with it.
    pub fn path(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().canonicalize().unwrap().join("it's,a:place");
        fs::create_dir_all(&folder).unwrap();
        folder.join(name)
    }

    pub fn options(&self) -> CellOptions {
        let number = fs::read_dir(self.path("")).unwrap().count();
        CellOptions {
            visible: vec![self.path("tree")],
            private: vec![self.path("build")],
            shared: vec![self.path("log")],
            memory_bytes: Some(64 << 20),
            ..CellOptions::new(self.path(&format!("cell{number}")))
        }
    }

    pub fn open(&self) -> Bench {
        self.open_with(self.options())
    }

    pub fn open_with(&self, options: CellOptions) -> Bench {
        Bench { cell: Cell::open(&options).unwrap(), directory: self.path("build") }
    }

    /// Compiles a program into the tree.
    pub fn compile(&self, name: &str, source: &str) -> PathBuf {
        let (program, text) = (self.path("tree").join(name), self.path("tree").join(format!("{name}.c")));
        fs::write(&text, source).unwrap();
        let status = Command::new("cc").arg("-o").arg(&program).arg(&text).status().unwrap();
        assert!(status.success(), "{name} does not compile");
        program
    }

    pub fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path("log").join(name);
        assert!(Command::new("mkfifo").arg("-m666").arg(&path).status().unwrap().success());
        path
    }
}

/// A cell with its usual folder.
pub struct Bench {
    pub cell: Cell,
    pub directory: PathBuf,
}

impl Bench {
    pub fn try_run(&mut self, program: &Path, arguments: &[&str], limits: Limits) -> Result<Ended, CellError> {
        let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
        let directory = &self.directory;
        self.cell.run(&Job { program, arguments: &arguments, directory, environment: &[], limits })
    }

    pub fn run(&mut self, program: &Path, arguments: &[&str], limits: Limits) -> Ended {
        self.try_run(program, arguments, limits).unwrap()
    }

    pub fn sh_within(&mut self, script: &str, limits: Limits) -> Ended {
        self.run(Path::new("/bin/sh"), &["-c", script], limits)
    }

    pub fn sh(&mut self, script: &str) -> Ended {
        self.sh_within(script, LIMITS)
    }

    /// What a script says.
    pub fn says(&mut self, script: &str) -> String {
        String::from_utf8(self.sh(script).output).unwrap()
    }
}

/// The ways a cell can be made that are the same to a job: with all that the machine allows, with its files on the
/// disk, and without namespaces.
pub fn ways(place: &Place) -> [(&'static str, CellOptions); 3] {
    let options = place.options();
    let on_disk = CellOptions { memory_bytes: None, scratch: place.path("on-disk"), ..options.clone() };
    let bare = CellOptions { sandbox: Sandbox::WITHOUT_NAMESPACES, scratch: place.path("bare"), ..options.clone() };
    [("all layers", options), ("on disk", on_disk), ("without namespaces", bare)]
}

/// Tells when a job has started, and when the last process of it has ended.
pub fn watch(pipe: PathBuf) -> Receiver<&'static str> {
    let (sender, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(fs::File::open(pipe).unwrap());
        reader.read_line(&mut String::new()).unwrap();
        sender.send("started").unwrap();
        reader.read_to_end(&mut Vec::new()).unwrap();
        sender.send("ended").unwrap();
    });
    told
}

/// Whether the machine allows a layer; says so when it does not.
pub fn has_layer(bench: &Bench, name: &str, is_there: bool) -> bool {
    if !is_there {
        eprintln!("skipped: no {name} here: {:?}", bench.cell.layers().missing);
    }
    is_there
}

pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|data| std::os::unix::fs::MetadataExt::uid(&data) == 0)
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
