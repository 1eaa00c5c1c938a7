//! Finds the file of the project that coverage data belong to. The data may come from another checkout, on another
//! machine.

use perturb_host::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct Locator<'l> {
    roots: [&'l Path; 2],
    /// The files with mutants, below the root.
    files: BTreeSet<&'l Path>,
    known: BTreeMap<PathBuf, Option<PathBuf>>,
}

impl<'l> Locator<'l> {
    pub fn new(project: &'l Project, files: impl IntoIterator<Item = &'l Path>) -> Self {
        let roots = [project.root.as_path(), project.source_root.as_path()];
        Self { roots, files: files.into_iter().collect(), known: BTreeMap::new() }
    }

    /// The path below the root; None for a file without mutants.
    pub fn relative(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let found = self.find(path);
        self.known.insert(path.to_path_buf(), found.clone());
        found
    }

    /// A file of the data that has no mutants.
    pub fn unknown(&self) -> Option<PathBuf> {
        self.known.iter().find(|(_, found)| found.is_none()).map(|(path, _)| path.clone())
    }

    fn find(&self, path: &Path) -> Option<PathBuf> {
        let inside = self.roots.iter().find_map(|root| path.strip_prefix(root).ok());
        let inside = inside.or(path.is_relative().then_some(path));
        if let Some(file) = inside.and_then(|path| self.files.get(path)) {
            return Some(file.to_path_buf());
        }
        if inside.is_some() {
            return None;
        }
        let ends = self.files.iter().filter(|file| path.ends_with(file));
        let file = ends.max_by_key(|file| file.components().count())?;
        (!path.exists() || self.is_same(path, file)).then(|| file.to_path_buf())
    }

    /// Whether a file outside of the project is a copy of one of the project's. The name alone does not show it.
    fn is_same(&self, path: &Path, file: &Path) -> bool {
        let text = |path: &Path| std::fs::read(path).ok();
        text(path).is_some_and(|copy| text(&self.roots[0].join(file)) == Some(copy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(paths: &[&str]) -> Vec<Option<PathBuf>> {
        let roots = [Path::new("/no/project"), Path::new("/no/work/tree")];
        let files = ["src/ring.c", "ring.c", "lib/src/ring.c"].map(Path::new).into_iter().collect();
        let mut locator = Locator { roots, files, known: BTreeMap::new() };
        paths.iter().map(|path| locator.relative(Path::new(path))).collect()
    }

    #[test]
    fn files_are_found_here_in_our_copy_and_by_the_end_of_their_path_elsewhere() {
        let paths = [
            "/no/project/src/ring.c",
            "/no/work/tree/ring.c",
            "src/ring.c",
            "/builds/7/lib/src/ring.c",
            "/builds/7/src/ring.c",
            "/builds/7/ring.c",
        ];
        let expected = ["src/ring.c", "ring.c", "src/ring.c", "lib/src/ring.c", "src/ring.c", "ring.c"];
        assert_eq!(located(&paths), expected.map(|file| Some(PathBuf::from(file))));
    }

    #[test]
    fn what_is_no_file_with_mutants_is_nothing() {
        let paths =
            ["/no/project/tests/ring.c", "other.c", "/builds/7/xring.c", "/usr/include/stdio.h", "/", "", "../.."];
        assert_eq!(located(&paths), vec![None; paths.len()]);
    }

    #[test]
    fn a_copy_of_the_project_is_told_from_another_file_of_the_same_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (name, text) in [("project/ring.c", "int a;"), ("copy/ring.c", "int a;"), ("other/ring.c", "int b;")] {
            std::fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            std::fs::write(path(name), text).unwrap();
        }
        let root = path("project");
        let file = Path::new("ring.c");
        let mut locator = Locator { roots: [&root, &root], files: [file].into(), known: BTreeMap::new() };
        assert_eq!(locator.relative(&path("copy/ring.c")).as_deref(), Some(file));
        assert_eq!(locator.relative(&path("other/ring.c")), None);
        assert_eq!(locator.unknown(), Some(path("other/ring.c")));
    }
}
