//! The semantic effect of a mutation on its node, from which the run-time switch is built.

use crate::tree::BinaryOp;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Another operator between the same operands.
    Operator(BinaryOp),
    /// One operand in place of the whole.
    Operand { is_left: bool, as_truth: bool },
    /// `-(v)`
    Negated,
    /// `++v` and its kin.
    Stepped(IncrementOrDecrement),
    /// A literal of another value.
    Literal(i128),
    /// The condition negated.
    Not,
    /// The statement is left out.
    Deleted,
    /// Something else, which only its text shows.
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncrementOrDecrement {
    pub is_prefix: bool,
    pub is_increment: bool,
}
