//! The seal of a store: a hash of the whole file, written beside it when the last writer closes it, and removed before
//! the next run writes.
//!
//! SQLite notices invalid pages, but not a flipped bit that has turned one verdict into another. A store that does not
//! match its seal is damaged. A store without a seal was left by a run that was killed, or is being written.

use super::files::{beside, damage_note, rename};
use super::StoreError;
use perturb_model::ContentHash;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The result of checking a seal.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seal {
    /// The file matches its seal.
    Whole,
    Absent,
}

pub(super) fn file(store: &Path) -> PathBuf {
    beside(store, ".seal")
}

/// Compares a store with its seal. A difference is an error.
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
        // Unless a run has started to write meanwhile.
        if read(store)?.as_ref() == Some(&sealed) {
            let reason = "its contents are not what perturb has written".to_string();
            return Err(StoreError::Corrupt { path: store.to_path_buf(), reason });
        }
    }
}

/// Removes the seal. That is on the disk when this returns, before the first write.
pub(super) fn take_away(store: &Path) -> Result<(), StoreError> {
    let seal = file(store);
    let removed = match fs::remove_file(&seal) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        removed => removed,
    };
    let folder = store.parent().unwrap_or(store);
    removed.and_then(|()| File::open(folder)?.sync_all()).map_err(StoreError::io("remove", &seal))
}

/// Seals a store that this process was the last to close after writing. A failure is ignored: a store without a seal is
/// treated like that of a killed run.
pub(super) fn put(store: &Path) {
    // Another process still reads it, so that its last changes are not in the file yet; or it is known to be damaged.
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

/// In the format of `sha256sum`.
fn hash(store: &Path) -> io::Result<String> {
    Ok(ContentHash::of_reader(File::open(store)?)?.to_string())
}
