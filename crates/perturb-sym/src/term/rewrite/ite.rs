//! Choices. Of truth values they are logic; of a choice by the same condition only one branch counts.

use super::super::{mask, Op, Term, Terms};

pub(super) fn ite(terms: &mut Terms, condition: Term, then: Term, other: Term) -> Option<Term> {
    if let Some(value) = terms.as_constant(condition) {
        return Some(if value == 1 { then } else { other });
    }
    if then == other {
        return Some(then);
    }
    if let Some([inner, ..]) = terms.matches(condition, Op::Not) {
        return Some(terms.ite(inner, other, then));
    }
    if terms.width(then) == 1 {
        if let Some(logic) = of_truth(terms, condition, then, other) {
            return Some(logic);
        }
    }
    if let Some(extended) = extended(terms, condition, then, other) {
        return Some(extended);
    }
    if let Some([inner, kept, _]) = terms.matches(then, Op::Ite) {
        if inner == condition {
            return Some(terms.ite(condition, kept, other));
        }
    }
    if let Some([inner, _, kept]) = terms.matches(other, Op::Ite) {
        if inner == condition {
            return Some(terms.ite(condition, then, kept));
        }
    }
    merged(terms, condition, then, other)
}

/// A choice of truth values of which one is known or is the condition.
fn of_truth(terms: &mut Terms, condition: Term, then: Term, other: Term) -> Option<Term> {
    let not = terms.not(condition);
    if terms.is_constant(then, 1) || then == condition {
        return Some(terms.or(condition, other));
    }
    if terms.is_constant(then, 0) || then == not {
        return Some(terms.and(not, other));
    }
    if terms.is_constant(other, 0) || other == condition {
        return Some(terms.and(condition, then));
    }
    if terms.is_constant(other, 1) || other == not {
        return Some(terms.or(not, then));
    }
    let not_then = terms.not(then);
    (other == not_then).then(|| {
        let differ = terms.xor(condition, then);
        terms.not(differ)
    })
}

/// Ones or a one against zero is the condition itself, extended.
fn extended(terms: &mut Terms, condition: Term, then: Term, other: Term) -> Option<Term> {
    let width = terms.width(then);
    let all = mask(width);
    match (terms.as_constant(then)?, terms.as_constant(other)?) {
        (1, 0) => Some(terms.zext(condition, width)),
        (value, 0) if value == all => Some(terms.sext(condition, width)),
        (0, value) if value == 1 || value == all => {
            let not = terms.not(condition);
            Some(if value == 1 { terms.zext(not, width) } else { terms.sext(not, width) })
        }
        _ => None,
    }
}

/// Two ways to one branch are one way.
fn merged(terms: &mut Terms, condition: Term, then: Term, other: Term) -> Option<Term> {
    if let Some([second, x, y]) = terms.matches(other, Op::Ite) {
        if x == then {
            let either = terms.or(condition, second);
            return Some(terms.ite(either, then, y));
        }
        if y == then {
            let not = terms.not(second);
            let either = terms.or(condition, not);
            return Some(terms.ite(either, then, x));
        }
    }
    let [second, x, y] = terms.matches(then, Op::Ite)?;
    if y == other {
        let both = terms.and(condition, second);
        return Some(terms.ite(both, x, other));
    }
    (x == other).then(|| {
        let not = terms.not(second);
        let both = terms.and(condition, not);
        terms.ite(both, y, other)
    })
}
