//! Notices about a project: the user should know them, and they stop nothing.

use std::fmt;
use std::path::PathBuf;

/// A notice for the user about the project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// Entries of the database whose file does not exist.
    DeadEntries { database: PathBuf, count: usize, example: PathBuf },
    /// Every entry of the database was dead, so that perturb ignored it.
    StaleDatabase { database: PathBuf },
    /// Entries that repeat another one.
    Duplicates { count: usize, example: PathBuf },
    /// Files that are compiled but are neither C nor C++.
    OtherLanguages { count: usize, example: PathBuf },
    /// Entries that perturb could not use.
    Unusable { count: usize, example: String },
    /// The build ended with an error; the commands before it are known.
    BuildFailed { command: String, status: String, log: PathBuf },
    /// Sources that the build should generate and could not.
    NotGenerated { count: usize, example: PathBuf },
    /// The compiler was called by its absolute path, so that the build ran again under bear.
    CapturedByBear { command: String },
    /// Files and folders of the project that perturb may not read.
    Unreadable { count: usize, example: PathBuf },
    /// The project's own folder changed while the build command ran in perturb's copy of it.
    TreeChanged { command: String },
    /// Tests that the project itself disables.
    TestsDisabled { count: usize, example: String },
    /// Tests whose program was not built.
    TestsNotBuilt { count: usize, example: String },
    /// The tests of this command could not be separated, so that all of them are one test.
    WholeSuite { command: String },
    /// All units are tests or excluded.
    NothingUnderTest,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::DeadEntries { database, count, example } => write!(
                f,
                "{}: {count} {} dropped because the file does not exist, first {}",
                database.display(),
                entries(*count),
                example.display()
            ),
            Notice::StaleDatabase { database } => {
                write!(f, "{}: ignored, because none of its files exists", database.display())
            }
            Notice::Duplicates { count, example } => {
                write!(f, "{count} repeated compile {} dropped, first {}", entries(*count), example.display())
            }
            Notice::OtherLanguages { count, example } => {
                write!(f, "{count} {} neither C nor C++ skipped, first {}", entries(*count), example.display())
            }
            Notice::Unusable { count, example } => {
                write!(f, "{count} compile {} could not be used, first: {example}", entries(*count))
            }
            Notice::BuildFailed { command, status, log } => write!(
                f,
                "`{command}` failed ({status}): only what it compiled before that is known; its output: {}",
                log.display()
            ),
            Notice::NotGenerated { count, example } => write!(
                f,
                "{count} generated source {} could not be generated, first {}",
                if *count == 1 { "file" } else { "files" },
                example.display()
            ),
            Notice::CapturedByBear { command } => {
                write!(f, "`{command}` calls its compiler by an absolute path: it was run again under bear")
            }
            Notice::Unreadable { count, example } => write!(
                f,
                "{count} {} of the project may not be read and {} left out, first {}",
                if *count == 1 { "file or folder" } else { "files or folders" },
                if *count == 1 { "is" } else { "are" },
                example.display()
            ),
            Notice::TreeChanged { command } => write!(
                f,
                "the project's folder changed while `{command}` ran in a copy of it: it was edited, \
                 or its build files name it by an absolute path"
            ),
            Notice::TestsDisabled { count, example } => {
                write!(f, "{count} {} disabled and left out, first {example}", tests_are(*count))
            }
            Notice::TestsNotBuilt { count, example } => {
                write!(f, "{count} {} left out because the program is not built, first {example}", tests_are(*count))
            }
            Notice::WholeSuite { command } => write!(
                f,
                "the tests of `{command}` cannot be told apart, so that all of it is one test; \
                 give a command for a single one under [tests] in perturb.toml if there is one"
            ),
            Notice::NothingUnderTest => write!(
                f,
                "every source file looks like a test or is excluded: \
                 name the files under test with `include` patterns"
            ),
        }
    }
}

fn tests_are(count: usize) -> &'static str {
    if count == 1 {
        "test is"
    } else {
        "tests are"
    }
}

fn entries(count: usize) -> &'static str {
    if count == 1 {
        "entry"
    } else {
        "entries"
    }
}
