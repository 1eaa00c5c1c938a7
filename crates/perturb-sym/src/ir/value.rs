//! Operands of instructions: registers and constants.

pub(super) mod computation;

use super::types::Type;
use computation::Computation;
use std::sync::Arc;

/// A register of a function. They are numbered from 0 without gaps, the parameters first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u32);

impl Register {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    Register { register: Register, ty: Type },
    Constant(Constant),
}

impl Operand {
    pub fn ty(&self) -> &Type {
        match self {
            Self::Register { ty, .. } => ty,
            Self::Constant(constant) => &constant.ty,
        }
    }

    /// The value of an integer constant.
    pub fn as_int(&self) -> Option<u128> {
        match self {
            Self::Constant(Constant { kind: ConstantKind::Int(value), .. }) => Some(*value),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    pub ty: Type,
    pub kind: ConstantKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ConstantKind {
    /// The bits; those above the width of the type are 0.
    Int(u128),
    /// The bits of the type's own format: 32 of a `float`.
    Float(u128),
    Null,
    Undef,
    Poison,
    /// All zeros, for an array, struct or vector.
    Zero,
    /// One constant for each element, for an array, struct or vector.
    Aggregate(Arc<[Constant]>),
    /// For an array of bytes.
    Bytes(Arc<[u8]>),
    /// The address of a global variable, function or alias.
    Global(Arc<str>),
    /// The address of a block.
    Block {
        function: Arc<str>,
        block: Arc<str>,
    },
    Expression(Arc<Computation>),
    /// A metadata argument, as written.
    Metadata(Arc<str>),
    /// The value `none` of a token.
    NoToken,
}
