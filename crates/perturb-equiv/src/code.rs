//! Compiled code of many mutants, to be compared with that of the original: what a compiler makes the same code of is
//! the same.

mod batch;
mod units;

pub use batch::{CodeTool, Codes, FileTask, Others};
pub use units::{Built, CodeUnit, Holders};
