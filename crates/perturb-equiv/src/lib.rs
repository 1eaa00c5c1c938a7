//! Decides whether two functions behave the same: with an input that shows a difference, with a proof, or with an
//! honest "unknown".
//!
//! A function is compared with its mutants (`compare`) by its compiled code (`code`), by calling it (`native`), and by
//! reasoning (`symbolic`, `order`), on the inputs that its contract permits (`contract`). Inputs that show a difference
//! become C programs or tests (`testgen`).
//!
//! This crate runs no test of a project, writes to no store and prints nothing; its callers do.

pub mod code;
pub mod compare;
pub mod contract;
pub mod native;
pub mod order;
mod parse;
pub mod symbolic;
pub mod testgen;

pub use parse::parse_input;
use perturb_csrc::Libclang;
use perturb_host::{HostError, MayBeStop, NoThread, Project};
use perturb_model::{CopyableFile, Mutant};

/// What can go wrong while functions are compared.
#[derive(Debug, thiserror::Error)]
pub enum EquivError {
    #[error(transparent)]
    Host(#[from] HostError),
    #[error(transparent)]
    NoThread(#[from] NoThread),
}

impl MayBeStop for EquivError {
    fn is_stop(&self) -> bool {
        matches!(self, Self::Host(error) if error.is_stop())
    }
}

impl From<perturb_cell::CellError> for EquivError {
    fn from(error: perturb_cell::CellError) -> Self {
        Self::Host(error.into())
    }
}

/// A project and the mutants of it that are compared.
#[derive(Debug, Clone, Copy)]
pub struct MutatedProject<'s> {
    pub project: &'s Project,
    pub mutants: &'s [Mutant],
    /// The functions of each file that can be copied.
    pub copyable: &'s [CopyableFile],
    /// The libclang that the mutants were found with.
    pub libclang: &'s Libclang,
}
