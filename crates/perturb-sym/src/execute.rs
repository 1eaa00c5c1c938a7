//! Symbolic execution of functions: all paths at once, merged where they meet, or one by one as a script says. Loops
//! are unrolled up to a bound.
//!
//! The result holds for every input: the memory afterwards, the condition for undefined behaviour, and the condition
//! for reaching the bound. Anything that is not supported is an error with its name, never a guess.
//!
//! The code is what clang emits with its checks for undefined behaviour, each of which ends in a trap: so arithmetic
//! itself only wraps. This module adds what those checks leave out: accesses outside of objects, and uninitialised
//! values.

mod calls;
mod flow;
mod library;
mod machine;
mod memory;
mod pointer;
mod script;
mod step;

pub use calls::CallOutcome;
pub use machine::{ExecutionLimits, Machine};
pub use memory::{Cell, Memory, Object, ObjectId};
pub use script::Script;

use crate::ir::SourcePosition;

/// Why a function cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExecutionError {
    #[error("{what}{}", at(*position))]
    Unsupported { what: String, position: Option<SourcePosition> },
    /// A limit was exceeded.
    #[error("it is too much to execute: {0}")]
    Limit(&'static str),
}

fn at(position: Option<SourcePosition>) -> String {
    position.map(|position| format!(" (line {})", position.line)).unwrap_or_default()
}

impl ExecutionError {
    fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), position: None }
    }

    /// Adds the position, unless there is one.
    fn at_position(self, at: Option<SourcePosition>) -> Self {
        match self {
            Self::Unsupported { what, position: None } => Self::Unsupported { what, position: at },
            other => other,
        }
    }
}
