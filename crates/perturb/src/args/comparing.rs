//! Options about how functions are compared, which `perturb equiv`, `confidence` and `testgen` share.

use super::{percent, SandboxName, Select};
use clap::{Args, ValueEnum};
use perturb_equiv::compare::confidence::BASELINE;
use perturb_equiv::compare::EquivalenceOptions;

pub(super) const CONFIDENCE_EXAMPLES: &str = "\
Examples:
  perturb confidence src/ring.c                   by function, for a file, and in all
  perturb confidence --operators milu file.c      with the operators of the Nequivack study
  perturb confidence --format json --fail-under 80

Every function is compared with its mutants as `perturb equiv` does it. The confidence is the share
of mutants that are shown to be different. An unknown mutant may be different, too: the true share
is between the share without and with the unknown ones.";

/// How functions are compared, and how much work that may be.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparing")]
pub struct Comparing {
    /// How many inputs are tried on each function
    #[arg(long, value_name = "N", default_value_t = EquivalenceOptions::INPUTS)]
    pub inputs: u64,
    /// Functions with no more inputs than this are tried with all of them, which is a proof
    #[arg(long, value_name = "N", default_value_t = EquivalenceOptions::EXHAUST, hide = true)]
    pub exhaust: u64,
    /// How many blocks a call may execute; a call that executes more counts as endless
    #[arg(long, value_name = "N", default_value_t = EquivalenceOptions::STEPS, hide = true)]
    pub steps: u64,
    /// The ways to compare, one after another; each gets what those before it leave unknown
    #[arg(
        long,
        value_name = "TIERS",
        value_delimiter = ',',
        default_value = "native,exhaustive,tce,clang,proof,paths",
        hide = true
    )]
    pub tiers: Vec<TierName>,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Whether the sandbox keeps functions from harming this machine
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub sandbox: SandboxName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TierName {
    /// Try inputs
    Native,
    /// Try all inputs, where they are few
    Exhaustive,
    /// Compare the code that your compiler makes
    Tce,
    /// Compare the code that clang makes, if it is installed
    Clang,
    /// Execute functions on terms, and ask a solver
    Proof,
    /// The same path by path, where all at once is too hard
    Paths,
}

/// The arguments of `perturb confidence`.
#[derive(Debug, Args)]
pub struct ConfidenceOfScore {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub comparing: Comparing,
    /// The confidence that each function, each file and the whole should have, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = BASELINE, value_parser = percent, help_heading = "Output")]
    pub baseline: f64,
    /// End with code 1 if the confidence of the whole, over all mutants, is less than this, in percent
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "Output")]
    pub fail_under: Option<f64>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: ConfidenceFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConfidenceFormat {
    /// A table for people
    Text,
    /// One object: the whole, and each file with its functions
    Json,
    /// One row for each function, each file and the whole, with a header
    Csv,
}
