//! Lists the headers in a project's tree.

use std::path::PathBuf;

use crate::project::description::Project;
use crate::tree::walk::is_header;

impl Project {
    /// Every header below the source root, hidden and ignored folders left out, sorted.
    pub fn headers(&self) -> Vec<PathBuf> {
        let mut walk = ignore::WalkBuilder::new(&self.source_root);
        if self.source_root != self.root {
            // The copy is in the work folder, which is hidden from git as a whole; the ignore files inside the copy
            // count.
            walk.parents(false).require_git(false);
        }
        let files = walk.build().flatten().map(ignore::DirEntry::into_path);
        let mut headers: Vec<_> = files.filter(|path| is_header(path) && path.is_file()).collect();
        headers.sort();
        headers
    }
}
