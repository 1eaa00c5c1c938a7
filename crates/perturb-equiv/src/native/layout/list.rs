//! Lists of variable arguments: what a parameter that is a `va_list`, or a pointer to one, delivers.
//!
//! Nobody says what a function asks such a list for. So it has whole numbers, one behind the other, any of which may be
//! a pointer to a few bytes instead, and fractions for whoever asks for these: on x86-64 these two do not get in each
//! other's way.

use super::Layout;
use crate::native::leaf::{Leaf, LeafKind};
use perturb_csrc::ListBy;

/// A parameter that delivers variable arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct List {
    /// Which parameter; its object has the whole numbers and pointers.
    pub parameter: usize,
    pub by: ListBy,
    /// The object with the fractions.
    pub fractions: usize,
    /// From this leaf on to that one is what it delivers.
    pub leaves: (usize, usize),
}

/// Whole numbers and pointers that a list delivers.
pub const WORDS: u64 = 6;
pub const WORD_SIZE: u64 = 8;
pub const FRACTIONS: u64 = 2;
/// Each is kept as a register has it.
pub const FRACTION_SIZE: u64 = 16;
/// A number of any kind, or a pointer, can be written where a text of so many bytes is.
pub const TEXT_SIZE: u64 = 8;

impl Layout {
    /// Whether a number is part of what a function is given: a list delivers the text of a word that is one, and the
    /// number of one that is none.
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
