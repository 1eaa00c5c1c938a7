//! Bit-vector terms: a pool in which every term is there once, so that what is equal by construction has the same index.
//!
//! A term has 1 to 128 bits; a truth value has one. Floats are bit-vectors of 32 or 64 bits with operations of their own.
//! Constructors simplify as they build (`rewrite`); a [`Terms::plain`] pool does not, which is how the rules are tested.
//! Arguments are always older than the term they stand in, so an index order is an order of evaluation, and nothing here
//! walks a graph by recursion: graphs are deep.

mod build;
mod cone;
mod float;
mod known;
mod overflow;
mod ranks;
mod rewrite;
mod smtlib;
mod value;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

pub use known::Known;
pub use ranks::Ranks;
pub(crate) use value::mask;
pub use value::FloatFormat;

/// The widest term, in bits.
pub const MAX_WIDTH: u32 = 128;

/// How deep rules may call constructors from within constructors. What is deeper stays as it is written.
const MAX_DEPTH: u32 = 24;

/// A term of a pool: its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is not known. The number is the user's; one variable has one width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// What a function is given.
    Input(u32),
    /// A value nobody can say anything about, such as what an external function returns.
    Fresh(u32),
    /// The address of an object.
    Base(u32),
}

/// How a float is rounded to an integral float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    Floor,
    Ceil,
    Trunc,
    NearestEven,
    NearestAway,
}

/// Operations. Division by zero and shifts by the width or more are as SMT-LIB has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Not,
    Neg,
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    Ite,
    /// The first argument is the high part.
    Concat,
    /// As many bits as the term is wide, from bit `low` of the argument on.
    Extract {
        low: u32,
    },
    Zext,
    Sext,
    Float(FloatOp),
}

/// Operations of IEEE 754 binary32 and binary64, rounding to nearest even. Every NaN that results is the one canonical
/// quiet NaN. What is missing here (subtraction, comparisons, minimum) is made of these and of bit operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatOp {
    Add,
    Mul,
    Div,
    Sqrt,
    /// `a * b + c`, rounded once.
    Fma,
    Round(Rounding),
    /// To the other format.
    Convert,
    FromSigned,
    FromUnsigned,
    /// Toward zero; 0 where the result does not fit.
    ToSigned,
    ToUnsigned,
}

impl Op {
    pub fn arity(self) -> usize {
        match self {
            Op::Not | Op::Neg | Op::Extract { .. } | Op::Zext | Op::Sext => 1,
            Op::Ite => 3,
            Op::Float(FloatOp::Add | FloatOp::Mul | FloatOp::Div) => 2,
            Op::Float(FloatOp::Fma) => 3,
            Op::Float(_) => 1,
            _ => 2,
        }
    }

    /// Whether the arguments may be swapped.
    fn is_commutative(self) -> bool {
        let float = matches!(self, Op::Float(FloatOp::Add | FloatOp::Mul));
        float || matches!(self, Op::And | Op::Or | Op::Xor | Op::Add | Op::Mul | Op::Eq)
    }
}

/// What a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    Constant(u128),
    Variable(Variable),
    /// As many of the arguments as the operation takes; the rest repeat the first.
    Apply(Op, [Term; 3]),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    node: Node,
    width: u32,
    known: Known,
    is_address: bool,
}

/// The pool.
#[derive(Debug)]
pub struct Terms {
    /// Tells pools apart, for those who remember terms of one.
    id: u64,
    entries: Vec<Entry>,
    /// What was asked for, and what it is: the term as asked, or a simpler one of the same value.
    table: FxHashMap<(Node, u32), Term>,
    widths: FxHashMap<Variable, u32>,
    is_simplifying: bool,
    depth: u32,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// A pool whose constructors simplify.
    pub fn new() -> Terms {
        Terms::with(true)
    }

    /// A pool whose terms are as they were asked for. Slow to solve; to check the simplifier by.
    pub fn plain() -> Terms {
        Terms::with(false)
    }

    fn with(is_simplifying: bool) -> Terms {
        let (table, widths) = Default::default();
        Terms { id: new_id(), entries: Vec::new(), table, widths, is_simplifying, depth: 0 }
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Forgets all terms but the first ones. To those who remember terms of it, the pool is another one then.
    pub fn truncate(&mut self, len: usize) {
        let stays = |term: &Term| term.index() < len;
        self.entries.truncate(len);
        self.table.retain(|(node, _), term| {
            let are_known = match node {
                Node::Apply(_, arguments) => arguments.iter().all(stays),
                Node::Constant(_) | Node::Variable(_) => true,
            };
            are_known && stays(term)
        });
        self.id = new_id();
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn node(&self, term: Term) -> Node {
        self.entries[term.index()].node
    }

    pub fn width(&self, term: Term) -> u32 {
        self.entries[term.index()].width
    }

    /// The bits that are the same whatever the variables are.
    pub fn known(&self, term: Term) -> Known {
        self.entries[term.index()].known
    }

    /// How many low bits are zero whatever the variables are: at most the width.
    pub fn trailing_zeros(&self, term: Term) -> u32 {
        self.known(term).zeros.trailing_ones().min(self.width(term))
    }

    pub fn as_constant(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The arguments of a term, none of a constant or a variable.
    pub fn arguments(&self, term: Term) -> &[Term] {
        match &self.entries[term.index()].node {
            Node::Apply(op, arguments) => &arguments[..op.arity()],
            _ => &[],
        }
    }

    /// The arguments, if the term is this operation.
    fn matches(&self, term: Term, wanted: Op) -> Option<[Term; 3]> {
        match self.node(term) {
            Node::Apply(op, arguments) if op == wanted => Some(arguments),
            _ => None,
        }
    }

    fn is_constant(&self, term: Term, value: u128) -> bool {
        self.as_constant(term) == Some(value)
    }

    /// All bits set, of the width of a term.
    fn ones_of(&self, term: Term) -> u128 {
        mask(self.width(term))
    }

    /// The term of an operation: the one that is there, a simpler one, or a new one.
    pub(crate) fn apply(&mut self, op: Op, width: u32, arguments: &[Term]) -> Term {
        let mut all = [arguments[0]; 3];
        all[..arguments.len()].copy_from_slice(arguments);
        if self.is_simplifying && op.is_commutative() && all[0] > all[1] {
            all = [all[1], all[0], all[1]];
        }
        let node = Node::Apply(op, all);
        if let Some(term) = self.table.get(&(node, width)) {
            return *term;
        }
        if !self.is_simplifying || self.depth >= MAX_DEPTH {
            return self.intern(node, width);
        }
        self.depth += 1;
        let simpler = rewrite::rewrite(self, op, width, all);
        self.depth -= 1;
        let term = simpler.unwrap_or_else(|| self.intern(node, width));
        self.table.insert((node, width), term);
        term
    }

    /// The term of a node as it is, without looking for a simpler one. A node all of whose bits are known is a constant.
    /// Whether it is made of the address of an object by what pointers are made by. An address that is hidden in other arithmetic is a
    /// number of which nothing is known, which is as sure.
    pub fn is_address(&self, term: Term) -> bool {
        self.entries[term.0 as usize].is_address
    }

    fn intern(&mut self, node: Node, width: u32) -> Term {
        if let Some(term) = self.table.get(&(node, width)) {
            return *term;
        }
        let known = known::of(self, node, width);
        if let (true, Some(value), Node::Apply(..)) = (self.is_simplifying, known.value(width), node) {
            let term = self.intern_new(Node::Constant(value), width, Known::constant(value, width));
            self.table.insert((node, width), term);
            return term;
        }
        self.intern_new(node, width, known)
    }

    fn intern_new(&mut self, node: Node, width: u32, known: Known) -> Term {
        let is_address = match node {
            Node::Variable(variable) => matches!(variable, Variable::Base(_)),
            Node::Apply(Op::Add | Op::Sub, [one, other, _]) | Node::Apply(Op::Ite, [_, one, other]) => {
                self.is_address(one) || self.is_address(other)
            }
            _ => false,
        };
        let entries = &mut self.entries;
        *self.table.entry((node, width)).or_insert_with(|| {
            let index = u32::try_from(entries.len()).expect("fewer than 2^32 terms");
            entries.push(Entry { node, width, known, is_address });
            Term(index)
        })
    }
}

fn new_id() -> u64 {
    static POOLS: AtomicU64 = AtomicU64::new(0);
    POOLS.fetch_add(1, Ordering::Relaxed)
}
