//! Where compiled code and a test disagree about a mutant.

use crate::code::Assumption;
use crate::outcome::Outcome;
use std::fmt;

/// The outcome that compiled code suggests for a mutant, where a test refutes it. The test is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub says: Outcome,
    /// The assumption of the compiler that led to it, where it is known.
    pub assumes: Option<Assumption>,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.says)?;
        match self.assumes {
            Some(assumption) => write!(f, ", as long as {assumption}"),
            None => Ok(()),
        }?;
        match self.assumes.and_then(Assumption::option) {
            Some(option) => write!(f, " (not with {option})"),
            None => Ok(()),
        }
    }
}
