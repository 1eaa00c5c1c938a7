//! Translates terms to literals. Each term is translated once, after its arguments, without recursion.

use rustc_hash::FxHashMap;

use super::arithmetic::{constant, extended, Row, Shift};
use super::gates::{Clauses, Gates, Lit};
use crate::term::{FloatFormat, FloatOp, Node, Op, Term, Terms};

/// The greatest number of variables, with room for one more term.
const MOST_VARIABLES: u32 = 1 << 29;

/// The translation needs more variables than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Oversized;

/// The terms of one pool, and their literals.
#[derive(Debug)]
pub struct Blaster<C> {
    gates: Gates<C>,
    rows: FxHashMap<Term, Row>,
}

impl<C: Clauses> Blaster<C> {
    pub fn new(clauses: C) -> Blaster<C> {
        Blaster { gates: Gates::new(clauses), rows: FxHashMap::default() }
    }

    pub fn clauses(&mut self) -> &mut C {
        &mut self.gates.clauses
    }

    /// The number of variables in the clauses.
    pub fn variables(&self) -> u32 {
        self.gates.variables()
    }

    /// The literals of a translated term, the lowest bit first.
    pub fn literals(&self, term: Term) -> Option<&[Lit]> {
        self.rows.get(&term).map(Vec::as_slice)
    }

    /// Translates terms and everything that they depend on, within `most` variables.
    pub fn translate(&mut self, terms: &Terms, roots: &[Term], most: u32) -> Result<(), Oversized> {
        let mut open = roots.to_vec();
        while let Some(term) = open.last().copied() {
            let missing = |argument: &&Term| !self.rows.contains_key(argument);
            let before = open.len();
            if !self.rows.contains_key(&term) {
                open.extend(terms.arguments(term).iter().filter(missing));
            }
            if open.len() > before {
                continue;
            }
            open.pop();
            if !self.rows.contains_key(&term) {
                let row = self.row(terms, term);
                self.rows.insert(term, row);
            }
            if self.gates.variables() > most.min(MOST_VARIABLES) {
                return Err(Oversized);
            }
        }
        Ok(())
    }

    fn row(&mut self, terms: &Terms, term: Term) -> Row {
        let width = terms.width(term) as usize;
        match terms.node(term) {
            Node::Constant(value) => constant(value as i128, width),
            Node::Variable(_) => (0..width).map(|_| self.gates.variable()).collect(),
            Node::Apply(Op::Float(op), arguments) => {
                let format = FloatFormat::of_width(match op {
                    FloatOp::FromSigned | FloatOp::FromUnsigned => terms.width(term),
                    _ => terms.width(arguments[0]),
                });
                self.float(op, format, width, arguments)
            }
            Node::Apply(Op::Mul, [a, b, _]) if terms.as_constant(a).or(terms.as_constant(b)).is_some() => {
                let (factor, other) = if terms.as_constant(a).is_some() { (a, b) } else { (b, a) };
                self.gates.multiple(&self.rows[&other], terms.as_constant(factor).unwrap_or(0))
            }
            Node::Apply(Op::Add, [a, b, _]) => self.sum(terms, a, b),
            Node::Apply(op, arguments) => self.integer(op, width, arguments),
        }
    }

    /// A sum. If one side is negated it is a difference, which needs one addition less.
    fn sum(&mut self, terms: &Terms, a: Term, b: Term) -> Row {
        let negated = |term: Term| match terms.node(term) {
            Node::Apply(Op::Mul, [minus_one, inner, _]) => {
                let ones = u128::MAX >> (128 - terms.width(term));
                (terms.as_constant(minus_one) == Some(ones)).then_some(inner)
            }
            _ => None,
        };
        match (negated(a), negated(b)) {
            (_, Some(inner)) => self.gates.difference(&self.rows[&a], &self.rows[&inner]),
            (Some(inner), _) => self.gates.difference(&self.rows[&b], &self.rows[&inner]),
            _ => self.gates.sum(&self.rows[&a], &self.rows[&b]),
        }
    }

    fn integer(&mut self, op: Op, width: usize, arguments: [Term; 3]) -> Row {
        let [a, b, c] = arguments.map(|argument| self.rows[&argument].as_slice());
        let gates = &mut self.gates;
        let sign = a[a.len() - 1];
        match op {
            Op::Not => a.iter().map(|bit| !*bit).collect(),
            Op::Neg => gates.negated(a),
            Op::And => a.iter().zip(b).map(|(a, b)| gates.and(*a, *b)).collect(),
            Op::Or => a.iter().zip(b).map(|(a, b)| gates.or(*a, *b)).collect(),
            Op::Xor => a.iter().zip(b).map(|(a, b)| gates.xor(*a, *b)).collect(),
            Op::Add => gates.sum(a, b),
            Op::Sub => gates.difference(a, b),
            Op::Mul => gates.product(a, b, width),
            Op::Udiv => gates.quotient_and_rest(a, b).0,
            Op::Urem => gates.quotient_and_rest(a, b).1,
            Op::Sdiv => gates.signed_quotient_and_rest(a, b).0,
            Op::Srem => gates.signed_quotient_and_rest(a, b).1,
            Op::Shl => gates.shifted(a, b, Shift::Left),
            Op::Lshr => gates.shifted(a, b, Shift::Right { fill: Lit::FALSE }),
            Op::Ashr => gates.shifted(a, b, Shift::Right { fill: sign }),
            Op::Eq => vec![gates.equal(a, b)],
            Op::Ult => vec![gates.less(a, b)],
            Op::Ule => vec![!gates.less(b, a)],
            Op::Slt => vec![gates.signed_less(a, b)],
            Op::Sle => vec![!gates.signed_less(b, a)],
            Op::Ite => gates.chosen(a[0], b, c),
            Op::Concat => [b, a].concat(),
            Op::Extract { low } => a[low as usize..][..width].to_vec(),
            Op::Zext => extended(a, width, Lit::FALSE),
            Op::Sext => extended(a, width, sign),
            // Floats are translated separately.
            Op::Float(_) => Row::new(),
        }
    }

    fn float(&mut self, op: FloatOp, format: FloatFormat, width: usize, arguments: [Term; 3]) -> Row {
        let [a, b, c] = arguments.map(|argument| self.rows[&argument].as_slice());
        let gates = &mut self.gates;
        match op {
            FloatOp::Add => gates.float_sum(format, a, b),
            FloatOp::Mul => gates.float_product(format, a, b),
            FloatOp::Div => gates.float_quotient(format, a, b),
            FloatOp::Sqrt => gates.float_root(format, a),
            FloatOp::Fma => gates.float_fma(format, a, b, c),
            FloatOp::Round(rounding) => gates.float_integral(format, rounding, a),
            FloatOp::Convert => gates.float_converted(format, FloatFormat::of_width(width as u32), a),
            FloatOp::FromSigned => gates.float_of_integer(format, a, true),
            FloatOp::FromUnsigned => gates.float_of_integer(format, a, false),
            FloatOp::ToSigned => gates.integer_of_float(format, a, width, true),
            FloatOp::ToUnsigned => gates.integer_of_float(format, a, width, false),
        }
    }
}
