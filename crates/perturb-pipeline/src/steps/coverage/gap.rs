//! Gaps of coverage: reasons why it is not known what a test executes. Such a test counts as executing everything.

use perturb_model::CoverageGap;
use perturb_model::{Event, TestName};
use std::collections::BTreeMap;

/// The gaps of a run. Each reason is reported once.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    tests: BTreeMap<CoverageGap, Vec<TestName>>,
}

impl Gaps {
    pub fn add(&mut self, test: TestName, why: CoverageGap) {
        self.tests.entry(why).or_default().push(test);
    }

    /// One of the reasons: rather a specific one than that there are no data.
    pub fn first(&self) -> Option<String> {
        self.tests.keys().next_back().map(ToString::to_string)
    }

    pub fn report(self, events: &mut dyn FnMut(Event)) {
        for (why, tests) in self.tests {
            events(Event::CoverageUnknown { tests, why });
        }
    }
}
