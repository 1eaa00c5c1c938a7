//! Makes the inputs for a parameter that is a `va_list` (see [`super::list`]).

use super::list::{List, FRACTIONS, FRACTION_SIZE, TEXT_SIZE, WORDS, WORD_SIZE};
use super::maker::Maker;
use super::{Link, ObjectKind, Unsupported};
use crate::contract::PermittedValues;
use crate::native::leaf::{Leaf, LeafKind};
use perturb_csrc::{ListBy, Signature};

impl Maker<'_> {
    /// Adds the arguments that a `va_list` delivers.
    pub fn list(&mut self, signature: &Signature, parameter: usize, by: ListBy) -> Result<(), Unsupported> {
        let known = &signature.parameters[parameter];
        let name = &known.name;
        let contract = self.contract.parameter(parameter);
        if contract.value != PermittedValues::Any || contract.alias.is_some() || contract.within.is_some() {
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

    /// An integer, or a pointer to a string.
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
        // The function may write pointers there as well as numbers.
        let (name, kind, size) = (format!("*{name}"), LeafKind::Pointer, TEXT_SIZE as u32);
        let view = Leaf { name, kind, size, object: text, offset: 0, is_element: false, range: None };
        self.layout.views.push(view);
    }

    fn list_leaf(&mut self, name: String, kind: LeafKind, size: u64, (object, offset): (usize, u64)) {
        let (size, is_element) = (size as u32, false);
        self.layout.leaves.push(Leaf { name, kind, size, object, offset, is_element, range: None });
    }
}
