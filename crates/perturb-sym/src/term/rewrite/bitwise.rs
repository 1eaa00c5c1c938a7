//! Logic, bit by bit. Or is written with And and Not, so that De Morgan's laws need no rule; what has no bit in common
//! with another is added to it, so that `|`, `^` and `+` are the same there.

use super::super::{mask, Op, Term, Terms};
use super::{chain, linear, operands};

pub(super) fn not(terms: &mut Terms, a: Term) -> Option<Term> {
    if let Some([inner, ..]) = terms.matches(a, Op::Not) {
        return Some(inner);
    }
    if let Some([one, other, _]) = terms.matches(a, Op::Xor) {
        // The constant of a chain is its last link.
        let value = terms.as_constant(other)?;
        let flipped = terms.constant(!value, terms.width(a));
        return Some(terms.xor(one, flipped));
    }
    (terms.width(a) > 1 && linear::is_linear(terms, a)).then(|| linear::complement(terms, a))
}

pub(super) fn or(terms: &mut Terms, a: Term, b: Term) -> Term {
    if a != b && have_no_common_bit(terms, a, b) {
        return terms.add(a, b);
    }
    let (not_a, not_b) = (terms.not(a), terms.not(b));
    let neither = terms.and(not_a, not_b);
    terms.not(neither)
}

fn have_no_common_bit(terms: &Terms, a: Term, b: Term) -> bool {
    terms.width(a) > 1 && terms.known(a).zeros | terms.known(b).zeros == terms.ones_of(a)
}

pub(super) fn xor(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let (width, all) = (terms.width(a), terms.ones_of(a));
    let mut constant = 0;
    let mut rest = Vec::new();
    for operand in operands(terms, Op::Xor, [a, b]) {
        match (terms.as_constant(operand), terms.matches(operand, Op::Not)) {
            (Some(value), _) => constant ^= value,
            (_, Some([inner, ..])) => {
                constant ^= all;
                rest.push(inner);
            }
            _ => rest.push(operand),
        }
    }
    rest.sort_unstable();
    let mut odd: Vec<Term> = Vec::new();
    for operand in rest {
        if odd.last() == Some(&operand) {
            odd.pop();
        } else {
            odd.push(operand);
        }
    }
    if let ([one, other], 0) = (&odd[..], constant) {
        if have_no_common_bit(terms, *one, *other) {
            return Some(terms.add(*one, *other));
        }
    }
    let Some(rest) = chain(terms, Op::Xor, &odd) else { return Some(terms.constant(constant, width)) };
    Some(match constant {
        0 => rest,
        _ if constant == all => terms.not(rest),
        _ => {
            let constant = terms.constant(constant, width);
            chain(terms, Op::Xor, &[rest, constant]).expect("two operands")
        }
    })
}

pub(super) fn and(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let (width, all) = (terms.width(a), terms.ones_of(a));
    let mut constant = all;
    let mut rest = Vec::new();
    for operand in operands(terms, Op::And, [a, b]) {
        match terms.as_constant(operand) {
            Some(value) => constant &= value,
            None => rest.push(operand),
        }
    }
    rest.sort_unstable();
    rest.dedup();
    let contradicts =
        |operand: &Term| terms.matches(*operand, Op::Not).is_some_and(|[inner, ..]| rest.binary_search(&inner).is_ok());
    if constant == 0 || rest.iter().any(contradicts) {
        return Some(terms.constant(0, width));
    }
    if let Some(smaller) = without_implied(terms, &rest) {
        let constant = terms.constant(constant, width);
        return Some(smaller.into_iter().fold(constant, |sum, operand| terms.and(sum, operand)));
    }
    if let Some(short) = shortened(terms, &rest, constant) {
        return Some(short);
    }
    let Some(rest) = chain(terms, Op::And, &rest) else { return Some(terms.constant(constant, width)) };
    Some(masked(terms, rest, constant))
}

/// `a & constant`. A run of ones is a slice in its place.
fn masked(terms: &mut Terms, a: Term, constant: u128) -> Term {
    let (width, all) = (terms.width(a), terms.ones_of(a));
    if constant | terms.known(a).zeros == all {
        return a;
    }
    let low = constant.trailing_zeros();
    let run = (constant >> low).trailing_ones();
    if constant >> low == mask(run) {
        let slice = terms.extract(a, low, run);
        let long = terms.zext(slice, width);
        return linear::scaled(terms, long, 1 << low);
    }
    let constant = terms.constant(constant, width);
    chain(terms, Op::And, &[a, constant]).expect("two operands")
}

/// Where an operand is an extension by zeros, the others count in its bits only.
fn shortened(terms: &mut Terms, operands: &[Term], constant: u128) -> Option<Term> {
    let source = |term: &Term| terms.matches(*term, Op::Zext).map(|[inner, ..]| terms.width(inner));
    let short = operands.iter().filter_map(source).min()?;
    let width = terms.width(operands[0]);
    let mut result = terms.constant(constant & mask(short), short);
    for operand in operands {
        let slice = terms.extract(*operand, 0, short);
        result = terms.and(result, slice);
    }
    Some(terms.zext(result, width))
}

/// Operands of the form `!(x & y & ...)`, without what the other operands say already. Nothing if there is no such.
fn without_implied(terms: &mut Terms, all: &[Term]) -> Option<Vec<Term>> {
    const MOST: usize = 16;
    if all.len() > MOST {
        return None;
    }
    let mut result = all.to_vec();
    let mut has_changed = false;
    for (at, operand) in all.iter().enumerate() {
        let Some([inner, ..]) = terms.matches(*operand, Op::Not) else { continue };
        let Some([x, y, _]) = terms.matches(inner, Op::And) else { continue };
        let factors = operands(terms, Op::And, [x, y]);
        let is_said = |factor: &Term| all.contains(factor);
        let is_denied = |factor: &Term| {
            let negated = terms.matches(*factor, Op::Not).is_some_and(|[inner, ..]| all.contains(&inner));
            negated
                || all.iter().any(|other| terms.matches(*other, Op::Not).is_some_and(|[inner, ..]| inner == *factor))
        };
        let width = terms.width(*operand);
        if factors.iter().any(is_denied) {
            result[at] = terms.constant(mask(width), width);
            has_changed = true;
        } else if factors.iter().any(is_said) {
            let left: Vec<Term> = factors.iter().copied().filter(|factor| !is_said(factor)).collect();
            let ones = terms.constant(mask(width), width);
            let product = left.into_iter().fold(ones, |product, factor| terms.and(product, factor));
            result[at] = terms.not(product);
            has_changed = true;
        }
    }
    has_changed.then_some(result)
}
