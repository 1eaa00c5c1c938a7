//! Instructions of functions.

use super::attributes::{Attributes, ParameterAttributes};
use super::source::SourcePosition;
use super::types::Type;
use super::value::computation::{Computation, FastMath};
use super::value::{Operand, Register};
use std::sync::Arc;

/// The index of a block in its function. The first is the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockId(pub u32);

impl BlockId {
    pub const ENTRY: Self = Self(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Instruction {
    /// Its type is in [`super::Definition::registers`].
    pub result: Option<Register>,
    pub operation: Operation,
    /// For inlined code, the position in the inlined function.
    pub position: Option<SourcePosition>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    Compute(Computation),
    /// All phis of a block are evaluated at the same time.
    Phi {
        ty: Type,
        fast: FastMath,
        incoming: Vec<(BlockId, Operand)>,
    },
    /// `alloca`: memory for `count` values until the function returns.
    Allocate {
        ty: Type,
        count: Operand,
        alignment: u64,
    },
    Load {
        ty: Type,
        address: Operand,
        access: Access,
    },
    Store {
        value: Operand,
        address: Operand,
        access: Access,
    },
    Fence(Ordering),
    /// `atomicrmw`: the result is the previous value.
    ReadModifyWrite {
        op: UpdateOp,
        address: Operand,
        value: Operand,
        access: Access,
    },
    /// `cmpxchg`: the result is the previous value, and whether it was exchanged. A weak one may fail spuriously.
    CompareExchange {
        address: Operand,
        expected: Operand,
        new: Operand,
        is_weak: bool,
        access: Access,
        on_failure: Ordering,
    },
    Call(Call),
    /// `va_arg`.
    VariadicArgument {
        list: Operand,
        ty: Type,
    },
    Jump(BlockId),
    Branch {
        condition: Operand,
        if_true: BlockId,
        if_false: BlockId,
    },
    /// No case occurs twice.
    Switch {
        value: Operand,
        default: BlockId,
        cases: Vec<(u128, BlockId)>,
    },
    IndirectBranch {
        address: Operand,
        targets: Vec<BlockId>,
    },
    Return(Option<Operand>),
    Unreachable,
    /// Instructions that are not parsed: exceptions, `asm goto`, calls with operand bundles.
    Other {
        opcode: Arc<str>,
        text: Arc<str>,
    },
}

/// How memory is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub alignment: u64,
    pub is_volatile: bool,
    /// For an atomic access.
    pub ordering: Option<Ordering>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ordering {
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UpdateOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub callee: Callee,
    pub result: Type,
    pub result_attributes: ParameterAttributes,
    pub arguments: Vec<Argument>,
    /// The number of arguments before the variadic ones, if the function is called as a variadic one.
    pub fixed: Option<usize>,
    pub fast: FastMath,
    pub attributes: Attributes,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Callee {
    Direct(Arc<str>),
    /// By its full name, such as `llvm.memcpy.p0.p0.i64`.
    Intrinsic(Arc<str>),
    Indirect(Operand),
    Assembly(Assembly),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembly {
    /// Bytes of text, not always UTF-8.
    pub template: Arc<[u8]>,
    pub constraints: Arc<[u8]>,
    pub has_side_effect: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    pub value: Operand,
    pub attributes: ParameterAttributes,
}

impl Operation {
    /// Whether it ends a block.
    pub fn is_terminator(&self) -> bool {
        match self {
            Self::Jump(_)
            | Self::Branch { .. }
            | Self::Switch { .. }
            | Self::IndirectBranch { .. }
            | Self::Return(_)
            | Self::Unreachable => true,
            Self::Other { opcode, .. } => {
                matches!(&**opcode, "invoke" | "callbr" | "resume" | "catchswitch" | "catchret" | "cleanupret")
            }
            _ => false,
        }
    }

    /// All operands, in the order of the text; none of instructions that are not parsed.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Compute(computation) => computation.operands(),
            Self::Phi { incoming, .. } => incoming.iter().map(|(_, value)| value).collect(),
            Self::Allocate { count: operand, .. }
            | Self::Load { address: operand, .. }
            | Self::VariadicArgument { list: operand, .. }
            | Self::Branch { condition: operand, .. }
            | Self::Switch { value: operand, .. }
            | Self::IndirectBranch { address: operand, .. } => vec![operand],
            Self::Store { value, address, .. } => vec![value, address],
            Self::ReadModifyWrite { address, value, .. } => vec![address, value],
            Self::CompareExchange { address, expected, new, .. } => vec![address, expected, new],
            Self::Call(call) => {
                let arguments = call.arguments.iter().map(|argument| &argument.value);
                match &call.callee {
                    Callee::Indirect(callee) => std::iter::once(callee).chain(arguments).collect(),
                    Callee::Direct(_) | Callee::Intrinsic(_) | Callee::Assembly(_) => arguments.collect(),
                }
            }
            Self::Return(value) => value.iter().collect(),
            Self::Fence(_) | Self::Jump(_) | Self::Unreachable | Self::Other { .. } => Vec::new(),
        }
    }

    /// The successors, each as often as it is named. `None` if they are unknown.
    pub fn successors(&self) -> Option<Vec<BlockId>> {
        match self {
            Self::Jump(target) => Some(vec![*target]),
            Self::Branch { if_true, if_false, .. } => Some(vec![*if_true, *if_false]),
            Self::Switch { default, cases, .. } => {
                Some(std::iter::once(*default).chain(cases.iter().map(|(_, target)| *target)).collect())
            }
            Self::IndirectBranch { targets, .. } => Some(targets.clone()),
            Self::Other { .. } if self.is_terminator() => None,
            _ => Some(Vec::new()),
        }
    }
}
