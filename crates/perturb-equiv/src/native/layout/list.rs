//! Lists of variable arguments: what a parameter that is a `va_list`, or a pointer to one, delivers.
//!
//! Nobody says what a function asks such a list for. So it has whole numbers, one behind the other, any of which may be
//! a pointer to a few bytes instead, and fractions for whoever asks for these: on x86-64 these two do not get in each
//! other's way.

use super::maker::Maker;
use super::{Layout, Leaf, LeafKind, Link, ObjectKind, Unsupported};
use crate::contract::Given;
use perturb_csrc::{ListBy, Signature};

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

impl Maker<'_> {
    /// What a parameter delivers that is a list, or leads to one.
    pub fn list(&mut self, signature: &Signature, parameter: usize, by: ListBy) -> Result<(), Unsupported> {
        let known = &signature.parameters[parameter];
        let name = &known.name;
        let contract = self.contract.parameter(parameter);
        if contract.value != Given::Any || contract.alias.is_some() || contract.within.is_some() {
            return Err(Unsupported::Contract(name.clone()));
        }
        if self.layout.list.is_some() {
            return Err(Unsupported::Lists);
        }
        let first = self.layout.leaves.len();
        for at in 0..WORDS {
            self.word(parameter, at, &format!("argument {} of {name}", at + 1));
        }
        let kind = ObjectKind::Argument(known.ty);
        let fractions = self.object(format!("fractions of {name}"), FRACTIONS * FRACTION_SIZE, kind);
        for at in 0..FRACTIONS {
            let (name, offset) = (format!("fraction {} of {name}", at + 1), at * FRACTION_SIZE);
            self.list_leaf(name, LeafKind::Float, WORD_SIZE, (fractions, offset));
        }
        self.layout.list = Some(List { parameter, by, fractions, leaves: (first, self.layout.leaves.len()) });
        self.assume(format!(
            "{name} delivers {WORDS} numbers or texts of {TEXT_SIZE} bytes, and {FRACTIONS} fractions, at most"
        ));
        Ok(())
    }

    /// A whole number, or a pointer to a text.
    fn word(&mut self, object: usize, at: u64, name: &str) {
        let offset = at * WORD_SIZE;
        let is_text = self.choice(format!("{name} is a text"), object, offset);
        self.list_leaf(name.to_string(), LeafKind::Signed, WORD_SIZE, (object, offset));
        let text = self.object(format!("*{name}"), TEXT_SIZE, ObjectKind::Pointed);
        for at in 0..TEXT_SIZE {
            self.list_leaf(format!("*{name} (byte {at})"), LeafKind::Unsigned, 1, (text, at));
        }
        self.is_likely(0, 0);
        let alias = Some((text, is_text));
        self.layout.links.push(Link { object, offset, target: None, null: None, alias, place: None });
        // Pointers may be written there as well as numbers.
        let (name, kind, size) = (format!("*{name}"), LeafKind::Pointer, TEXT_SIZE as u32);
        let view = Leaf { name, kind, size, object: text, offset: 0, is_element: false, range: None };
        self.layout.views.push(view);
    }

    fn list_leaf(&mut self, name: String, kind: LeafKind, size: u64, (object, offset): (usize, u64)) {
        let (size, is_element) = (size as u32, false);
        self.layout.leaves.push(Leaf { name, kind, size, object, offset, is_element, range: None });
    }
}
