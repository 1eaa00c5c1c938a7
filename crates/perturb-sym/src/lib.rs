//! Symbolic execution: terms, circuits and solvers, and LLVM's intermediate code as clang emits it, executed on terms.
//!
//! This crate knows no mutant and no contract, writes no C and starts no process. `perturb-equiv` compares functions
//! with it.

pub mod bits;
pub mod execute;
pub mod ir;
pub mod solve;
pub mod term;
