//! The audit: some verdicts are found again, each with its mutant built by itself.

use crate::index::MutantIdx;
use crate::outcome::Outcome;
use std::path::PathBuf;

/// How many verdicts the rebuild engine was asked to find again, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditCount {
    pub checked: usize,
    /// Those that it did not find again.
    pub disagreed: usize,
    /// Other verdicts that rest on the same engine and test as one of these: a slower engine has found them again,
    pub confirmed: usize,
    /// has found another,
    pub changed: usize,
    /// or was not asked, since it was time to stop.
    pub in_doubt: usize,
}

/// Two engines say different things about a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    pub mutant: MutantIdx,
    pub fast: Outcome,
    pub rebuilt: Outcome,
    /// What the tests printed on both sides.
    pub log: PathBuf,
}
