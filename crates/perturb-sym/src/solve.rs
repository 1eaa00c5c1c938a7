//! Can these truth values hold at once? By our own circuits on a SAT solver, or by another program that speaks SMT-LIB.
//!
//! Budgets count what a solver does, never the time it takes, so that an answer is the same on every machine. A model is
//! believed only after the terms were evaluated with it.

mod bit_solver;
mod sat;
mod smtlib;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::term::{Term, Terms, Variable};

pub use bit_solver::BitSolver;
pub use smtlib::{Dialect, Program, SmtLib};

/// Decides whether terms of one bit can all be one.
pub trait Solver {
    fn check(&mut self, terms: &Terms, asserted: &[Term], budget: Budget) -> Answer;
}

/// How much a question may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Conflicts of the SAT solver.
    pub conflicts: u32,
    /// Its memory accesses, roughly: a bound where single conflicts are dear. A thousand million take some seconds.
    pub ticks: u32,
    /// Variables of the SAT solver, those of earlier questions included: a bound of memory.
    pub variables: u32,
}

impl Default for Budget {
    /// Ample for a question of a function; some seconds at most.
    fn default() -> Budget {
        Budget { conflicts: 200_000, ticks: 1_000_000_000, variables: 4_000_000 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// They hold with these values.
    Satisfiable(Model),
    /// There are no values with which they hold.
    Unsatisfiable,
    Unknown(Why),
}

/// Why a solver does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// The conflicts or ticks of the budget are spent, or the program was ended.
    #[error("the question takes more work than it is given")]
    Spent,
    /// The formula needs more variables than the budget has.
    #[error("the question is too large")]
    Oversized,
    /// The model does not satisfy the terms: an error of the solver or of ours.
    #[error("its values do not fit the question")]
    WrongModel,
    /// What another program said instead of an answer.
    #[error("it says `{0}`")]
    Refused(String),
}

/// Values of variables. Those that are not in it do not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    pub values: BTreeMap<Variable, u128>,
}

impl Model {
    pub fn value(&self, variable: Variable) -> u128 {
        self.values.get(&variable).copied().unwrap_or(0)
    }

    /// The answer of this model, once it is seen to satisfy what is asserted.
    fn checked(self, terms: &Terms, asserted: &[Term]) -> Answer {
        let holds = terms.evaluate(asserted, |variable| self.value(variable)).iter().all(|value| *value == 1);
        debug_assert!(holds, "a model that does not satisfy what was asked");
        if holds {
            Answer::Satisfiable(self)
        } else {
            Answer::Unknown(Why::WrongModel)
        }
    }
}

/// The answer, if the constants among the terms tell it.
fn evident(terms: &Terms, asserted: &[Term]) -> Option<Answer> {
    if asserted.iter().any(|term| terms.as_constant(*term) == Some(0)) {
        return Some(Answer::Unsatisfiable);
    }
    let are_all_true = asserted.iter().all(|term| terms.as_constant(*term) == Some(1));
    are_all_true.then(|| Answer::Satisfiable(Model::default()))
}
