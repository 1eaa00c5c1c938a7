//! The steps of mutation analysis and the words they speak: mutants, events, selections, reviews.
//!
//! Steps exchange typed values; they print nothing and start no process (that is `perturb-host`).

mod event;
mod mutant;
mod review;
mod select;
pub mod steps;

pub use event::Event;
pub use mutant::{Mutant, MutantId, MutatedFile, Suppression};
pub use review::{Decision, Disposition, Review};
pub use select::{LinesByFile, Selection};

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
    Host(#[from] perturb_host::HostError),
}
