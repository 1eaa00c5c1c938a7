//! gcov: finds the gcov of a compiler, and has it read the data that instrumented programs have written.
//!
//! A compiler writes *notes* (`.gcno`) beside each object, which say where its counters are. A program writes *data*
//! (`.gcda`) when it ends, with the values of the counters. gcov combines both. The formats change with every version,
//! so gcov does the reading, and its version must be that of the compiler.
//!
//! Data that do not match their notes, or are incomplete, are reported as errors and never count as zeros.

mod data;
mod head;
mod json;
mod notes;
mod tool;

pub(crate) use head::GcovVersion;
pub(crate) use json::read as read_json;
pub use notes::GcovNotes;
pub(crate) use tool::{Gcov, GcovPair};
