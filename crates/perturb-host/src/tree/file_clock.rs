//! The clock that a file system uses for the times of its files: `make` and `ninja` compare nothing else.
//!
//! It may tick in milliseconds, in seconds or on another machine. So we read it from a file of ours on the same file
//! system, never from the processor. It may also be set back: then a new file looks older than what was built before,
//! and a stale program passes for a fresh one. So the latest stamp is remembered, across runs too.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, UNIX_EPOCH};

use crate::error::HostError;
use crate::tree::walk::mtime_ns;

/// A step back that is waited out.
const SHORT_STEP: Duration = Duration::from_secs(10);

/// File systems stamp in steps of up to two seconds; what differs by more was not the file system.
const COARSEST: Duration = Duration::from_secs(3);

/// A file whose only use is the time of its last change.
#[derive(Debug, Clone)]
pub(crate) struct FileClock {
    path: PathBuf,
    /// Its time is the latest of which it is known that something may have it.
    latest: PathBuf,
}

/// When a build began, by both clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Began {
    stamp: i64,
    at: Instant,
}

impl FileClock {
    /// The clock of the file system that holds `folder`.
    pub fn new(folder: &Path) -> FileClock {
        FileClock { path: folder.join("clock"), latest: folder.join("clock.latest") }
    }

    /// Waits until what is written from now on is stamped strictly later than all that has been written so far: the
    /// next tick, four milliseconds as a rule, two seconds at worst.
    pub fn tick(&self) -> Result<(), HostError> {
        let start = Instant::now();
        if self.is_set_back()? {
            return Err(HostError::ClockSetBack { path: self.path.clone() });
        }
        let before = self.now()?.max(self.latest().unwrap_or(i64::MIN));
        loop {
            let now = self.now()?;
            if now > before {
                return self.remember(now);
            }
            if start.elapsed() > SHORT_STEP + COARSEST {
                return Err(HostError::ClockStands { path: self.path.clone() });
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether it shows an earlier time than it did before, by more than is waited out.
    pub fn is_set_back(&self) -> Result<bool, HostError> {
        let Some(latest) = self.latest() else { return Ok(false) };
        Ok(self.now()? < latest.saturating_sub(nanoseconds(SHORT_STEP)))
    }

    /// Call it when every stamped file has been removed.
    pub fn forget(&self) {
        let _ = fs::remove_file(&self.latest);
    }

    pub fn begin(&self) -> Result<Began, HostError> {
        Ok(Began { stamp: self.now()?, at: Instant::now() })
    }

    /// After something else has written files: they may have any stamp since it began. An error where the clock was set
    /// back meanwhile.
    pub fn end(&self, began: Began) -> Result<(), HostError> {
        let (now, expected) = (self.now()?, began.stamp.saturating_add(nanoseconds(began.at.elapsed())));
        self.remember(now.max(expected))?;
        if now < expected.saturating_sub(nanoseconds(COARSEST)) {
            return Err(HostError::ClockSetBack { path: self.path.clone() });
        }
        Ok(())
    }

    fn now(&self) -> Result<i64, HostError> {
        fs::write(&self.path, "tick").map_err(HostError::io("write", &self.path))?;
        fs::metadata(&self.path).map(|data| mtime_ns(&data)).map_err(HostError::io("read", &self.path))
    }

    fn latest(&self) -> Option<i64> {
        fs::metadata(&self.latest).ok().map(|data| mtime_ns(&data))
    }

    fn remember(&self, stamp: i64) -> Result<(), HostError> {
        if self.latest().is_some_and(|latest| latest >= stamp) {
            return Ok(());
        }
        let time = UNIX_EPOCH + Duration::from_nanos(u64::try_from(stamp).unwrap_or(0));
        let file = File::options().write(true).create(true).truncate(false).open(&self.latest);
        file.and_then(|file| file.set_modified(time)).map_err(HostError::io("write", &self.latest))
    }
}

fn nanoseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(path: &Path) -> i64 {
        fs::write(path, "text").unwrap();
        mtime_ns(&fs::metadata(path).unwrap())
    }

    #[test]
    fn what_is_written_after_a_tick_is_newer_than_what_was_written_before() {
        let folder = tempfile::tempdir().unwrap();
        let clock = FileClock::new(folder.path());
        for _ in 0..20 {
            let before = stamp(&folder.path().join("object"));
            clock.tick().unwrap();
            assert!(stamp(&folder.path().join("source")) > before);
        }
    }

    #[test]
    fn a_clock_that_was_set_back_a_little_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let clock = FileClock::new(folder.path());
        let before = clock.now().unwrap() + 50_000_000;
        clock.remember(before).unwrap();
        assert!(!clock.is_set_back().unwrap());
        clock.tick().unwrap();
        assert!(stamp(&folder.path().join("source")) > before);
    }

    #[test]
    fn a_clock_that_was_set_back_far_is_noticed_then_and_later() {
        let folder = tempfile::tempdir().unwrap();
        let clock = FileClock::new(folder.path());
        let began = clock.begin().unwrap();
        clock.end(began).unwrap();
        let an_hour = nanoseconds(Duration::from_secs(3600));
        let error = clock.end(Began { stamp: began.stamp + an_hour, ..began }).unwrap_err();
        assert!(matches!(error, HostError::ClockSetBack { .. }), "{error}");
        assert!(FileClock::new(folder.path()).is_set_back().unwrap());
        clock.forget();
        assert!(!clock.is_set_back().unwrap());
    }
}
