//! The seal of a store: a hash of the whole file, written beside it when nobody writes to it any more, and taken away
//! before the next run does.
//!
//! SQLite notices pages that make no sense, but not a bit that has turned one verdict into another. A store that is
//! sealed and is not what was sealed is damaged. One without a seal was left by a run that was killed, or is being
//! written.

use super::files::{beside, damage_note, rename};
use super::StoreError;
use perturb_model::ContentHash;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What the seal of a store says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seal {
    /// The file is as it was left.
    Whole,
    Absent,
}

pub(super) fn file(store: &Path) -> PathBuf {
    beside(store, ".seal")
}

/// Compares a store with its seal. What differs is an error.
pub(super) fn check(store: &Path) -> Result<Seal, StoreError> {
    loop {
        let Some(sealed) = read(store)? else { return Ok(Seal::Absent) };
        let found = match hash(store) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Seal::Absent),
            found => found.map_err(StoreError::io("read", store))?,
        };
        if found == sealed {
            return Ok(Seal::Whole);
        }
        // Unless a run has begun to write meanwhile.
        if read(store)?.as_ref() == Some(&sealed) {
            let reason = "its contents are not what perturb has written".to_string();
            return Err(StoreError::Corrupt { path: store.to_path_buf(), reason });
        }
    }
}

/// Takes the seal away; on the disk, before anything is written.
pub(super) fn take_away(store: &Path) -> Result<(), StoreError> {
    let seal = file(store);
    let removed = match fs::remove_file(&seal) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        removed => removed,
    };
    let folder = store.parent().unwrap_or(store);
    removed.and_then(|()| File::open(folder)?.sync_all()).map_err(StoreError::io("remove", &seal))
}

/// Seals a store that this process had open for writing, and was the last to close. Nothing depends on it: a store that
/// cannot be sealed is as one whose run was killed.
pub(super) fn put(store: &Path) {
    // Somebody else reads it still, and its last changes are not in the file yet; or it is known to be damaged.
    if beside(store, "-wal").exists() || damage_note(store).exists() {
        return;
    }
    let draft = beside(store, ".seal.new");
    let written =
        hash(store).and_then(|hash| fs::write(&draft, hash + "\n")).and_then(|()| File::open(&draft)?.sync_all());
    if written.is_err() || rename(&draft, &file(store)).is_err() {
        let _ = fs::remove_file(&draft);
    }
}

fn read(store: &Path) -> Result<Option<String>, StoreError> {
    let seal = file(store);
    match fs::read(&seal) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io("read", &seal)(error)),
    }
}

/// As `sha256sum` writes it.
fn hash(store: &Path) -> io::Result<String> {
    Ok(ContentHash::of_reader(File::open(store)?)?.to_string())
}
