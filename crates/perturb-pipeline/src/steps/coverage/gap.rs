//! Why it is not known what a test executes. Such a test counts as executing everything.

use crate::test::TestName;
use crate::Event;
use std::collections::BTreeMap;
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

/// The gaps of a run, each kind told once.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    tests: BTreeMap<CoverageGap, Vec<TestName>>,
}

impl Gaps {
    pub fn add(&mut self, test: TestName, why: CoverageGap) {
        self.tests.entry(why).or_default().push(test);
    }

    /// Why, of the first that there is: rather one that says what is wrong than that there is nothing.
    pub fn first(&self) -> Option<String> {
        self.tests.keys().next_back().map(ToString::to_string)
    }

    pub fn tell(self, events: &mut dyn FnMut(Event)) {
        for (why, tests) in self.tests {
            events(Event::CoverageUnknown { tests, why });
        }
    }
}
