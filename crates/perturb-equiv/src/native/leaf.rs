//! Numbers in objects: what an input consists of, and what is seen after a call.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    Signed,
    Unsigned,
    Float,
    Bool,
    /// Whether a pointer leads to nothing, or to what another one leads to.
    Choice,
    /// How far behind the start of an object a pointer leads, in elements.
    Place,
    /// Where a pointer leads: see [`super::Place`]. Only seen, never given.
    Pointer,
    /// How many bytes there are in a stream. Only given.
    Length,
    /// Which allocation of memory fails, from 1 on, or 0. Only given, and in no object.
    Refusal,
}

/// A number in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// As C would write it: `values[2].x`.
    pub name: String,
    pub kind: LeafKind,
    pub size: u32,
    pub object: usize,
    pub offset: u64,
    /// One of several alike.
    pub is_element: bool,
    /// What it may be; both ends included.
    pub range: Option<(i128, i128)>,
}
