//! Where compiled code and a test disagree about a mutant.

use crate::code::Assumption;
use crate::outcome::Outcome;
use std::fmt;

/// What code says of a mutant where a test says otherwise: the test is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub says: Outcome,
    /// What the compiler took for granted to say so, where that can be told.
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
