//! The headers that lie in a project's tree.

use std::path::PathBuf;

use crate::project::Project;

impl Project {
    /// Every header below the source root, hidden and ignored folders left out, sorted.
    pub fn headers(&self) -> Vec<PathBuf> {
        let files = ignore::WalkBuilder::new(&self.source_root).build().flatten().map(ignore::DirEntry::into_path);
        let is_header = |path: &PathBuf| {
            let extension = path.extension().unwrap_or_default();
            ["h", "hpp", "hh", "hxx", "h++", "H", "inl", "ipp", "tpp", "ixx"].iter().any(|known| extension == *known)
        };
        let mut headers: Vec<_> = files.filter(|path| is_header(path) && path.is_file()).collect();
        headers.sort();
        headers
    }
}
