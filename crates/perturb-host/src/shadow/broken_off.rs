//! Cleans up after a build that was killed. It may leave half an object, which `make` takes for a good one since it is
//! new. Ninja keeps a log and notices.
//!
//! Removes only what the build made since that build began, never a file of the project's own.

use std::fs;
use std::path::Path;

use super::fresh::{is_binary, stamp};
use super::Shadow;
use crate::command_line::language_of;
use crate::error::HostError;
use crate::tree::walk::is_header;

/// Exists while a build runs.
const NOTE: &str = "building";

impl Shadow {
    pub(super) fn note_build(&self) -> Result<(), HostError> {
        let note = self.home.join(NOTE);
        // A build that was broken off and not yet tidied up after began earlier.
        if note.exists() {
            return Ok(());
        }
        fs::write(&note, "").map_err(HostError::io("write", &note))
    }

    pub(super) fn note_end_of_build(&self) -> Result<(), HostError> {
        let note = self.home.join(NOTE);
        fs::remove_file(&note).map_err(HostError::io("remove", &note))
    }

    /// Removes the output of a build that did not end.
    pub(super) fn tidy_up(&self) -> Result<(), HostError> {
        let Some(began) = stamp(&self.home.join(NOTE)) else { return Ok(()) };
        let folder = self.build_folder();
        if !folder.join("build.ninja").is_file() {
            let walk = ignore::WalkBuilder::new(&folder).standard_filters(false).build();
            for item in walk.flatten().filter(|item| item.file_type().is_some_and(|kind| kind.is_file())) {
                let path = item.path();
                let is_own = path.strip_prefix(self.tree()).is_ok_and(|below| self.tree.has(below));
                if !is_own && stamp(path).is_some_and(|time| time >= began) && is_made_by_build(path) {
                    fs::remove_file(path).map_err(HostError::io("remove", path))?;
                }
            }
        }
        self.note_end_of_build()
    }
}

/// Objects, programs, generated sources, lists of headers; not what a configuration writes.
fn is_made_by_build(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    matches!(extension, "o" | "obj" | "lo" | "la" | "a" | "so" | "d" | "gch" | "pch")
        || fs::metadata(path).is_ok_and(|data| data.len() == 0)
        || language_of(path).is_some()
        || is_header(path)
        || is_binary(path)
}
