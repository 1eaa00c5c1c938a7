//! What the runs of mutants leave in the counts of statements.

use crate::MutantIdx;

/// What the runs of a mutant leave in the counts of its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trace {
    /// The greatest distance from the original over the tests, from 0 to 1.
    pub distance: f64,
    /// Of all counts: two mutants of a file with the same have left the same trace.
    pub signature: u64,
}

/// Whether a mutant is worth a look, and by what it leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Looked {
    LikelyEquivalent,
    Different(Trace),
    /// The counts could not be had.
    Unknown,
}

/// A mutant that is likely a duplicate of another one, which counts; both by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alike {
    pub place: MutantIdx,
    pub of: MutantIdx,
}
