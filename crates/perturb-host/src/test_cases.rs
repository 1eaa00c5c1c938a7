//! A project's tests: what to run for each, in which folder, and when it passes.
//!
//! Only describes tests; its users run them in a sandbox. Listing the cases of a program means running it: only
//! `listing.rs` does.

mod automake;
mod cases;
mod cmake_regex;
mod command;
pub(crate) mod confinement;
mod ctest;
mod hints;
mod listing;
mod make_check;
mod meson;
mod pass_rule;
mod programs;
mod select;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use self::pass_rule::{Exit, ExitRule, OutputRule, PassRule, TestResult};
use crate::command_line::normalise;
use crate::error::HostError;
use crate::process::tools::is_executable;
use crate::project::builder::Builder;
use crate::project::description::Project;
use crate::shadow::Shadow;
use perturb_model::Notice;

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
    /// A case of a program.
    GoogleTest,
    /// A case of a program.
    Catch2,
    Meson,
    /// One of automake's `TESTS`.
    Automake,
    /// What a makefile runs for `make check` or `make test`, or all of that.
    Make,
    /// A program that looks like a test.
    Program,
    /// The user's own command.
    Command,
}

/// Options of the tests, as the user gives them.
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

/// The tests that were found.
#[derive(Debug, Clone, Default)]
pub struct TestList {
    /// In the order in which the project lists them.
    pub tests: Vec<TestCase>,
    pub notices: Vec<Notice>,
}

/// Finds the tests of a project in a shadow that has been built without any text of ours.
pub fn find_tests(shadow: &Shadow, project: &Project, options: &TestOptions) -> Result<TestList, HostError> {
    let mut list = match &options.command {
        Some(command) => command::find(shadow, command, options)?,
        None => told_by_build(shadow)?,
    };
    if list.tests.is_empty() {
        list.tests = programs::find(shadow);
    }
    if list.tests.is_empty() {
        return Err(hints::no_tests(shadow, project));
    }
    if options.split_cases {
        list.tests = cases::split(list.tests)?;
    }
    select::make_unique(&mut list.tests);
    list.tests = select::select(list.tests, options)?;
    Ok(list)
}

/// What the build files say about tests.
fn told_by_build(shadow: &Shadow) -> Result<TestList, HostError> {
    match shadow.builder() {
        Builder::CMake => Ok(ctest::find(shadow, &shadow.build_folder())?),
        Builder::Meson => meson::find(shadow),
        Builder::Command(_) => {
            for folder in ctest::folders(shadow.tree()) {
                let list = ctest::find(shadow, &folder)?;
                if !list.tests.is_empty() {
                    return Ok(list);
                }
            }
            let list = automake::find(shadow)?;
            if list.tests.is_empty() {
                return make_check::find(shadow);
            }
            Ok(list)
        }
    }
}

/// The first word of a command that is a program of the project, behind the script that libtool may have put in front
/// of it.
fn executable_of<'a>(shadow: &Shadow, directory: &Path, words: impl IntoIterator<Item = &'a str>) -> Option<PathBuf> {
    let paths = words.into_iter().map(|word| normalise(&directory.join(word)));
    let program = paths.into_iter().find(|path| shadow.holds(path) && is_executable(path))?;
    let behind = program.with_file_name(".libs").join(program.file_name()?);
    Some(if behind.is_file() { behind } else { program })
}

impl TestCase {
    /// A program that is run alone in its folder and passes with status 0, as most do.
    fn plain(name: String, program: PathBuf, directory: PathBuf, source: TestSource) -> TestCase {
        TestCase {
            name,
            program,
            arguments: Vec::new(),
            directory,
            environment: Vec::new(),
            passes: PassRule::default(),
            timeout: None,
            exclusive: Vec::new(),
            alone: false,
            executable: None,
            source,
        }
    }

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
