//! The audit: the rebuild engine decides some verdicts a second time.

use crate::index::MutantIdx;
use crate::outcome::Outcome;
use std::path::PathBuf;

/// How many verdicts the rebuild engine checked, and the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditCount {
    pub checked: usize,
    /// Checked verdicts that the rebuild engine contradicted.
    pub disagreed: usize,
    /// Verdicts that rest on the same engine and test as a contradicted one, and that a slower engine confirmed.
    pub confirmed: usize,
    /// The same, where the slower engine found another outcome.
    pub changed: usize,
    /// The same, where the run stopped before a slower engine checked them.
    pub in_doubt: usize,
}

/// Two engines disagree about a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    pub mutant: MutantIdx,
    pub fast: Outcome,
    pub rebuilt: Outcome,
    /// What the tests printed on both sides.
    pub log: PathBuf,
}
