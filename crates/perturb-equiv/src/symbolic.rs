//! Comparing by reasoning: original and other are executed on terms, and a solver is asked for an input on which they
//! differ.
//!
//! The code is that of a unit with its glue (see `native`), so that inputs, calls and what can be seen afterwards are
//! those that the driver has: an input that is found here can be run there.

mod bench;
mod paths;

pub use paths::{PathLimits, Paths};

use crate::native::Layout;
use bench::Bench;
use perturb_sym::execute::{Executed, Limits, Trouble};
use perturb_sym::ir::Module;
use perturb_sym::solve::{Answer, Budget};
use perturb_sym::term::Term;

/// What comparing two functions came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    /// They differ on this input, or it does something undefined, or goes on for long, and the original does not.
    Candidate {
        input: Vec<u8>,
    },
    Equivalent {
        /// A solver was needed.
        is_solved: bool,
        /// Only where no loop takes more turns, and no call goes deeper, than the bound.
        is_bounded: bool,
    },
    Unknown {
        why: String,
    },
}

/// Which inputs are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sought {
    /// Any on which they differ, in whatever way.
    Difference,
    /// Those on which both come to a defined end and leave something else: without one, [`Compared::Equivalent`] says
    /// just that.
    Output,
}

/// A function with its inputs, and what it does with them, on all paths at once.
#[derive(Debug)]
pub struct Symbolic<'m> {
    bench: Bench<'m>,
    original: Executed,
    /// What is seen of the original, one term for each view.
    seen: Vec<Term>,
    /// Whether the original may go beyond the bound, once somebody had to know.
    is_bounded: Option<bool>,
}

impl<'m> Symbolic<'m> {
    /// Executes the original.
    pub fn new(
        module: &'m Module,
        layout: &'m Layout,
        limits: Limits,
        budget: Budget,
        stop: &'m (dyn Fn() -> bool + Sync),
    ) -> Result<Self, Trouble> {
        let mut bench = Bench::new(module, layout, limits, budget, stop)?;
        let original = bench.run(0)?;
        let seen = bench.look(&original.memory)?;
        // Of an original that is never defined, everything would be true.
        let is_out = bench.is_out(&original);
        let is_fine = bench.machine.terms.not(is_out);
        match bench.ask(is_fine) {
            Answer::Unsatisfiable => Err(no_end()),
            Answer::Satisfiable(_) | Answer::Unknown(_) => Ok(Self { bench, original, seen, is_bounded: None }),
        }
    }

    /// Compares one of the others with it, by its number in the glue's table.
    pub fn compare(&mut self, which: usize, sought: Sought) -> Compared {
        self.try_compare(which, sought).unwrap_or_else(|trouble| Compared::Unknown { why: trouble.to_string() })
    }

    fn try_compare(&mut self, which: usize, sought: Sought) -> Result<Compared, Trouble> {
        let Self { bench, original, seen, is_bounded } = self;
        let other = bench.run(which)?;
        let other_seen = bench.look(&other.memory)?;
        let differs = bench.differs(seen, &other_seen);
        let (is_out, other_out) = (bench.is_out(original), bench.is_out(&other));
        let terms = &mut bench.machine.terms;
        let (is_fine, other_fine) = (terms.not(is_out), terms.not(other_out));
        let shows = terms.and(other_fine, differs);
        let shows = match sought {
            // One that goes on where the original has come to its end may never come to one.
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
            Answer::Satisfiable(model) => Ok(Compared::Candidate { input: bench.input(&model) }),
            Answer::Unknown(why) => Ok(Compared::Unknown { why: format!("the solver does not know: {why}") }),
            // No bound was asked for: there is a difference anyway.
            Answer::Unsatisfiable if sought == Sought::Output => {
                Ok(Compared::Equivalent { is_solved, is_bounded: true })
            }
            Answer::Unsatisfiable => {
                let is_bounded = *is_bounded.get_or_insert_with(|| bench.may_be_unfinished(original));
                Ok(Compared::Equivalent { is_solved, is_bounded })
            }
        }
    }
}

fn no_end() -> Trouble {
    Trouble::Unsupported { what: "the original comes to no defined end".to_string(), place: None }
}
