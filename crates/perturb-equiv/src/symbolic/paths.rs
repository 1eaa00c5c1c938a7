//! Path by path: where the question about all paths at once is too hard, those about each are often easy, since on one
//! path memory holds values and not choices of them.
//!
//! Each path of the original is taken with each path of the other that its inputs can lead to. Every input on which the
//! original comes to a defined end is on one of these pairs, or does something undefined or goes on in the other: so
//! what holds for all pairs holds.

use super::bench::Bench;
use super::{no_end, Compared};
use crate::native::Layout;
use perturb_sym::execute::{Executed, Limits, Script, Trouble};
use perturb_sym::ir::Module;
use perturb_sym::solve::{Answer, Budget};
use perturb_sym::term::{Ranks, Term};

/// How much is done for the original, and for each of the others. Like all budgets they count what is done, not the
/// time.
#[derive(Debug, Clone, Copy)]
pub struct PathLimits {
    /// Paths of the original; pairs of paths for one of the others.
    pub paths: u64,
    /// Instructions on all of them.
    pub instructions: u64,
    /// What the solver does in all, as its budget counts it.
    pub ticks: u64,
    /// New terms of all of them.
    pub terms: usize,
}

const TOO_MANY: Trouble = Trouble::Limit("too many paths");

impl Default for PathLimits {
    /// Some seconds at most.
    fn default() -> Self {
        Self { paths: 3_000, instructions: 3_000_000, ticks: 400_000_000, terms: 1_000_000 }
    }
}

/// A function with its inputs, and what it does with them on each path.
#[derive(Debug)]
pub struct Paths<'m> {
    bench: Bench<'m>,
    limits: PathLimits,
    originals: Vec<Original>,
    /// The original may go beyond the bound.
    is_bounded: bool,
}

/// A path of the original that comes to a defined end.
#[derive(Debug)]
struct Original {
    /// On which inputs.
    when: Term,
    /// What is seen then, one term for each view.
    seen: Vec<Term>,
}

impl<'m> Paths<'m> {
    /// Executes the original, on each of its paths.
    pub fn new(
        module: &'m Module,
        layout: &'m Layout,
        limits: Limits,
        paths: PathLimits,
        budget: Budget,
        stop: &'m (dyn Fn() -> bool + Sync),
    ) -> Result<Self, Trouble> {
        let mut bench = Bench::new(module, layout, limits, budget, stop)?;
        let (mut originals, mut is_bounded) = (Vec::new(), false);
        let mut left = paths;
        walk(&mut bench, 0, &mut left, |bench, executed| {
            is_bounded = is_bounded || bench.may_be_unfinished(executed);
            let returned = executed.returned;
            let can_be = bench.machine.is_evident(returned);
            if can_be.unwrap_or_else(|| bench.ask(returned) != Answer::Unsatisfiable) {
                originals.push(Original { when: returned, seen: bench.look(&executed.memory)? });
            }
            Ok(None::<Compared>)
        })?;
        // Of an original that is never defined, everything would be true.
        if originals.is_empty() {
            return Err(no_end());
        }
        Ok(Self { bench, limits: paths, originals, is_bounded })
    }

    /// Compares one of the others with it, by its number in the glue's table.
    pub fn compare(&mut self, which: usize) -> Compared {
        let (given, terms) = (self.bench.machine.given, self.bench.machine.terms.len());
        let compared = self.try_compare(which);
        self.bench.machine.given = given;
        // What is known of this one is of no use for the next.
        self.bench.machine.terms.truncate(terms);
        compared.unwrap_or_else(|trouble| Compared::Unknown { why: trouble.to_string() })
    }

    fn try_compare(&mut self, which: usize) -> Result<Compared, Trouble> {
        let mut left = self.limits;
        for Original { when, seen } in &self.originals {
            self.bench.machine.given = *when;
            self.bench.machine.forget_questions();
            let found = walk(&mut self.bench, which, &mut left, |bench, other| {
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
                    Answer::Unsatisfiable => None,
                    Answer::Satisfiable(model) => Some(Compared::Candidate { input: bench.input(&model) }),
                    Answer::Unknown(why) => {
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

/// Executes a function once for each of its paths, until one tells something.
fn walk<'m, T>(
    bench: &mut Bench<'m>,
    which: usize,
    left: &mut PathLimits,
    mut look: impl FnMut(&mut Bench<'m>, &Executed) -> Result<Option<T>, Trouble>,
) -> Result<Option<T>, Trouble> {
    let mut script = Some(Script::default());
    while let Some(path) = script {
        let ((before, _), terms) = (bench.machine.work(), bench.machine.terms.len());
        left.paths = left.paths.checked_sub(1).ok_or(TOO_MANY)?;
        bench.machine.follow(Some(path));
        let executed = bench.run(which);
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
