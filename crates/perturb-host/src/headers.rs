//! The headers that lie in a project's tree.

use std::path::{Path, PathBuf};

use crate::project::Project;

impl Project {
    /// Every header below the source root, hidden and ignored folders left out, sorted.
    pub fn headers(&self) -> Vec<PathBuf> {
        let mut walk = ignore::WalkBuilder::new(&self.source_root);
        if self.source_root != self.root {
            // The copy lies in the work folder, which tells git to ignore all of it; what the copy itself ignores counts.
            walk.parents(false).require_git(false);
        }
        let files = walk.build().flatten().map(ignore::DirEntry::into_path);
        let mut headers: Vec<_> = files.filter(|path| is_header(path) && path.is_file()).collect();
        headers.sort();
        headers
    }
}

pub(crate) fn is_header(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["h", "hpp", "hh", "hxx", "h++", "H", "inl", "ipp", "tpp", "ixx"].iter().any(|known| extension == *known)
}
