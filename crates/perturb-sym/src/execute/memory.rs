//! Memory: objects of bytes, each of which is part of a stored value and is initialised or not.

use crate::term::{Term, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The id of an object; its address is the variable of this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// A byte. It refers to the value it is part of, so that a load gives the stored term and not one reassembled from
/// bytes. Uninitialised bytes may be copied, but not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    of: Term,
    /// The index of the byte, the lowest first.
    at: u32,
    pub is_written: Term,
}

impl Cell {
    /// All bytes of a value, the lowest first.
    pub fn all(terms: &mut Terms, of: Term) -> Vec<Self> {
        let is_written = terms.truth(true);
        (0..terms.width(of) / 8).map(|at| Self { of, at, is_written }).collect()
    }

    pub fn unwritten(terms: &mut Terms) -> Self {
        Self { of: terms.constant(0, 8), at: 0, is_written: terms.truth(false) }
    }

    fn byte(self, terms: &mut Terms) -> Term {
        terms.extract(self.of, self.at * 8, 8)
    }

    /// The first if the condition holds, else the second.
    pub fn chosen(terms: &mut Terms, when: Term, one: Self, other: Self) -> Self {
        if one == other {
            return one;
        }
        let is_written = terms.ite(when, one.is_written, other.is_written);
        // An uninitialised byte may have any value.
        if terms.as_constant(one.is_written) == Some(0) {
            return Self { is_written, ..other };
        }
        if terms.as_constant(other.is_written) == Some(0) {
            return Self { is_written, ..one };
        }
        if one.at == other.at && terms.width(one.of) == terms.width(other.of) {
            return Self { of: terms.ite(when, one.of, other.of), at: one.at, is_written };
        }
        let (one, other) = (one.byte(terms), other.byte(terms));
        Self { of: terms.ite(when, one, other), at: 0, is_written }
    }

    /// Bytes, the lowest first, as one number.
    pub fn joined(terms: &mut Terms, cells: &[Self]) -> Term {
        let is_next = |one: &Self, next: &Self| one.of == next.of && one.at + 1 == next.at;
        let mut whole: Option<Term> = None;
        for run in cells.chunk_by(is_next) {
            let part = terms.extract(run[0].of, run[0].at * 8, run.len() as u32 * 8);
            whole = Some(whole.map_or(part, |low| terms.concat(part, low)));
        }
        whole.expect("at least one byte")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub cells: Vec<Cell>,
    pub is_constant: bool,
}

/// All objects of a state. Copies share structure.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    objects: BTreeMap<ObjectId, Rc<Object>>,
}

impl Memory {
    pub fn add(&mut self, id: ObjectId, object: Object) {
        self.objects.insert(id, Rc::new(object));
    }

    /// The object is dead.
    pub fn remove(&mut self, id: ObjectId) {
        self.objects.remove(&id);
    }

    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(&id).map(Rc::as_ref)
    }

    pub fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.objects.get_mut(&id).map(Rc::make_mut)
    }

    /// Selects one of two memories by the condition. Objects in only one of them are dead.
    pub fn merged(terms: &mut Terms, condition: Term, one: &Self, other: &Self) -> Self {
        let mut objects = BTreeMap::new();
        for (id, first) in &one.objects {
            let Some(second) = other.objects.get(id) else { continue };
            let merged = if Rc::ptr_eq(first, second) {
                first.clone()
            } else {
                let mut cells = Vec::with_capacity(first.cells.len());
                for (a, b) in first.cells.iter().zip(&second.cells) {
                    cells.push(Cell::chosen(terms, condition, *a, *b));
                }
                Rc::new(Object { cells, is_constant: first.is_constant })
            };
            objects.insert(*id, merged);
        }
        Self { objects }
    }
}
