//! Traces: how the statement counts of a mutant differ from the original's.

/// The statement counts that the runs of a mutant leave in its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trace {
    /// The greatest distance to the original over all tests, from 0 to 1.
    pub distance: f64,
    /// A hash of all counts: two mutants of a file with the same signature have the same trace.
    pub signature: u64,
}

/// Whether a live mutant changes what its tests execute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DiscardResult {
    LikelyEquivalent,
    Different(Trace),
    /// The counts are not available.
    Unknown,
}
