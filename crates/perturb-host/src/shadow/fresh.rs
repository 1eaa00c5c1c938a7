//! Checks whether a build has compiled the changed files: exit status 0 is not enough.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Shadow;
use crate::tree::walk::mtime_ns;

impl Shadow {
    /// Changed files for which this build wrote no new object.
    pub(super) fn not_compiled(&self) -> BTreeSet<PathBuf> {
        let mut newest = None;
        self.pending
            .iter()
            .filter(|path| {
                let file = self.tree().join(path);
                // A file that is gone has nothing left to compile.
                let Some(changed) = stamp(&file) else { return false };
                match self.is_object_newer(&file, changed) {
                    Some(is_newer) => !is_newer,
                    None => *newest.get_or_insert_with(|| self.newest_binary()) < changed,
                }
            })
            .cloned()
            .collect()
    }

    /// Whether all existing objects of a source are at least as new as it; `None` for a file that has none, as it
    /// is a header, or linked in the same command.
    fn is_object_newer(&self, file: &Path, changed: i64) -> Option<bool> {
        let stamps: Vec<i64> = self.objects.get(file)?.iter().filter_map(|object| stamp(object)).collect();
        (!stamps.is_empty()).then(|| stamps.iter().all(|stamp| *stamp >= changed))
    }

    /// The time of the newest object, library or program.
    fn newest_binary(&self) -> i64 {
        let folders = BTreeSet::from([self.build_folder(), self.tree().to_path_buf()]);
        folders.iter().map(|folder| newest_binary(folder)).max().unwrap_or(i64::MIN)
    }
}

fn newest_binary(folder: &Path) -> i64 {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build();
    let files = walk.flatten().filter(|item| item.file_type().is_some_and(|kind| kind.is_file()));
    let mut newest = i64::MIN;
    for path in files.map(ignore::DirEntry::into_path) {
        if let Some(stamp) = stamp(&path).filter(|stamp| *stamp > newest) {
            if is_binary(&path) {
                newest = stamp;
            }
        }
    }
    newest
}

pub(super) fn stamp(path: &Path) -> Option<i64> {
    fs::metadata(path).ok().map(|data| mtime_ns(&data))
}

/// ELF, archives, thin archives, LLVM bitcode.
pub(super) fn is_binary(path: &Path) -> bool {
    let mut start = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && [b"\x7fELF", b"!<ar", b"!<th", b"BC\xc0\xde"].contains(&&start)
}
