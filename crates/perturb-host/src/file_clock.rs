//! The clock by which a file system stamps its files: `make` and `ninja` compare those stamps, and nothing else.
//!
//! It may tick in milliseconds, in seconds or on another machine. So it is read off a file of ours on the same file
//! system; the clock of the processor is never asked.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::tree_walk::mtime_ns;

/// A file whose only use is the time of its last change.
#[derive(Debug, Clone)]
pub(crate) struct FileClock {
    path: PathBuf,
}

impl FileClock {
    /// The clock of the file system that holds `folder`.
    pub fn new(folder: &Path) -> FileClock {
        FileClock { path: folder.join("clock") }
    }

    /// Waits until what is written from now on is stamped strictly later than all that has been written so far: the
    /// next tick, four milliseconds as a rule, two seconds at worst.
    pub fn tick(&self) -> Result<(), HostError> {
        const LONGEST: Duration = Duration::from_secs(10);
        let start = Instant::now();
        let before = self.now()?;
        while self.now()? <= before {
            if start.elapsed() > LONGEST {
                return Err(HostError::ClockStands { path: self.path.clone() });
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn now(&self) -> Result<i64, HostError> {
        fs::write(&self.path, "tick").map_err(HostError::io("write", &self.path))?;
        fs::metadata(&self.path).map(|data| mtime_ns(&data)).map_err(HostError::io("read", &self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_after_a_tick_is_newer_than_what_was_written_before() {
        let folder = tempfile::tempdir().unwrap();
        let clock = FileClock::new(folder.path());
        let stamp = |name: &str| {
            let path = folder.path().join(name);
            fs::write(&path, name).unwrap();
            mtime_ns(&fs::metadata(path).unwrap())
        };
        for _ in 0..20 {
            let before = stamp("object");
            clock.tick().unwrap();
            assert!(stamp("source") > before);
        }
    }
}
