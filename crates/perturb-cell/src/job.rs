//! One program to run in a cell, what it may use, and how it ended.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// One program to run.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// A path; a relative one is looked for in `directory`, and not on the PATH.
    pub program: &'a Path,
    pub arguments: &'a [OsString],
    pub directory: &'a Path,
    /// Settings over the clean ones every job gets, and names to be removed from those.
    pub environment: &'a [(OsString, Option<OsString>)],
    pub limits: Limits,
}

/// The limits of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Processor time of all its processes together. A job that has used more has run into its limit, even if it came
    /// to its end just before it could be stopped.
    pub cpu: Duration,
    pub wall: Duration,
    /// Private memory of each process. Not for programs that reserve much more than they use, as sanitizers do.
    pub memory_bytes: Option<u64>,
    /// Size of each file it writes.
    pub file_bytes: u64,
    /// Processes and threads at the same time.
    pub processes: u64,
    /// How much of its output is kept.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            cpu: Duration::from_secs(60),
            wall: Duration::from_secs(120),
            memory_bytes: None,
            file_bytes: 1 << 30,
            processes: 256,
            output_bytes: 1 << 20,
        }
    }
}

/// How a job ended, and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub how: End,
    /// Standard output and standard error as they came: the first and the last bytes where there are too many.
    pub output: Vec<u8>,
    /// The offset in `output` at which bytes are missing.
    pub cut: Option<usize>,
    /// How much it wrote in all.
    pub output_bytes: u64,
    /// Until the program itself ended.
    pub wall: Duration,
    /// The processor time of the program and all its descendants.
    pub cpu: Duration,
}

/// The end of the program itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    Signalled(i32),
    CpuTimeout,
    WallTimeout,
}

impl End {
    /// How a process ended that has this wait status.
    pub fn of_status(status: i32) -> End {
        match libc::WIFSIGNALED(status) {
            true => End::Signalled(libc::WTERMSIG(status)),
            false => End::Exited(libc::WEXITSTATUS(status)),
        }
    }
}
