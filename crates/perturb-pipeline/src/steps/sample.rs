//! Step 5, sample: which mutants are executed, in which order they are drawn, and when enough of them were.
//!
//! A draw depends on the seed and on the mutant alone: neither on the number of jobs nor on what else there is to draw.

mod draw;
mod sequential;

pub use draw::{draw, Stratum};
pub use sequential::{Drawn, Sequential, Suite};
