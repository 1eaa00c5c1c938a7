//! Line coverage: how often each line was executed, as counted by gcov or a user's own script.
//!
//! Reads existing data; it builds nothing for coverage and runs no test.

pub(crate) mod file;
pub(crate) mod gcov;
mod lcov;
pub(crate) mod line_counts;
