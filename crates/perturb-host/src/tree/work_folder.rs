//! The work folder: it holds every file that we write, and its lock lets one run at a time write there.
//!
//! Hides the folder from git, but only a folder that is ours; an existing `.gitignore` is never changed.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use perturb_cell::remove_scratch;

use crate::error::HostError;
use crate::progress::DiscoveryProgress;
use crate::tree::text_path::require_utf8_work;

/// Tells git to leave the whole folder alone.
const HIDDEN: &[u8] = b"*\n";

/// Makes the folder where it does not exist yet and answers with its real path.
pub fn create(work: &Path) -> Result<PathBuf, HostError> {
    require_utf8_work(work)?;
    fs::create_dir_all(work).map_err(HostError::io("create", work))?;
    if is_ours(work)? {
        hide(&work.join(".gitignore"))?;
    }
    work.canonicalize().map_err(HostError::io("find", work))
}

/// Whether a folder can be used as a work folder without mixing with files of the user: it is empty, or was a work
/// folder before.
pub fn is_work_folder(folder: &Path) -> bool {
    let is_marked = ["run.lock", "lock", "tree.manifest"].iter().any(|name| folder.join(name).is_file());
    let is_hidden = || fs::read(folder.join(".gitignore")).is_ok_and(|text| text == HIDDEN);
    is_marked || is_hidden() || fs::read_dir(folder).is_ok_and(|mut items| items.next().is_none())
}

/// The right to write in a work folder; ends with the process at the latest.
#[derive(Debug)]
pub(crate) struct WorkFolderLock {
    file: File,
}

impl Drop for WorkFolderLock {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread has just forked still holds the file until it executes.
        let _ = self.file.unlock();
    }
}

/// Waits until no other run writes in `work`.
pub(crate) fn lock(work: &Path, report: &mut dyn FnMut(&DiscoveryProgress)) -> Result<WorkFolderLock, HostError> {
    let path = work.join("lock");
    let file = File::options().create(true).append(true).open(&path).map_err(HostError::io("write", &path))?;
    match file.try_lock() {
        Ok(()) => return Ok(WorkFolderLock { file }),
        Err(TryLockError::WouldBlock) => report(&DiscoveryProgress::Waiting { work: work.to_path_buf() }),
        Err(TryLockError::Error(error)) => return Err(HostError::io("lock", &path)(error)),
    }
    file.lock().map_err(HostError::io("lock", &path))?;
    Ok(WorkFolderLock { file })
}

/// Removes temporary folders: the folders of tests, their records, and the folders in which code and functions are
/// compared, also those of a run that was killed. The caller holds the lock. A file that cannot be removed does no
/// harm.
pub(crate) fn clear_temporary(work: &Path) {
    let cells = work.join("cells");
    let items = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let comparisons = items(work).filter(|item| item.file_name().to_string_lossy().starts_with("equivalence-"));
    for item in items(&cells).chain(comparisons) {
        if !is_of_living(&item.file_name().to_string_lossy()) {
            let _ = remove_scratch(&item.path());
        }
    }
    let _ = fs::remove_dir(&cells);
    for name in ["records", "tce"] {
        let _ = fs::remove_dir_all(work.join(name));
    }
}

/// Whether a folder such as `doctor-1234` belongs to a living process, which needs no lock.
fn is_of_living(name: &str) -> bool {
    name.rsplit_once('-').is_some_and(|(_, process)| Path::new("/proc").join(process).exists())
}

/// Whether the folder is new or holds a copy that we made: a folder with other content is a user's.
fn is_ours(work: &Path) -> Result<bool, HostError> {
    let mut items = fs::read_dir(work).map_err(HostError::io("read", work))?;
    Ok(items.next().is_none() || work.join("tree.manifest").is_file())
}

fn hide(path: &Path) -> Result<(), HostError> {
    match File::options().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(HIDDEN).map_err(HostError::io("write", path)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(HostError::io("write", path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_things_of_somebody_else_is_no_work_folder() {
        let place = tempfile::tempdir().unwrap();
        assert!(is_work_folder(place.path()));
        fs::write(place.path().join("main.c"), "").unwrap();
        assert!(!is_work_folder(place.path()) && !is_work_folder(&place.path().join("gone")));
        for (name, text) in [("run.lock", ""), (".gitignore", "*\n")] {
            fs::write(place.path().join(name), text).unwrap();
            assert!(is_work_folder(place.path()), "{name}");
            fs::remove_file(place.path().join(name)).unwrap();
        }
        fs::write(place.path().join(".gitignore"), "*.o\n").unwrap();
        assert!(!is_work_folder(place.path()));
    }

    #[test]
    fn a_folder_of_ours_hides_itself_from_git_and_one_of_somebody_else_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let ignored = |work: &Path| fs::read_to_string(work.join(".gitignore")).ok();
        let new = place.path().join("a/b");
        create(&new).unwrap();
        assert_eq!(ignored(&new).as_deref(), Some("*\n"));
        let foreign = place.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("notes"), "").unwrap();
        create(&foreign).unwrap();
        assert_eq!(ignored(&foreign), None);
        fs::write(foreign.join("tree.manifest"), "").unwrap();
        fs::write(foreign.join(".gitignore"), "notes\n").unwrap();
        create(&foreign).unwrap();
        assert_eq!(ignored(&foreign).as_deref(), Some("notes\n"));
    }

    #[test]
    fn what_a_run_that_was_killed_has_left_goes_and_what_others_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let alive = format!("cells/doctor-{}", std::process::id());
        let comparing = format!("equivalence-{}", std::process::id());
        let folders =
            ["cells/0/room", "cells/doctor-0", "records", "tce/0/tree", "equivalence-0/cell", "logs/1", "tree"];
        for folder in folders.into_iter().chain([alive.as_str(), &comparing]) {
            fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        fs::write(place.path().join("records/0"), "").unwrap();
        clear_temporary(place.path());
        let all =
            ["cells/0", "cells/doctor-0", "records", "tce", "equivalence-0", "logs/1", "tree", &alive, &comparing];
        let left: Vec<_> = all.into_iter().filter(|folder| place.path().join(folder).exists()).collect();
        assert_eq!(left, ["logs/1", "tree", &alive, &comparing]);
        fs::remove_dir(place.path().join(alive)).unwrap();
        clear_temporary(place.path());
        assert!(!place.path().join("cells").exists());
    }
}
