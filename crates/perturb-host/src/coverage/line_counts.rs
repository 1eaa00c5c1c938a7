//! Counts of executed lines, by whichever tool they were counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The lines of files, each with how often it was executed; a line of which nothing is known is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Counts by file, under the paths in the data: absolute where the data say enough for that.
    pub files: BTreeMap<PathBuf, BTreeMap<u32, u64>>,
}

impl LineCounts {
    /// Counts of one line add up: it may stand for several statements, and be in several programs.
    pub(crate) fn add(&mut self, file: &Path, line: u32, count: u64) {
        // Not through `entry`, which would want a path of its own for every line.
        if !self.files.contains_key(file) {
            self.files.insert(file.to_path_buf(), BTreeMap::new());
        }
        let lines = self.files.get_mut(file).expect("it was put there just now");
        let known = lines.entry(line).or_default();
        *known = known.saturating_add(count);
    }

    pub fn merge(&mut self, other: &LineCounts) {
        for (file, lines) in &other.files {
            lines.iter().for_each(|(line, count)| self.add(file, *line, *count));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// A number of executions as tools write it. What is less than nothing comes of counters that were not whole, and is
/// something.
pub(crate) fn count_of(number: f64) -> u64 {
    if number == 0.0 {
        0
    } else {
        (number.abs() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_a_line_add_up_and_never_turn_to_nothing() {
        let mut counts = LineCounts::default();
        let file = Path::new("a.c");
        [(3, 0), (3, u64::MAX), (3, 2), (4, 0)].iter().for_each(|(line, count)| counts.add(file, *line, *count));
        let mut all = counts.clone();
        all.merge(&counts);
        assert_eq!(all.files[file], BTreeMap::from([(3, u64::MAX), (4, 0)]));
        let odd = [(0.0, 0), (-0.0, 0), (-3.0, 3), (0.2, 1), (1e30, u64::MAX), (f64::NAN, 1)];
        odd.iter().for_each(|(number, count)| assert_eq!(count_of(*number), *count, "{number}"));
    }
}
