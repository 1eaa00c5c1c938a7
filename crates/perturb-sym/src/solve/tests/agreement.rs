//! Solvers on the same formulas: ours with and without simplification, and z3.

use super::super::{BitSolver, Budget, Dialect, Model, SatResult, Solver, Why};
use super::program::installed;
use crate::term::tests::{all_float_operations, binary32, binary64, Program, Random};
use crate::term::{FloatOp, Node, Op, Rounding, Term, Terms, Variable};

fn verdict(answer: &SatResult) -> Option<bool> {
    match answer {
        SatResult::Satisfiable(_) => Some(true),
        SatResult::Unsatisfiable => Some(false),
        SatResult::Unknown(Why::Spent) => None,
        SatResult::Unknown(why) => panic!("{why:?}"),
    }
}

/// A formula about what a program makes: two of its values are equal, another is small.
fn formula(terms: &mut Terms, program: &Program, seed: u64) -> Vec<Term> {
    let made = program.run(terms);
    let mut random = Random(seed);
    let mut asserted = Vec::new();
    for _ in 0..3 {
        let a = made[made.len() - 1 - random.below(made.len() / 2)];
        let value = random.value(terms.width(a));
        let constant = terms.constant(value, terms.width(a));
        asserted.push(match random.below(3) {
            0 => terms.eq(a, constant),
            1 => terms.ult(a, constant),
            _ => terms.slt(constant, a),
        });
    }
    asserted
}

#[test]
fn random_formulas_have_the_same_answer_everywhere() {
    let mut z3 = installed(Dialect::Z3);
    if z3.is_none() {
        eprintln!("z3 is not installed: our solver is compared with itself only");
    }
    let mut counts = [0, 0];
    for seed in 0..60 {
        let width = [3, 8, 16][seed as usize % 3];
        let program = Program::new(seed, 25, width, 3);
        let program = if width > 8 { program.easy() } else { program };
        let (mut simple, mut plain) = (Terms::new(), Terms::plain());
        let (one, other) = (formula(&mut simple, &program, seed), formula(&mut plain, &program, seed));
        let budget = Budget::default();
        let answer = verdict(&BitSolver::new().check(&simple, &one, budget)).expect("an easy question");
        counts[usize::from(answer)] += 1;
        assert_eq!(verdict(&BitSolver::new().check(&plain, &other, budget)), Some(answer), "plain, seed {seed}");
        if let Some(z3) = &mut z3 {
            for (terms, asserted) in [(&simple, &one), (&plain, &other)] {
                let second = verdict(&z3.check(terms, asserted, budget));
                assert!(second.is_none_or(|second| second == answer), "z3, seed {seed}: {second:?}");
            }
        }
    }
    assert!(counts.iter().all(|count| *count > 5), "both answers should be among them: {counts:?}");
}

#[test]
fn one_solver_answers_many_questions() {
    let mut terms = Terms::new();
    let mut solver = BitSolver::new();
    let (a, b) = (terms.variable(Variable::Input(0), 32), terms.variable(Variable::Input(1), 32));
    for value in 0..50u32 {
        let constant = terms.constant(u128::from(value), 32);
        let sum = terms.xor(a, b);
        let (equal, less) = (terms.eq(sum, constant), terms.ult(a, constant));
        let answer = solver.check(&terms, &[equal, less], Budget::default());
        let SatResult::Satisfiable(model) = answer else {
            assert_eq!((value, answer), (0, SatResult::Unsatisfiable));
            continue;
        };
        let (a, b) = (model.value(Variable::Input(0)), model.value(Variable::Input(1)));
        assert!(a ^ b == u128::from(value) && a < u128::from(value));
    }
}

#[test]
fn a_solver_forgets_the_terms_of_another_pool() {
    let mut solver = BitSolver::new();
    for value in [1, 2] {
        let mut terms = Terms::new();
        let a = terms.variable(Variable::Input(0), 8 * value);
        let constant = terms.constant(u128::from(value), 8 * value);
        let equal = terms.eq(a, constant);
        let expected = Model { values: [(Variable::Input(0), u128::from(value))].into() };
        assert_eq!(solver.check(&terms, &[equal], Budget::default()), SatResult::Satisfiable(expected));
    }
}

#[test]
fn a_spent_budget_is_no_answer_and_the_same_one_every_time() {
    // Without multiplying out.
    let mut terms = Terms::plain();
    let [a, b, c] = [0, 1, 2].map(|number| terms.variable(Variable::Input(number), 32));
    let (sum, product) = (terms.add(b, c), terms.mul(a, b));
    let (left, other) = (terms.mul(a, sum), terms.mul(a, c));
    let right = terms.add(product, other);
    let differ = terms.ne(left, right);
    let tight = Budget { conflicts: 200, ..Budget::default() };
    for _ in 0..2 {
        assert_eq!(BitSolver::new().check(&terms, &[differ], tight), SatResult::Unknown(Why::Spent));
    }
    let ticks = Budget { ticks: 100_000, ..Budget::default() };
    assert_eq!(BitSolver::new().check(&terms, &[differ], ticks), SatResult::Unknown(Why::Spent));
    let small = Budget { variables: 100, ..Budget::default() };
    assert_eq!(BitSolver::new().check(&terms, &[differ], small), SatResult::Unknown(Why::Oversized));
}

#[test]
fn evident_questions_need_no_solver() {
    let mut terms = Terms::new();
    let (yes, no) = (terms.truth(true), terms.truth(false));
    let mut solver = BitSolver::new();
    assert_eq!(solver.check(&terms, &[yes, no], Budget::default()), SatResult::Unsatisfiable);
    assert_eq!(solver.check(&terms, &[yes], Budget::default()), SatResult::Satisfiable(Model::default()));
    assert_eq!(solver.check(&terms, &[], Budget::default()), SatResult::Satisfiable(Model::default()));
    assert_eq!(solver.variables(), 0);
}

/// Facts about floats, each with whether it can be otherwise.
fn float_facts(terms: &mut Terms) -> Vec<(&'static str, Term, bool)> {
    let [a, b] = [0, 1].map(|number| terms.variable(Variable::Input(number), 32));
    let integer = terms.variable(Variable::Input(2), 16);
    let (sum, swapped) = (terms.fadd(a, b), terms.fadd(b, a));
    let (commutes, self_equal) = (terms.ne(sum, swapped), terms.feq(a, a));
    let unequal = terms.not(self_equal);
    let (long, floor) = (terms.fconvert(a, 64), terms.fround(Rounding::Floor, a));
    let back = terms.fconvert(long, 32);
    let canonical = terms.canonical(a);
    let (widened, above) = (terms.ne(back, canonical), terms.flt(a, floor));
    let float = terms.from_signed(integer, 32);
    let again = terms.to_signed(float, 16);
    let exact = terms.ne(integer, again);
    let (difference, zero) = (terms.fsub(a, b), terms.constant(0, 32));
    let (is_zero, is_less) = (terms.feq(difference, zero), terms.flt(a, b));
    let underflow = terms.and(is_zero, is_less);
    vec![
        ("sums commute", commutes, false),
        ("a float equals itself", unequal, true),
        ("widening and back is exact", widened, false),
        ("a floor is not above", above, false),
        ("small integers are floats", exact, false),
        ("differences of unequal floats are not zero", underflow, false),
    ]
}

#[test]
fn facts_about_floats_are_proved() {
    let mut z3 = installed(Dialect::Z3);
    for mut terms in [Terms::new(), Terms::plain()] {
        for (name, term, expected) in float_facts(&mut terms) {
            let answer = BitSolver::new().check(&terms, &[term], Budget::default());
            assert_eq!(verdict(&answer), Some(expected), "{name}");
            if let Some(z3) = &mut z3 {
                let budget = Budget { ticks: 200_000_000, ..Budget::default() };
                let second = verdict(&z3.check(&terms, &[term], budget));
                assert!(second.is_none_or(|second| second == expected), "{name}: z3 says {second:?}");
            }
        }
    }
}

/// What is printed for other solvers means what it means here.
#[test]
fn z3_computes_the_same_floats() {
    let Some(mut z3) = installed(Dialect::Z3) else { return };
    for (width, ends) in [(32, binary32()), (64, binary64())] {
        let mut terms = Terms::plain();
        let inputs = [0, 1, 2].map(|number| terms.variable(Variable::Input(number), width));
        let [a, b, c] = inputs;
        let mut roots = all_float_operations(&mut terms, a, b, c);
        // Out of range, z3 has a value of its own: only where that is asked for first.
        let is_open = |terms: &Terms, term: Term| {
            matches!(terms.node(term), Node::Apply(Op::Float(FloatOp::ToSigned | FloatOp::ToUnsigned), _))
        };
        roots.retain(|root| !is_open(&terms, *root));
        for size in [8, 32, 64] {
            roots.extend([terms.to_signed(a, size), terms.to_unsigned(a, size)]);
        }
        let mut random = Random(31);
        for _ in 0..12 {
            let values = [0; 3].map(|_: u128| ends[random.below(ends.len())]);
            let expected = terms.evaluate(&roots, |variable| match variable {
                Variable::Input(number) => values[number as usize],
                _ => 0,
            });
            let mut pairs: Vec<(Term, u128)> = inputs.into_iter().zip(values).collect();
            pairs.extend(roots.iter().copied().zip(expected));
            let equal: Vec<Term> = pairs
                .into_iter()
                .map(|(term, value)| {
                    let constant = terms.constant(value, terms.width(term));
                    terms.eq(term, constant)
                })
                .collect();
            let (given, results) = equal.split_at(3);
            let all = terms.all(results);
            let differ = terms.not(all);
            let asserted = [given, &[differ]].concat();
            assert_eq!(z3.check(&terms, &asserted, Budget::default()), SatResult::Unsatisfiable, "{values:x?}");
        }
    }
}
