//! The SAT solver: CaDiCaL, kept within what it allows at each moment.

use std::fmt;

use cadical_sys::{CaDiCal, Status};

use super::Budget;
use crate::bits::{Clauses, Lit};

pub(super) struct Sat {
    solver: CaDiCal,
    /// The highest variable that the solver knows.
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
        // It would take numbers for variables of its own that are ours to give.
        let is_option = solver.set("factor", 0);
        debug_assert!(is_option, "an option of CaDiCaL");
        Sat { solver, highest: 0 }
    }

    /// Whether the clauses hold together with the assumptions, which are no constants; nothing if the budget is spent.
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

    /// The value of a literal, right after the clauses were found to hold. A variable without clauses is false.
    pub fn value(&mut self, literal: Lit) -> bool {
        match (literal.value(), literal.number()) {
            (Some(value), _) => value,
            (_, Some(number)) if number.abs() <= self.highest => self.solver.val(number) == number,
            _ => false,
        }
    }
}
