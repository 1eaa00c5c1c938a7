//! The tests of a project, and what a recording contains.

use crate::{ContentHash, MutantSet};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// A test's name, unique in its project. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestName(Arc<str>);

impl TestName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for TestName {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<String> for TestName {
    fn from(name: String) -> Self {
        Self(name.into())
    }
}

impl fmt::Display for TestName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A test of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub name: TestName,
    /// The command that runs it, as a user would type it.
    pub command: String,
    /// The wall-clock time that it takes on the original.
    pub wall: Duration,
    pub cpu: Duration,
    pub baseline: Baseline,
    /// The hash of its command, its executable and its inputs.
    pub hash: ContentHash,
}

/// The result of running a test twice on the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Baseline {
    Passed,
    Failed {
        why: String,
    },
    /// Passed once and failed once.
    Flaky {
        why: String,
    },
    /// The test reports that it cannot run here.
    Skipped {
        why: String,
    },
}

impl Test {
    /// Whether it passes on the original: only then can it kill a mutant.
    pub fn takes_part(&self) -> bool {
        self.baseline == Baseline::Passed
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("passed"),
            Self::Failed { why } => write!(f, "failed: {why}"),
            Self::Flaky { why } => write!(f, "flaky: {why}"),
            Self::Skipped { why } => write!(f, "skipped: {why}"),
        }
    }
}

/// What one test does on the instrumented original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    pub reach: Reach,
    pub statements: Vec<FileCounts>,
}

/// Which mutants a test reaches and infects, by their index in the run's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    pub test: TestName,
    /// Mutants whose place the test executes.
    pub reached: MutantSet,
    /// Mutants whose value differs from the original's at least once.
    pub infected: MutantSet,
}

/// How often a test executes the statements of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCounts {
    /// Below the project's root.
    pub file: PathBuf,
    /// In the order of their lines. Statements that are never executed are listed with 0.
    pub counts: Vec<StatementCount>,
}

/// How many statements of a file the tests execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covered {
    /// Below the project's root.
    pub file: PathBuf,
    pub executed: usize,
    pub of: usize,
}

impl Covered {
    /// One entry for each file, in the order of their paths.
    pub fn by(recordings: &[Recording]) -> Vec<Self> {
        let mut files: BTreeMap<&PathBuf, Vec<bool>> = BTreeMap::new();
        for FileCounts { file, counts } in recordings.iter().flat_map(|recording| &recording.statements) {
            let executed = files.entry(file).or_default();
            executed.resize(executed.len().max(counts.len()), false);
            executed.iter_mut().zip(counts).for_each(|(executed, count)| *executed |= count.count > 0);
        }
        let covered = |(file, statements): (&PathBuf, Vec<bool>)| Self {
            file: file.clone(),
            executed: statements.iter().filter(|is_executed| **is_executed).count(),
            of: statements.len(),
        };
        files.into_iter().map(covered).collect()
    }
}

/// How often a statement is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementCount {
    /// The first line of the statement; several statements may start on one line.
    pub line: u32,
    pub count: u64,
}
