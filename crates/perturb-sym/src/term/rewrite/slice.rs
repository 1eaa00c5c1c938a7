//! Slices, extensions and shifts. A shift by a constant is a multiple (to the left) or an extended slice (to the
//! right).

use super::super::{mask, Node, Op, Term, Terms};
use super::linear;

pub(super) fn extract(terms: &mut Terms, a: Term, low: u32, width: u32) -> Option<Term> {
    if width == terms.width(a) {
        return Some(a);
    }
    let Node::Apply(op, [x, y, z]) = terms.node(a) else { return known_slice(terms, a, low, width) };
    match op {
        Op::Extract { low: inner } => Some(terms.extract(x, inner + low, width)),
        Op::Concat => Some(extract_of_concat(terms, x, y, low, width)),
        Op::Zext | Op::Sext => Some(extract_of_extension(terms, op, x, low, width)),
        Op::Ite => {
            let (then, other) = (terms.extract(y, low, width), terms.extract(z, low, width));
            Some(terms.ite(x, then, other))
        }
        Op::Not => {
            let slice = terms.extract(x, low, width);
            Some(terms.not(slice))
        }
        Op::And | Op::Or | Op::Xor => {
            let slices = [terms.extract(x, low, width), terms.extract(y, low, width)];
            Some(terms.apply(op, width, &slices))
        }
        Op::Mul if low == 0 && !linear::is_linear(terms, a) => {
            let (x, y) = (terms.extract(x, 0, width), terms.extract(y, 0, width));
            Some(terms.mul(x, y))
        }
        // The parts of an address stay slices of it: they can be put together again.
        _ if low == 0 && linear::is_linear(terms, a) && !terms.is_address(a) => Some(linear::low_bits(terms, a, width)),
        _ => known_slice(terms, a, low, width),
    }
}

/// A slice all of whose bits are known.
fn known_slice(terms: &mut Terms, a: Term, low: u32, width: u32) -> Option<Term> {
    let known = terms.known(a);
    let (zeros, ones) = (known.zeros >> low & mask(width), known.ones >> low & mask(width));
    (zeros | ones == mask(width)).then(|| terms.constant(ones, width))
}

fn extract_of_concat(terms: &mut Terms, high: Term, low: Term, from: u32, width: u32) -> Term {
    let split = terms.width(low);
    if from >= split {
        return terms.extract(high, from - split, width);
    }
    if from + width <= split {
        return terms.extract(low, from, width);
    }
    let low = terms.extract(low, from, split - from);
    let high = terms.extract(high, 0, from + width - split);
    terms.concat(high, low)
}

fn extract_of_extension(terms: &mut Terms, op: Op, inner: Term, low: u32, width: u32) -> Term {
    let inner_width = terms.width(inner);
    if low + width <= inner_width {
        return terms.extract(inner, low, width);
    }
    if op == Op::Zext && low >= inner_width {
        return terms.constant(0, width);
    }
    // Of a sign extension, the sign is always a part.
    let low = low.min(inner_width - 1);
    let kept = terms.extract(inner, low, inner_width - low);
    if op == Op::Zext {
        terms.zext(kept, width)
    } else {
        terms.sext(kept, width)
    }
}

pub(super) fn concat(terms: &mut Terms, high: Term, low: Term) -> Option<Term> {
    let width = terms.width(high) + terms.width(low);
    if terms.is_constant(high, 0) {
        return Some(terms.zext(low, width));
    }
    if let Some([inner, ..]) = terms.matches(high, Op::Zext) {
        let concatenated = terms.concat(inner, low);
        return Some(terms.zext(concatenated, width));
    }
    if let Some([middle, last, _]) = terms.matches(low, Op::Concat) {
        let first = terms.concat(high, middle);
        return Some(terms.concat(first, last));
    }
    if let Some(joined) = joined(terms, high, low) {
        return Some(joined);
    }
    let [first, middle, _] = terms.matches(high, Op::Concat)?;
    let joined = joined(terms, middle, low)?;
    Some(terms.concat(first, joined))
}

/// Two slices of one term, side by side, or two constants; or two choices by one condition, as slices of a choice are.
fn joined(terms: &mut Terms, high: Term, low: Term) -> Option<Term> {
    let (high_width, low_width) = (terms.width(high), terms.width(low));
    match (terms.node(high), terms.node(low)) {
        (Node::Constant(high), Node::Constant(low)) => {
            Some(terms.constant(high << low_width | low, high_width + low_width))
        }
        (Node::Apply(Op::Extract { low: upper }, [x, ..]), Node::Apply(Op::Extract { low: lower }, [y, ..])) => {
            (x == y && upper == lower + low_width).then(|| terms.extract(x, lower, high_width + low_width))
        }
        (Node::Apply(Op::Ite, [condition, a, b]), Node::Apply(Op::Ite, [same, c, d])) if condition == same => {
            let (then, other) = (terms.concat(a, c), terms.concat(b, d));
            Some(terms.ite(condition, then, other))
        }
        _ => None,
    }
}

pub(super) fn zext(terms: &mut Terms, a: Term, width: u32) -> Option<Term> {
    let [inner, ..] = terms.matches(a, Op::Zext)?;
    Some(terms.zext(inner, width))
}

pub(super) fn sext(terms: &mut Terms, a: Term, width: u32) -> Option<Term> {
    if let Some([inner, ..]) = terms.matches(a, Op::Sext) {
        return Some(terms.sext(inner, width));
    }
    is_nonnegative(terms, a).then(|| terms.zext(a, width))
}

/// Whether the sign is known to be zero.
pub(super) fn is_nonnegative(terms: &Terms, a: Term) -> bool {
    terms.known(a).zeros >> (terms.width(a) - 1) == 1
}

/// The amount of a shift, if it is a constant less than the width; the width stands for all that is more.
fn amount(terms: &Terms, by: Term) -> Option<u32> {
    let width = terms.width(by);
    Some(u32::try_from(terms.as_constant(by)?).unwrap_or(width).min(width))
}

pub(super) fn shl(terms: &mut Terms, a: Term, by: Term) -> Option<Term> {
    let width = terms.width(a);
    match amount(terms, by) {
        Some(amount) if amount == width => Some(terms.constant(0, width)),
        Some(0) => Some(a),
        Some(amount) => {
            let factor = terms.constant(1 << amount, width);
            Some(terms.mul(a, factor))
        }
        None => terms.is_constant(a, 0).then_some(a),
    }
}

pub(super) fn lshr(terms: &mut Terms, a: Term, by: Term) -> Option<Term> {
    let width = terms.width(a);
    match amount(terms, by) {
        Some(amount) if amount == width => Some(terms.constant(0, width)),
        Some(amount) => {
            let slice = terms.extract(a, amount, width - amount);
            Some(terms.zext(slice, width))
        }
        None => terms.is_constant(a, 0).then_some(a),
    }
}

pub(super) fn ashr(terms: &mut Terms, a: Term, by: Term) -> Option<Term> {
    let width = terms.width(a);
    match amount(terms, by) {
        Some(amount) => {
            let amount = amount.min(width - 1);
            let slice = terms.extract(a, amount, width - amount);
            Some(terms.sext(slice, width))
        }
        None if is_nonnegative(terms, a) => Some(terms.lshr(a, by)),
        None => terms.is_constant(a, terms.ones_of(a)).then_some(a),
    }
}
