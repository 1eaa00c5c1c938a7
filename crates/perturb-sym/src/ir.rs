//! LLVM's intermediate code, read from the text that clang writes (`-S -emit-llvm`), from version 14 on.
//!
//! No library of LLVM is needed: the text is much the same from one version to the next, and what is new in one is told
//! and not guessed. [`Module::parse`] never fails as a whole. A function or a global that has something in it which is
//! not understood is [`Unsupported`], with what it is, and all others can be used.
//!
//! What was read is well formed: every register is defined once, before it is used on every path, and used with the type
//! that it has; operands have the types that their operation asks for, every block ends once, and constants have the shape
//! of their type. Only where exceptions are involved, or `asm goto`, nobody has looked at paths. Promises to the optimiser
//! that stand in metadata (`!range`, `!tbaa`, `!nonnull`) are left out.

mod attributes;
mod function;
mod instruction;
mod layout;
mod link;
mod reader;
mod source;
#[cfg(test)]
mod tests;
mod types;
mod value;

pub use attributes::{Attributes, ParameterAttributes};
pub use function::{Block, Body, Definition, Function, Global, GlobalKind, Linkage, Parameter, Variable};
pub use instruction::{Access, Argument, Assembly, BlockId, Call, Callee, Instruction, Operation, Ordering, UpdateOp};
pub use layout::DataLayout;
pub use link::with_own_names;
pub use source::{Place, SourceFile};
pub use types::{ArrayType, FloatKind, FunctionType, StructType, Type, VectorType};
pub use value::computation::{
    AddressFlags, Cast, Computation, FastMath, FloatOp, FloatPredicate, GetElementPointer, Index, IntegerFlags,
    IntegerOp, IntegerPredicate,
};
pub use value::{Constant, ConstantKind, Operand, Register};

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A translation unit.
#[derive(Debug, Clone)]
pub struct Module {
    pub layout: DataLayout,
    pub triple: String,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    /// The source files that places are in.
    pub files: Vec<SourceFile>,
    /// Whether there is assembly outside of functions, which may define and change anything.
    pub has_assembly: bool,
    /// What stands outside of functions and could not be read, nor given a name.
    pub unsupported: Vec<Unsupported>,
    by_name: HashMap<Arc<str>, Symbol>,
}

#[derive(Debug, Clone, Copy)]
enum Symbol {
    Global(usize),
    Function(usize),
}

/// What was not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    /// In the text of the module.
    pub line: u32,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl Module {
    pub fn parse(text: &str) -> Self {
        reader::module(text)
    }

    pub fn function(&self, name: &str) -> Option<&Function> {
        match self.by_name.get(name)? {
            Symbol::Function(at) => self.functions.get(*at),
            Symbol::Global(_) => None,
        }
    }

    /// A global variable or an alias.
    pub fn global(&self, name: &str) -> Option<&Global> {
        match self.by_name.get(name)? {
            Symbol::Global(at) => self.globals.get(*at),
            Symbol::Function(_) => None,
        }
    }

    /// The name and folder of the file that a place is in.
    pub fn file(&self, place: Place) -> Option<&SourceFile> {
        self.files.get(place.file as usize)
    }
}
