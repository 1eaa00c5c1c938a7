//! What `perturb testgen` is asked for.

use super::{duration, Comparing, Select, Tests};
use crate::float_tolerance::FloatTolerance;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

pub(super) const EXAMPLES: &str = "\
Examples:
  perturb run && perturb testgen                  tests for all mutants that the last run left alive
  perturb testgen src/ring.c --function push      only for those of a function
  perturb testgen --mutant e1898e03               only for one
  perturb testgen --out ~/new-tests --framework cmocka
  perturb testgen --budget 10m                    what can be done in ten minutes; the next one goes on from there

Every test is compiled with your compiler and flags and run in the sandbox before it is written: it passes on the original
and fails with each mutant that its comment lists. It expects what the code does today: look at it with the specification at
hand before you keep it. Nothing is ever written to your sources: copy what you want to keep.";

/// Which mutants need tests, how these are looked for, and how they are written.
#[derive(Debug, Args)]
pub struct Testgen {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub comparing: Comparing,
    #[command(flatten)]
    pub tests: Tests,
    /// Where the first inputs come from: from calls of the project's own tests, which are run once for that, or from
    /// nowhere
    #[arg(long, value_name = "WHERE", default_value = "tests", help_heading = "Comparing")]
    pub seeds: SeedsFrom,
    /// Stop when this time is over, such as 10m; what was found until then is written
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Comparing")]
    pub budget: Option<Duration>,
    /// Look for inputs anew, also where nothing has changed since they were found
    #[arg(long, help_heading = "Comparing")]
    pub fresh: bool,
    /// The folder that the tests are written to [default: `tests` in perturb's own folder]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Who runs the tests [default: the framework that the project's own tests use]
    #[arg(long, value_name = "FRAMEWORK", help_heading = "Output")]
    pub framework: Option<FrameworkName>,
    /// How near numbers with fractions have to be for a test to pass: by this much, or by this part of them where they
    /// are greater than 1; 0 for all their bits [default: 0]
    #[arg(long, value_name = "X", help_heading = "Output", allow_negative_numbers = true)]
    pub float_tolerance: Option<FloatTolerance>,
    /// Whether there are tests, too, that only fail when they are compiled with sanitizers: for mutants that do
    /// something undefined, and nothing else that shows
    #[arg(long, value_name = "WHETHER", default_value = "on", help_heading = "Output")]
    pub sanitizers: SanitizersName,
    /// How to print what came of it
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: TestgenFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FrameworkName {
    /// A main function that ends with status 1 if a test fails; needs nothing
    Plain,
    Cmocka,
    /// ThrowTheSwitch's Unity
    Unity,
    Check,
    /// GoogleTest: the tests are C, the cases that call them C++
    Gtest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SanitizersName {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SeedsFrom {
    Tests,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TestgenFormat {
    /// For people
    Text,
    /// One object: the scores, the files with their tests, and each mutant
    Json,
}
