//! Compares the compiled code of mutants with that of the original: a mutant for which a compiler emits the same code
//! is equivalent.

mod batch;
mod units;

pub use batch::{CodeTool, Codes, FileTask, Others};
pub use units::{BuiltTree, CodeUnit, Holders};
