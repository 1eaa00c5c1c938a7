//! Step 1, collect test data: which tests pass, how long they take, and what each of them executes, reaches and
//! infects.

mod baseline;
mod gap;
mod gcov;
mod import;
mod instrumented;
mod lines;
mod record;
mod typed;

pub use baseline::{baseline, BaselineOptions};
pub use gcov::{record_gcov, GcovBench, GcovGround, GcovHome};
pub use import::{import, ImportGround};
pub use instrumented::{InstrumentedBench, InstrumentedFiles};
pub use record::{record, Recorded};

use perturb_host::TestCase;
use perturb_model::{Test, TestIdx};
use std::path::PathBuf;
use std::time::Duration;

/// Who tells what each test executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoverageSource {
    /// The instrumented build, which also knows what is infected; where it cannot be made, gcov.
    Own,
    /// The project's compiler, by gcov.
    Gcov,
    /// Data of each test, collected by somebody else, in this folder.
    Folder(PathBuf),
}

/// A test that takes less is a short one: what it takes is more the machine's doing than its own.
pub const SHORT: Duration = Duration::from_millis(100);

/// The tests of a project, all of them: `cases[i]` is how `tests[i]` is run.
#[derive(Debug)]
pub struct Suite {
    pub tests: Vec<Test>,
    pub cases: Vec<TestCase>,
    /// What a run takes besides the test itself, on average, with all workers at it.
    pub overhead: Duration,
    /// All of them pass with their memory limited.
    pub is_bounded: bool,
    /// Which of them take about the same time whenever they are run, as far as two runs can tell.
    pub is_steady: Vec<bool>,
}

impl Suite {
    /// Those that can tell a mutant from the original.
    pub fn taking_part(&self) -> Vec<TestIdx> {
        TestIdx::all(self.tests.len()).filter(|&test| self.tests[test].takes_part()).collect()
    }
}
