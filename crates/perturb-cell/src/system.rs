//! The parts of the machine that every job may read: the folders of the system, and the tools that start tests.
//!
//! A cell's root starts empty. Homes, `/run`, `/var` and everything else are not in it unless the caller names them, so
//! that a job finds no socket, key or private file.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders that belong to the system, and that only root writes to.
const SYSTEM: [&str; 9] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix/store"];

/// How many processors and how much memory there is, for programs that ask.
const TOPOLOGY: &str = "/sys/devices/system";

/// The system's folders as far as this machine has them. Some may be symbolic links to others.
pub(crate) fn system_folders() -> Vec<PathBuf> {
    SYSTEM.iter().chain([&TOPOLOGY]).map(PathBuf::from).filter(|folder| folder.is_dir()).collect()
}

/// Folders beside a `bin` folder that belong to its programs.
const BESIDE_PROGRAMS: [&str; 5] = ["lib", "lib64", "libexec", "include", "share"];

/// Folders of tools outside the system's: the `bin` folders on the search path with what is installed beside them, and
/// the whole installation of each program that tests are started with. A home is never taken as a whole.
pub(crate) fn tool_folders(search_path: Option<&OsStr>, programs: &[PathBuf], home: Option<&Path>) -> Vec<PathBuf> {
    let system = system_folders();
    let mut found = BTreeSet::new();
    for folder in std::env::split_paths(search_path.unwrap_or_default()).filter(|folder| folder.is_absolute()) {
        let is_bin = folder.file_name().is_some_and(|name| name == "bin" || name == "sbin");
        if is_bin && folder.is_dir() {
            add_installation(&folder, home, &mut found);
        }
    }
    for program in programs {
        let Some(folder) = program.parent().filter(|folder| folder.is_absolute() && folder.is_dir()) else { continue };
        if is_home(folder, home) {
            found.extend(Some(program.clone()).filter(|program| program.is_file()));
            continue;
        }
        match folder.parent().filter(|prefix| !is_home(prefix, home) && !prefix.ends_with(".local")) {
            Some(prefix) => drop(found.insert(prefix.to_path_buf())),
            None => add_installation(folder, home, &mut found),
        }
    }
    let is_system = |path: &Path| {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        system.iter().any(|folder| real.starts_with(folder)) || real.parent().is_none()
    };
    found.into_iter().filter(|folder| !is_system(folder)).collect()
}

/// A folder of programs, and the folders that belong to it.
fn add_installation(folder: &Path, home: Option<&Path>, found: &mut BTreeSet<PathBuf>) {
    found.insert(folder.to_path_buf());
    let Some(prefix) = folder.parent().filter(|prefix| !is_home(prefix, home)) else { return };
    // In `~/.local/share` programs keep what they know of their user.
    let is_of_the_user = |name: &str| name == "share" && prefix.ends_with(".local");
    let beside = BESIDE_PROGRAMS.iter().filter(|name| !is_of_the_user(name)).map(|name| prefix.join(name));
    found.extend(beside.filter(|folder| folder.is_dir()));
}

/// Whether a folder is a home directory (the caller's, or one by its location) or contains one.
fn is_home(folder: &Path, home: Option<&Path>) -> bool {
    let homes = Path::new("/home");
    let is_by_place = folder.parent().is_none_or(|above| above == homes) || folder == Path::new("/root");
    is_by_place || folder == homes || home.is_some_and(|home| home.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn tools_bring_their_installation_and_no_home() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap();
        let make = |path: &str| fs::create_dir_all(home.join(path)).unwrap();
        ["bin", ".local/bin", ".local/lib", ".local/share", "gcc-14/bin", "gcc-14/libexec", "gcc-14/cellar"]
            .iter()
            .for_each(|path| make(path));
        ["pyenv/shims", "pyenv/versions", "tool"].iter().for_each(|path| make(path));
        let folders = ["bin", ".local/bin", "gcc-14/bin", "pyenv/shims", "none/bin"].map(|path| home.join(path));
        let search_path =
            std::env::join_paths(folders.iter().map(PathBuf::as_path).chain([Path::new("/usr/bin")])).unwrap();
        let found = |programs: &[PathBuf]| {
            let found = tool_folders(Some(&search_path), programs, Some(&home));
            found.iter().map(|path| path.strip_prefix(&home).unwrap().display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found(&[]), [".local/bin", ".local/lib", "bin", "gcc-14/bin", "gcc-14/libexec"]);
        let script = home.join("run.sh");
        fs::write(&script, "").unwrap();
        let with = [".local/bin", ".local/lib", "bin", "gcc-14/bin", "gcc-14/libexec", "run.sh"];
        assert_eq!(found(&[script]), with, "alone, and nothing beside it");
        let in_homes = ["/root", "/home"].map(|home| Path::new(home).join("run.sh"));
        assert_eq!(tool_folders(None, &in_homes, None), Vec::<PathBuf>::new());
        let with = found(&[home.join("pyenv/shims/python3"), home.join("tool/run"), "/usr/bin/env".into()]);
        assert_eq!(with, [".local/bin", ".local/lib", "bin", "gcc-14/bin", "gcc-14/libexec", "pyenv", "tool"]);
    }
}
