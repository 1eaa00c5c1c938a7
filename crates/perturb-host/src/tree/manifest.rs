//! The records of a copy that last from one run to the next: its entries with their times, and which of its files we
//! have replaced.
//!
//! Reads and writes the records; `copy` decides what to do about a difference.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::error::HostError;
use crate::tree::optional_file::read_optional;
use crate::tree::walk::TreeEntry;

/// One line of the manifest: a thing in the tree, and the time that its copy got, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CopiedEntry {
    pub entry: TreeEntry,
    pub stamp: i64,
}

pub(crate) type Records = BTreeMap<PathBuf, CopiedEntry>;

/// One line of NUL-separated fields for each entry: paths may hold anything else.
pub(crate) fn manifest_text(records: &Records) -> Vec<u8> {
    let mut text = Vec::new();
    for (path, CopiedEntry { entry, stamp }) in records {
        let (numbers, target) = match entry {
            TreeEntry::Folder => ("d".to_string(), Path::new("")),
            TreeEntry::File { size, mtime_ns, mode } => (format!("f {size} {mtime_ns} {mode} {stamp}"), Path::new("")),
            TreeEntry::Link { target } => ("l".to_string(), target.as_path()),
        };
        for field in [numbers.as_bytes(), path.as_os_str().as_bytes(), target.as_os_str().as_bytes()] {
            text.extend_from_slice(field);
            text.push(0);
        }
    }
    text
}

/// The manifest of the last sync; empty before the first one. Lines that are damaged are skipped, and their entries
/// copied anew.
pub(crate) fn read_manifest(path: &Path) -> Result<Records, HostError> {
    Ok(parse_manifest(&read_optional(path)?.unwrap_or_default()))
}

fn parse_manifest(text: &[u8]) -> Records {
    let fields: Vec<&[u8]> = text.split(|byte| *byte == 0).collect();
    let to_path = |bytes: &[u8]| PathBuf::from(OsString::from_vec(bytes.to_vec()));
    fields
        .chunks_exact(3)
        .filter_map(|record| {
            let numbers = std::str::from_utf8(record[0]).ok()?;
            let mut words = numbers.split(' ');
            let entry = match words.next()? {
                "d" => TreeEntry::Folder,
                "l" => TreeEntry::Link { target: to_path(record[2]) },
                _ => TreeEntry::File {
                    size: words.next()?.parse().ok()?,
                    mtime_ns: words.next()?.parse().ok()?,
                    mode: words.next()?.parse().ok()?,
                },
            };
            let stamp = match entry {
                TreeEntry::File { .. } => words.next()?.parse().ok()?,
                _ => 0,
            };
            Some((to_path(record[1]), CopiedEntry { entry, stamp }))
        })
        .collect()
}

/// Records which files of the copy are about to be replaced: after a run that is killed, the next must not take one for
/// the user's.
pub(crate) fn note_replaced(home: &Path, paths: &BTreeSet<PathBuf>) -> Result<(), HostError> {
    let note = home.join("replaced");
    if paths.is_empty() {
        return match fs::remove_file(&note) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(HostError::io("remove", &note)(error)),
            _ => Ok(()),
        };
    }
    // A new file takes the old one's place in one step: half a note would be worse than an old one.
    let draft = home.join("replaced.new");
    let text: Vec<u8> = paths.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat()).collect();
    fs::write(&draft, text).map_err(HostError::io("write", &draft))?;
    fs::rename(&draft, &note).map_err(HostError::io("write", &note))
}

/// The files that [`note_replaced`] noted last.
pub(crate) fn read_replaced(home: &Path) -> Result<BTreeSet<PathBuf>, HostError> {
    let text = read_optional(&home.join("replaced"))?.unwrap_or_default();
    let paths = text.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| PathBuf::from(OsString::from_vec(path.to_vec()))).collect())
}

/// A hash that stays the same from one version of us to the next, unlike the standard library's.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn a_manifest_or_a_note_that_cannot_be_read_is_an_error_and_not_an_empty_one() {
        let home = tempfile::tempdir().unwrap();
        let manifest = home.path().join("tree.manifest");
        assert!(read_manifest(&manifest).unwrap().is_empty() && read_replaced(home.path()).unwrap().is_empty());
        [&manifest, &home.path().join("replaced")].into_iter().for_each(|path| fs::create_dir(path).unwrap());
        assert!(read_manifest(&manifest).is_err() && read_replaced(home.path()).is_err());
    }

    #[test]
    fn fuzzed_manifests_are_read() {
        let example = b"d\0src\0\0f 12 34 420 56\0src/a.c\0\0l\0src/b\0a.c\0";
        assert_eq!(parse_manifest(example).len(), 3);
        perturb_fuzz::survives("manifest of a copy", Share::All, &[example], |text| drop(parse_manifest(text)));
    }

    #[test]
    fn fuzzed_trees_come_back_from_their_manifest() {
        let name = || {
            let bytes = prop::collection::vec(1_u8.., 0..9);
            bytes.prop_map(|bytes| PathBuf::from(OsString::from_vec(bytes)))
        };
        let file = any::<(u64, i64, u32)>().prop_map(|(size, mtime_ns, mode)| TreeEntry::File { size, mtime_ns, mode });
        let entry = prop_oneof![Just(TreeEntry::Folder), file, name().prop_map(|target| TreeEntry::Link { target })];
        let record = (entry, any::<i64>()).prop_map(|(entry, stamp)| match entry {
            TreeEntry::File { .. } => CopiedEntry { entry, stamp },
            _ => CopiedEntry { entry, stamp: 0 },
        });
        let records = prop::collection::btree_map(name(), record, 0..6);
        perturb_fuzz::holds("manifest of a copy, round trip", Share::All, records, |records| {
            assert_eq!(parse_manifest(&manifest_text(&records)), records);
        });
    }
}
