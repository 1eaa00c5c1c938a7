//! How often lines were executed, as gcov or a user's own script has counted it.
//!
//! Reads data that are there; it builds nothing for coverage and runs no test.

pub(crate) mod file;
pub(crate) mod gcov;
mod lcov;
pub(crate) mod line_counts;
