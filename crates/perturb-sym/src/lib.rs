//! What programs compute, as expressions: terms, circuits and solvers, and clang's intermediate code, executed on terms.
//!
//! The library knows no mutant and no contract, writes no C and starts no process.
//! `perturb-equiv` compares functions with it.

pub mod bits;
pub mod execute;
pub mod ir;
pub mod solve;
pub mod term;
