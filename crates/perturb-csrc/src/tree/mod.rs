//! The tree that operators work on: one per function or file-scope declaration.
//!
//! It is made from libclang's cursors, but holds only what mutation needs and what every version of clang agrees on:
//! where each expression is written, its type, how its value is used, and whether it must be a constant.

pub mod build;
mod constant;
pub mod declarations;
mod expressions;
pub mod macros;
mod number;
mod operator;
mod statements;
mod types;

pub use constant::ConstantContext;
pub use number::Number;
pub use operator::{BinaryOp, UnaryOp};
pub use types::{IntegerRange, Type, TypeClass};

use crate::source::{SourceFile, SourceRange};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Root,
    // Statements
    Compound,
    If,
    Loop,
    DoLoop,
    Switch,
    Case,
    Label,
    Return,
    /// `break`, `continue`, `goto`
    Jump,
    /// A declaration, an empty statement, `asm`, and what we do not know: never deleted.
    OtherStatement,
    Try,
    // Expressions
    Integer,
    Character,
    Floating,
    Boolean(bool),
    /// A name.
    Reference,
    /// A read of an object with a name: a variable, or a member of one.
    Variable {
        modifiable: bool,
    },
    Binary(BinaryOp),
    Assign,
    /// `+=` and its kin, with the arithmetic of it.
    CompoundAssign(BinaryOp),
    Unary(UnaryOp),
    Conditional,
    Paren,
    Call,
    /// Subscripts and calls bind tighter than any operator we write.
    Postfix,
    Cast,
    /// A conversion that is not written.
    Implicit,
    OtherExpression,
}

/// What the context of an expression requires of it: which other expressions could stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Nothing: the value is not used.
    Discarded,
    /// A truth value: any scalar, and in C++ what converts to `bool` explicitly.
    Condition,
    /// Converted to `bool`: any scalar.
    Boolean,
    /// Converted to a number: any number.
    Arithmetic,
    /// An integer.
    Integer,
    /// Something of its own type, as far as we know.
    Exact,
}

#[derive(Debug, Clone)]
pub struct SyntaxNode {
    pub kind: NodeKind,
    pub ty: Type,
    /// Where clang says it is in this file, whether or not that text stands for it alone.
    pub(crate) raw: Option<SourceRange>,
    /// Where its text is, when replacing that text replaces exactly this node.
    pub written: Option<SourceRange>,
    /// It is just one macro use: whether that binds as one operand.
    pub macro_use: Option<bool>,
    /// Where its operator's token is written.
    pub operator: Option<SourceRange>,
    pub usage: Usage,
    /// Why it must be a constant, if it must.
    pub constant: Option<ConstantContext>,
    /// Its value is read here (and it is an lvalue).
    pub is_read: bool,
    /// It is a statement that could be left out.
    pub is_statement: bool,
    /// Control leaves the function after it.
    pub is_tail: bool,
    /// It is in a function that must return a value.
    pub needs_value: bool,
    /// It is left alone with all below it.
    pub is_off_limits: bool,
    /// It is the condition of a branch or a loop.
    pub is_condition: bool,
    /// Its statement ends with a `;` of its own.
    pub ends_with_semicolon: bool,
    /// Holds a label or a `case` that something outside may jump to.
    pub holds_labels: bool,
    /// The value of a leaf in a context that needs constants.
    pub value: Option<i128>,
    /// In a C++ brace initialiser: the values that do not narrow.
    pub narrow: Option<IntegerRange>,
    /// A `0` here may be a null pointer.
    pub zero_may_be_null: bool,
    /// Evaluating it may change something, or see a change that something else makes: a call, an assignment, a jump.
    pub has_effects: bool,
    /// A variable that has an address: no bit-field, no register.
    pub is_addressable: bool,
    /// What an initialiser is converted to.
    pub initialises: Option<Number>,
    pub parent: Option<NodeId>,
    pub children: Vec<NodeId>,
}

/// What a switch's labels are, so that no mutant makes two of them equal.
#[derive(Debug, Default, Clone)]
pub struct SwitchLabels {
    pub ranges: Vec<(i128, i128)>,
    /// C++ refuses a label that its condition's type cannot hold.
    pub type_range: Option<IntegerRange>,
}

#[derive(Debug)]
pub struct Tree<'f> {
    pub source: &'f SourceFile,
    pub is_cpp: bool,
    pub nodes: Vec<SyntaxNode>,
    pub switches: Vec<SwitchLabels>,
    /// Where an enumerator is mutated, the values it may not take.
    pub other_enumerators: Vec<i128>,
}

impl<'f> Tree<'f> {
    pub fn node(&self, id: NodeId) -> &SyntaxNode {
        &self.nodes[id.0 as usize]
    }

    pub fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The node below all conversions that are not written.
    pub fn peel(&self, mut id: NodeId) -> NodeId {
        while let (NodeKind::Implicit, [only]) = (self.node(id).kind, self.node(id).children.as_slice()) {
            id = *only;
        }
        id
    }

    /// The node below conversions and parentheses.
    pub fn peel_parens(&self, mut id: NodeId) -> NodeId {
        while let (NodeKind::Implicit | NodeKind::Paren, [only]) =
            (self.node(id).kind, self.node(id).children.as_slice())
        {
            id = *only;
        }
        id
    }

    /// The parent above conversions that are not written, and the child on the way to it.
    pub fn written_parent(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let (mut child, mut parent) = (id, self.node(id).parent?);
        while self.node(parent).kind == NodeKind::Implicit {
            (child, parent) = (parent, self.node(parent).parent?);
        }
        Some((parent, child))
    }

    pub fn text(&self, range: SourceRange) -> &[u8] {
        self.source.slice(range)
    }

    /// The operands of a binary operator or an assignment.
    pub fn operands(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        match self.node(id).children.as_slice() {
            [left, right] => Some((*left, *right)),
            _ => None,
        }
    }
}
