//! Attributes of functions, calls, parameters and results.

use super::types::Type;
use std::sync::Arc;

/// Of a parameter, an argument or a result: what changes what is passed, and what is promised. Other promises are left
/// out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterAttributes {
    /// The pointer stands for a copy of a value of this type.
    pub byval: Option<Type>,
    /// The pointer is where the result of this type goes.
    pub sret: Option<Type>,
    /// What is at an address that assembly is given.
    pub element: Option<Type>,
    pub alignment: Option<u64>,
    pub is_signext: bool,
    pub is_zeroext: bool,
    pub is_nonnull: bool,
    pub is_noalias: bool,
    pub is_noundef: bool,
}

/// Of a function or a call: as written, such as `noreturn`, `memory(none)` or `"frame-pointer"="all"`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attributes {
    pub(super) groups: Vec<Arc<[Box<str>]>>,
}

impl Attributes {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|group| group.iter().map(|item| &**item))
    }

    /// Whether it is there as a word of its own.
    pub fn has(&self, word: &str) -> bool {
        self.iter().any(|item| item == word)
    }
}
