//! Functions and global variables.

use super::attributes::{Attributes, ParameterAttributes};
use super::instruction::{BlockId, Instruction};
use super::source::SourcePosition;
use super::types::Type;
use super::value::Constant;
use super::Unsupported;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub name: Arc<str>,
    pub linkage: Linkage,
    pub parameters: Vec<Parameter>,
    pub is_variadic: bool,
    pub result: Type,
    pub result_attributes: ParameterAttributes,
    pub attributes: Attributes,
    pub position: Option<SourcePosition>,
    /// Its line in the text.
    pub line: u32,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    Declared,
    Defined(Definition),
    /// If the head could not be parsed either, result and parameters are meaningless.
    Unsupported(Unsupported),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The type of each register; the first are the parameters.
    pub registers: Vec<Type>,
    /// No block is empty, each has one terminator at its end, and phis come first, with a value for each predecessor.
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// As in the text; often a number.
    pub name: Arc<str>,
    pub instructions: Vec<Instruction>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    pub ty: Type,
    pub attributes: ParameterAttributes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Linkage {
    External,
    Private,
    Internal,
    AvailableExternally,
    LinkOnce,
    LinkOnceOdr,
    Weak,
    WeakOdr,
    Common,
    Appending,
    ExternWeak,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Global {
    pub name: Arc<str>,
    pub linkage: Linkage,
    /// Its line in the text.
    pub line: u32,
    pub kind: GlobalKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum GlobalKind {
    Variable(Variable),
    /// Another name for something, with this type.
    Alias {
        ty: Type,
        aliasee: Constant,
    },
    Unsupported(Unsupported),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    pub ty: Type,
    pub is_constant: bool,
    pub is_thread_local: bool,
    /// `None` for an external variable.
    pub initialiser: Option<Constant>,
    /// As written, or the alignment of the type.
    pub alignment: u64,
}

impl Function {
    pub fn definition(&self) -> Option<&Definition> {
        match &self.body {
            Body::Defined(definition) => Some(definition),
            Body::Declared | Body::Unsupported(_) => None,
        }
    }

    pub fn unsupported(&self) -> Option<&Unsupported> {
        match &self.body {
            Body::Unsupported(unsupported) => Some(unsupported),
            Body::Declared | Body::Defined(_) => None,
        }
    }
}

impl Definition {
    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }
}

impl Variable {
    pub fn is_external(&self) -> bool {
        self.initialiser.is_none()
    }
}

impl Global {
    pub fn variable(&self) -> Option<&Variable> {
        match &self.kind {
            GlobalKind::Variable(variable) => Some(variable),
            GlobalKind::Alias { .. } | GlobalKind::Unsupported(_) => None,
        }
    }
}
