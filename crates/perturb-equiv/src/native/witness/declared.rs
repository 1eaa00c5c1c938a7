//! What a program has declared so far: objects, streams, and arrays for the memory that stubs return.

use crate::native::stream::Mode;
use perturb_csrc::TypeId;

/// An object as it is declared: so many values of a type under one name.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    pub name: String,
    /// None for plain bytes.
    pub ty: Option<TypeId>,
    pub count: u64,
}

impl Reached {
    /// Its values, one by one: each with its path.
    pub fn values(&self) -> impl Iterator<Item = (u64, String)> + '_ {
        let path = |at: u64| if self.is_array() { format!("{}[{at}]", self.name) } else { self.name.clone() };
        (0..self.count).map(move |at| (at, path(at)))
    }

    pub fn is_array(&self) -> bool {
        self.count != 1 || self.ty.is_none()
    }

    /// A pointer to its start.
    pub fn address(&self) -> String {
        if self.is_array() {
            self.name.clone()
        } else {
            format!("&{}", self.name)
        }
    }
}

/// A stream as it is declared.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub name: String,
    /// The array that it is over.
    pub bytes: String,
    pub mode: Mode,
    /// The objects with its bytes, and with how it is left.
    pub object: usize,
    pub state: usize,
    /// So many of the bytes are its own.
    pub length: u64,
}

/// An array for memory of no type, with a row for each call of the stub that returns it.
#[derive(Debug, Clone)]
pub(super) struct Room {
    pub name: String,
    pub object: usize,
    /// The calls that are answered by a row of it.
    pub calls: Vec<u64>,
}
