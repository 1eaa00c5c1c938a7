//! Finds the files that the user has changed since the tree was copied: the results of a run are about the copied text.
//!
//! Sizes and times decide which files are compared, their texts decide whether they changed. Only reads, and never
//! fails: a file that can no longer be read has changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::tree::copy::{is_program_text, TreeCopy};
use crate::tree::walk::{TreeEntry, Walk};

/// A tree as it was copied.
#[derive(Debug, Clone)]
pub struct TreeWatch {
    root: PathBuf,
    work: PathBuf,
    copy: PathBuf,
    entries: BTreeMap<PathBuf, TreeEntry>,
    unreadable: Vec<PathBuf>,
}

impl TreeWatch {
    pub(crate) fn new(root: &Path, work: &Path, tree: &TreeCopy) -> TreeWatch {
        let (copy, unreadable) = (tree.copy.clone(), tree.unreadable.clone());
        TreeWatch { root: root.into(), work: work.into(), copy, entries: tree.entries().clone(), unreadable }
    }

    /// Files that hold another text than the one that was copied, or are gone, and sources that are new; relative,
    /// sorted.
    pub fn changed(&self) -> Vec<PathBuf> {
        let (now, _) = Walk::new(&self.root, &self.work, &self.copy).run().unwrap_or_default();
        let is_other = |(path, entry): &(&PathBuf, &TreeEntry)| match (entry, now.get(*path)) {
            (TreeEntry::Folder, _) => false,
            (entry, Some(other)) if *entry == other => false,
            (TreeEntry::File { .. }, Some(TreeEntry::File { .. })) => !self.is_same_text(path),
            _ => true,
        };
        let is_new = |(path, entry): &(&PathBuf, &TreeEntry)| {
            let is_known = self.entries.contains_key(*path) || self.unreadable.contains(path);
            matches!(entry, TreeEntry::File { .. }) && is_program_text(path) && !is_known
        };
        let others = self.entries.iter().filter(is_other).chain(now.iter().filter(is_new));
        let mut changed: Vec<PathBuf> = others.map(|(path, _)| path.clone()).collect();
        changed.sort();
        changed
    }

    fn is_same_text(&self, path: &Path) -> bool {
        let [ours, theirs] = [&self.copy, &self.root].map(|folder| fs::read(folder.join(path)).ok());
        ours.is_some() && ours == theirs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::copy::{sync, Origin, Replaced};

    #[test]
    fn other_texts_missing_files_and_new_sources_are_told_and_nothing_else() {
        let place = tempfile::tempdir().unwrap();
        let (root, work) = (place.path().join("project"), place.path().join("work"));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(&work).unwrap();
        let write = |path: &str, text: &str| fs::write(root.join(path), text).unwrap();
        ["src/a.c", "src/b.c", "src/c.h", "data", "notes"].into_iter().for_each(|path| write(path, "1"));
        let tree = sync(Origin::Tree { root: &root, work: &work }, &work, Replaced::Restore).unwrap();
        let watch = TreeWatch::new(&root, &work, &tree);
        assert!(watch.changed().is_empty());
        // A build writes over files of the copy, the user saves the same text again, and editors leave their own files.
        fs::write(tree.copy.join("src/b.c"), "of a build").unwrap();
        write("notes", "1");
        write("src/.a.c.swp", "");
        assert!(watch.changed().is_empty(), "{:?}", watch.changed());
        write("src/a.c", "2");
        write("data", "22");
        write("src/new.c", "");
        fs::remove_file(root.join("src/c.h")).unwrap();
        assert_eq!(watch.changed(), ["data", "src/a.c", "src/c.h", "src/new.c"].map(PathBuf::from));
    }
}
