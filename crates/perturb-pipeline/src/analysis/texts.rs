//! That a run is about one text: the one whose mutants were listed is the one that is built, and where the user goes on
//! working meanwhile, that is told. Texts are compared, not times.

use super::Run;
use crate::PipelineError;
use perturb_host::Shadow;
use perturb_model::{Event, MutatedFile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

impl Run<'_> {
    /// Refuses to go on where the text that was copied is not the one whose mutants were listed.
    pub(super) fn check_texts(&self, plain: &Shadow) -> Result<(), PipelineError> {
        let is_other = |(path, file): &(&Path, &MutatedFile)| {
            // A build may write over a file of its copy; then the user's own is still the same.
            holds_other_text(plain.tree(), path, file) && holds_other_text(&self.project.root, path, file)
        };
        let files: Vec<PathBuf> = self.files().into_iter().filter(is_other).map(|(path, _)| path.into()).collect();
        if files.is_empty() {
            return Ok(());
        }
        Err(PipelineError::SourcesChanged { files })
    }

    /// Tells which files of the user's are not what they were when they were copied.
    pub(super) fn tell_changes(&mut self) {
        let Some(watch) = &self.watch else { return };
        let mut changed: BTreeSet<PathBuf> = watch.changed().into_iter().collect();
        let root = &self.project.root;
        let is_other = |(path, file): &(&Path, &MutatedFile)| {
            // What only the copy has is made by the build.
            root.join(path).exists() && holds_other_text(root, path, file)
        };
        changed.extend(self.files().into_iter().filter(is_other).map(|(path, _)| path.to_path_buf()));
        if !changed.is_empty() {
            self.ledger.report(Event::SourcesChanged { files: changed.into_iter().collect() });
        }
    }

    /// The files that hold mutants.
    fn files(&self) -> BTreeMap<&Path, &MutatedFile> {
        self.mutants.iter().map(|mutant| (mutant.file.relative.as_path(), &*mutant.file)).collect()
    }
}

fn holds_other_text(folder: &Path, path: &Path, file: &MutatedFile) -> bool {
    std::fs::read(folder.join(path)).is_ok_and(|text| text != file.source.text())
}
