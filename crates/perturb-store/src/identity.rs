//! Which work folder a store belongs to: a number drawn once for each work folder, in a file there and in the store.
//!
//! A work folder that is moved or copied as a whole takes the number with it, and its store stays valid. If only the
//! store is copied into the work folder of another project, the numbers differ: the seal would match, but the results
//! are about another project.

use super::StoreError;
use perturb_model::ContentHash;
use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::time::SystemTime;

const FILE_NAME: &str = "work.id";

/// Hexadecimal digits of a number.
const DIGITS: usize = 64;

/// The random number of a work folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WorkId(String);

impl WorkId {
    /// The number of a folder, if it has one. A file that a kill has left incomplete counts as none.
    pub(super) fn of(work: &Path) -> Result<Option<Self>, StoreError> {
        let path = work.join(FILE_NAME);
        match fs::read(&path) {
            Ok(bytes) => Ok(Self::read(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    /// The number of a folder. A folder without one gets one, which is on the disk when this returns. The caller holds
    /// the lock.
    pub(super) fn of_or_new(work: &Path) -> Result<Self, StoreError> {
        if let Some(known) = Self::of(work)? {
            return Ok(known);
        }
        let path = work.join(FILE_NAME);
        let new = Self::new();
        let write = || {
            let mut file = File::create(&path)?;
            writeln!(file, "{}", new.0)?;
            file.sync_all()?;
            File::open(work)?.sync_all()
        };
        write().map_err(StoreError::io("write", &path))?;
        Ok(new)
    }

    /// A number that no other folder has. It need not be secret.
    fn new() -> Self {
        let drawn = [(); 2].map(|()| RandomState::new().hash_one(std::process::id()).to_le_bytes());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos().to_le_bytes();
        Self(ContentHash::of_parts([&drawn[0][..], &drawn[1], &now]).to_string())
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let digits = text.trim_ascii();
        let is_whole = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_whole.then(|| Self(digits.to_string()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}
