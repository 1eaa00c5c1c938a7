//! What an attack came to, in the words of the table.

use std::fmt;

/// What contained an attack, if anything did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Contained(String),
    /// Harm was done.
    NotContained,
    /// This machine or setting has nothing to attack.
    NotPlayed,
}

impl Answer {
    pub fn by(what: &str) -> Answer {
        Answer::Contained(what.to_string())
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Contained(what) => f.write_str(what),
            Answer::NotContained => f.write_str(NOT_CONTAINED),
            Answer::NotPlayed => f.write_str("not played"),
        }
    }
}

pub const NOT_CONTAINED: &str = "NOT CONTAINED";

/// What a job said of its attack, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// It believes that it succeeded; with a number that it may give.
    Done(i64),
    Refused {
        errno: i32,
    },
    /// It found nothing, and what it did not find.
    Nothing(String),
    Signalled(i32),
    TimedOut,
}

/// What decides on files and processes where the kernel only says that something is not permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// The rules of Landlock.
    Landlock,
    /// The job runs as another user than the one it attacks.
    OtherUser,
    /// The filter for system calls.
    Filter,
}

impl Said {
    /// What refused it, in a word; `guard` is what says no here.
    pub fn word(&self, guard: Guard) -> String {
        match self {
            Said::Done(_) => "no effect".to_string(),
            Said::Nothing(what) => format!("nothing {what}"),
            Said::Signalled(libc::SIGSYS) => "SIGSYS".to_string(),
            Said::Signalled(_) | Said::TimedOut => "limit".to_string(),
            Said::Refused { errno } => refusal(*errno, guard),
        }
    }
}

fn refusal(errno: i32, guard: Guard) -> String {
    let text = match (errno, guard) {
        (libc::ENOENT | libc::ESRCH, _) => "not there",
        (libc::ECONNREFUSED | libc::ENXIO, _) => "nobody there",
        (libc::EROFS, _) => "read-only",
        (libc::EACCES | libc::EPERM | libc::EXDEV, Guard::Landlock) => "Landlock",
        (libc::EACCES | libc::EPERM, Guard::OtherUser) => "other user",
        (libc::ENOMEM | libc::ENOSPC | libc::EAGAIN, _) => "limit",
        (libc::EPERM, _) => "EPERM",
        (libc::EACCES, _) => "EACCES",
        (libc::ENOSYS, _) => "ENOSYS",
        (libc::EAFNOSUPPORT, _) => "EAFNOSUPPORT",
        (libc::EISCONN, _) => "EISCONN",
        (libc::EINVAL, _) => "EINVAL",
        (libc::EOPNOTSUPP, _) => "EOPNOTSUPP",
        (libc::EXDEV, _) => "other file system",
        (other, _) => return std::io::Error::from_raw_os_error(other).to_string(),
    };
    text.to_string()
}
