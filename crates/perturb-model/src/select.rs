//! Which mutants the user selects: by file, function, line, id, or changed lines.

use crate::Mutant;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Line ranges by file, relative to the project's root.
pub type LinesByFile = BTreeMap<PathBuf, Vec<RangeInclusive<u32>>>;

/// A mutant must match each part that is given; an empty part matches all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Files, or folders with everything below them, relative to the root.
    pub paths: Vec<PathBuf>,
    /// A function's name, with or without its namespaces and classes.
    pub functions: Vec<String>,
    pub lines: Option<LinesByFile>,
    /// The lines that a change touches.
    pub changed: Option<LinesByFile>,
    /// Ids, or their first digits, in lower case.
    pub ids: Vec<String>,
}

impl Selection {
    /// Whether the mutants of every file may be selected.
    pub fn takes_every_file(&self) -> bool {
        self.paths.is_empty() && self.lines.is_none() && self.changed.is_none()
    }

    /// Whether a file can have a selected mutant.
    pub fn takes_file(&self, relative: &Path) -> bool {
        let named = self.paths.is_empty() || self.paths.iter().any(|path| relative.starts_with(path));
        named && [&self.lines, &self.changed].into_iter().flatten().all(|lines| lines.contains_key(relative))
    }

    pub fn takes(&self, mutant: &Mutant) -> bool {
        let relative = &mutant.file.relative;
        let first = mutant.start().line;
        let last = mutant.end().line;
        let touches = |lines: &LinesByFile| {
            let ranges = lines.get(relative).map(Vec::as_slice).unwrap_or_default();
            ranges.iter().any(|range| *range.start() <= last && first <= *range.end())
        };
        self.takes_file(relative)
            && self.takes_id(mutant)
            && self.takes_function(mutant.function())
            && self.lines.as_ref().is_none_or(touches)
            // A deleted block is part of a change only where it starts: otherwise one changed line in a function would
            // select every statement around it.
            && self.changed.as_ref().is_none_or(|lines| {
                lines.get(relative).is_some_and(|ranges| ranges.iter().any(|range| range.contains(&first)))
            })
    }

    fn takes_id(&self, mutant: &Mutant) -> bool {
        self.ids.is_empty() || {
            let id = mutant.id.to_string();
            self.ids.iter().any(|digits| id.starts_with(digits.as_str()))
        }
    }

    pub fn takes_function(&self, function: Option<&str>) -> bool {
        let matches = |wanted: &String| {
            function.is_some_and(|name| {
                name == wanted || name.strip_suffix(wanted.as_str()).is_some_and(|before| before.ends_with("::"))
            })
        };
        self.functions.is_empty() || self.functions.iter().any(matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_taken_by_name_or_folder_never_by_a_part_of_a_name() {
        let selection = Selection { paths: vec!["src".into(), "a.c".into()], ..Default::default() };
        assert!(selection.takes_file(Path::new("src/ring.c")));
        assert!(selection.takes_file(Path::new("a.c")));
        assert!(!selection.takes_file(Path::new("src2/ring.c")));
        assert!(Selection::default().takes_file(Path::new("anything.c")));
    }

    #[test]
    fn functions_are_taken_with_or_without_their_namespace() {
        let selection = Selection { functions: vec!["push".into()], ..Default::default() };
        assert!(selection.takes_function(Some("push")));
        assert!(selection.takes_function(Some("flight::Ring::push")));
        assert!(!selection.takes_function(Some("ring_push")));
        assert!(!selection.takes_function(None));
    }
}
