//! What the driver is asked to do: which inputs it tries, for how long, and what stands beside the memory it uses.

use super::EquivalenceOptions;
use crate::native::Tolerance;

/// On which side of what a pointer leads to a page stands that traps.
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

/// How long inputs are looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub inputs: u64,
    /// For each mutant, of all calls.
    pub steps: Option<u64>,
}

/// Which inputs are all that there are.
pub(super) enum Domain {
    All,
    /// Of so many elements, for these functions.
    Orders {
        of: u64,
        functions: Vec<usize>,
    },
}

/// What the driver is told of numbers with fractions that are the same though their bits are not.
pub(crate) fn told_tolerance(tolerance: Tolerance) -> String {
    format!("tolerance={tolerance}")
}

/// What the driver is told.
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
