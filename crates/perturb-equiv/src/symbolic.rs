//! Compares functions by symbolic execution: a solver is asked for an input on which original and mutant differ.
//!
//! The code is that of a unit with its glue (see `native`), so inputs, calls and observations are those of the driver:
//! an input found here can be run there.

mod bench;
mod paths;

pub use paths::{PathLimits, Paths};

use crate::native::{Layout, VersionIdx};
use bench::SymbolicSetup;
use perturb_sym::execute::{CallOutcome, ExecutionError, ExecutionLimits};
use perturb_sym::ir::Module;
use perturb_sym::solve::{Budget, SatResult};
use perturb_sym::term::Term;

/// The result of comparing two functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// They differ on this input, or the mutant has undefined behaviour or exceeds the bound where the original does
    /// not.
    Candidate {
        input: Vec<u8>,
    },
    Equivalent {
        /// A solver was needed.
        is_solved: bool,
        /// Holds only for executions within the bound on loop iterations and call depth.
        is_bounded: bool,
    },
    Unknown {
        why: String,
    },
}

/// Which inputs are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// Any input on which they differ, in whatever way.
    Difference,
    /// Inputs on which both return and leave different outputs: if there is none, [`Compared::Equivalent`] means just
    /// that.
    Output,
}

/// A function with its inputs, and its effect on all paths at once.
#[derive(Debug)]
pub struct Symbolic<'m> {
    bench: SymbolicSetup<'m>,
    original: CallOutcome,
    /// What is observed of the original, one term for each view.
    seen: Vec<Term>,
    /// Whether the original may exceed the bound; computed when first needed.
    may_exceed_bound: Option<bool>,
}

impl<'m> Symbolic<'m> {
    /// Executes the original.
    pub fn new(
        module: &'m Module,
        layout: &'m Layout,
        limits: ExecutionLimits,
        budget: Budget,
        stop: &'m (dyn Fn() -> bool + Sync),
    ) -> Result<Self, ExecutionError> {
        let mut bench = SymbolicSetup::new(module, layout, limits, budget, stop)?;
        let original = bench.run(VersionIdx::ORIGINAL)?;
        let seen = bench.look(&original.memory)?;
        // If the original never has defined behaviour, any claim about it would be true.
        let is_out = bench.is_out(&original);
        let is_fine = bench.machine.terms.not(is_out);
        match bench.ask(is_fine) {
            SatResult::Unsatisfiable => Err(no_end()),
            SatResult::Satisfiable(_) | SatResult::Unknown(_) => {
                Ok(Self { bench, original, seen, may_exceed_bound: None })
            }
        }
    }

    /// Compares the original with a mutant, by its number in the table of the glue.
    pub fn compare(&mut self, version: VersionIdx, sought: Sought) -> Compared {
        self.try_compare(version, sought).unwrap_or_else(|trouble| Compared::Unknown { why: trouble.to_string() })
    }

    fn try_compare(&mut self, version: VersionIdx, sought: Sought) -> Result<Compared, ExecutionError> {
        let Self { bench, original, seen, may_exceed_bound } = self;
        let other = bench.run(version)?;
        let other_seen = bench.look(&other.memory)?;
        let differs = bench.differs(seen, &other_seen);
        let (is_out, other_out) = (bench.is_out(original), bench.is_out(&other));
        let terms = &mut bench.machine.terms;
        let (is_fine, other_fine) = (terms.not(is_out), terms.not(other_out));
        let shows = terms.and(other_fine, differs);
        let shows = match sought {
            // A mutant that goes on after the original has returned may never terminate.
            Sought::Difference => terms.or(shows, other_out),
            Sought::Output => shows,
        };
        let question = terms.and(is_fine, shows);
        let is_solved = terms.as_constant(question).is_none();
        let answer = match sought {
            Sought::Difference => bench.ask(question),
            Sought::Output => bench.ask_briefly(question),
        };
        match answer {
            SatResult::Satisfiable(model) => Ok(Compared::Candidate { input: bench.input(&model) }),
            SatResult::Unknown(why) => Ok(Compared::Unknown { why: format!("the solver does not know: {why}") }),
            // Marked as bounded, so that it never counts as a proof: there is a difference anyway.
            SatResult::Unsatisfiable if sought == Sought::Output => {
                Ok(Compared::Equivalent { is_solved, is_bounded: true })
            }
            SatResult::Unsatisfiable => {
                let is_bounded = *may_exceed_bound.get_or_insert_with(|| bench.may_be_unfinished(original));
                Ok(Compared::Equivalent { is_solved, is_bounded })
            }
        }
    }
}

fn no_end() -> ExecutionError {
    ExecutionError::Unsupported { what: "the original comes to no defined end".to_string(), position: None }
}
