//! Rules where they apply: operations on pairs of many small expressions of the same variables, for all their
//! values. Random terms seldom have two sides that are so alike.

use super::super::{Op, Term, Terms, Variable};
use super::{Random, BINARY};

const WIDTH: u32 = 3;

/// Expressions of three bits, of two variables and a truth value.
fn expressions(terms: &mut Terms) -> Vec<Term> {
    let [x, y] = [0, 1].map(|number| terms.variable(Variable::Input(number), WIDTH));
    let c = terms.variable(Variable::Input(2), 1);
    let numbers: Vec<Term> = (0..8).map(|value| terms.constant(value, WIDTH)).collect();
    let mut all = vec![x, y];
    all.extend(&numbers);
    for k in &numbers[1..] {
        all.extend([terms.add(x, *k), terms.mul(x, *k), terms.and(x, *k), terms.or(x, *k), terms.xor(x, *k)]);
    }
    let (sum, difference, product) = (terms.add(x, y), terms.sub(x, y), terms.mul(x, y));
    let (not_x, not_y, neg_x) = (terms.not(x), terms.not(y), terms.neg(x));
    all.extend([sum, difference, product, not_x, not_y, neg_x]);
    let (four_y, two_y, one) = (terms.mul(y, numbers[4]), terms.mul(y, numbers[2]), numbers[1]);
    all.extend([terms.add(x, four_y), terms.add(x, two_y), terms.add(difference, one), terms.mul(x, sum)]);
    all.extend([terms.and(x, y), terms.and(x, not_y), terms.or(x, y), terms.xor(x, y)]);
    for (then, other) in [(x, y), (y, x), (numbers[1], x), (x, numbers[5]), (numbers[2], numbers[6]), (not_x, x)] {
        all.push(terms.ite(c, then, other));
    }
    let is_less = terms.ult(x, y);
    all.push(terms.ite(is_less, x, y));
    all.extend([terms.zext(c, WIDTH), terms.sext(c, WIDTH)]);
    let bits = [0, 1, 2].map(|low| terms.extract(x, low, 1));
    let pairs = [0, 1].map(|low| terms.extract(x, low, 2));
    let pair_of_y = terms.extract(y, 0, 2);
    let apart = terms.concat(bits[2], bits[0]);
    for short in [pairs[0], pairs[1], bits[0], apart, pair_of_y] {
        all.extend([terms.zext(short, WIDTH), terms.sext(short, WIDTH)]);
    }
    for (high, low) in [(bits[2], pairs[0]), (bits[0], pairs[0]), (bits[1], pairs[1]), (c, pairs[0]), (c, pair_of_y)] {
        all.extend([terms.concat(high, low), terms.concat(low, high)]);
    }
    all
}

/// What operations make of one in so many pairs of these expressions; of all pairs in a campaign.
fn combinations(terms: &mut Terms, one_in: usize, step: fn(&mut Terms, Term, Term) -> Vec<Term>) -> Vec<Term> {
    let one_in = if std::env::var_os("PERTURB_FUZZ_CASES").is_some() { 1 } else { one_in };
    let of = expressions(terms);
    let mut random = Random(41);
    let pairs = of.iter().flat_map(|a| of.iter().map(move |b| (*a, *b)));
    pairs.filter(|_| random.below(one_in) == 0).flat_map(|(a, b)| step(terms, a, b)).collect()
}

fn binary(terms: &mut Terms, a: Term, b: Term) -> Vec<Term> {
    let apply = |op: &Op| {
        let is_truth = matches!(op, Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle);
        terms.apply(*op, if is_truth { 1 } else { WIDTH }, &[a, b])
    };
    BINARY.iter().map(apply).collect()
}

fn joined(terms: &mut Terms, a: Term, b: Term) -> Vec<Term> {
    let c = terms.variable(Variable::Input(2), 1);
    let (joined, choice, sum) = (terms.concat(a, b), terms.ite(c, a, b), terms.add(a, b));
    let is_less = terms.slt(a, b);
    let mut all = vec![joined, choice, terms.ite(is_less, a, b), terms.ite(is_less, choice, b)];
    all.extend([terms.ite(c, choice, a), terms.ite(c, b, choice)]);
    for (low, width) in [(0, 2), (1, 2), (2, 1), (1, 4), (2, 4), (3, 2)] {
        all.push(terms.extract(joined, low, width));
        if low + width <= WIDTH {
            all.extend([terms.extract(choice, low, width), terms.extract(sum, low, width)]);
        }
    }
    let (long, signed) = (terms.zext(sum, 5), terms.sext(choice, 5));
    all.extend([terms.add(long, signed), terms.ult(long, signed), terms.slt(long, signed), terms.eq(long, signed)]);
    all
}

/// Equalities and orders of wider terms made of both.
fn extended(terms: &mut Terms, a: Term, b: Term) -> Vec<Term> {
    let mut all = Vec::new();
    let sides = [a, b].map(|side| [terms.zext(side, 5), terms.sext(side, 5), terms.concat(side, a)]);
    for one in sides[0] {
        for other in sides[1] {
            let (one, other) = fitted(terms, one, other);
            all.extend([terms.eq(one, other), terms.ult(one, other), terms.slt(one, other)]);
            all.extend([terms.urem(one, other), terms.and(one, other), terms.or(one, other)]);
        }
    }
    all
}

fn fitted(terms: &mut Terms, a: Term, b: Term) -> (Term, Term) {
    let width = terms.width(a).max(terms.width(b));
    (terms.zext(a, width), terms.sext(b, width))
}

fn check(one_in: usize, step: fn(&mut Terms, Term, Term) -> Vec<Term>) {
    let (mut simple, mut plain) = (Terms::new(), Terms::plain());
    let [one, other] = [&mut simple, &mut plain].map(|terms| combinations(terms, one_in, step));
    for values in 0..128u128 {
        let assignment = |variable: Variable| match variable {
            Variable::Input(0) => values & 7,
            Variable::Input(1) => values >> 3 & 7,
            _ => values >> 6,
        };
        let (found, expected) = (simple.evaluate(&one, assignment), plain.evaluate(&other, assignment));
        let Some(at) = (0..one.len()).find(|at| found[*at] != expected[*at]) else { continue };
        let (left, right) = (simple.smtlib(&[one[at]]), plain.smtlib(&[other[at]]));
        panic!("at {values:#b}: {:#x}, not {:#x}\n{left}\nnot\n{right}", found[at], expected[at]);
    }
}

#[test]
fn operations_on_related_expressions_keep_their_values() {
    check(1, binary);
}

#[test]
fn choices_and_slices_of_related_expressions_keep_their_values() {
    check(8, joined);
}

#[test]
fn extensions_of_related_expressions_keep_their_values() {
    check(16, extended);
}
