//! Parsing with libclang, loaded at run time.

mod api;
mod library;
mod unit;
mod unnamed;

pub use library::{Candidate, Libclang, OLDEST};
pub use unit::{absolute, ClangType, Cursor, Diagnostic, ParseInput, Unit};
