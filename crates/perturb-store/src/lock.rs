//! The lock of a work folder, which a run holds for its whole time. Readers need none.
//!
//! The operating system releases the lock when the process ends, however it ends. The file's content only names the
//! process that holds it.

use super::StoreError;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

const FILE_NAME: &str = "run.lock";

#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock. If another run holds it, the error names that run.
    pub(super) fn take(work: &Path) -> Result<Self, StoreError> {
        let path = work.join(FILE_NAME);
        let options = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut lock = Self::locked(options.map_err(StoreError::io("write", &path))?, work)?;
        let file = &mut lock.file;
        let written =
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(StoreError::io("write", &path))?;
        Ok(lock)
    }

    /// Fails where `take` would fail, without taking the lock or creating the file.
    pub(super) fn probe(work: &Path) -> Result<(), StoreError> {
        let path = work.join(FILE_NAME);
        match File::open(&path) {
            Ok(file) => Self::locked(file, work).map(drop),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    fn locked(mut file: File, work: &Path) -> Result<Self, StoreError> {
        match file.try_lock() {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => {
                Err(StoreError::Locked { work: work.to_path_buf(), pid: holder(&mut file) })
            }
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &work.join(FILE_NAME))(error)),
        }
    }
}

/// The id of the process that holds the lock; None if it has not written its id yet.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread has just forked still has the file open until it executes.
        let _ = self.file.unlock();
    }
}
