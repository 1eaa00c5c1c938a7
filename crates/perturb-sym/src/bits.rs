//! From terms to clauses: every term becomes a row of literals, every operation a circuit of gates.
//!
//! `gates` has the gates, each there once, `arithmetic` circuits of integers, `floats` those of floats; `blast` goes
//! through a term. What they write to is a [`Clauses`]: a SAT solver, or whatever else counts or keeps clauses.

mod arithmetic;
mod blast;
mod floats;
mod gates;

pub use blast::{Blaster, Oversized};
pub use gates::{Clauses, Gates, Lit};
