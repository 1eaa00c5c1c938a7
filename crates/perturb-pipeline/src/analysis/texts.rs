//! Checks that a run is about one text: the text whose mutants were listed must be the one that is built. If the user
//! changes files during the run, that is reported. Contents are compared, not times.

use super::Run;
use crate::PipelineError;
use perturb_host::Shadow;
use perturb_model::{Event, MutatedFile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

impl Run<'_> {
    /// Fails if the copied text is not the one whose mutants were listed.
    pub(super) fn check_texts(&self, plain: &Shadow) -> Result<(), PipelineError> {
        let is_other = |(path, file): &(&Path, &MutatedFile)| {
            // A build may overwrite a file of its copy; then the user's own file is still the same.
            has_other_text(plain.tree(), path, file) && has_other_text(&self.project.root, path, file)
        };
        let files: Vec<PathBuf> = self.files().into_iter().filter(is_other).map(|(path, _)| path.into()).collect();
        if files.is_empty() {
            return Ok(());
        }
        Err(PipelineError::SourcesChanged { files })
    }

    /// Reports which files the user has changed since they were copied.
    pub(super) fn report_changes(&mut self) {
        let Some(watch) = &self.watch else { return };
        let mut changed: BTreeSet<PathBuf> = watch.changed().into_iter().collect();
        let root = &self.project.root;
        let is_other = |(path, file): &(&Path, &MutatedFile)| {
            // Files that exist only in the copy are made by the build.
            root.join(path).exists() && has_other_text(root, path, file)
        };
        changed.extend(self.files().into_iter().filter(is_other).map(|(path, _)| path.to_path_buf()));
        if !changed.is_empty() {
            self.ledger.report(Event::SourcesChanged { files: changed.into_iter().collect() });
        }
    }

    /// The files that have mutants.
    fn files(&self) -> BTreeMap<&Path, &MutatedFile> {
        self.mutants.iter().map(|mutant| (mutant.file.relative.as_path(), &*mutant.file)).collect()
    }
}

fn has_other_text(folder: &Path, path: &Path, file: &MutatedFile) -> bool {
    std::fs::read(folder.join(path)).is_ok_and(|text| text != file.source.text())
}
