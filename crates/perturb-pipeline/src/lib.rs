//! The steps of mutation analysis and the words they speak: mutants, tests, outcomes, events, selections, reviews; and
//! the store that remembers them.
//!
//! Steps exchange typed values; they print nothing and start no process (that is `perturb-host`).

mod event;
mod hash;
mod mutant;
mod mutant_set;
mod outcome;
mod review;
mod select;
pub mod steps;
pub mod store;
mod test;

pub use event::Event;
pub use hash::ContentHash;
pub use mutant::{Mutant, MutantId, MutatedFile, NotAnId, Suppression};
pub use mutant_set::MutantSet;
pub use outcome::{Clock, Engine, Kill, Kills, Outcome, Proof, Score, Skip, Skips, Tally, Verdict};
pub use review::{Decision, Disposition, Review};
pub use select::{LinesByFile, Selection};
pub use test::{Baseline, FileCounts, Reach, Recording, StatementCount, Test, TestName};

use std::path::PathBuf;

/// What can go wrong in the analysis.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error("{}: {reason}", path.display())]
    Review { path: PathBuf, reason: String },
    #[error("the pattern `{pattern}` in never_in: {reason}")]
    NamePattern { pattern: String, reason: String },
    #[error("none of the {units} files could be parsed; the first: {}: {reason}", file.display())]
    NothingParsed { units: usize, file: PathBuf, reason: String },
    #[error(transparent)]
    Store(#[from] store::StoreError),
    #[error(transparent)]
    Host(#[from] perturb_host::HostError),
}
