//! Exit codes, which are stable over versions, and the errors that cause them.

use perturb_equiv::EquivError;
use perturb_host::HostError;
use perturb_pipeline::PipelineError;
use perturb_store::StoreError;
use std::fmt;
use std::process::ExitCode;

/// The exit code of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Fine = 0,
    /// The score is below `--fail-under`, or two functions that should do the same do not.
    BelowThreshold = 1,
    /// Wrong arguments or configuration.
    Usage = 2,
    /// The project does not build, has no tests, or none of them passes on the original.
    BrokenBaseline = 3,
    NothingToMutate = 4,
    /// The project, or a tool that it or we need, cannot be used.
    Unusable = 5,
    /// The store is not there yet, damaged, of a newer version, in use, or there is no space left for it.
    StoreUnusable = 6,
    /// It is unknown whether two functions do the same.
    Undecided = 7,
    /// The audit contradicts a verdict, and not all others that rest on the same were found again.
    InDoubt = 8,
    /// The user interrupted; what was found so far is kept.
    Interrupted = 130,
    /// A defect of our own.
    Defect = 70,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An error that ends the program with a given code.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub error: anyhow::Error,
}

impl Failure {
    pub fn usage(error: impl Into<anyhow::Error>) -> Self {
        Self { exit: Exit::Usage, error: error.into() }
    }

    pub fn usage_text(text: impl fmt::Display) -> Self {
        Self::usage(anyhow::anyhow!("{text}"))
    }

    pub fn unusable(error: impl Into<anyhow::Error>) -> Self {
        Self { exit: Exit::Unusable, error: error.into() }
    }

    pub fn unusable_text(text: impl fmt::Display) -> Self {
        Self::unusable(anyhow::anyhow!("{text}"))
    }

    pub fn nothing(text: impl fmt::Display) -> Self {
        Self { exit: Exit::NothingToMutate, error: anyhow::anyhow!("{text}") }
    }
}

impl From<PipelineError> for Failure {
    fn from(error: PipelineError) -> Self {
        let exit = match &error {
            PipelineError::BuildFailed { .. } | PipelineError::BaselineFailed { .. } => Exit::BrokenBaseline,
            PipelineError::Store(_) => Exit::StoreUnusable,
            PipelineError::Stopped(_) => Exit::Interrupted,
            PipelineError::NamePattern { .. } => Exit::Usage,
            PipelineError::NothingParsed { .. }
            | PipelineError::SourcesChanged { .. }
            | PipelineError::GcovBuildFailed { .. }
            | PipelineError::NoThread(_)
            | PipelineError::CoverageUseless { .. } => Exit::Unusable,
            PipelineError::Host(error) => exit_of(error),
        };
        Self { exit, error: error.into() }
    }
}

impl From<EquivError> for Failure {
    fn from(error: EquivError) -> Self {
        PipelineError::from(error).into()
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Self {
        Self { exit: exit_of(&error), error: error.into() }
    }
}

fn exit_of(error: &HostError) -> Exit {
    match error {
        HostError::NoTests { .. } => Exit::BrokenBaseline,
        HostError::NoTestNames | HostError::NoTestSelected { .. } => Exit::Usage,
        HostError::BadPattern { .. } | HostError::NotPermitted { .. } => Exit::Usage,
        HostError::DiskFull { .. } | HostError::Cell(perturb_cell::CellError::DiskFull { .. }) => Exit::StoreUnusable,
        HostError::Stopped | HostError::Cell(perturb_cell::CellError::Stopped) => Exit::Interrupted,
        _ => Exit::Unusable,
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self { exit: Exit::StoreUnusable, error: error.into() }
    }
}

/// A closed pipe is no error: the reader of standard output has ended (`perturb mutants | head`).
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self { exit: Exit::Fine, error: error.into() },
            _ => Self::unusable(anyhow::Error::from(error).context("cannot write the output")),
        }
    }
}
