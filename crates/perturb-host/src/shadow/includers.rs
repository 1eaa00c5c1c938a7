//! Finds the compiled sources that may include a file, directly or through other files, by the names in `#include`
//! lines.
//!
//! Finds too many rather than too few: it compares file names and ignores folders. A source that includes by a macro,
//! and a file that cannot be read, count as including everything.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::Shadow;
use crate::command_line::language_of;
use crate::tree::walk::is_header;

/// The includes of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Includes {
    names: BTreeSet<OsString>,
    by_macro: bool,
}

impl Shadow {
    /// The sources that the build compiles and that may include one of these files, relative; not the files themselves.
    pub(super) fn includers(&mut self, changes: &[(PathBuf, Option<Vec<u8>>)]) -> BTreeSet<PathBuf> {
        let tree = self.tree.copy.clone();
        let files = self.includes.get_or_insert_with(|| program_texts(&tree));
        for (path, text) in changes {
            files.insert(path.clone(), includes(text.as_deref().unwrap_or_default()));
        }
        let changed: BTreeSet<&Path> = changes.iter().map(|(path, _)| path.as_path()).collect();
        let reached = closure(&changed, files);
        let compiled = self.objects.keys().filter_map(|source| source.strip_prefix(&tree).ok());
        compiled.filter(|path| reached.contains(*path) && !changed.contains(path)).map(Path::to_path_buf).collect()
    }
}

/// All files that reach one of `changed`, by their names.
fn closure(changed: &BTreeSet<&Path>, files: &BTreeMap<PathBuf, Includes>) -> BTreeSet<PathBuf> {
    let mut names: BTreeSet<&OsStr> = changed.iter().filter_map(|path| path.file_name()).collect();
    let mut reached = BTreeSet::new();
    loop {
        let before = reached.len();
        for (path, includes) in files {
            let hit = includes.by_macro || includes.names.iter().any(|name| names.contains(name.as_os_str()));
            if hit && reached.insert(path.clone()) {
                names.extend(path.file_name());
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

fn program_texts(tree: &Path) -> BTreeMap<PathBuf, Includes> {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).build();
    let files = walk.flatten().filter(|item| item.file_type().is_some_and(|kind| !kind.is_dir()));
    files
        .map(ignore::DirEntry::into_path)
        .filter(|path| is_header(path) || language_of(path).is_some())
        .filter_map(|path| {
            let unknown = Includes { by_macro: true, ..Includes::default() };
            let includes = fs::read(&path).map_or(unknown, |text| includes(&text));
            Some((path.strip_prefix(tree).ok()?.to_path_buf(), includes))
        })
        .collect()
}

fn includes(text: &[u8]) -> Includes {
    let mut found = Includes::default();
    for line in text.split(|byte| *byte == b'\n') {
        let Some(rest) = line.trim_ascii_start().strip_prefix(b"#") else { continue };
        let rest = rest.trim_ascii_start();
        let Some(rest) = rest.strip_prefix(b"include_next").or(rest.strip_prefix(b"include")) else { continue };
        let rest = rest.trim_ascii_start();
        match rest.first() {
            Some(b'"' | b'<') => {
                let name = rest[1..].split(|byte| matches!(byte, b'"' | b'>')).next().unwrap_or_default();
                let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                found.names.insert(String::from_utf8_lossy(name).into_owned().into());
            }
            _ => found.by_macro = true,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn what_a_file_reaches_is_found_through_headers_and_macros_count_for_all() {
        let files: BTreeMap<PathBuf, Includes> = [
            ("a.c", "#include \"inner/x.h\"\n"),
            ("inner/x.h", "  #  include <deep/y.h>\n"),
            ("b.c", "// #include \"y.h\"\nint b;\n"),
            ("c.c", "#include CONFIG\n"),
            ("t.c", "#include \"../a.c\"\n"),
        ]
        .into_iter()
        .map(|(path, text)| (PathBuf::from(path), includes(text.as_bytes())))
        .collect();
        let reached = closure(&BTreeSet::from([Path::new("lib/deep/y.h")]), &files);
        let reached: Vec<_> = reached.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(reached, ["a.c", "c.c", "inner/x.h", "t.c"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_counts_as_including_everything() {
        let tree = tempfile::tempdir().unwrap();
        fs::write(tree.path().join("a.c"), "#include \"a.h\"\n").unwrap();
        std::os::unix::fs::symlink("loop.c", tree.path().join("loop.c")).unwrap();
        let files = program_texts(tree.path());
        assert!(!files[Path::new("a.c")].by_macro && files[Path::new("loop.c")].by_macro);
    }

    #[test]
    fn fuzzed_sources_say_what_they_include() {
        let example = "#include \"inner/x.h\"\n  #  include <deep/y.h>\n#include CONFIG\n#include_next <z>\n";
        perturb_fuzz::survives("include lines", Share::All, &[example], |text| drop(includes(text)));
    }
}
