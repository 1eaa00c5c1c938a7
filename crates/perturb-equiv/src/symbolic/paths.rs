//! Compares path by path. Where one question about all paths is too hard, those about each path are often easy, since
//! memory then holds values instead of choices between values.
//!
//! Each path of the original is paired with each path of the mutant that its inputs can reach. Every input on which the
//! original returns is on one of these pairs, unless the mutant has undefined behaviour or exceeds the bound on it. So
//! a property of all pairs holds for all inputs.

use super::bench::SymbolicSetup;
use super::{no_end, Compared};
use crate::native::{Layout, VersionIdx};
use perturb_sym::execute::{CallOutcome, ExecutionError, ExecutionLimits, Script};
use perturb_sym::ir::Module;
use perturb_sym::solve::{Budget, SatResult};
use perturb_sym::term::{Ranks, Term};

/// The budget for the original, and for each mutant. Like all budgets it counts work, not time.
#[derive(Debug, Clone, Copy)]
pub struct PathLimits {
    /// Paths of the original, or pairs of paths for a mutant.
    pub paths: u64,
    /// Instructions on all of them.
    pub instructions: u64,
    /// The total work of the solver, in the unit of its budget.
    pub ticks: u64,
    /// New terms of all of them.
    pub terms: usize,
}

const TOO_MANY: ExecutionError = ExecutionError::Limit("too many paths");

impl Default for PathLimits {
    /// Some seconds at most.
    fn default() -> Self {
        Self { paths: 3_000, instructions: 3_000_000, ticks: 400_000_000, terms: 1_000_000 }
    }
}

/// A function with its inputs, and its effect on each path.
#[derive(Debug)]
pub struct Paths<'m> {
    bench: SymbolicSetup<'m>,
    limits: PathLimits,
    originals: Vec<OriginalPath>,
    /// The original may exceed the bound.
    is_bounded: bool,
}

/// A path of the original that returns.
#[derive(Debug)]
struct OriginalPath {
    /// The condition for its inputs.
    when: Term,
    /// What is observed then, one term for each view.
    seen: Vec<Term>,
}

impl<'m> Paths<'m> {
    /// Executes the original, on each of its paths.
    pub fn new(
        module: &'m Module,
        layout: &'m Layout,
        limits: ExecutionLimits,
        paths: PathLimits,
        budget: Budget,
        stop: &'m (dyn Fn() -> bool + Sync),
    ) -> Result<Self, ExecutionError> {
        let mut bench = SymbolicSetup::new(module, layout, limits, budget, stop)?;
        let (mut originals, mut is_bounded) = (Vec::new(), false);
        let mut left = paths;
        walk(&mut bench, VersionIdx::ORIGINAL, &mut left, |bench, executed| {
            is_bounded = is_bounded || bench.may_be_unfinished(executed);
            let returned = executed.returned;
            let can_be = bench.machine.is_evident(returned);
            if can_be.unwrap_or_else(|| bench.ask(returned) != SatResult::Unsatisfiable) {
                originals.push(OriginalPath { when: returned, seen: bench.look(&executed.memory)? });
            }
            Ok(None::<Compared>)
        })?;
        // If the original never has defined behaviour, any claim about it would be true.
        if originals.is_empty() {
            return Err(no_end());
        }
        Ok(Self { bench, limits: paths, originals, is_bounded })
    }

    /// Compares the original with a mutant, by its number in the table of the glue.
    pub fn compare(&mut self, version: VersionIdx) -> Compared {
        let (given, terms) = (self.bench.machine.given, self.bench.machine.terms.len());
        let compared = self.try_compare(version);
        self.bench.machine.given = given;
        // What the solver learned about this mutant does not help for the next.
        self.bench.machine.terms.truncate(terms);
        compared.unwrap_or_else(|trouble| Compared::Unknown { why: trouble.to_string() })
    }

    fn try_compare(&mut self, version: VersionIdx) -> Result<Compared, ExecutionError> {
        let mut left = self.limits;
        for OriginalPath { when, seen } in &self.originals {
            self.bench.machine.given = *when;
            self.bench.machine.forget_questions();
            let found = walk(&mut self.bench, version, &mut left, |bench, other| {
                let differs = match Ranks::of(&bench.machine.terms, other.returned) {
                    Some(ranks) => {
                        let other_seen = bench.look(&other.memory)?;
                        let both = ranks.united(&mut bench.machine.terms, &[&seen[..], &other_seen].concat());
                        bench.differs(&both[..seen.len()], &both[seen.len()..])
                    }
                    None => bench.machine.terms.truth(false),
                };
                let shows = bench.machine.terms.and(other.returned, differs);
                let is_out = bench.is_out(other);
                let question = bench.machine.terms.or(shows, is_out);
                Ok(match bench.ask(question) {
                    SatResult::Unsatisfiable => None,
                    SatResult::Satisfiable(model) => Some(Compared::Candidate { input: bench.input(&model) }),
                    SatResult::Unknown(why) => {
                        Some(Compared::Unknown { why: format!("the solver does not know of a path: {why}") })
                    }
                })
            })?;
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Ok(Compared::Equivalent { is_solved: true, is_bounded: self.is_bounded })
    }
}

/// Executes a function once for each of its paths, until a path decides.
fn walk<'m, T>(
    bench: &mut SymbolicSetup<'m>,
    version: VersionIdx,
    left: &mut PathLimits,
    mut look: impl FnMut(&mut SymbolicSetup<'m>, &CallOutcome) -> Result<Option<T>, ExecutionError>,
) -> Result<Option<T>, ExecutionError> {
    let mut script = Some(Script::default());
    while let Some(path) = script {
        let ((before, _), terms) = (bench.machine.work(), bench.machine.terms.len());
        left.paths = left.paths.checked_sub(1).ok_or(TOO_MANY)?;
        bench.machine.follow(Some(path));
        let executed = bench.run(version);
        let path = bench.machine.follow(None);
        let found = look(bench, &executed?)?;
        if found.is_some() {
            return Ok(found);
        }
        let (after, instructions) = bench.machine.work();
        left.instructions = left.instructions.checked_sub(instructions).ok_or(TOO_MANY)?;
        left.ticks = left.ticks.checked_sub(after - before).ok_or(TOO_MANY)?;
        left.terms = left.terms.checked_sub(bench.machine.terms.len() - terms).ok_or(TOO_MANY)?;
        script = path.and_then(Script::next);
    }
    Ok(None)
}
