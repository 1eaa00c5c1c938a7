//! The files of this repository, as the tidy tests see them, and the findings they report.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace is two folders above this crate")
}

/// All files under version control or about to be, relative to the root, sorted, with `/` between folders.
pub fn files() -> Vec<String> {
    let mut files = listed_by_git().unwrap_or_else(|| {
        let mut found = Vec::new();
        walk(&root(), "", &mut found);
        found
    });
    // A file can be in git's index and deleted from the disk.
    files.retain(|file| root().join(file).is_file());
    files.sort();
    files
}

fn listed_by_git() -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let names = String::from_utf8(output.stdout).ok()?;
    let names: Vec<String> = names.split_terminator('\0').map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}

/// For a source archive without git: everything but what builds leave behind.
fn walk(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let entry = entry.expect("a readable folder");
        let name = entry.file_name().to_string_lossy().into_owned();
        if matches!(name.as_str(), "target" | ".git" | ".perturb") {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type().expect("a file type").is_dir() {
            walk(&entry.path(), &format!("{path}/"), found);
        } else {
            found.push(path);
        }
    }
}

/// The Rust files, with their text.
pub fn rust_files() -> Vec<(String, String)> {
    let rust = files().into_iter().filter(|file| file.ends_with(".rs"));
    rust.filter_map(|file| text(&file).map(|text| (file, text))).collect()
}

/// The Rust files that are built into `krate`, its unit tests in files of their own left out.
pub fn shipped_files(krate: &str) -> Vec<(String, String)> {
    let folder = format!("crates/{krate}/src/");
    let mut files = rust_files();
    files.retain(|(file, _)| {
        file.starts_with(&folder) && !file.ends_with("/tests.rs") && !file[folder.len()..].contains("tests/")
    });
    files
}

/// The text of a file; `None` if it is not UTF-8.
pub fn text(file: &str) -> Option<String> {
    let bytes = fs::read(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    String::from_utf8(bytes).ok()
}

/// The text of a file that must exist.
#[track_caller]
pub fn required(file: &str) -> String {
    match fs::read_to_string(root().join(file)) {
        Ok(text) => text,
        Err(error) => panic!("{file} should be at the root of the repository: {error}"),
    }
}

/// The names of the workspace's crates: the folders in `crates/` with a manifest.
pub fn crates() -> Vec<String> {
    let names = files().into_iter().filter_map(|file| {
        let inner = file.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        (!inner.contains('/')).then(|| inner.to_owned())
    });
    names.collect()
}

/// What a tidy test has found, one line each, with a hint for all of them.
#[derive(Debug, Default)]
pub struct Findings(Vec<String>);

impl Findings {
    pub fn add(&mut self, file: &str, line: usize, what: impl std::fmt::Display) {
        self.0.push(format!("{file}:{line}: {what}"));
    }

    /// Fails the test if there is a finding.
    #[track_caller]
    pub fn expect_none(self, hint: &str) {
        let mut message = String::new();
        for finding in &self.0 {
            let _ = writeln!(message, "  {finding}");
        }
        assert!(self.0.is_empty(), "{} to tidy up:\n{message}{hint}", self.0.len());
    }
}
