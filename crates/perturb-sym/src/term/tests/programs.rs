//! Random terms: a program of operations, run in a pool that simplifies and in one that does not.

use super::super::{Op, Term, Terms, Variable};
use super::{Random, BINARY};

/// Operations to apply one after another to what is there.
pub(crate) struct Program {
    seed: u64,
    length: usize,
    /// The width of the variables.
    pub width: u32,
    pub variables: u32,
    has_products: bool,
}

impl Program {
    pub fn new(seed: u64, length: usize, width: u32, variables: u32) -> Program {
        Program { seed, length, width, variables, has_products: true }
    }

    /// Without multiplication and division, which solvers find hard.
    pub fn easy(self) -> Program {
        Program { has_products: false, ..self }
    }

    /// The terms it makes in a pool: the same values in every pool.
    pub fn run(&self, terms: &mut Terms) -> Vec<Term> {
        let mut random = Random(self.seed);
        let mut made: Vec<Term> =
            (0..self.variables).map(|number| terms.variable(Variable::Input(number), self.width)).collect();
        for _ in 0..self.length {
            let term = self.step(terms, &made, &mut random);
            made.push(term);
        }
        made
    }

    fn step(&self, terms: &mut Terms, made: &[Term], random: &mut Random) -> Term {
        // Late terms are chosen more often, so that terms get deep.
        let pick = |random: &mut Random| {
            let back = random.below(made.len()).min(random.below(made.len()));
            made[made.len() - 1 - back]
        };
        let a = pick(random);
        let width = terms.width(a);
        let mut other = pick(random);
        if random.below(3) == 0 {
            other = terms.constant(random.value(width), width);
        }
        let b = fitted(terms, other, width, random);
        match random.below(12) {
            0 => terms.not(a),
            1 => terms.neg(a),
            2 => {
                let low = random.below(width as usize) as u32;
                let length = 1 + random.below((width - low) as usize) as u32;
                terms.extract(a, low, length)
            }
            3 if 2 * width <= 64 => terms.concat(a, b),
            4 if width <= 48 => terms.zext(a, width + 1 + random.below(8) as u32),
            5 if width <= 48 => terms.sext(a, width + 1 + random.below(8) as u32),
            6 | 7 => {
                let condition = pick(random);
                let condition = fitted(terms, condition, 1, random);
                terms.ite(condition, a, b)
            }
            _ => self.binary(terms, a, b, random),
        }
    }

    fn binary(&self, terms: &mut Terms, a: Term, b: Term, random: &mut Random) -> Term {
        let op = BINARY[random.below(BINARY.len())];
        let is_hard = matches!(op, Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem);
        let op = if is_hard && !self.has_products { Op::Add } else { op };
        match op {
            Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => terms.apply(op, 1, &[a, b]),
            _ => terms.apply(op, terms.width(a), &[a, b]),
        }
    }
}

/// A term made as wide as another.
fn fitted(terms: &mut Terms, term: Term, width: u32, random: &mut Random) -> Term {
    let old = terms.width(term);
    match random.below(2) {
        _ if old > width => terms.extract(term, random.below((old - width + 1) as usize) as u32, width),
        0 => terms.zext(term, width),
        _ => terms.sext(term, width),
    }
}

fn assert_same(program: &Program, assignments: &[[u128; 3]]) {
    let (mut simple, mut plain) = (Terms::new(), Terms::plain());
    let (left, right) = (program.run(&mut simple), program.run(&mut plain));
    for values in assignments {
        let assignment = |variable: Variable| match variable {
            Variable::Input(number) => values[number as usize],
            _ => 0,
        };
        let (one, other) = (simple.evaluate(&left, assignment), plain.evaluate(&right, assignment));
        let first = one.iter().zip(&other).position(|(one, other)| one != other);
        if let Some(at) = first {
            panic!(
                "seed {} of width {}: term {at} is {:#x}, not {:#x}, at {values:x?}\n{}\nnot\n{}",
                program.seed,
                program.width,
                one[at],
                other[at],
                simple.smtlib(&[left[at]]),
                plain.smtlib(&[right[at]])
            );
        }
    }
}

fn cases(usual: u64) -> u64 {
    std::env::var("PERTURB_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

#[test]
fn simplified_terms_have_the_same_values_for_all_inputs_of_few_bits() {
    let all: Vec<[u128; 3]> = (0..64).map(|bits| [bits & 7, bits >> 3, 0]).collect();
    for seed in 0..cases(300) {
        assert_same(&Program::new(seed, 30, 3, 2), &all);
    }
    let all: Vec<[u128; 3]> = (0..8).map(|bits| [bits & 1, bits >> 1 & 1, bits >> 2]).collect();
    for seed in 0..cases(300) {
        assert_same(&Program::new(seed, 30, 1, 3), &all);
    }
}

#[test]
fn simplified_terms_have_the_same_values_for_some_inputs_of_many_bits() {
    let mut random = Random(7);
    for seed in 0..cases(300) {
        let width = [8, 16, 32, 64][seed as usize % 4];
        let some: Vec<[u128; 3]> = (0..16).map(|_| [0; 3].map(|_: u128| random.value(width))).collect();
        assert_same(&Program::new(seed, 40, width, 3), &some);
    }
}

#[test]
fn deep_terms_are_built_and_evaluated_without_recursion() {
    for mut terms in [Terms::new(), Terms::plain()] {
        let (a, b) = (terms.variable(Variable::Input(0), 32), terms.variable(Variable::Input(1), 32));
        let mut deep = a;
        for step in 0..200_000u32 {
            deep = match step % 4 {
                0 => terms.xor(deep, b),
                1 => terms.add(deep, a),
                2 => terms.mul(deep, b),
                _ => {
                    let is_less = terms.ult(deep, b);
                    terms.ite(is_less, deep, a)
                }
            };
        }
        let low = terms.extract(deep, 0, 8);
        assert!(terms.cone(&[low]).len() > 100_000);
        assert_eq!(terms.evaluate(&[low], |_| 0), [0]);
        assert_eq!(terms.variables(&[low]).len(), 2);
    }
}
