//! Floats. Few rules hold for all of them: zeros have signs, NaNs are not equal to themselves, sums are not
//! associative. Results are equal where the exact results are, as both are rounded alike.

use super::super::{FloatFormat, FloatOp, Node, Op, Term, Terms};

pub(super) fn float(terms: &mut Terms, op: FloatOp, a: Term, b: Term) -> Option<Term> {
    match op {
        FloatOp::Add => sum(terms, a, b),
        FloatOp::Mul => product(terms, a, b).or_else(|| product(terms, b, a)),
        FloatOp::Div => quotient(terms, a, b),
        // What is integral stays so.
        FloatOp::Round(_) => matches!(operation(terms, a), Some((FloatOp::Round(_), _))).then_some(a),
        FloatOp::Convert => match operation(terms, a) {
            // To the wider format and back: exact.
            Some((FloatOp::Convert, inner)) if terms.width(a) == 64 => Some(terms.canonical(inner)),
            _ => None,
        },
        _ => None,
    }
}

/// The operation of floats that a term is, and its first argument.
fn operation(terms: &Terms, a: Term) -> Option<(FloatOp, Term)> {
    match terms.node(a) {
        Node::Apply(Op::Float(op), [first, ..]) => Some((op, first)),
        _ => None,
    }
}

fn sum(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let format = FloatFormat::of_width(terms.width(a));
    // Minus zero is neutral; plus zero is not, as it makes plus zero of minus zero.
    for (zero, other) in [(a, b), (b, a)] {
        if terms.is_constant(zero, format.sign_bit()) {
            return Some(terms.canonical(other));
        }
    }
    (a == b).then(|| {
        let two = terms.constant(format.power_of_two(1), format.width());
        terms.fmul(a, two)
    })
}

/// A product with one or minus one.
fn product(terms: &mut Terms, a: Term, factor: Term) -> Option<Term> {
    let format = FloatFormat::of_width(terms.width(a));
    let (value, one) = (terms.as_constant(factor)?, format.power_of_two(0));
    if value == one {
        return Some(terms.canonical(a));
    }
    (value == one | format.sign_bit()).then(|| {
        let negated = terms.fneg(a);
        terms.canonical(negated)
    })
}

/// Division by a power of two is multiplication with its inverse, where that is a normal number too.
fn quotient(terms: &mut Terms, a: Term, divisor: Term) -> Option<Term> {
    let format = FloatFormat::of_width(terms.width(a));
    let value = terms.as_constant(divisor)?;
    let (sign, magnitude) = (value & format.sign_bit(), value & !format.sign_bit());
    // Biased exponents of inverse powers add up to twice that of one.
    let inverse = (2 * format.power_of_two(0)).checked_sub(magnitude)?;
    let is_power = magnitude & ((1 << format.fraction_bits) - 1) == 0;
    let least = 1u128 << format.fraction_bits;
    let are_normal = [magnitude, inverse].iter().all(|bits| (least..format.infinity()).contains(bits));
    (is_power && are_normal).then(|| {
        let inverse = terms.constant(inverse | sign, format.width());
        terms.fmul(a, inverse)
    })
}

/// The integer, if a float is one that was converted without rounding; and whether it was signed.
pub(in super::super) fn exact_integer(terms: &Terms, a: Term) -> Option<(Term, bool)> {
    let (op, integer) = operation(terms, a)?;
    let is_exact = terms.width(integer) <= FloatFormat::of_width(terms.width(a)).fraction_bits + 1;
    match op {
        FloatOp::FromSigned if is_exact => Some((integer, true)),
        FloatOp::FromUnsigned if is_exact => Some((integer, false)),
        _ => None,
    }
}
