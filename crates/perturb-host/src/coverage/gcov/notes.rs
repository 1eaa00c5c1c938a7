//! The notes of a whole build, and the coverage that the data of one test yield with them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::head::GcovVersion;
use super::tool::{Gcov, GcovPair};
use crate::command_line::normalise;
use crate::coverage::line_counts::LineCounts;
use crate::error::HostError;
use crate::tree::walk::mtime_ns;

/// All that the compilers of a build have left for gcov.
#[derive(Debug)]
pub struct GcovNotes {
    /// The notes, by the path after which the data of their object are named; see [`key`].
    notes: BTreeMap<String, PathBuf>,
    gcovs: BTreeMap<GcovVersion, Gcov>,
    lines: LineCounts,
}

impl GcovNotes {
    /// Reads the notes below `folders`, for which `scratch` is a folder to work in. Those that are older than a file
    /// they speak of are of an object that is not built any more, and count for nothing. An error if there are none.
    pub fn read(folders: &[PathBuf], compilers: &[PathBuf], scratch: &Path) -> Result<GcovNotes, HostError> {
        let mut all = GcovNotes { notes: BTreeMap::new(), gcovs: BTreeMap::new(), lines: LineCounts::default() };
        let mut by_version: BTreeMap<GcovVersion, Vec<GcovPair>> = BTreeMap::new();
        let mut refused = None;
        for path in folders.iter().flat_map(|folder| files_below(folder, "gcno")) {
            let pair = GcovPair { notes: path, data: None };
            match pair.head().map(|head| head.version) {
                Ok(version) => by_version.entry(version).or_default().push(pair),
                Err(reason) => refused = Some(HostError::CoverageUnread { reason }),
            }
        }
        for (version, pairs) in by_version {
            match all.add(version, &pairs, folders, compilers, scratch) {
                // What another compiler made of other files is no reason to do without these.
                Err(error @ (HostError::CoverageUnread { .. } | HostError::ProgramMissing { .. })) => {
                    refused = Some(error)
                }
                result => result?,
            }
        }
        let nothing = || {
            let reason = "the build has left no notes: its compiler is called by an absolute path, or is not GCC; \
                          give data of your own with `--coverage FOLDER`, or do without gcov";
            HostError::CoverageUnread { reason: reason.to_string() }
        };
        if all.notes.is_empty() {
            return Err(refused.unwrap_or_else(nothing));
        }
        Ok(all)
    }

    fn add(
        &mut self,
        version: GcovVersion,
        pairs: &[GcovPair],
        folders: &[PathBuf],
        compilers: &[PathBuf],
        scratch: &Path,
    ) -> Result<(), HostError> {
        let gcov = pairs[0].gcov(compilers)?;
        for (pair, lines) in pairs.iter().zip(gcov.read(pairs, scratch)?) {
            if is_current(&pair.notes, &lines, folders) {
                self.lines.merge(&lines);
                self.notes.insert(key(&pair.notes), pair.notes.clone());
            }
        }
        self.gcovs.insert(version, gcov);
        Ok(())
    }

    /// Every line that programs of this build can count, with 0.
    pub fn lines(&self) -> &LineCounts {
        &self.lines
    }

    /// What the data below `folder` say, where they are as `-fprofile-dir` puts them. An error if any of them is of
    /// another build than these notes, or is not whole.
    pub fn counts(&self, folder: &Path, scratch: &Path) -> Result<LineCounts, HostError> {
        let mut by_version: BTreeMap<GcovVersion, Vec<GcovPair>> = BTreeMap::new();
        for data in files_below(folder, "gcda") {
            let unknown = || HostError::CoverageUnread { reason: format!("{} has no notes", data.display()) };
            let name = data.strip_prefix(folder).unwrap_or(&data);
            let notes = self.notes.get(&key_of_data(name)).ok_or_else(unknown)?.clone();
            let pair = GcovPair { notes, data: Some(data) };
            let head = pair.head().map_err(|reason| HostError::CoverageUnread { reason })?;
            by_version.entry(head.version).or_default().push(pair);
        }
        let mut counts = LineCounts::default();
        for (version, pairs) in by_version {
            let gcov = &self.gcovs[&version];
            gcov.read(&pairs, scratch)?.iter().for_each(|of_pair| counts.merge(of_pair));
        }
        Ok(counts)
    }
}

/// Whether notes are as new as all files of the build that they speak of: the clock of a shadow stamps a changed file
/// later than what was made of it before.
fn is_current(notes: &Path, lines: &LineCounts, folders: &[PathBuf]) -> bool {
    let time = |path: &Path| fs::metadata(path).ok().map(|data| mtime_ns(&data));
    let own = |file: &&PathBuf| folders.iter().any(|folder| file.starts_with(folder));
    let made = time(notes);
    lines.files.keys().filter(own).all(|file| time(file) <= made)
}

/// Files whose names end so, sorted. Does not follow links.
fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(folder).standard_filters(false).build();
    let files = walk.flatten().filter(|item| item.file_type().is_some_and(|kind| kind.is_file()));
    let paths = files.map(ignore::DirEntry::into_path);
    let mut found: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == extension)).collect();
    found.sort();
    found
}

/// What names both the notes and the data of an object: its path without the ending, with `#` for `/`.
fn key(notes: &Path) -> String {
    joined(&notes.with_extension(""))
}

fn joined(path: &Path) -> String {
    path.to_string_lossy().replace('/', "#")
}

/// An object that is named by an absolute path leaves its data under that path; any other under one that holds its
/// folder as well, with `#` for `/` and `^` for `..`.
fn key_of_data(name: &Path) -> String {
    let path = name.with_extension("");
    let Some(mangled) = path.to_str().filter(|text| text.starts_with('#') && !text.contains('/')) else {
        return joined(&Path::new("/").join(path));
    };
    let plain: PathBuf = mangled.split('#').map(|part| if part == "^" { ".." } else { part }).collect();
    joined(&normalise(&Path::new("/").join(plain)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn data_are_told_apart_by_the_place_of_their_object() {
        let notes = key(Path::new("/w/s#b/obj/a.c.gcno"));
        for data in ["w/s#b/obj/a.c.gcda", "#w#s#b#obj#a.c.gcda", "#w#s#b#.#obj#x#^#a.c.gcda"] {
            assert_eq!(key_of_data(Path::new(data)), notes, "{data}");
        }
        assert_ne!(key_of_data(Path::new("#w#s#b#^#a.c.gcda")), key(Path::new("/w/s#b/a.c.gcno")));
        for odd in ["#", "####^#^.gcda", "^.gcda", ".gcda", ""] {
            key_of_data(Path::new(odd));
        }
    }

    #[test]
    fn fuzzed_names_of_data_are_read() {
        let examples = ["w/s#b/obj/a.c.gcda", "#w#s#b#obj#a.c.gcda", "#w#s#b#.#obj#x#^#a.c.gcda"];
        perturb_fuzz::survives("names of gcov data", Share::All, &examples, |name| {
            assert!(!key_of_data(Path::new(&*String::from_utf8_lossy(name))).contains('/'));
        });
    }
}
