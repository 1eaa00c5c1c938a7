//! Attributes of functions, calls, parameters and results.

use super::types::Type;
use std::sync::Arc;

/// Attributes of a parameter, argument or result that change what is passed, or promise something. Other promises are
/// left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterAttributes {
    /// The pointer passes a copy of a value of this type.
    pub byval: Option<Type>,
    /// The pointer is the address for the result of this type.
    pub sret: Option<Type>,
    /// The type at an address that is passed to assembly.
    pub element: Option<Type>,
    pub alignment: Option<u64>,
    pub is_signext: bool,
    pub is_zeroext: bool,
    pub is_nonnull: bool,
    pub is_noalias: bool,
    pub is_noundef: bool,
}

/// Attributes of a function or a call, as written: `noreturn`, `memory(none)` or `"frame-pointer"="all"`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attributes {
    pub(super) groups: Vec<Arc<[Box<str>]>>,
}

impl Attributes {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().flat_map(|group| group.iter().map(|item| &**item))
    }

    /// Whether it contains this word.
    pub fn has(&self, word: &str) -> bool {
        self.iter().any(|item| item == word)
    }
}
