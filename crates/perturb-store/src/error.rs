//! The errors of the store. None of them affects what was committed before.

use rusqlite::ffi;
use rusqlite::ErrorCode;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    #[error("no analysis in {} yet: `perturb run` makes one", work.display())]
    Missing { work: PathBuf },

    #[error(
        "another run{} is using {}: wait until it ends, or give this one a work folder of its own with `--work DIR`",
        holder(.pid), work.display()
    )]
    Locked { work: PathBuf, pid: Option<u32> },

    #[error(
        "{} was written by a newer perturb (its format is {found}, this one knows {known}): use that one, or another \
         work folder with `--work DIR`",
        path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },

    #[error(
        "{} was written by an older perturb (its format is {found}, this one knows {known}): move it away, and \
         `perturb run` makes a new one with the verdicts that are kept beside it",
        path.display()
    )]
    Older { path: PathBuf, found: i64, known: i64 },

    #[error(
        "{} is no store of perturb, or its beginning is damaged: where perturb has worked before, the next \
         `perturb run` sets it aside; otherwise move it away, or use another work folder with `--work DIR`",
        path.display()
    )]
    NotAStore { path: PathBuf },

    #[error(
        "{} is damaged ({reason}): the next `perturb run` sets it aside, and goes on with the verdicts that are kept \
         beside it",
        path.display()
    )]
    Corrupt { path: PathBuf, reason: String },

    #[error(
        "{} belongs to another work folder{}, and was put here alone: read it in the folder it comes from, or copy \
         that folder as a whole; to work here, move it away with its seal, and `perturb run` makes a new one with the \
         verdicts that this folder keeps",
        path.display(), project(root)
    )]
    Foreign {
        path: PathBuf,
        /// The project of its last run.
        root: Option<PathBuf>,
    },

    #[error(
        "{} was taken away or replaced while a run wrote to it: what this run found out since is lost; run again",
        path.display()
    )]
    TakenAway { path: PathBuf },

    #[error(
        "{} cannot be written to: it is read-only; what was reported so far is kept: make it writable and run again, \
         or use another work folder with `--work DIR`",
        path.display()
    )]
    ReadOnly { path: PathBuf },

    #[error("no space left for {}: free some and run again; what was reported so far is kept", path.display())]
    Full { path: PathBuf },

    // The field is not called `source`, because a chain of causes would then show it twice.
    #[error("cannot {action} {}: {error}", path.display())]
    Io { action: &'static str, path: PathBuf, error: io::Error },

    #[error(
        "{} is a folder, and the store should be there: move it away, or use another work folder with `--work DIR`",
        path.display()
    )]
    IsFolder { path: PathBuf },

    #[error("{}: {reason}: see that the disk is there, or use another work folder with `--work DIR`", path.display())]
    Database { path: PathBuf, reason: String },
}

fn holder(pid: &Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

fn project(root: &Option<PathBuf>) -> String {
    root.as_deref().map(|root| format!(" (its last run was of {})", root.display())).unwrap_or_default()
}

impl StoreError {
    /// Adapter for `map_err`: adds the action and the path.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly { path },
            _ => Self::Io { action, path, error },
        }
    }

    /// Adapter for `map_err`: translates an error of SQLite about the file at `path`.
    pub(super) fn database(path: &Path) -> impl Fn(rusqlite::Error) -> Self + '_ {
        move |error| {
            let path = path.to_path_buf();
            let reason = error.to_string();
            match &error {
                rusqlite::Error::SqliteFailure(failure, _) => match (failure.code, failure.extended_code) {
                    // The shared memory of a write-ahead log is written through the file system too.
                    (ErrorCode::DiskFull, _) | (_, ffi::SQLITE_IOERR_SHMSIZE) => Self::Full { path },
                    (ErrorCode::NotADatabase, _) => Self::NotAStore { path },
                    (ErrorCode::DatabaseCorrupt, _) => Self::Corrupt { path, reason },
                    (ErrorCode::CannotOpen | ErrorCode::SystemIoFailure, _) if path.is_dir() => Self::IsFolder { path },
                    // SQLite does not report the reason.
                    (ErrorCode::CannotOpen, _) => match File::options().read(true).write(true).open(&path) {
                        Err(error) => Self::Io { action: "open", path, error },
                        Ok(_) => Self::Database { path, reason },
                    },
                    // SQLite reports in this way that the file was moved or deleted while it was open.
                    (_, ffi::SQLITE_READONLY_DBMOVED) => Self::TakenAway { path },
                    (ErrorCode::ReadOnly, _) => Self::ReadOnly { path },
                    _ => Self::Database { path, reason },
                },
                // Values that perturb never wrote.
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::Utf8Error(..) => Self::Corrupt { path, reason },
                _ => Self::Database { path, reason },
            }
        }
    }
}
