//! MASS step 5, sample: which mutants are executed, in which order they are drawn, and when the sample is large
//! enough.
//!
//! A draw depends on the seed and the mutant alone: neither on the number of jobs nor on the other mutants.

mod draw;
mod sequential;

pub use draw::{draw, Stratum};
pub use sequential::{Drawn, Sequential, SuiteChoice};
