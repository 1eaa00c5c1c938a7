//! What instructions work with: registers and constants.

pub(super) mod computation;

use super::types::Type;
use computation::Computation;
use std::sync::Arc;

/// A value of a function: registers are numbered from 0 without gaps, the parameters first.
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

    /// The number, of an integer constant.
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
    /// As many bits as the type has; those above are 0.
    Int(u128),
    /// The bits of the type's own format: 32 of a `float`.
    Float(u128),
    Null,
    Undef,
    Poison,
    /// Of an array, struct or vector: all zeros.
    Zero,
    /// Of an array, struct or vector too: one constant for each part.
    Aggregate(Arc<[Constant]>),
    /// Of an array of bytes.
    Bytes(Arc<[u8]>),
    /// The address of a global variable, function or alias.
    Global(Arc<str>),
    /// The address of a block, which [`super::Function::block_named`] finds.
    Block {
        function: Arc<str>,
        block: Arc<str>,
    },
    Expression(Arc<Computation>),
    /// An argument that is for compilers, as it is written.
    Metadata(Arc<str>),
    /// Of a token: none.
    NoToken,
}
