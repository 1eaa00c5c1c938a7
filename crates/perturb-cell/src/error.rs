//! The errors of this crate: each message says what happened, where, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Everything that can keep a job from running, or from being judged by how it ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CellError {
    // Not called `source`: code that prints the chain of causes would print it twice.
    #[error("cannot {action} {}: {error}", path.display())]
    Io { action: &'static str, path: PathBuf, error: io::Error },

    #[error("no space left in {}: free some and run again; what was reported so far is kept", path.display())]
    DiskFull { path: PathBuf },

    #[error("cannot start {program}: {error}")]
    ProgramNotStarted { program: String, error: io::Error },

    #[error(
        "{} exists, but the sandbox shows it, or what interprets it, to no test: it shows the system's folders, \
         what is installed on the PATH, and the project's copy; name the folder in perturb.toml: \
         `[sandbox] readable = [\"{}\"]`",
        program.display(), program.parent().unwrap_or(program).display()
    )]
    ProgramHidden { program: PathBuf },

    #[error("cannot make a place to run tests in: {reason}")]
    NotOpened { reason: String },

    #[error("stopped while a test ran")]
    Stopped,

    #[error("the place that tests run in was lost: {reason}; it may have been ended for want of memory")]
    Lost { reason: String },

    #[error(
        "{}: what tests wrote there could not be undone, so that no later verdict would hold: run again, and the \
         copy of the project is made anew", path.display()
    )]
    NotRestored { path: PathBuf },
}

impl CellError {
    /// Adapter for `map_err`: what was being done to which path.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CellError {
        let path = path.to_path_buf();
        move |error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => CellError::DiskFull { path },
            _ => CellError::Io { action, path, error },
        }
    }
}
