//! Parses C and C++ text with libclang into a tree, applies the mutation operators, and makes the edits.
//!
//! This crate knows files and translation units. It knows no projects, starts no process, prints nothing and writes
//! nothing: it returns ranges and replacements.

// clang-c/Index.h names its constants so.
#![allow(non_upper_case_globals)]

pub mod copies;
mod edit;
pub mod expanded;
mod file_mutations;
mod inline;
pub mod joined;
mod lexer;
mod libclang;
mod literal;
mod operators;
pub mod schemata;
mod signature;
mod source;
mod spans;
mod suppress;
mod tree;
mod undefined;
mod unit;

pub use edit::Edit;
pub use file_mutations::{FileMutations, Scope};
pub use libclang::{absolute, Candidate, Diagnostic, Libclang, ParseInput, OLDEST};
pub use operators::{Mutation, Operator, OperatorSet, UnknownOperator};
pub use signature::{
    CType, Constant, External, Field, Global, ListBy, Parameter, Shape, Signature, Signatures, Start, StaticLocal,
    TypeId, WrittenStatic,
};
pub use source::{LineColumn, SourceFile, SourceRange};
pub use spans::StatementSpans;
pub use suppress::{MisreadComment, Suppressions};
pub use tree::ConstantContext;
pub use undefined::{undefined_places, Undefined, UndefinedPlace};
pub use unit::{mutate_unit, Rules, UnitMutations};

use std::path::PathBuf;

/// Errors while parsing a file and listing its mutations.
#[derive(Debug, thiserror::Error)]
pub enum CsrcError {
    #[error(
        "no libclang found (version {OLDEST} or later)\n  perturb parses C and C++ with it; install one with: \
         apt-get install libclang1-19 libclang-common-19-dev\n  (Debian 12 also has 16 and 14), or name one with \
         --libclang"
    )]
    NoLibclang,
    #[error("no libclang `{name}` found: name a file, a folder that holds one, or a major version that is installed")]
    LibclangNotFound { name: String },
    #[error("{} cannot be used as libclang: {source}", path.display())]
    LibclangUnusable { path: PathBuf, source: libloading::Error },
    #[error("{} cannot be parsed: {reason}", file.display())]
    Unparsable { file: PathBuf, reason: String },
}
