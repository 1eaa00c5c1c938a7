//! What `perturb equiv` and `perturb confidence` share: how functions are compared.

use super::{percent, SandboxName, Select};
use clap::{Args, ValueEnum};
use perturb_equiv::compare::confidence::BASELINE;
use perturb_equiv::compare::EquivalenceOptions;

pub(super) const CONFIDENCE_EXAMPLES: &str = "\
Examples:
  perturb confidence src/ring.c                   by function, for a file, and in all
  perturb confidence --operators milu file.c      with the operators of the Nequivack study
  perturb confidence --format json --fail-under 80

Every function is compared with its mutants as `perturb equiv` does it. The confidence is the share of mutants that are
shown to be different; a mutant that is unknown may be, too: between the two the true share lies.";

/// How functions are compared, and how long.
#[derive(Debug, Args)]
#[command(next_help_heading = "Comparing")]
pub struct Comparing {
    /// How many inputs are tried on each function
    #[arg(long, value_name = "N", default_value_t = EquivalenceOptions::INPUTS)]
    pub inputs: u64,
    /// Functions with no more inputs than this are tried with all of them, which is a proof
    #[arg(long, value_name = "N", default_value_t = EquivalenceOptions::EXHAUST)]
    pub exhaust: u64,
    /// How many blocks a call may execute; beyond, it counts as endless
    #[arg(long, value_name = "N", default_value_t = EquivalenceOptions::STEPS)]
    pub steps: u64,
    /// What is tried, one after another; each takes what those before it leave open
    #[arg(
        long,
        value_name = "TIERS",
        value_delimiter = ',',
        default_value = "native,exhaustive,tce,clang,proof,paths"
    )]
    pub tiers: Vec<TierName>,
    /// The seed of all that is random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Whether functions are kept from harming this machine
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub sandbox: SandboxName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TierName {
    /// Inputs are tried
    Native,
    /// All inputs, where they are few
    Exhaustive,
    /// Compiled code is compared
    Tce,
    /// The code that clang makes is, where it is installed
    Clang,
    /// Functions are executed on terms, and a solver is asked
    Proof,
    /// The same path by path, where that is too hard at once
    Paths,
}

/// Whose confidence, and what it is held against.
#[derive(Debug, Args)]
pub struct ConfidenceOfScore {
    #[command(flatten)]
    pub select: Select,
    #[command(flatten)]
    pub comparing: Comparing,
    /// What each function, each file and the whole is held against, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = BASELINE, value_parser = percent, help_heading = "Output")]
    pub baseline: f64,
    /// End with code 1 if the confidence of the whole, over all mutants, is less than this, in percent
    #[arg(long, value_name = "PERCENT", value_parser = percent, help_heading = "Output")]
    pub fail_under: Option<f64>,
    /// How to print
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
