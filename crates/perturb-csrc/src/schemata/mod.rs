//! Schemata: one text of a file that holds all its mutants, each chosen by a number when the program runs.
//!
//! A function keeps its plain body and gets an instrumented one beside it; a switch that is read once per call decides
//! which of them runs. In the instrumented body each mutant belongs to a *point*. Most points are calls of the runtime
//! (`perturb-rt`) that take the operands and return the original's value or an alternative's (`value`). Where that
//! would not be exact (another type, another order of evaluation, another set of operands) the whole statement or
//! condition is repeated for each of its mutants, as in the mutant's source (`variant`). A mutant that fits neither is
//! built by itself, and the reason is reported.
//!
//! This module writes text and compiles nothing. Its caller compiles the text, finds what does not compile, and leaves
//! it out ([`LeftOut`]).

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
