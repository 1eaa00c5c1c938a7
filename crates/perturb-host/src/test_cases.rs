//! A project's tests one by one: what to run for each, where, and when it counts as passed.
//!
//! Only describes tests; whoever runs them puts them into a sandbox. To list the cases of a program it has to be asked,
//! in `listing.rs` alone.

mod cases;
mod catch2;
mod cmake_regex;
mod ctest;
mod gtest;
mod listing;
mod pass_rule;
mod select;
mod tap;

use std::path::PathBuf;
use std::time::Duration;

pub use self::pass_rule::{Exit, ExitRule, OutputRule, PassRule, Verdict};
use crate::error::HostError;
use crate::project::{Notice, Project};
use crate::shadow::Shadow;

/// One test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCase {
    /// No two tests of a project have the same, and it is the same in every run.
    pub name: String,
    pub program: PathBuf,
    pub arguments: Vec<String>,
    pub directory: PathBuf,
    /// Variables that the test wants besides those of its caller.
    pub environment: Vec<(String, String)>,
    pub passes: PassRule,
    /// What the project grants it.
    pub timeout: Option<Duration>,
    /// Tests that share a word never run at the same time.
    pub exclusive: Vec<String>,
    /// No other test may run at the same time.
    pub alone: bool,
    /// The program of the project that it runs; not a shell, an interpreter or a launcher in front of it.
    pub executable: Option<PathBuf>,
    pub source: TestSource,
}

/// Where a test comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TestSource {
    /// Its command is ctest's.
    CTest,
    /// ctest itself runs it: with fixtures, or with tests that it depends on.
    ThroughCTest,
    GoogleTest,
    Catch2,
}

/// What the user may say about the tests.
#[derive(Debug, Clone)]
pub struct TestOptions {
    /// Runs one test, named by `{test}`, or all of them.
    pub command: Option<String>,
    /// For `command`: the tests.
    pub names: Vec<String>,
    /// For `command`: writes the names of the tests, one on each line.
    pub list_command: Option<String>,
    /// Each case of a GoogleTest or Catch2 program is a test of its own.
    pub split_cases: bool,
    /// Patterns of names; when there are any, no other test is run.
    pub only: Vec<String>,
    /// Patterns of names of tests that are not run.
    pub exclude: Vec<String>,
}

impl Default for TestOptions {
    fn default() -> TestOptions {
        TestOptions {
            command: None,
            names: Vec::new(),
            list_command: None,
            split_cases: true,
            only: Vec::new(),
            exclude: Vec::new(),
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct TestList {
    /// In the order in which the project lists them.
    pub tests: Vec<TestCase>,
    pub notices: Vec<Notice>,
}

/// Finds the tests of a project in a shadow that has been built without any text of ours.
pub fn find_tests(shadow: &Shadow, project: &Project, options: &TestOptions) -> Result<TestList, HostError> {
    let mut list = ctest::find(shadow, &shadow.build_folder())?.unwrap_or_default();
    if options.split_cases {
        list.tests = cases::split(list.tests)?;
    }
    select::make_unique(&mut list.tests);
    if list.tests.is_empty() {
        return Err(HostError::NoTests { root: project.root.clone(), looked_for: String::new(), hint: String::new() });
    }
    list.tests = select::select(list.tests, options)?;
    Ok(list)
}

impl TestCase {
    /// The same test in another shadow of the same project.
    pub fn moved(&self, from: &Shadow, to: &Shadow) -> TestCase {
        let text = |text: &String| from.text_in(to, text);
        let path = |path: &PathBuf| from.path_in(to, path);
        TestCase {
            program: path(&self.program),
            arguments: self.arguments.iter().map(text).collect(),
            directory: path(&self.directory),
            environment: self.environment.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
            executable: self.executable.as_ref().map(path),
            ..self.clone()
        }
    }
}
