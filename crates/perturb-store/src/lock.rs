//! The right to write in a work folder, for a whole run. Readers need none.
//!
//! The operating system holds the lock, so that it ends with the process however that ends; the file's content only
//! says who has it.

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
    /// Refuses, and names the other one, where another run has it.
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

    /// The same refusal, without taking it or making the file.
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

/// Who wrote its number last; nobody where the other one has not come to that yet.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread has just forked still holds the file until it executes.
        let _ = self.file.unlock();
    }
}
