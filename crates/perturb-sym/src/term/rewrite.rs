//! Simplification of operations. Every rule holds for all values; rules that only pay off sometimes are left to the
//! solver.
//!
//! The normal forms: sums are linear forms (`linear`), which include negation, subtraction, complements of sums and
//! shifts by constants. Or is expressed by And (`bitwise`), all orders by "less" (`compare`). Right shifts by constants
//! are slices (`slice`).

mod bitwise;
mod compare;
mod divide;
mod equal;
mod float;
mod ite;
mod linear;
mod polynomial;
mod slice;

pub(super) use float::exact_integer;

use super::value::{self, SizedBits};
use super::{mask, Node, Op, Term, Terms};

/// A simpler term of the same value; `None` if the operation stays as it is.
pub(super) fn rewrite(terms: &mut Terms, op: Op, width: u32, arguments: [Term; 3]) -> Option<Term> {
    let used = &arguments[..op.arity()];
    if let Some(value) = folded(terms, op, width, used) {
        return Some(terms.constant(value, width));
    }
    if let Some(term) = choice_of_constants(terms, op, width, used) {
        return Some(term);
    }
    let [a, b, c] = arguments;
    match op {
        Op::Not => bitwise::not(terms, a),
        Op::And => bitwise::and(terms, a, b),
        Op::Or => Some(bitwise::or(terms, a, b)),
        Op::Xor => bitwise::xor(terms, a, b),
        Op::Neg | Op::Add | Op::Sub | Op::Mul if width == 1 => Some(one_bit(terms, op, a, b)),
        Op::Neg => Some(linear::scaled(terms, a, mask(width))),
        Op::Add => Some(linear::sum(terms, a, b, 1)),
        Op::Sub => Some(linear::sum(terms, a, b, mask(width))),
        Op::Mul => Some(linear::product(terms, a, b)),
        Op::Udiv => divide::udiv(terms, a, b),
        Op::Urem => divide::urem(terms, a, b),
        Op::Sdiv => divide::sdiv(terms, a, b),
        Op::Srem => divide::srem(terms, a, b),
        Op::Shl => slice::shl(terms, a, b),
        Op::Lshr => slice::lshr(terms, a, b),
        Op::Ashr => slice::ashr(terms, a, b),
        Op::Eq => equal::eq(terms, a, b),
        Op::Ult => compare::ult(terms, a, b),
        Op::Slt => compare::slt(terms, a, b),
        Op::Ule | Op::Sle => {
            let greater = if op == Op::Ule { terms.ult(b, a) } else { terms.slt(b, a) };
            Some(terms.not(greater))
        }
        Op::Ite => ite::ite(terms, a, b, c),
        Op::Concat => slice::concat(terms, a, b),
        Op::Extract { low } => slice::extract(terms, a, low, width),
        Op::Zext => slice::zext(terms, a, width),
        Op::Sext => slice::sext(terms, a, width),
        Op::Float(op) => float::float(terms, op, a, b),
    }
}

/// The value of an operation on constants.
fn folded(terms: &Terms, op: Op, width: u32, arguments: &[Term]) -> Option<u128> {
    let constant = |term: &Term| Some(SizedBits { bits: terms.as_constant(*term)?, width: terms.width(*term) });
    let values: Option<Vec<SizedBits>> = arguments.iter().map(constant).collect();
    Some(value::of(op, width, &values?))
}

/// An operation on a choice of two constants, and constants, is a choice of two constants.
fn choice_of_constants(terms: &mut Terms, op: Op, width: u32, arguments: &[Term]) -> Option<Term> {
    if op == Op::Ite {
        return None;
    }
    let position = arguments.iter().position(|term| terms.as_constant(*term).is_none())?;
    let [condition, then, other] = terms.matches(arguments[position], Op::Ite)?;
    let mut branches = [then, other];
    for branch in &mut branches {
        let mut with_branch = arguments.to_vec();
        with_branch[position] = *branch;
        let value = folded(terms, op, width, &with_branch)?;
        *branch = terms.constant(value, width);
    }
    Some(terms.ite(condition, branches[0], branches[1]))
}

/// Arithmetic modulo 2 is logic.
fn one_bit(terms: &mut Terms, op: Op, a: Term, b: Term) -> Term {
    match op {
        Op::Neg => a,
        Op::Mul => terms.and(a, b),
        _ => terms.xor(a, b),
    }
}

/// The arguments of nested uses of one associative operation, from the left, up to a limit.
fn operands(terms: &Terms, op: Op, roots: [Term; 2]) -> Vec<Term> {
    const MOST: usize = 32;
    let mut open = vec![roots[1], roots[0]];
    let mut found = Vec::new();
    while let Some(term) = open.pop() {
        match terms.matches(term, op) {
            Some([a, b, _]) if found.len() + open.len() < MOST => open.extend([b, a]),
            _ => found.push(term),
        }
    }
    found
}

/// A chain of one associative operation, nested to the left.
fn chain(terms: &mut Terms, op: Op, operands: &[Term]) -> Option<Term> {
    let (first, rest) = operands.split_first()?;
    let width = terms.width(*first);
    let link = |chain: Term, next: &Term| terms.intern(Node::Apply(op, [chain, *next, chain]), width);
    Some(rest.iter().fold(*first, link))
}
