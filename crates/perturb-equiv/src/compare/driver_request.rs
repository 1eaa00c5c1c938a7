//! The command line of the driver: which inputs it tries, for how long, and on which side of objects the guard page is.

use super::EquivalenceOptions;
use crate::native::{Tolerance, VersionIdx};

/// On which side of each object the guard page is, which traps on access.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guard {
    Behind,
    Before,
}

impl Guard {
    pub(super) fn other(self) -> Self {
        match self {
            Self::Behind => Self::Before,
            Self::Before => Self::Behind,
        }
    }
}

/// How long inputs are searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub inputs: u64,
    /// The number of steps of all calls, for each mutant.
    pub steps: Option<u64>,
}

/// The finite set of inputs that is enumerated.
pub(super) enum Domain {
    All,
    /// All orders of this many elements, for these mutants.
    Orders {
        of: u64,
        versions: Vec<VersionIdx>,
    },
}

/// The argument for the distance within which floats count as the same.
pub(crate) fn tolerance_argument(tolerance: Tolerance) -> String {
    format!("tolerance={tolerance}")
}

/// The arguments of the driver.
pub(crate) fn arguments(
    how: &str,
    options: &EquivalenceOptions,
    inputs: u64,
    elements: u64,
    guard: Guard,
) -> Vec<String> {
    let left = u8::from(matches!(guard, Guard::Before));
    let numbers = [options.seed, inputs, elements, u64::from(left), options.steps];
    std::iter::once(how.to_string()).chain(numbers.iter().map(u64::to_string)).collect()
}
