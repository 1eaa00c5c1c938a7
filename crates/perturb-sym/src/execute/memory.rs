//! Memory: objects of bytes, each byte a term and whether anybody wrote it.

use crate::term::{Term, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Which object; its address is the variable of that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// A byte. What nobody wrote may be moved, but not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub value: Term,
    pub is_written: Term,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub cells: Vec<Cell>,
    pub is_constant: bool,
}

/// All objects of a state. Copies share what they have in common.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    objects: BTreeMap<ObjectId, Rc<Object>>,
}

impl Memory {
    pub fn add(&mut self, id: ObjectId, object: Object) {
        self.objects.insert(id, Rc::new(object));
    }

    /// Nobody may use it any more.
    pub fn remove(&mut self, id: ObjectId) {
        self.objects.remove(&id);
    }

    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        self.objects.get(&id).map(Rc::as_ref)
    }

    pub fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.objects.get_mut(&id).map(Rc::make_mut)
    }

    /// Of the two, what the condition says. Objects that only one has are gone.
    pub fn merged(terms: &mut Terms, condition: Term, one: &Self, other: &Self) -> Self {
        let mut objects = BTreeMap::new();
        for (id, first) in &one.objects {
            let Some(second) = other.objects.get(id) else { continue };
            let merged = if Rc::ptr_eq(first, second) {
                first.clone()
            } else {
                let mut cells = Vec::with_capacity(first.cells.len());
                for (a, b) in first.cells.iter().zip(&second.cells) {
                    cells.push(match a == b {
                        true => *a,
                        false => Cell {
                            value: terms.ite(condition, a.value, b.value),
                            is_written: terms.ite(condition, a.is_written, b.is_written),
                        },
                    });
                }
                Rc::new(Object { cells, is_constant: first.is_constant })
            };
            objects.insert(*id, merged);
        }
        Self { objects }
    }
}
