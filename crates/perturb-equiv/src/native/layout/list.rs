//! Variadic arguments from a parameter that is a `va_list`, or a pointer to one.
//!
//! It is unknown which types a function reads from it. So it delivers integers in sequence, any of which may instead be
//! a pointer to a few bytes, and floats besides: on x86-64 the two do not interfere.

use super::Layout;
use crate::native::leaf::{Leaf, LeafKind};
use perturb_csrc::ListBy;

/// A parameter that is a `va_list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List {
    /// The index of the parameter; its object has the integers and pointers.
    pub parameter: usize,
    pub by: ListBy,
    /// The object with the floats.
    pub fractions: usize,
    /// The range of leaves with its arguments.
    pub leaves: (usize, usize),
}

/// The number of integers and pointers that it delivers.
pub const WORDS: u64 = 6;
pub const WORD_SIZE: u64 = 8;
pub const FRACTIONS: u64 = 2;
/// Each has the size of a vector register.
pub const FRACTION_SIZE: u64 = 16;
/// The size of a string argument: a number of any type, or a pointer, can be written to it.
pub const TEXT_SIZE: u64 = 8;

impl Layout {
    /// Whether a leaf is part of the input: for each argument, either its string or its integer is passed.
    pub fn is_delivered(&self, leaf: &Leaf, input: &[u8]) -> bool {
        let mut words = self.links.iter().filter_map(|link| match (link.target, link.alias) {
            (None, Some((text, is_text))) => Some(((link.object, link.offset), text, is_text)),
            _ => None,
        });
        let own = words.find(|(word, text, _)| *text == leaf.object || *word == (leaf.object, leaf.offset));
        own.is_none_or(|(_, text, is_text)| {
            let at: usize = self.leaves[..is_text].iter().map(|leaf| leaf.size as usize).sum();
            let is_text = input.get(at).is_some_and(|byte| *byte != 0);
            leaf.kind != LeafKind::Choice && is_text == (text == leaf.object)
        })
    }
}
