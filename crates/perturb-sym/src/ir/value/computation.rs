//! Computations on values, without memory and control flow: in instructions and constant expressions.
//!
//! The parser has checked the types of operands against each other. The right operand of a binary operation has the
//! type of the left; all operations work on vectors too, element by element, where LLVM permits it.

use super::Operand;
use crate::ir::types::Type;

#[derive(Debug, Clone, PartialEq)]
pub enum Computation {
    Integer {
        op: IntegerOp,
        flags: IntegerFlags,
        left: Operand,
        right: Operand,
    },
    Float {
        op: FloatOp,
        fast: FastMath,
        left: Operand,
        right: Operand,
    },
    /// `fneg`: changes only the sign, also of a NaN.
    Negate {
        fast: FastMath,
        operand: Operand,
    },
    /// `icmp`, of integers and of pointers.
    CompareIntegers {
        predicate: IntegerPredicate,
        flags: IntegerFlags,
        left: Operand,
        right: Operand,
    },
    CompareFloats {
        predicate: FloatPredicate,
        fast: FastMath,
        left: Operand,
        right: Operand,
    },
    Cast {
        cast: Cast,
        flags: IntegerFlags,
        fast: FastMath,
        operand: Operand,
        to: Type,
    },
    Address(GetElementPointer),
    Select {
        fast: FastMath,
        condition: Operand,
        if_true: Operand,
        if_false: Operand,
    },
    Freeze(Operand),
    ExtractValue {
        aggregate: Operand,
        indices: Vec<u32>,
    },
    InsertValue {
        aggregate: Operand,
        element: Operand,
        indices: Vec<u32>,
    },
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        element: Operand,
        index: Operand,
    },
    /// Each element of the mask is an index in the concatenation of both vectors, or none for poison.
    ShuffleVector {
        left: Operand,
        right: Operand,
        mask: Vec<Option<u32>>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntegerOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntegerPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Ordered predicates (`O`) are false if an operand is NaN, unordered ones (`U`) true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cast {
    Trunc,
    ZExt,
    SExt,
    FpTrunc,
    FpExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    PtrToInt,
    IntToPtr,
    BitCast,
}

/// Promises; the result is poison where one does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IntegerFlags {
    /// No unsigned wrap.
    pub nuw: bool,
    /// No signed wrap.
    pub nsw: bool,
    /// A division or shift is exact.
    pub exact: bool,
    /// The operands of an `or` have no bit in common.
    pub disjoint: bool,
    /// The converted number is not negative.
    pub nneg: bool,
    /// Both sides of a comparison have the same sign.
    pub samesign: bool,
}

/// What is promised or permitted for floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FastMath {
    pub nnan: bool,
    pub ninf: bool,
    pub nsz: bool,
    pub arcp: bool,
    pub contract: bool,
    pub afn: bool,
    pub reassoc: bool,
}

/// An address computed from another.
#[derive(Debug, Clone, PartialEq)]
pub struct GetElementPointer {
    pub base: Operand,
    /// The type that the indices walk through.
    pub source: Type,
    pub indices: Vec<Index>,
    pub flags: AddressFlags,
}

/// A step of a `getelementptr`, with what it adds to the address.
#[derive(Debug, Clone, PartialEq)]
pub enum Index {
    /// A field of a struct, with its offset in bytes.
    Field { number: u32, offset: u64 },
    /// A multiple of the stride, in bytes. The operand is signed and of any width.
    Element { index: Operand, stride: u64 },
}

/// Promises; the address is poison where one does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddressFlags {
    /// Base, result and all intermediate addresses are in one object, or one past its end. It implies `nusw`.
    pub inbounds: bool,
    /// No wrap when the signed offset is added to the unsigned address.
    pub nusw: bool,
    /// No unsigned wrap.
    pub nuw: bool,
}

impl Computation {
    /// The type of the result.
    pub fn ty(&self) -> Type {
        match self {
            Self::Integer { left, .. } | Self::Float { left, .. } => left.ty().clone(),
            Self::Negate { operand, .. } | Self::Freeze(operand) => operand.ty().clone(),
            Self::CompareIntegers { left, .. } | Self::CompareFloats { left, .. } => left.ty().with_scalar(Type::BOOL),
            Self::Cast { to, .. } => to.clone(),
            Self::Address(address) => address.ty(),
            Self::Select { if_true, .. } => if_true.ty().clone(),
            Self::ExtractValue { aggregate, indices } => {
                let mut part = aggregate.ty();
                for index in indices {
                    part = part.part(*index).unwrap_or(&Type::Void);
                }
                part.clone()
            }
            Self::InsertValue { aggregate, .. } => aggregate.ty().clone(),
            Self::ExtractElement { vector, .. } => vector.ty().scalar().clone(),
            Self::InsertElement { vector, .. } => vector.ty().clone(),
            Self::ShuffleVector { left, mask, .. } => Type::vector(left.ty().scalar().clone(), mask.len() as u32),
        }
    }

    /// All operands, in the order of the text.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Integer { left, right, .. }
            | Self::Float { left, right, .. }
            | Self::CompareIntegers { left, right, .. }
            | Self::CompareFloats { left, right, .. }
            | Self::ShuffleVector { left, right, .. } => vec![left, right],
            Self::Negate { operand, .. } | Self::Cast { operand, .. } | Self::Freeze(operand) => vec![operand],
            Self::Address(address) => {
                let indices = address.indices.iter().filter_map(|index| match index {
                    Index::Element { index, .. } => Some(index),
                    Index::Field { .. } => None,
                });
                std::iter::once(&address.base).chain(indices).collect()
            }
            Self::Select { condition, if_true, if_false, .. } => vec![condition, if_true, if_false],
            Self::ExtractValue { aggregate, .. } => vec![aggregate],
            Self::InsertValue { aggregate, element, .. } => vec![aggregate, element],
            Self::ExtractElement { vector, index } => vec![vector, index],
            Self::InsertElement { vector, element, index } => vec![vector, element, index],
        }
    }
}

impl GetElementPointer {
    /// A pointer, or a vector of them where the base or an index is a vector.
    pub fn ty(&self) -> Type {
        let indices = self.indices.iter().filter_map(|index| match index {
            Index::Element { index, .. } => index.ty().lanes(),
            Index::Field { .. } => None,
        });
        match self.base.ty().lanes().into_iter().chain(indices).next() {
            Some(count) => Type::vector(Type::Pointer, count),
            None => Type::Pointer,
        }
    }
}
