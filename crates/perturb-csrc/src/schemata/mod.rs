//! Schemata: one text of a file that holds all its mutants, each chosen by a number when the program runs.
//!
//! A function keeps its plain body and gets an instrumented one beside it; which of them runs is looked up once, when it is
//! called. In the instrumented body each mutant belongs to a *point*. Most points are calls of the runtime
//! (`perturb-rt`) that take the operands and answer with the original's value or an alternative's (`value`). Where that
//! would not be exact (another type, another order of evaluation, another set of operands) the whole statement or
//! condition stands there once more for each of its mutants, as the mutant's source would have it (`variant`). What
//! neither can do is built by itself, and the reason is told.
//!
//! This module writes text. It compiles nothing and trusts nobody: whoever compiles the text finds out what does not
//! compile, and leaves it out ([`LeftOut`]).

mod code;
mod decision;
mod effects;
mod file;
mod function;
mod liveness;
mod shape;
mod value;
mod variant;
mod weave;

pub use file::{assemble, probes, quoted, FileNames, Instrumented, LeftOut, SchemaFunction, Switch, FIRST_PROBE};
pub(crate) use function::instrument;
pub use function::{FunctionSchema, Unswitchable, Version};
pub(crate) use shape::shape_of;
