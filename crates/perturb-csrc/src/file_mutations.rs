//! The mutations of one file, as one translation unit finds them.

use crate::copies::Copyable;
use crate::operators::Mutation;
use crate::schemata::SchemaFunction;
use crate::source::SourceFile;

/// A function, or a declaration outside functions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    /// Its name with namespaces and classes.
    pub name: String,
    /// In C++, distinguishes overloads.
    pub parameters: String,
    pub is_function: bool,
}

/// The mutations of one file, as one translation unit sees it.
#[derive(Debug)]
pub struct FileMutations {
    pub source: SourceFile,
    pub scopes: Vec<Scope>,
    /// Each with the index of its scope.
    pub mutations: Vec<(u32, Mutation)>,
    /// The functions with their mutants in them, where that is asked for: those that can be, in the order of the file.
    pub functions: Vec<SchemaFunction>,
    /// Those that can be copied, where the others are asked for.
    pub copyable: Vec<Copyable>,
}
