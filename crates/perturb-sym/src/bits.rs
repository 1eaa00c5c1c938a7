//! Bit-blasting: every term becomes a vector of literals, every operation a circuit of gates.
//!
//! `gates` has the gates, each of which exists once, `arithmetic` the circuits of integers, `floats` those of floats;
//! `blast` translates terms. They write to a [`Clauses`]: a SAT solver, or anything else that takes clauses.

mod arithmetic;
mod blast;
mod floats;
mod gates;

pub use blast::{Blaster, Oversized};
pub use gates::{Clauses, Gates, Lit};
