//! What is not known of what tests execute.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoverageGap {
    /// There is nothing for it.
    NoData,
    /// A process of it ended without writing what it had counted: it was killed, aborted, or called `_exit`.
    NotWhole,
    /// It does not pass on the program that counts.
    Fails,
    /// Its data cannot be read.
    Unread { reason: String },
}

impl fmt::Display for CoverageGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoData => f.write_str("there are no data"),
            Self::NotWhole => f.write_str("a process ended without writing what it had counted"),
            Self::Fails => f.write_str("the test does not pass on the program that counts"),
            Self::Unread { reason } => f.write_str(reason),
        }
    }
}
