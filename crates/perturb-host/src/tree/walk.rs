//! Lists the entries of the user's tree that belong in a copy.
//!
//! Skips version control, our own folders and the output of the user's own builds. Only reads; never follows a symbolic
//! link.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::command_line::{language_of, normalise};
use crate::error::HostError;

/// One thing in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TreeEntry {
    Folder,
    File { size: u64, mtime_ns: i64, mode: u32 },
    Link { target: PathBuf },
}

/// Lists what is to be copied.
pub(crate) struct Walk<'a> {
    root: &'a Path,
    work: &'a Path,
    copy: &'a Path,
    entries: BTreeMap<PathBuf, TreeEntry>,
    unreadable: Vec<PathBuf>,
}

impl<'a> Walk<'a> {
    /// Lists the content of `root` without `work`, for a copy at `copy`.
    pub fn new(root: &'a Path, work: &'a Path, copy: &'a Path) -> Walk<'a> {
        Walk { root, work, copy, entries: BTreeMap::new(), unreadable: Vec::new() }
    }

    /// The entries, and the paths that we may not read.
    pub fn run(mut self) -> Result<(BTreeMap<PathBuf, TreeEntry>, Vec<PathBuf>), HostError> {
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let real = self.root.join(&folder);
            let items = match fs::read_dir(&real).map_err(HostError::io("read", &real)) {
                // One folder that is closed to us is no reason to give up the rest; the root itself is.
                Err(error) if is_denied(&error) && !folder.as_os_str().is_empty() => {
                    self.unreadable.push(folder);
                    continue;
                }
                items => items?,
            };
            for item in items {
                let item = item.map_err(HostError::io("read", &real))?;
                let relative = folder.join(item.file_name());
                if self.is_left_out(&item.path(), &item.file_name()) {
                    continue;
                }
                let data = item.metadata().map_err(HostError::io("read", &item.path()))?;
                let Some(entry) = self.entry(&item.path(), &relative, &data)? else { continue };
                if entry == TreeEntry::Folder {
                    folders.push(relative.clone());
                }
                self.entries.insert(relative, entry);
            }
        }
        self.drop_objects();
        Ok((self.entries, self.unreadable))
    }

    fn is_left_out(&self, path: &Path, name: &OsStr) -> bool {
        matches!(name.to_str(), Some(".git" | ".hg" | ".svn" | ".perturb" | "CMakeCache.txt" | "CMakeFiles"))
            || path == self.work
            || is_build_folder(path)
            || is_made_by_cmake(path, name)
    }

    fn entry(&self, path: &Path, relative: &Path, data: &Metadata) -> Result<Option<TreeEntry>, HostError> {
        if data.is_dir() {
            return Ok(Some(TreeEntry::Folder));
        }
        if data.is_symlink() {
            let target = fs::read_link(path).map_err(HostError::io("read", path))?;
            return Ok(Some(TreeEntry::Link { target: self.link_target(relative, target) }));
        }
        // Sockets, pipes and devices are no part of a project.
        Ok(data.is_file().then(|| TreeEntry::File {
            size: data.len(),
            mtime_ns: mtime_ns(data),
            mode: data.mode() & 0o777,
        }))
    }

    /// Links within the tree stay within the copy; links that leave it keep naming what they name now.
    fn link_target(&self, relative: &Path, target: PathBuf) -> PathBuf {
        if target.is_absolute() {
            return target.strip_prefix(self.root).map_or(target.clone(), |inside| self.copy.join(inside));
        }
        let named = normalise(&self.root.join(relative).with_file_name("").join(&target));
        if named.starts_with(self.root) {
            target
        } else {
            named
        }
    }

    /// Leaves out objects that the user's own build made of a source here: with them `make` would see nothing to
    /// compile, and no command could be captured. Objects of unknown origin may be inputs, and stay.
    fn drop_objects(&mut self) {
        let stems: BTreeSet<_> = self
            .entries
            .keys()
            .filter(|path| language_of(path).is_some())
            .filter_map(|path| path.file_stem().map(OsStr::to_os_string))
            .collect();
        self.entries.retain(|path, _| {
            let is_object = path.extension().is_some_and(|extension| extension == "o" || extension == "lo");
            // `a.o`, `a.c.o` and automake's `libx_la-a.o`.
            let made_here = path.file_stem().is_some_and(|stem| {
                let text = stem.to_string_lossy();
                let tail = text.rsplit('-').next().unwrap_or_default();
                stems.contains(stem)
                    || stems.contains(OsStr::new(tail))
                    || Path::new(stem).file_stem().is_some_and(|inner| stems.contains(inner))
            });
            !(is_object && made_here)
        });
    }
}

/// Whether another run of CMake or Meson uses this folder for its build.
fn is_build_folder(path: &Path) -> bool {
    (path.join("CMakeCache.txt").is_file() && !path.join("CMakeLists.txt").is_file())
        || path.join("meson-private").is_dir()
}

/// What an in-source run of CMake leaves beside the sources: it names the user's tree by absolute paths, so that
/// `make` in our copy would build there.
fn is_made_by_cmake(path: &Path, name: &OsStr) -> bool {
    matches!(
        name.to_str(),
        Some("Makefile" | "build.ninja" | "cmake_install.cmake" | "CTestTestfile.cmake" | "compile_commands.json")
    ) && path.with_file_name("CMakeCache.txt").is_file()
}

/// Whether a file is a header, by its name.
pub(crate) fn is_header(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["h", "hpp", "hh", "hxx", "h++", "H", "inl", "ipp", "tpp", "ixx"].iter().any(|known| extension == *known)
}

pub(crate) fn mtime_ns(data: &Metadata) -> i64 {
    data.mtime() * 1_000_000_000 + data.mtime_nsec()
}

pub(crate) fn is_denied(error: &HostError) -> bool {
    matches!(error, HostError::Io { error, .. } if error.kind() == std::io::ErrorKind::PermissionDenied)
}
