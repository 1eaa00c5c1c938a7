//! Why it is unknown what a test executes.

use std::fmt;

/// Why the coverage of a test is unknown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoverageGap {
    /// There are no coverage data for the test.
    NoData,
    /// A process of the test ended without writing its counts: it was killed, aborted, or called `_exit`.
    NotWhole,
    /// The test does not pass on the program that is built for coverage.
    Fails,
    /// The coverage data cannot be read.
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
