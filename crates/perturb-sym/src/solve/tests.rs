//! Circuits against values, and solvers against each other.

mod agreement;
mod circuits;
mod program;
