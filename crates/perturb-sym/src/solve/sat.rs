//! The SAT solver: CaDiCaL, with its API used as it requires in each of its states.

use std::fmt;

use cadical_sys::{CaDiCal, Status};

use super::Budget;
use crate::bits::{Clauses, Lit};

pub(super) struct Sat {
    solver: CaDiCal,
    /// The highest variable in use.
    highest: i32,
}

impl fmt::Debug for Sat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sat").field("highest", &self.highest).finish_non_exhaustive()
    }
}

impl Clauses for Sat {
    fn add(&mut self, clause: &[i32]) {
        for literal in clause {
            self.highest = self.highest.max(literal.abs());
            self.solver.add(*literal);
        }
        self.solver.add(0);
    }
}

impl Sat {
    pub fn new() -> Sat {
        let mut solver = CaDiCal::new();
        // It would use variable numbers that are ours.
        let is_option = solver.set("factor", 0);
        debug_assert!(is_option, "an option of CaDiCaL");
        Sat { solver, highest: 0 }
    }

    /// Whether the clauses are satisfiable under the assumptions, which are no constants; `None` if the budget is used
    /// up.
    pub fn solve(&mut self, assumptions: &[i32], budget: Budget) -> Option<bool> {
        for assumption in assumptions {
            self.highest = self.highest.max(assumption.abs());
            self.solver.assume(*assumption);
        }
        // Limits hold for the next call only.
        let limit = |amount: u32| i32::try_from(amount).unwrap_or(i32::MAX);
        for (name, amount) in [("conflicts", budget.conflicts), ("ticks", budget.ticks)] {
            let is_limit = self.solver.limit(name, limit(amount));
            debug_assert!(is_limit, "a limit of CaDiCaL");
        }
        match self.solver.solve() {
            Status::SATISFIABLE => Some(true),
            Status::UNSATISFIABLE => Some(false),
            Status::UNKNOWN => None,
        }
    }

    pub fn ticks(&self) -> u64 {
        u64::try_from(self.solver.get_statistic_value("ticks")).unwrap_or(0)
    }

    /// The value of a literal in the last model. A variable without clauses is false.
    pub fn value(&mut self, literal: Lit) -> bool {
        match (literal.value(), literal.number()) {
            (Some(value), _) => value,
            (_, Some(number)) if number.abs() <= self.highest => self.solver.val(number) == number,
            _ => false,
        }
    }
}
