//! Sums as linear forms: a constant and coefficients of terms that are no sums, in the order of the terms. Equal sums
//! written differently are the same term, and what cancels is gone.
//!
//! As a term it is a chain of additions, nested to the left, of `coefficient * term`, the constant last.

use super::super::{mask, Node, Op, Term, Terms};
use super::{chain, operands};

/// A sum longer than this is not taken apart any more.
const MOST_PARTS: usize = 64;

/// `constant + coefficient * term + ...`, modulo two to the power of `width`.
#[derive(Debug, Clone)]
pub(super) struct Linear {
    pub width: u32,
    pub constant: u128,
    /// In the order of the terms, each once, no coefficient zero.
    pub parts: Vec<(Term, u128)>,
}

impl Linear {
    /// Takes `scale * term + other_scale * other` apart.
    pub fn of(terms: &Terms, scaled: &[(Term, u128)], width: u32) -> Linear {
        let mut open = scaled.to_vec();
        let mut linear = Linear { width, constant: 0, parts: Vec::new() };
        while let Some((term, scale)) = open.pop() {
            let is_full = linear.parts.len() + open.len() >= MOST_PARTS;
            match terms.node(term) {
                Node::Constant(value) => linear.add_constant(value.wrapping_mul(scale)),
                Node::Apply(Op::Add, [a, b, _]) if !is_full => open.extend([(a, scale), (b, scale)]),
                Node::Apply(Op::Sub, [a, b, _]) if !is_full => open.extend([(a, scale), (b, scale.wrapping_neg())]),
                Node::Apply(Op::Neg, [a, ..]) => open.push((a, scale.wrapping_neg())),
                Node::Apply(Op::Not, [a, ..]) => {
                    linear.add_constant(scale.wrapping_neg());
                    open.push((a, scale.wrapping_neg()));
                }
                Node::Apply(Op::Mul, [a, b, _]) => match (terms.as_constant(a), terms.as_constant(b)) {
                    (Some(value), _) => open.push((b, scale.wrapping_mul(value))),
                    (_, Some(value)) => open.push((a, scale.wrapping_mul(value))),
                    _ => linear.parts.push((term, scale)),
                },
                _ => linear.parts.push((term, scale)),
            }
        }
        linear.normalise();
        linear
    }

    fn add_constant(&mut self, value: u128) {
        self.constant = self.constant.wrapping_add(value) & mask(self.width);
    }

    fn normalise(&mut self) {
        self.parts.sort_unstable_by_key(|(term, _)| *term);
        let mut merged: Vec<(Term, u128)> = Vec::with_capacity(self.parts.len());
        for (term, scale) in &self.parts {
            match merged.last_mut() {
                Some((last, sum)) if last == term => *sum = sum.wrapping_add(*scale),
                _ => merged.push((*term, *scale)),
            }
        }
        for (_, scale) in &mut merged {
            *scale &= mask(self.width);
        }
        merged.retain(|(_, scale)| *scale != 0);
        self.parts = merged;
    }

    /// The term of this form.
    pub fn term(&self, terms: &mut Terms) -> Term {
        let part = |terms: &mut Terms, (term, scale): (Term, u128)| {
            if scale == 1 {
                return term;
            }
            let scale = terms.constant(scale, self.width);
            terms.intern(Node::Apply(Op::Mul, [scale, term, scale]), self.width)
        };
        let mut addends: Vec<Term> = self.parts.iter().map(|each| part(terms, *each)).collect();
        if self.constant != 0 || addends.is_empty() {
            addends.push(terms.constant(self.constant, self.width));
        }
        chain(terms, Op::Add, &addends).expect("at least one addend")
    }
}

/// Whether a term is a sum or a multiple: its complement is one too.
pub(super) fn is_linear(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::Apply(Op::Add | Op::Sub | Op::Neg, _) => true,
        Node::Apply(Op::Mul, [a, b, _]) => terms.as_constant(a).or(terms.as_constant(b)).is_some(),
        _ => false,
    }
}

/// `a + scale * b`.
pub(super) fn sum(terms: &mut Terms, a: Term, b: Term, scale: u128) -> Term {
    let width = terms.width(a);
    Linear::of(terms, &[(a, 1), (b, scale)], width).term(terms)
}

/// `scale * a`.
pub(super) fn scaled(terms: &mut Terms, a: Term, scale: u128) -> Term {
    let width = terms.width(a);
    Linear::of(terms, &[(a, scale)], width).term(terms)
}

/// `-a - 1`.
pub(super) fn complement(terms: &mut Terms, a: Term) -> Term {
    let width = terms.width(a);
    let mut linear = Linear::of(terms, &[(a, mask(width))], width);
    linear.add_constant(mask(width));
    linear.term(terms)
}

/// A product: its factors in order, and one coefficient.
pub(super) fn product(terms: &mut Terms, a: Term, b: Term) -> Term {
    if let Some(value) = terms.as_constant(a) {
        return scaled(terms, b, value);
    }
    if let Some(value) = terms.as_constant(b) {
        return scaled(terms, a, value);
    }
    let (mut scale, mut factors) = (1u128, Vec::new());
    for factor in operands(terms, Op::Mul, [a, b]) {
        match terms.as_constant(factor) {
            Some(value) => scale = scale.wrapping_mul(value),
            None => factors.push(factor),
        }
    }
    factors.sort_unstable();
    let product = chain(terms, Op::Mul, &factors).expect("two factors that are no constants");
    scaled(terms, product, scale)
}

/// The low bits of a sum: the sum of the low bits.
pub(super) fn low_bits(terms: &mut Terms, a: Term, width: u32) -> Term {
    let long = Linear::of(terms, &[(a, 1)], terms.width(a));
    let mut short = Linear { width, constant: long.constant & mask(width), parts: Vec::new() };
    let mut shortened = Vec::with_capacity(long.parts.len());
    for (term, scale) in long.parts {
        if scale & mask(width) != 0 {
            shortened.push((terms.extract(term, 0, width), scale));
        }
    }
    // What was shortened may be a sum or a constant now.
    let sum = Linear::of(terms, &shortened, width);
    short.add_constant(sum.constant);
    short.parts = sum.parts;
    short.term(terms)
}
