//! Executing functions on terms: all paths at once, merged where they meet, or one by one as a script says; loops unrolled up to a bound.
//!
//! What comes of it holds for every input: the memory that is left, on which inputs something undefined happened, and on which
//! the bound was reached. What is not understood is an error with what it is, never a guess.
//!
//! The code is as clang writes it with its checks for undefined behaviour, each of which ends in a trap: so arithmetic itself only wraps. Here
//! we add what those checks leave out: memory outside of objects, and values that nobody wrote.

mod calls;
mod flow;
mod library;
mod machine;
mod memory;
mod pointer;
mod script;
mod step;

pub use calls::Executed;
pub use machine::{Limits, Machine};
pub use memory::{Cell, Memory, Object, ObjectId};
pub use script::Script;

use crate::ir::Place;

/// What was met that is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("{what}{}", at(*place))]
    Unsupported { what: String, place: Option<Place> },
    /// More than it is worth.
    #[error("it is too much to execute: {0}")]
    Limit(&'static str),
}

fn at(place: Option<Place>) -> String {
    place.map(|place| format!(" (line {})", place.line)).unwrap_or_default()
}

impl Trouble {
    fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into(), place: None }
    }

    /// The same, with where it is, unless that is known.
    fn placed(self, at: Option<Place>) -> Self {
        match self {
            Self::Unsupported { what, place: None } => Self::Unsupported { what, place: at },
            other => other,
        }
    }
}
