//! Division. By powers of two it is slices; numbers that need few bits are divided in few bits.

use super::super::{mask, Term, Terms};
use super::slice::is_nonnegative;

pub(super) fn udiv(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    if let Some(value) = terms.as_constant(b) {
        if value == 0 {
            return Some(terms.constant(mask(width), width));
        }
        if value.is_power_of_two() {
            let by = terms.constant(u128::from(value.trailing_zeros()), width);
            return Some(terms.lshr(a, by));
        }
    }
    let is_divisor_sure = terms.known(b).min() > 0;
    if is_divisor_sure && terms.known(a).max(width) < terms.known(b).min() {
        return Some(terms.constant(0, width));
    }
    let short = needed_bits(terms, a, b);
    if is_divisor_sure && short < width {
        let (a, b) = (terms.extract(a, 0, short), terms.extract(b, 0, short));
        let quotient = terms.udiv(a, b);
        return Some(terms.zext(quotient, width));
    }
    if a == b {
        let (one, ones) = (terms.constant(1, width), terms.constant(mask(width), width));
        let divides = terms.is_nonzero(b);
        return Some(terms.ite(divides, one, ones));
    }
    None
}

pub(super) fn urem(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    match terms.as_constant(b) {
        Some(0) => return Some(a),
        Some(value) if value.is_power_of_two() => {
            let low = terms.constant(value - 1, width);
            return Some(terms.and(a, low));
        }
        _ => {}
    }
    if a == b || terms.is_constant(a, 0) {
        // What is divided by zero stays.
        return Some(terms.constant(0, width));
    }
    if terms.known(a).max(width) < terms.known(b).min() {
        return Some(a);
    }
    let short = needed_bits(terms, a, b);
    (short < width).then(|| {
        let (a, b) = (terms.extract(a, 0, short), terms.extract(b, 0, short));
        let rest = terms.urem(a, b);
        terms.zext(rest, width)
    })
}

/// How many low bits hold both values.
fn needed_bits(terms: &Terms, a: Term, b: Term) -> u32 {
    let width = terms.width(a);
    let max = terms.known(a).max(width) | terms.known(b).max(width);
    (128 - max.leading_zeros()).max(1)
}

pub(super) fn sdiv(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if is_nonnegative(terms, a) && is_nonnegative(terms, b) {
        return Some(terms.udiv(a, b));
    }
    let width = terms.width(a);
    let least = 1u128 << (width - 1);
    let value = terms.as_constant(b)?;
    if value == least || value == 0 || width == 1 {
        return None;
    }
    if value > least {
        let positive = terms.neg(b);
        let quotient = terms.sdiv(a, positive);
        return Some(terms.neg(quotient));
    }
    value.is_power_of_two().then(|| signed_power_of_two(terms, a, value.trailing_zeros()))
}

/// `a / 2^exponent` toward zero, as compilers write it: negative numbers are rounded up first.
fn signed_power_of_two(terms: &mut Terms, a: Term, exponent: u32) -> Term {
    if exponent == 0 {
        return a;
    }
    let width = terms.width(a);
    let amount = |terms: &mut Terms, by: u32| terms.constant(u128::from(by), width);
    let (sign, rest, by) = (amount(terms, width - 1), amount(terms, width - exponent), amount(terms, exponent));
    let signs = terms.ashr(a, sign);
    let correction = terms.lshr(signs, rest);
    let corrected = terms.add(a, correction);
    terms.ashr(corrected, by)
}

pub(super) fn srem(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if is_nonnegative(terms, a) && is_nonnegative(terms, b) {
        return Some(terms.urem(a, b));
    }
    let width = terms.width(a);
    if a == b {
        return Some(terms.constant(0, width));
    }
    let least = 1u128 << (width - 1);
    let value = terms.as_constant(b)?;
    if value == 0 {
        return Some(a);
    }
    if value == least || width == 1 {
        return None;
    }
    if value > least {
        let positive = terms.neg(b);
        return Some(terms.srem(a, positive));
    }
    value.is_power_of_two().then(|| {
        let quotient = terms.sdiv(a, b);
        let product = terms.mul(quotient, b);
        terms.sub(a, product)
    })
}
