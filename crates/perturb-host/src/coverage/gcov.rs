//! What gcov counts: finding the gcov of a compiler, and having it read what instrumented programs have left.
//!
//! A compiler leaves *notes* (`.gcno`) beside each object, which say where its counters stand; a program that ends leaves
//! *data* (`.gcda`), which say how often each was passed. gcov puts both together. Its own format changes with every
//! version, so it is asked, and must be of the compiler's version.
//!
//! Data that do not fit their notes, or are not whole, are told and never taken for zeros.

mod data;
mod head;
mod json;
mod notes;
mod tool;

pub(crate) use head::GcovVersion;
pub(crate) use json::read as read_json;
pub use notes::GcovNotes;
pub(crate) use tool::{Gcov, GcovPair};
