//! The analysis of a project: the steps in their order (`analysis`), what each does (`steps`), and the ledger, the one
//! place where a verdict is decided.
//!
//! Steps exchange typed values. They print nothing and start no process: `perturb-host` and `perturb-cell` do that.

pub mod analysis;
mod bench;
mod clock;
#[cfg(test)]
mod faults;
mod gate;
mod ledger;
pub mod steps;

use perturb_equiv::EquivError;
use perturb_host::{HostError, NoThread};
use perturb_host::{MayBeStop, Stop, StopReason};
use std::path::PathBuf;

/// The errors of the analysis.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error("the pattern `{pattern}` in never_in: {reason}")]
    NamePattern { pattern: String, reason: String },
    #[error("none of the {units} files could be parsed; the first: {}: {reason}", file.display())]
    NothingParsed { units: usize, file: PathBuf, reason: String },
    #[error("the project does not build as it is (log: {}):\n{tail}", log.display())]
    BuildFailed { log: PathBuf, tail: String },
    #[error(
        "no test passes on the original, so that mutants cannot be tested\n  {} failed, first `{first}`: {why}",
        counted(*tests)
    )]
    BaselineFailed { tests: usize, first: String, why: String },
    #[error(
        "the project does not build for gcov, with `--coverage -O0` added for its compilers (log: {}):\n{tail}",
        log.display()
    )]
    GcovBuildFailed { log: PathBuf, tail: String },
    #[error("{}: it has no usable coverage data of any test: {reason}", folder.display())]
    CoverageUseless { folder: PathBuf, reason: String },
    #[error(
        "{} changed while the project was being read, so that its mutants are not those of the text that was copied: \
         run again",
        listed(files)
    )]
    SourcesChanged { files: Vec<PathBuf> },
    #[error(transparent)]
    NoThread(#[from] NoThread),
    #[error("{}", stopped(*.0))]
    Stopped(StopReason),
    #[error(transparent)]
    Store(#[from] perturb_store::StoreError),
    #[error(transparent)]
    Host(#[from] HostError),
}

/// The same error has the same variant, whichever crate it comes from.
impl From<EquivError> for PipelineError {
    fn from(error: EquivError) -> Self {
        match error {
            EquivError::Host(error) => Self::Host(error),
            EquivError::NoThread(error) => Self::NoThread(error),
        }
    }
}

impl PipelineError {
    /// The error of work that was stopped before it was complete.
    fn stopped(stop: Stop<'_>) -> Self {
        Self::Stopped(stop.reason().unwrap_or(StopReason::Interrupted))
    }
}

impl MayBeStop for PipelineError {
    fn is_stop(&self) -> bool {
        match self {
            Self::Stopped(_) => true,
            Self::Host(error) => error.is_stop(),
            _ => false,
        }
    }
}

fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Interrupted => "interrupted",
        StopReason::OutOfTime => "the time that was granted is over",
    }
}

/// Errors of the sandbox have the same variant, whether the host or the pipeline meets them.
impl From<perturb_cell::CellError> for PipelineError {
    fn from(error: perturb_cell::CellError) -> Self {
        Self::Host(error.into())
    }
}

/// The first few files, and how many more there are.
fn listed(files: &[PathBuf]) -> String {
    const FEW: usize = 5;
    let first: Vec<String> = files.iter().take(FEW).map(|file| file.display().to_string()).collect();
    let more = files.len().saturating_sub(FEW);
    first.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

fn counted(tests: usize) -> String {
    if tests == 1 {
        "1 test".to_string()
    } else {
        format!("{tests} tests")
    }
}
