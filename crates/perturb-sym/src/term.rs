//! Bit-vector terms, hash-consed in a pool: terms that are equal by construction have the same index.
//!
//! A term has 1 to 128 bits; a truth value has one. Floats are bit-vectors of 32 or 64 bits with operations of their
//! own. Constructors simplify (`rewrite`); those of a [`Terms::plain`] pool do not, which is how the rules are tested.
//! Arguments have smaller indices than their term, so index order is an order of evaluation. Nothing here recurses over
//! a graph, as graphs are deep.

mod build;
mod cone;
mod float;
mod known;
mod overflow;
mod ranks;
mod rewrite;
#[cfg(any(test, feature = "smtlib"))]
mod smtlib;
mod value;

#[cfg(test)]
pub(crate) mod tests;

use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

pub use known::KnownBits;
pub use ranks::Ranks;
pub(crate) use value::mask;
pub use value::FloatFormat;

/// The widest term, in bits.
pub const MAX_WIDTH: u32 = 128;

/// How deeply rules may nest calls of constructors. Deeper terms are not simplified.
const MAX_DEPTH: u32 = 24;

/// A term: its index in the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

impl Term {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An unknown. The number is the caller's; each variable has one width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variable {
    /// An input of a function.
    Input(u32),
    /// An unconstrained value, such as the result of an external function.
    Fresh(u32),
    /// The address of an object.
    Base(u32),
}

/// How to round a float to an integral float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    Floor,
    Ceil,
    Trunc,
    NearestEven,
    NearestAway,
}

/// Operations. Division by zero and shifts by at least the width are defined as in SMT-LIB.
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
    /// The bits of the argument from `low` on, as many as the term is wide.
    Extract {
        low: u32,
    },
    Zext,
    Sext,
    Float(FloatOp),
}

/// Operations of IEEE 754 binary32 and binary64, rounding to nearest even. Every resulting NaN is the one canonical
/// quiet NaN. Subtraction, comparisons and minimum are expressed by these and by bit operations.
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

/// The definition of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Node {
    Constant(u128),
    Variable(Variable),
    /// The arguments of the operation; unused ones repeat the first.
    Apply(Op, [Term; 3]),
}

#[derive(Debug, Clone, Copy)]
struct PoolEntry {
    node: Node,
    width: u32,
    known: KnownBits,
    is_address: bool,
}

/// The pool.
#[derive(Debug)]
pub struct Terms {
    /// Distinguishes pools, for those who keep terms of one.
    id: u64,
    entries: Vec<PoolEntry>,
    /// The simplified term for each requested node.
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

    /// A pool without simplification. Slow to solve; for testing the simplifier.
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

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Drops all terms but the first ones. The pool then counts as another one for those who keep terms of it.
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

    /// The bits that do not depend on variables.
    pub fn known(&self, term: Term) -> KnownBits {
        self.entries[term.index()].known
    }

    /// The number of low bits that are always zero: at most the width.
    pub fn trailing_zeros(&self, term: Term) -> u32 {
        self.known(term).zeros.trailing_ones().min(self.width(term))
    }

    pub fn as_constant(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The arguments of a term; none for a constant or a variable.
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

    /// The term of an operation: an existing, a simpler or a new one.
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

    /// Whether a term is the address of an object, computed by pointer arithmetic only. An address inside of any other
    /// arithmetic counts as an unconstrained number.
    pub fn is_address(&self, term: Term) -> bool {
        self.entries[term.0 as usize].is_address
    }

    /// The term of a node, without simplification. A node all of whose bits are known becomes a constant.
    fn intern(&mut self, node: Node, width: u32) -> Term {
        if let Some(term) = self.table.get(&(node, width)) {
            return *term;
        }
        let known = known::of(self, node, width);
        if let (true, Some(value), Node::Apply(..)) = (self.is_simplifying, known.value(width), node) {
            let term = self.intern_new(Node::Constant(value), width, KnownBits::constant(value, width));
            self.table.insert((node, width), term);
            return term;
        }
        self.intern_new(node, width, known)
    }

    fn intern_new(&mut self, node: Node, width: u32, known: KnownBits) -> Term {
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
            entries.push(PoolEntry { node, width, known, is_address });
            Term(index)
        })
    }
}

fn new_id() -> u64 {
    static POOLS: AtomicU64 = AtomicU64::new(0);
    POOLS.fetch_add(1, Ordering::Relaxed)
}
