//! Decides whether truth values can hold at once: by our circuits on a SAT solver, or by another program that reads
//! SMT-LIB.
//!
//! Budgets count the work of a solver, never time, so that an answer is the same on every machine. A model is believed
//! only after the terms were evaluated with it.

mod bit_solver;
mod sat;
#[cfg(any(test, feature = "smtlib"))]
mod smtlib;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::term::{Term, Terms, Variable};

pub use bit_solver::BitSolver;
#[cfg(any(test, feature = "smtlib"))]
pub use smtlib::{Dialect, Program, SmtLib};

/// A solver that decides whether terms of one bit can all be one.
pub trait Solver {
    fn check(&mut self, terms: &Terms, asserted: &[Term], budget: Budget) -> SatResult;
}

/// The budget of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Conflicts of the SAT solver.
    pub conflicts: u32,
    /// Roughly its memory accesses: a bound where single conflicts are expensive. A thousand million take some seconds.
    pub ticks: u32,
    /// Variables of the SAT solver, with those of earlier questions: a bound on memory.
    pub variables: u32,
}

impl Default for Budget {
    /// The default for a question about a function; some seconds at most.
    fn default() -> Budget {
        Budget { conflicts: 200_000, ticks: 1_000_000_000, variables: 4_000_000 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SatResult {
    /// They hold for these values.
    Satisfiable(Model),
    /// They hold for no values.
    Unsatisfiable,
    Unknown(Why),
}

/// Why a solver has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The conflicts or ticks of the budget are used up, or the program was stopped.
    #[error("the question takes more work than it is given")]
    Spent,
    /// The formula needs more variables than the budget has.
    #[error("the question is too large")]
    Oversized,
    /// The model does not satisfy the terms: an error of the solver or of ours.
    #[error("its values do not fit the question")]
    WrongModel,
    /// What another program reported instead of an answer.
    #[error("it says `{0}`")]
    Refused(String),
}

/// Values of variables. Missing variables may have any value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    pub values: BTreeMap<Variable, u128>,
}

impl Model {
    pub fn value(&self, variable: Variable) -> u128 {
        self.values.get(&variable).copied().unwrap_or(0)
    }

    /// The answer with this model, after checking that it satisfies the assertions.
    fn checked(self, terms: &Terms, asserted: &[Term]) -> SatResult {
        let holds = terms.evaluate(asserted, |variable| self.value(variable)).iter().all(|value| *value == 1);
        debug_assert!(holds, "a model that does not satisfy what was asked");
        if holds {
            SatResult::Satisfiable(self)
        } else {
            SatResult::Unknown(Why::WrongModel)
        }
    }
}

/// The answer, if constants decide it.
fn evident(terms: &Terms, asserted: &[Term]) -> Option<SatResult> {
    if asserted.iter().any(|term| terms.as_constant(*term) == Some(0)) {
        return Some(SatResult::Unsatisfiable);
    }
    let are_all_true = asserted.iter().all(|term| terms.as_constant(*term) == Some(1));
    are_all_true.then(|| SatResult::Satisfiable(Model::default()))
}
