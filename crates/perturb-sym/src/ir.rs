//! LLVM's intermediate code, parsed from the text that clang emits (`-S -emit-llvm`), from version 14 on.
//!
//! No LLVM library is needed: the text hardly changes between versions, and what is new is reported and not guessed.
//! [`Module::parse`] never fails as a whole. A function or global with something unsupported is [`Unsupported`] and
//! names it; all others can be used.
//!
//! A parsed module is well formed: every register is defined once, before its uses on every path, and used with its
//! type; operands have the types that their operation requires, every block has one terminator, and constants have the
//! structure of their type. Paths are not checked where exceptions or `asm goto` are involved. Promises to the
//! optimiser in metadata (`!range`, `!tbaa`, `!nonnull`) are left out.

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
pub use source::{SourceFile, SourcePosition};
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
    /// The source files that positions refer to.
    pub files: Vec<SourceFile>,
    /// Whether there is module-level assembly, which may define and change anything.
    pub has_assembly: bool,
    /// What could not be parsed outside of functions, and has no name.
    pub unsupported: Vec<Unsupported>,
    by_name: HashMap<Arc<str>, Symbol>,
}

#[derive(Debug, Clone, Copy)]
enum Symbol {
    Global(usize),
    Function(usize),
}

/// Something that is not supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    /// The line in the text of the module.
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

    /// The name and folder of the file of a position.
    pub fn file(&self, position: SourcePosition) -> Option<&SourceFile> {
        self.files.get(position.file as usize)
    }
}
