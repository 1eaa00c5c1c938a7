//! The arguments of `perturb testgen`.

use super::{duration, Comparing, Select, TestArguments};
use crate::float_tolerance::FloatTolerance;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

pub(super) const EXAMPLES: &str = "\
Examples:
  perturb run && perturb testgen                  tests for all live mutants of the last run
  perturb testgen src/ring.c --function push      only for those of a function
  perturb testgen --mutant e1898e03               only for one
  perturb testgen --out ~/new-tests --framework cmocka
  perturb testgen --budget 10m                    as many as ten minutes allow; the next one continues

perturb compiles every test with your compiler and flags and runs it in the sandbox before it writes
the test: it passes on the original and fails with each mutant that its comment lists. It expects
what the code does today: check it against the specification before you keep it. perturb never
writes to your sources: copy the tests that you want to keep.";

/// Which mutants need tests, how to look for inputs, and how to write the tests.
#[derive(Debug, Args)]
pub struct Testgen {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub comparing: Comparing,
    #[command(flatten)]
    pub tests: TestArguments,
    /// Seed inputs: `tests` takes them from one run of the project's own tests, `none` starts without any
    #[arg(
        long,
        alias = "seeds",
        value_name = "WHERE",
        default_value = "tests",
        help_heading = "Comparing",
        hide = true
    )]
    pub seed_inputs: SeedInputs,
    /// Stop after this time, such as 10m, and write what was found until then
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Comparing")]
    pub budget: Option<Duration>,
    /// Look for inputs again, even where nothing has changed since they were found
    #[arg(long, help_heading = "Comparing")]
    pub fresh: bool,
    /// The folder to write the tests to [default: `tests` in the work folder]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// The test framework [default: the one that the project's own tests use]
    #[arg(long, value_name = "FRAMEWORK", help_heading = "Output")]
    pub framework: Option<FrameworkName>,
    /// How far floats may be from what a test expects: by this much, or by this part of them where they are greater
    /// than 1; 0 compares all bits [default: 0]
    #[arg(long, value_name = "X", help_heading = "Output", allow_negative_numbers = true)]
    pub float_tolerance: Option<FloatTolerance>,
    /// Whether to write tests, too, that fail only when they are compiled with sanitizers: for mutants that show only
    /// by undefined behaviour
    #[arg(long, value_name = "WHETHER", default_value = "on", help_heading = "Output")]
    pub sanitizers: SanitizersName,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: TestgenFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FrameworkName {
    /// A main function that ends with status 1 if a test fails; needs no library
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
pub enum SeedInputs {
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
