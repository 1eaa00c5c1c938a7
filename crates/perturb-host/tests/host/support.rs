//! A project in a temporary folder, and the check that nobody wrote in it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use perturb_host::{discover, find_program, DiscoverOptions, DiscoveryProgress, HostError, Project, Role};

/// Longer than anything takes that is to end, on a busy machine too.
pub const LONG: Duration = Duration::from_secs(60);

pub struct Scene {
    folder: tempfile::TempDir,
    work: &'static str,
}

impl Scene {
    pub fn new(files: &[(&str, &str)]) -> Scene {
        let scene = Scene { folder: tempfile::tempdir().unwrap(), work: "it's work" };
        fs::create_dir(scene.root()).unwrap();
        for (path, text) in files {
            scene.write(path, text);
        }
        scene
    }

    /// A copy of one of the whole projects among the fixtures.
    pub fn of_fixture(name: &str) -> Scene {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/projects").join(name);
        let scene = Scene::new(&[]);
        for (path, (_, _, bytes)) in snapshot(&folder).iter().filter(|(path, _)| path.is_file()) {
            scene.write(path.strip_prefix(&folder).unwrap().to_str().unwrap(), std::str::from_utf8(bytes).unwrap());
        }
        scene
    }

    /// A name with a space and a quote: builds must live with it.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("my project")
    }

    pub fn work(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(self.work)
    }

    /// Ninja cannot read the lists of headers of a path with a quote, and builds all of it every time.
    pub fn with_plain_work(self) -> Scene {
        Scene { work: "work", ..self }
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if text.starts_with("#!") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    pub fn discover(&self) -> Result<Project, HostError> {
        self.discover_with(&DiscoverOptions::default())
    }

    pub fn discover_with(&self, options: &DiscoverOptions) -> Result<Project, HostError> {
        self.discover_at(&self.root(), options)
    }

    /// Every discovery checks that the user's tree is the same afterwards: contents, modes and times.
    pub fn discover_at(&self, root: &Path, options: &DiscoverOptions) -> Result<Project, HostError> {
        self.discover_telling(root, options, &mut |_| ())
    }

    /// What was found, and what was told meanwhile.
    pub fn discover_told(&self, options: &DiscoverOptions) -> (Result<Project, HostError>, Vec<DiscoveryProgress>) {
        let mut told = Vec::new();
        let result = self.discover_telling(&self.root(), options, &mut |progress| told.push(progress.clone()));
        (result, told)
    }

    fn discover_telling(
        &self,
        root: &Path,
        options: &DiscoverOptions,
        tell: &mut dyn FnMut(&DiscoveryProgress),
    ) -> Result<Project, HostError> {
        let before = snapshot(&self.root());
        let result = discover(root, &self.work(), options, tell);
        assert_eq!(before, snapshot(&self.root()), "the user's tree was written");
        result
    }

    pub fn snapshot(&self) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
        snapshot(&self.root())
    }

    pub fn build(&self, command: &str) -> Result<Project, HostError> {
        self.discover_with(&DiscoverOptions { build_command: Some(command.to_string()), ..DiscoverOptions::default() })
    }
}

/// Path, mode, time and contents of everything in a tree.
fn snapshot(root: &Path) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for item in fs::read_dir(&folder).unwrap() {
            let path = item.unwrap().path();
            let data = fs::symlink_metadata(&path).unwrap();
            let time = data.mtime() * 1_000_000_000 + data.mtime_nsec();
            let contents = match data.is_file() {
                true => fs::read(&path).unwrap(),
                false => Vec::new(),
            };
            if data.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path, (data.mode(), time, contents));
        }
    }
    found
}

/// The relative paths of the units, split by role: under test, tests.
pub fn sets(project: &Project) -> (Vec<String>, Vec<String>) {
    let names = |wanted: fn(&Role) -> bool| {
        let units = project.units.iter().filter(|unit| wanted(&unit.role));
        let mut names: Vec<String> =
            units.map(|unit| project.relative(&unit.command.file).unwrap().display().to_string()).collect();
        names.dedup();
        names
    };
    (names(|role| *role == Role::UnderTest), names(|role| matches!(role, Role::Test(_))))
}

/// Whether an optional tool is there; says so when it is not.
pub fn has(tool: &str) -> bool {
    let found = find_program(tool).is_some();
    if !found {
        eprintln!("skipped: {tool} is not installed");
    }
    found
}

/// Tells when a build or a job has written to this pipe that it has started, and when the last process of it has ended.
pub fn watch(pipe: PathBuf) -> Receiver<&'static str> {
    let (sender, told) = mpsc::channel();
    std::thread::spawn(move || {
        let mut reader = BufReader::new(File::open(pipe).unwrap());
        reader.read_line(&mut String::new()).unwrap();
        sender.send("started").unwrap();
        reader.read_to_end(&mut Vec::new()).unwrap();
        sender.send("ended").unwrap();
    });
    told
}
