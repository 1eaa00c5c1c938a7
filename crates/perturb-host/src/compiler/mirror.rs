//! A folder that looks like a project's tree and contains none of it: symbolic links, and a text of ours in place of
//! single files.
//!
//! Compilers look for headers beside the file that includes them, by the path through which they reached it. So a text
//! in place of any file, header or source, is found wherever the project's own would be. Nothing is ever written
//! through a link.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::error::HostError;

#[derive(Debug)]
pub struct Mirror {
    tree: PathBuf,
    at: PathBuf,
    /// The folder for the output of compilers.
    scratch: PathBuf,
}

impl Mirror {
    /// Mirrors a tree as it is now, without the folder `work`, which may be in it. The folder `home` is ours: what is
    /// in it goes.
    pub fn of(tree: &Path, home: &Path, work: &Path) -> Result<Mirror, HostError> {
        if home.exists() {
            fs::remove_dir_all(home).map_err(HostError::io("remove", home))?;
        }
        let mirror = Mirror { tree: tree.to_path_buf(), at: home.join("tree"), scratch: home.join("out") };
        for folder in [&mirror.at, &mirror.scratch] {
            fs::create_dir_all(folder).map_err(HostError::io("create", folder))?;
        }
        let work = work.canonicalize().unwrap_or_else(|_| work.to_path_buf());
        let is_same = move |path: &Path| path == work || path.canonicalize().is_ok_and(|path| path == work);
        let is_wanted = move |entry: &ignore::DirEntry| entry.file_name() != ".git" && !is_same(entry.path());
        let walk = ignore::WalkBuilder::new(tree).standard_filters(false).filter_entry(is_wanted).build();
        for entry in walk.flatten() {
            let Ok(relative) = entry.path().strip_prefix(tree) else { continue };
            if relative.as_os_str().is_empty() {
                continue;
            }
            let here = mirror.at.join(relative);
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                fs::create_dir_all(&here).map_err(HostError::io("create", &here))?;
            } else if !is_object(relative) {
                symlink(entry.path(), &here).map_err(HostError::io("create", &here))?;
            }
        }
        Ok(mirror)
    }

    /// Puts a text in the place of a file, by its path below the tree.
    pub fn put(&self, relative: &Path, text: &[u8]) -> Result<(), HostError> {
        let here = self.emptied(relative)?;
        fs::write(&here, text).map_err(HostError::io("write", &here))
    }

    /// Takes it away again.
    pub fn restore(&self, relative: &Path) -> Result<(), HostError> {
        let here = self.emptied(relative)?;
        symlink(self.tree.join(relative), &here).map_err(HostError::io("create", &here))
    }

    fn emptied(&self, relative: &Path) -> Result<PathBuf, HostError> {
        let here = self.at.join(relative);
        match fs::remove_file(&here) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(HostError::io("replace", &here)(error)),
            _ => Ok(here),
        }
    }

    /// A word of a command, with paths in the tree replaced by those of the mirror.
    pub(crate) fn here(&self, word: &str) -> String {
        let (tree, at) = (self.tree.to_string_lossy(), self.at.to_string_lossy());
        let mut parts = word.split(&*tree);
        let mut text = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let is_whole = part.is_empty() || !part.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c));
            text.push_str(if is_whole { &at } else { &tree });
            text.push_str(part);
        }
        text
    }

    /// The path of a file here, from its path below the tree.
    pub(crate) fn path(&self, relative: &Path) -> PathBuf {
        self.at.join(relative)
    }

    /// A file that stands here as the project names it, below its tree; any other as it is.
    pub fn named<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(&self.at).unwrap_or(path)
    }

    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }
}

/// What a build has made in the tree, and no compiler reads.
fn is_object(path: &Path) -> bool {
    matches!(
        path.extension().and_then(|extension| extension.to_str()),
        Some("o" | "a" | "so" | "lo" | "d" | "gcda" | "gcno")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_ours_is_found_and_the_tree_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join("src/a.h"), "theirs").unwrap();
        let work = tree.join(".perturb");
        fs::create_dir_all(work.join("large")).unwrap();
        let mirror = Mirror::of(&tree, &work.join("mirror"), &work).unwrap();
        assert!(!mirror.path(Path::new(".perturb")).exists(), "the folder that it is in is left out");
        let here = mirror.here(&format!("-I{}/src", tree.display())).split_off(2);
        let read = || fs::read_to_string(Path::new(&here).join("a.h")).unwrap();
        assert_eq!(read(), "theirs");
        mirror.put(Path::new("src/a.h"), b"ours").unwrap();
        assert_eq!((read(), fs::read_to_string(tree.join("src/a.h")).unwrap()), ("ours".into(), "theirs".into()));
        mirror.restore(Path::new("src/a.h")).unwrap();
        assert_eq!(read(), "theirs");
        let longer = format!("{}-other/x", tree.display());
        assert_eq!(mirror.here(&longer), longer, "another folder whose name starts alike");
        assert_eq!(mirror.named(Path::new(&here)), Path::new("src"));
        assert_eq!(mirror.named(Path::new("/usr/include/a.h")), Path::new("/usr/include/a.h"));
    }
}
