//! MASS step 1, collect test data: which tests pass, how long they take, and what each of them executes, reaches
//! and infects.

mod baseline;
mod gap;
mod gcov;
mod import;
mod instrumented;
mod lines;
mod record;
mod typed;

pub use baseline::{baseline, BaselineOptions};
pub use gcov::{record_gcov, GcovBench, GcovContext, GcovHome};
pub use import::{import, ImportContext};
pub use instrumented::{InstrumentedBench, InstrumentedFiles};
pub use record::{record, Recorded};

use perturb_host::TestCase;
use perturb_model::{Test, TestIdx};
use std::path::PathBuf;
use std::time::Duration;

/// The source of coverage: where it is known from what each test executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoverageSource {
    /// The instrumented build, which also knows what is infected; gcov, if that build cannot be made.
    Own,
    /// The project's compiler, by gcov.
    Gcov,
    /// Data of each test that the user has collected in this folder.
    Folder(PathBuf),
}

/// The limit of short tests. The time of a shorter test varies with the machine more than with the test.
pub const SHORT: Duration = Duration::from_millis(100);

/// All tests of a project: `cases[i]` is how `tests[i]` is run.
#[derive(Debug)]
pub struct Suite {
    pub tests: Vec<Test>,
    pub cases: Vec<TestCase>,
    /// The average time of a run besides the test itself, with all workers busy.
    pub overhead: Duration,
    /// Whether all tests pass with their memory limited.
    pub is_bounded: bool,
    /// For each test, whether two runs took about the same time.
    pub is_steady: Vec<bool>,
}

impl Suite {
    /// The tests that pass on the original, and can kill mutants.
    pub fn taking_part(&self) -> Vec<TestIdx> {
        TestIdx::all(self.tests.len()).filter(|&test| self.tests[test].takes_part()).collect()
    }
}
