//! Replaces files of a shadow, and restores them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use super::Shadow;
use crate::error::HostError;
use crate::project::builder::Builder;
use crate::tree::copy::Origin;
use crate::tree::manifest::{note_replaced, read_replaced};
use crate::tree::optional_file::read_optional;

/// The text that a replaced file had before, as a compiler would have read it; `None` if there was no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OriginalText {
    pub text: Option<Vec<u8>>,
}

impl Shadow {
    /// Makes exactly these files (by their paths below the root) differ from the user's; all others of ours are
    /// restored. Writes only what changes. New files may be added, in new folders too.
    pub fn replace(&mut self, texts: &BTreeMap<PathBuf, Vec<u8>>) -> Result<(), HostError> {
        for path in texts.keys() {
            self.check(path)?;
            if !self.originals.contains_key(path) {
                let text = self.text(path)?;
                self.originals.insert(path.clone(), OriginalText { text });
            }
        }
        let mut changes: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
        for (path, original) in &self.originals {
            let wanted = texts.get(path).or(original.text.as_ref());
            if self.text(path)?.as_ref() != wanted {
                changes.push((path.clone(), wanted.cloned()));
            }
        }
        let ours: BTreeSet<PathBuf> = texts.keys().cloned().collect();
        if !changes.is_empty() {
            let changing = changes.iter().map(|(path, _)| path.clone());
            note_replaced(&self.home, &ours.iter().cloned().chain(changing).collect())?;
            self.tree.clock.tick()?;
            for (path, text) in &changes {
                self.write(path, text.as_deref())?;
            }
            self.refresh_includers(&changes)?;
            self.pending.extend(changes.into_iter().map(|(path, _)| path));
        }
        note_replaced(&self.home, &ours)?;
        self.texts = Some(texts.clone());
        Ok(())
    }

    /// Replaced files over which a build has written.
    pub(super) fn overwritten(&self) -> Result<Vec<PathBuf>, HostError> {
        let mut found = Vec::new();
        for (path, text) in self.texts.iter().flatten() {
            if !self.holds_text(path, text) {
                found.push(path.clone());
            }
        }
        Ok(found)
    }

    /// Whether a file holds exactly this text. A build with a mutant in it may have left anything there, also what
    /// never comes to its end when it is read.
    fn holds_text(&self, path: &Path, text: &[u8]) -> bool {
        let file = self.tree().join(path);
        let may_hold = |data: fs::Metadata| data.is_file() && data.len() == text.len() as u64;
        fs::metadata(&file).is_ok_and(may_hold) && fs::read(&file).is_ok_and(|there| there == text)
    }

    /// Learns the original text of files that an earlier run has replaced: it may have been killed.
    pub(super) fn learn_originals(&mut self, origin: Origin) -> Result<(), HostError> {
        for path in read_replaced(&self.home)? {
            if is_plain(&path) {
                let text = self.tree.original(origin, &path)?;
                self.originals.insert(path, OriginalText { text });
            }
        }
        Ok(())
    }

    /// Rejects every path that is not a file of the tree.
    fn check(&self, path: &Path) -> Result<(), HostError> {
        let refuse = |reason| HostError::NotReplaceable { path: path.to_path_buf(), reason };
        if !is_plain(path) {
            return Err(refuse("its path leaves the tree"));
        }
        let file = self.tree().join(path);
        if file.is_dir() {
            return Err(refuse("it is a folder"));
        }
        // A parent folder may be a link to one of the user's.
        let parent = file.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(self.tree());
        let real = parent.canonicalize().map_err(HostError::io("find", parent))?;
        if real.starts_with(self.tree()) {
            Ok(())
        } else {
            Err(refuse("a link points out of the tree"))
        }
    }

    /// The text that a compiler would read, through a link too.
    fn text(&self, path: &Path) -> Result<Option<Vec<u8>>, HostError> {
        read_optional(&self.tree().join(path))
    }

    fn write(&self, path: &Path, text: Option<&[u8]>) -> Result<(), HostError> {
        let file = self.tree().join(path);
        let mode = fs::metadata(&file).map(|data| data.permissions().mode() & 0o777).ok();
        // Never writes through a link, which may point to a file of the user's.
        if fs::symlink_metadata(&file).is_ok() {
            fs::remove_file(&file).map_err(HostError::io("replace", &file))?;
        }
        let Some(text) = text else { return Ok(()) };
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(HostError::io("create", folder))?;
        }
        fs::write(&file, text).map_err(HostError::io("write", &file))?;
        match mode {
            Some(mode) => {
                let mode = fs::Permissions::from_mode(mode | 0o600);
                fs::set_permissions(&file, mode).map_err(HostError::io("set the mode of", &file))
            }
            None => Ok(()),
        }
    }

    /// Many makefiles do not know which sources include which files. So sources that may include a changed file get a
    /// new time as well; CMake and Meson know the dependencies.
    fn refresh_includers(&mut self, changes: &[(PathBuf, Option<Vec<u8>>)]) -> Result<(), HostError> {
        if !matches!(self.builder, Builder::Command(_)) {
            return Ok(());
        }
        for path in self.includers(changes) {
            let text = self.text(&path)?;
            self.write(&path, text.as_deref())?;
        }
        Ok(())
    }
}

fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_))) && path.file_name().is_some()
}
