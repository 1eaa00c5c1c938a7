//! The errors of this crate: each message says what happened, where, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use perturb_cell::CellError;

/// Every error that the outside world can cause. A broken invariant of our own panics instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    // Not called `source`: code that prints the chain of causes would print it twice.
    #[error("cannot {action} {}: {error}", path.display())]
    Io { action: &'static str, path: PathBuf, error: io::Error },

    #[error("no space left in {}: free some and run again; what was reported so far is kept", path.display())]
    DiskFull { path: PathBuf },

    #[error("stopped while a build ran")]
    Stopped,

    #[error("{} does not exist: give a C or C++ file, or the folder of a project", path.display())]
    NotFound { path: PathBuf },

    // Debug output shows such bytes as they are written in a shell.
    #[error("{path:?} has bytes in it that are not UTF-8, and compile databases and build files are UTF-8: {hint}")]
    NotUtf8 { path: PathBuf, hint: &'static str },

    #[error("{} is not a C or C++ source file: {reason}", path.display())]
    NotASource { path: PathBuf, reason: &'static str },

    #[error("found no C or C++ source file in {}: give the folder that holds the project's sources", root.display())]
    NoSources { root: PathBuf },

    #[error("do not know how {} is built: {hint}", root.display())]
    UnknownBuild { root: PathBuf, hint: String },

    #[error("{}: a single file has no build and no tests to run; give the folder of its project", path.display())]
    NotRunnable { path: PathBuf },

    #[error("{} says how the files are compiled, but not how the project is built: {hint}", database.display())]
    NoBuild { database: PathBuf, hint: String },

    #[error("cannot replace {}: {reason}", path.display())]
    NotReplaceable { path: PathBuf, reason: &'static str },

    #[error("{}: not a compile database: {reason}; \
         generate it again, or name another one with `--compile-commands FILE`", path.display())]
    DatabaseMalformed { path: PathBuf, reason: String },

    #[error("{} does not exist: \
         generate the compile database, or name another one with `--compile-commands FILE`", path.display())]
    DatabaseMissing { path: PathBuf },

    #[error("{}: the compile database is empty; build the project \
         once with it switched on, then try again", path.display())]
    DatabaseEmpty { path: PathBuf },

    #[error(
        "{}: none of the {entries} entries names a C or C++ file that exists \
         (first: {}); generate it again in this folder",
        path.display(), example.display()
    )]
    DatabaseDead { path: PathBuf, entries: usize, example: PathBuf },

    #[error("{}: its file system gives every file the same time, so that no build could see what changed; \
         put the work folder elsewhere with `--work FOLDER`", path.display())]
    ClockStands { path: PathBuf },

    #[error("{}: the clock of its file system was set back, so that no build could see what changed: run again, and \
         what was built before is built anew; what was reported so far is kept", path.display())]
    ClockSetBack { path: PathBuf },

    #[error("found no tests in {}: looked for {looked_for}; {hint}", root.display())]
    NoTests { root: PathBuf, looked_for: String, hint: String },

    #[error("`{command}`, which is to list the tests, failed: {reason}")]
    ListFailed { command: String, reason: String },

    #[error(
        "the command for the tests has a place for {{test}}, but there is no name to put there: \
         give `--test NAME` or `--list-tests 'COMMAND'`, or `names` or `list` beside it in perturb.toml"
    )]
    NoTestNames,

    #[error("none of the {count} tests is left by the patterns of tests to run and to leave out")]
    NoTestSelected { count: usize },

    #[error("{program} is not installed or not on the PATH: {hint}")]
    ProgramMissing { program: String, hint: String },

    #[error("cannot start {program}: {error}")]
    ProgramNotStarted { program: String, error: io::Error },

    /// An error of the sandbox, in which builds may run.
    #[error(transparent)]
    Cell(#[from] CellError),

    #[error(
        "the sandbox is too weak to run mutants in: {}\n  {}\n  (`--sandbox off` runs them all the same: only where \
         nothing can be harmed)",
        what.join("; "), perturb_cell::HOW_TO_ALLOW_NAMESPACES
    )]
    SandboxTooWeak { what: Vec<String> },

    #[error("{system} could not configure a copy of the project ({status}): install what it lacks, \
         give it arguments, or a build command with `--build 'COMMAND'`; its last lines:\n{tail}\nall of it: \
         {}", log.display())]
    ConfigureFailed { system: &'static str, status: String, tail: String, log: PathBuf },

    #[error("{tool} answered something unexpected in {}: {reason}; \
         is its version newer than this program?", path.display())]
    ToolReply { tool: &'static str, path: PathBuf, reason: String },

    #[error(
        "the build command `{command}` called no compiler that could be seen ({status}); {hint}; \
         its last lines:\n{tail}\nall of it: {}",
        log.display()
    )]
    NothingCaptured { command: String, status: String, hint: String, tail: String, log: PathBuf },

    #[error("cannot read coverage: {reason}")]
    CoverageUnread { reason: String },

    #[error("cannot determine what changed since `{revision}`: git says: {reason}")]
    Git { revision: String, reason: String },

    /// `setting` is `include` or `exclude`.
    #[error("the pattern `{pattern}` in `{setting}` cannot be understood: {reason}")]
    BadPattern { setting: &'static str, pattern: String, reason: String },

    #[error("{} cannot be permitted to tests: {reason}", path.display())]
    NotPermitted { path: PathBuf, reason: String },

    #[error("the compiler {compiler} is not installed or not on the PATH: {hint}")]
    CompilerMissing { compiler: String, hint: String },
}

/// An error that may only say that something was stopped on the way: that is no failure. What else goes wrong while a
/// run ends is one.
pub trait MayBeStop {
    fn is_stop(&self) -> bool;
}

impl MayBeStop for HostError {
    fn is_stop(&self) -> bool {
        matches!(self, HostError::Stopped | HostError::Cell(CellError::Stopped))
    }
}

impl HostError {
    /// Adapter for `map_err`: names the action and the path.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> HostError {
        let path = path.to_path_buf();
        move |error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => HostError::DiskFull { path },
            _ => HostError::Io { action, path, error },
        }
    }
}
