//! Solves terms by bit-blasting. Translated terms stay, so that questions share them and what the solver learned.

use super::sat::Sat;
use super::{evident, Budget, Model, SatResult, Solver, Why};
use crate::bits::Blaster;
use crate::term::{Node, Term, Terms};

#[derive(Debug)]
pub struct BitSolver {
    blaster: Blaster<Sat>,
    /// The pool whose terms were translated.
    pool: Option<u64>,
}

impl Default for BitSolver {
    fn default() -> BitSolver {
        BitSolver::new()
    }
}

impl BitSolver {
    pub fn new() -> BitSolver {
        BitSolver { blaster: Blaster::new(Sat::new()), pool: None }
    }

    /// The number of variables of the SAT solver.
    pub fn variables(&self) -> u32 {
        self.blaster.variables()
    }

    /// The work of the SAT solver so far, in the unit of budgets.
    pub fn ticks(&mut self) -> u64 {
        self.blaster.clauses().ticks()
    }

    fn model(&mut self, terms: &Terms, asserted: &[Term]) -> Model {
        let mut model = Model::default();
        for term in terms.cone(asserted) {
            let Node::Variable(variable) = terms.node(term) else { continue };
            let literals = self.blaster.literals(term).unwrap_or_default().to_vec();
            let bits = literals.iter().rev().fold(0, |bits, literal| {
                let bit = self.blaster.clauses().value(*literal);
                bits << 1 | u128::from(bit)
            });
            model.values.insert(variable, bits);
        }
        model
    }
}

impl Solver for BitSolver {
    fn check(&mut self, terms: &Terms, asserted: &[Term], budget: Budget) -> SatResult {
        if let Some(answer) = evident(terms, asserted) {
            return answer;
        }
        if self.pool.is_some_and(|pool| pool != terms.id()) {
            *self = BitSolver::new();
        }
        self.pool = Some(terms.id());
        if self.blaster.translate(terms, asserted, budget.variables).is_err() {
            return SatResult::Unknown(Why::Oversized);
        }
        let mut assumptions = Vec::with_capacity(asserted.len());
        for term in asserted {
            let literal = self.blaster.literals(*term).and_then(|literals| literals.first().copied());
            match literal.map(|literal| (literal.value(), literal.number())) {
                Some((Some(true), _)) => {}
                Some((None, Some(number))) => assumptions.push(number),
                _ => return SatResult::Unsatisfiable,
            }
        }
        match self.blaster.clauses().solve(&assumptions, budget) {
            Some(true) => self.model(terms, asserted).checked(terms, asserted),
            Some(false) => SatResult::Unsatisfiable,
            None => SatResult::Unknown(Why::Spent),
        }
    }
}
