//! Equality. What both sides have in common is taken away; constants are carried through what can be undone.

use super::super::{mask, Node, Op, Term, Terms};
use super::compare::unextended;
use super::linear::{is_linear, Linear};
use super::polynomial;

pub(super) fn eq(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if a == b {
        return Some(terms.truth(true));
    }
    let (known_a, known_b) = (terms.known(a), terms.known(b));
    if known_a.zeros & known_b.ones != 0 || known_a.ones & known_b.zeros != 0 {
        return Some(terms.truth(false));
    }
    if terms.width(a) == 1 {
        let differ = terms.xor(a, b);
        return Some(terms.not(differ));
    }
    if let Some(balanced) = balanced(terms, a, b) {
        return Some(balanced);
    }
    match (terms.as_constant(a), terms.as_constant(b)) {
        (_, Some(value)) => with_constant(terms, a, value),
        (Some(value), _) => with_constant(terms, b, value),
        _ => of_parts(terms, a, b),
    }
}

/// The two sides as sums without anything in common: positive coefficients on one side, the others on the other.
/// Nothing if that is how they are.
fn balanced(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    // A complement alone is no reason to add.
    let is_flipped = |side: Term| terms.matches(side, Op::Not).is_some() || terms.as_constant(side).is_some();
    let is_sum = [a, b].iter().any(|side| is_linear(terms, *side) || terms.matches(*side, Op::Mul).is_some());
    let are_flipped = is_flipped(a) && is_flipped(b);
    if !is_sum && !are_flipped {
        return None;
    }
    let mut difference = Linear::of(terms, &[(a, 1), (b, mask(width))], width);
    if difference.parts.is_empty() {
        return Some(terms.truth(difference.constant == 0));
    }
    if let Some(value) = polynomial::constant(terms, &difference) {
        return Some(terms.truth(value == 0));
    }
    let common = difference.parts.iter().map(|(_, scale)| scale.trailing_zeros()).min().unwrap_or(0);
    if common > 0 {
        return Some(divided(terms, difference, common));
    }
    let half = 1u128 << (width - 1);
    let is_negative = |scale: u128| scale > half;
    // Half of all is its own negation: it does not tell the sign of the whole.
    let first = difference.parts.iter().map(|(_, scale)| *scale).find(|scale| *scale != half);
    if first.is_some_and(is_negative) {
        negate(&mut difference);
    }
    if let [(term, scale)] = difference.parts[..] {
        if scale & 1 == 1 {
            let value = difference.constant.wrapping_neg().wrapping_mul(inverse(scale));
            let value = terms.constant(value, width);
            return changed(terms, [a, b], [term, value]);
        }
    }
    let (positive, negative) = difference.parts.iter().partition(|(_, scale)| !is_negative(*scale));
    let left = Linear { width, constant: 0, parts: positive };
    let mut right = Linear { width, constant: difference.constant, parts: negative };
    negate(&mut right);
    let sides = [left.term(terms), right.term(terms)];
    changed(terms, [a, b], sides)
}

/// Whether a sum is zero whose coefficients all are multiples of a power of two: so has to be the constant, and the
/// high bits of the terms do not count.
fn divided(terms: &mut Terms, mut sum: Linear, exponent: u32) -> Term {
    let short = sum.width - exponent;
    if sum.constant & mask(exponent) != 0 {
        return terms.truth(false);
    }
    let constant = terms.constant((sum.constant >> exponent).wrapping_neg(), short);
    sum.constant = 0;
    for (_, scale) in &mut sum.parts {
        *scale >>= exponent;
    }
    let quotient = sum.term(terms);
    let low = terms.extract(quotient, 0, short);
    terms.eq(low, constant)
}

fn changed(terms: &mut Terms, old: [Term; 2], new: [Term; 2]) -> Option<Term> {
    let is_same = new == old || new == [old[1], old[0]];
    (!is_same).then(|| terms.eq(new[0], new[1]))
}

fn negate(linear: &mut Linear) {
    let all = mask(linear.width);
    linear.constant = linear.constant.wrapping_neg() & all;
    for (_, scale) in &mut linear.parts {
        *scale = scale.wrapping_neg() & all;
    }
}

/// The inverse of an odd number modulo a power of two, by Newton's iteration: each step doubles the bits that are
/// right.
fn inverse(odd: u128) -> u128 {
    let step = |guess: u128| guess.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(guess)));
    (0..6).fold(odd, |guess, _| step(guess))
}

/// `a == value`.
fn with_constant(terms: &mut Terms, a: Term, value: u128) -> Option<Term> {
    let width = terms.width(a);
    let Node::Apply(op, [x, y, z]) = terms.node(a) else { return None };
    match op {
        Op::Zext | Op::Sext => {
            // Had the high bits been other than an extension has them, the known bits might not tell of signs.
            let short = terms.width(x);
            let low = terms.constant(value, short);
            let again = if op == Op::Zext { terms.zext(low, width) } else { terms.sext(low, width) };
            if !terms.is_constant(again, value) {
                return Some(terms.truth(false));
            }
            Some(terms.eq(x, low))
        }
        Op::Xor => {
            let flips = terms.as_constant(y)?;
            let value = terms.constant(value ^ flips, width);
            Some(terms.eq(x, value))
        }
        Op::Concat => {
            let split = terms.width(y);
            let (high, low) = (terms.constant(value >> split, width - split), terms.constant(value, split));
            let (high, low) = (terms.eq(x, high), terms.eq(y, low));
            Some(terms.and(high, low))
        }
        Op::Ite if terms.as_constant(y).is_some() || terms.as_constant(z).is_some() => {
            let value = terms.constant(value, width);
            let (then, other) = (terms.eq(y, value), terms.eq(z, value));
            Some(terms.ite(x, then, other))
        }
        _ => None,
    }
}

/// Two terms of the same make.
fn of_parts(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if let Some((a, b)) = unextended(terms, a, b) {
        return Some(terms.eq(a, b));
    }
    if let (Some([high_a, low_a, _]), Some([high_b, low_b, _])) =
        (terms.matches(a, Op::Concat), terms.matches(b, Op::Concat))
    {
        return (terms.width(low_a) == terms.width(low_b)).then(|| {
            let (high, low) = (terms.eq(high_a, high_b), terms.eq(low_a, low_b));
            terms.and(high, low)
        });
    }
    of_choices(terms, a, b).or_else(|| of_choices(terms, b, a))
}

/// A choice one of whose branches is the other side, or two choices by one condition.
fn of_choices(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let [condition, then, other] = terms.matches(a, Op::Ite)?;
    if then == b {
        let equal = terms.eq(other, b);
        return Some(terms.or(condition, equal));
    }
    if other == b {
        let (equal, not) = (terms.eq(then, b), terms.not(condition));
        return Some(terms.or(not, equal));
    }
    let [same, then_b, other_b] = terms.matches(b, Op::Ite)?;
    (same == condition).then(|| {
        let (then, other) = (terms.eq(then, then_b), terms.eq(other, other_b));
        terms.ite(condition, then, other)
    })
}
