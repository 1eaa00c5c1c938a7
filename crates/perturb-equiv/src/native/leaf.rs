//! Leaves: the numbers in objects that make up inputs and observations.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    Signed,
    Unsigned,
    Float,
    Bool,
    /// Whether a pointer is null, or points to the target of another one.
    Choice,
    /// The offset of a pointer from the start of its target, in elements.
    Offset,
    /// The target of a pointer: see [`super::ObservedTarget`]. Only observed, never an input.
    Pointer,
    /// The number of bytes in a stream. Only an input.
    Length,
    /// Which allocation fails, from 1 on, or 0. Only an input, and in no object.
    Refusal,
}

/// A number in an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// As a C expression: `values[2].x`.
    pub name: String,
    pub kind: LeafKind,
    pub size: u32,
    pub object: usize,
    pub offset: u64,
    /// One of several similar elements.
    pub is_element: bool,
    /// The permitted range, inclusive.
    pub range: Option<(i128, i128)>,
}
