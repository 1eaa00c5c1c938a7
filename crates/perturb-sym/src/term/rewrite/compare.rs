//! Orders, unsigned and signed. Only "less" is left: the others are its negation or have their sides swapped.

use super::super::{mask, Node, Op, Term, Terms};
use super::linear::Linear;

pub(super) fn ult(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    if a == b {
        return Some(terms.truth(false));
    }
    if width == 1 {
        let not_a = terms.not(a);
        return Some(terms.and(not_a, b));
    }
    let (known_a, known_b) = (terms.known(a), terms.known(b));
    if known_a.max(width) < known_b.min() {
        return Some(terms.truth(true));
    }
    if known_a.min() >= known_b.max(width) {
        return Some(terms.truth(false));
    }
    at_an_end(terms, a, b, 0, mask(width))
        .or_else(|| narrowed(terms, Op::Ult, a, b))
        .or_else(|| wraps(terms, a, b))
        .or_else(|| complements(terms, Op::Ult, a, b))
        .or_else(|| chosen(terms, Op::Ult, a, b))
}

pub(super) fn slt(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    if a == b {
        return Some(terms.truth(false));
    }
    let sign = 1u128 << (width - 1);
    let (known_a, known_b) = (terms.known(a), terms.known(b));
    if known_a.zeros & known_b.zeros & sign != 0 || known_a.ones & known_b.ones & sign != 0 {
        return Some(terms.ult(a, b));
    }
    if known_a.ones & known_b.zeros & sign != 0 {
        return Some(terms.truth(true));
    }
    if known_a.zeros & known_b.ones & sign != 0 {
        return Some(terms.truth(false));
    }
    if terms.is_constant(b, 0) {
        return Some(terms.sign(a));
    }
    if terms.is_constant(a, mask(width)) {
        let negative = terms.sign(b);
        return Some(terms.not(negative));
    }
    at_an_end(terms, a, b, sign, sign - 1)
        .or_else(|| narrowed(terms, Op::Slt, a, b))
        .or_else(|| complements(terms, Op::Slt, a, b))
        .or_else(|| chosen(terms, Op::Slt, a, b))
}

/// Comparisons with the least and the greatest value, and their neighbours.
fn at_an_end(terms: &mut Terms, a: Term, b: Term, least: u128, greatest: u128) -> Option<Term> {
    let width = terms.width(a);
    let all = mask(width);
    if let Some(value) = terms.as_constant(b) {
        if value == least {
            return Some(terms.truth(false));
        }
        if value == greatest {
            return Some(terms.ne(a, b));
        }
        if value == least.wrapping_add(1) & all {
            let least = terms.constant(least, width);
            return Some(terms.eq(a, least));
        }
    }
    let value = terms.as_constant(a)?;
    if value == greatest {
        return Some(terms.truth(false));
    }
    if value == least {
        return Some(terms.ne(a, b));
    }
    (value == greatest.wrapping_sub(1) & all).then(|| {
        let greatest = terms.constant(greatest, width);
        terms.eq(b, greatest)
    })
}

/// Extensions are compared before they are extended, and equal high parts not at all.
fn narrowed(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    if let (Some([high_a, low_a, _]), Some([high_b, low_b, _])) =
        (terms.matches(a, Op::Concat), terms.matches(b, Op::Concat))
    {
        return (high_a == high_b && terms.width(low_a) == terms.width(low_b)).then(|| terms.ult(low_a, low_b));
    }
    let (a, b) = unextended(terms, a, b)?;
    Some(terms.apply(op, 1, &[a, b]))
}

/// Both sides without an extension they have in common. The order is the same; the signed one of extensions by zeros is
/// not, but that never comes here, as numbers known to be positive are compared without signs.
pub(super) fn unextended(terms: &mut Terms, a: Term, b: Term) -> Option<(Term, Term)> {
    let width = terms.width(a);
    let source = |term: Term| match terms.node(term) {
        Node::Apply(op @ (Op::Zext | Op::Sext), [inner, ..]) => Some((op, terms.width(inner))),
        _ => None,
    };
    let short = match (source(a), source(b)) {
        (Some((op_a, width_a)), Some((op_b, width_b))) if op_a == op_b => width_a.max(width_b),
        (Some((op, short)), None) if is_extension(terms, op, b, short) => short,
        (None, Some((op, short))) if is_extension(terms, op, a, short) => short,
        _ => return None,
    };
    (short < width).then(|| (terms.extract(a, 0, short), terms.extract(b, 0, short)))
}

/// Whether a constant is the extension of its low bits.
fn is_extension(terms: &Terms, op: Op, term: Term, short: u32) -> bool {
    let Some(value) = terms.as_constant(term) else { return false };
    let high = mask(terms.width(term)) & !mask(short);
    let is_negative = op == Op::Sext && value >> (short - 1) & 1 == 1;
    value & high == if is_negative { high } else { 0 }
}

/// `x + c < x` is an overflow, `x < x + c` none.
fn wraps(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let width = terms.width(a);
    let difference = Linear::of(terms, &[(a, 1), (b, mask(width))], width);
    if !difference.parts.is_empty() {
        return None;
    }
    // Not zero: equal terms were seen before. a = b + c wraps from -c on; b = a + c, with this c negated, likewise.
    let sum_is_left = Linear::of(terms, &[(b, 1)], width).constant == 0;
    if sum_is_left {
        let end = terms.constant(difference.constant.wrapping_neg(), width);
        return Some(terms.ule(end, b));
    }
    let other_is_plain = Linear::of(terms, &[(a, 1)], width).constant == 0;
    other_is_plain.then(|| {
        let end = terms.constant(difference.constant, width);
        terms.ult(a, end)
    })
}

/// Complements compare the other way round.
fn complements(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    let inner = |term: Term| terms.matches(term, Op::Not).map(|[inner, ..]| inner);
    let flipped = |term: Term| inner(term).is_some() || terms.as_constant(term).is_some();
    if !flipped(a) || !flipped(b) {
        return None;
    }
    let (a, b) = (terms.not(a), terms.not(b));
    Some(terms.apply(op, 1, &[b, a]))
}

/// Choices by one condition are compared branch by branch.
fn chosen(terms: &mut Terms, op: Op, a: Term, b: Term) -> Option<Term> {
    let [condition, then_a, other_a] = terms.matches(a, Op::Ite)?;
    let [other_condition, then_b, other_b] = terms.matches(b, Op::Ite)?;
    if condition != other_condition {
        return None;
    }
    let (then, other) = (terms.apply(op, 1, &[then_a, then_b]), terms.apply(op, 1, &[other_a, other_b]));
    Some(terms.ite(condition, then, other))
}
