//! Names of files beside the store, and renaming.

use super::StoreError;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The file with the reason why the store was found to be damaged.
pub(super) fn damage_note(path: &Path) -> PathBuf {
    beside(path, ".is-damaged")
}

/// The path with a suffix.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    name.into()
}

/// Renames a file. The new name is on the disk when this returns.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    let folder = to.parent().unwrap_or(to);
    let renamed = fs::rename(from, to).and_then(|()| File::open(folder)?.sync_all());
    renamed.map_err(StoreError::io("rename", from))
}
