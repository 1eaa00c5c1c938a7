//! What a program has declared so far: objects, streams, and arrays for the memory that stubs return.

use crate::native::stream::StreamMode;
use perturb_csrc::TypeId;

/// A declared object: values of one type under one name.
#[derive(Debug, Clone)]
pub(super) struct DeclaredObject {
    pub name: String,
    /// `None` for plain bytes.
    pub ty: Option<TypeId>,
    pub count: u64,
}

impl DeclaredObject {
    /// Its values, each with its index and path.
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

/// A declared stream.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pub name: String,
    /// The array with its bytes.
    pub bytes: String,
    pub mode: StreamMode,
    /// The objects with its bytes, and with its final state.
    pub object: usize,
    pub state: usize,
    /// The number of bytes in it.
    pub length: u64,
}

/// An array for memory of no type, with a row for each call of the stub that returns it.
#[derive(Debug, Clone)]
pub(super) struct Room {
    pub name: String,
    pub object: usize,
    /// The calls that return a row of it.
    pub calls: Vec<u64>,
}
