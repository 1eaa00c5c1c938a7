//! Circuits with their inputs fixed by assumptions, so that every gate is a gate, against the values of terms.

use super::super::sat::Sat;
use super::super::Budget;
use crate::bits::Blaster;
use crate::term::tests::{
    all_float_operations, binary32, binary64, boundaries, near_integers, reference, Random, BINARY,
};
use crate::term::{Op, Term, Terms, Variable};

const BUDGET: Budget = Budget { conflicts: 1000, ticks: u32::MAX, variables: u32::MAX };

/// The values that circuits have for these values of the variables, which are `Input(0)` and so on.
fn values(blaster: &mut Blaster<Sat>, inputs: &[(Term, u128)], roots: &[Term]) -> Vec<u128> {
    let mut assumptions = Vec::new();
    for (term, value) in inputs {
        let literals = blaster.literals(*term).expect("a translated variable");
        for (bit, literal) in literals.iter().enumerate() {
            let number = literal.number().expect("a variable");
            assumptions.push(if value >> bit & 1 == 1 { number } else { -number });
        }
    }
    assert_eq!(blaster.clauses().solve(&assumptions, BUDGET), Some(true), "circuits have a value for every input");
    let mut value = |term: &Term| {
        let literals = blaster.literals(*term).expect("a translated term").to_vec();
        literals.iter().rev().fold(0, |bits, literal| bits << 1 | u128::from(blaster.clauses().value(*literal)))
    };
    roots.iter().map(&mut value).collect()
}

fn translated(terms: &Terms, inputs: &[Term], roots: &[Term]) -> Blaster<Sat> {
    let mut blaster = Blaster::new(Sat::new());
    for terms_of in [inputs, roots] {
        blaster.translate(terms, terms_of, u32::MAX).expect("no limit");
    }
    blaster
}

#[test]
fn integer_circuits_compute_what_rusts_integers_do() {
    let mut random = Random(21);
    for width in [1, 3, 8, 16, 32, 64, 128] {
        let mut terms = Terms::plain();
        let inputs = [0, 1].map(|number| terms.variable(Variable::Input(number), width));
        let [a, b] = inputs;
        let roots = BINARY.map(|op| {
            let width = if matches!(op, Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle) { 1 } else { width };
            terms.apply(op, width, &[a, b])
        });
        let mut blaster = translated(&terms, &inputs, &roots);
        let ends = boundaries(width);
        let mut pairs: Vec<(u128, u128)> = ends.iter().flat_map(|a| ends.iter().map(|b| (*a, *b))).collect();
        if width > 3 {
            // The large circuits take long: some of the pairs.
            pairs.retain(|_| random.below(width as usize / 4) < 2);
            pairs.extend((0..40).map(|_| (random.value(width), random.value(width))));
        }
        for (i, j) in pairs {
            let found = values(&mut blaster, &[(a, i), (b, j)], &roots);
            let expected = BINARY.map(|op| reference(op, width, i, j));
            for ((op, found), expected) in BINARY.iter().zip(found).zip(expected) {
                assert_eq!(found, expected, "{op:?} of {width} bits: {i:#x} {j:#x}");
            }
        }
    }
}

#[test]
fn multiples_and_slices_compute_what_they_should() {
    let mut random = Random(22);
    for width in [3, 8, 32, 128] {
        for mut terms in [Terms::new(), Terms::plain()] {
            let inputs = [0, 1].map(|number| terms.variable(Variable::Input(number), width));
            let mut roots = Vec::new();
            for _ in 0..12 {
                let factor = terms.constant(random.value(width), width);
                let multiple = terms.mul(inputs[0], factor);
                let sum = terms.sub(multiple, inputs[1]);
                let (negated, complement) = (terms.neg(inputs[0]), terms.not(sum));
                let slice = terms.extract(sum, width / 3, width / 2);
                roots.extend([multiple, sum, negated, complement, slice, terms.sext(slice, width)]);
                roots.push(terms.zext(slice, width));
                let is_less = terms.slt(sum, inputs[0]);
                roots.push(terms.ite(is_less, sum, inputs[1]));
            }
            let mut blaster = translated(&terms, &inputs, &roots);
            for _ in 0..20 {
                let (i, j) = (random.value(width), random.value(width));
                let expected = terms.evaluate(&roots, |variable| if variable == Variable::Input(0) { i } else { j });
                assert_eq!(values(&mut blaster, &[(inputs[0], i), (inputs[1], j)], &roots), expected);
            }
        }
    }
}

fn check_floats(width: u32, seed: u64, triples: impl Fn(&mut Random) -> Vec<[u128; 3]>) {
    let mut terms = Terms::plain();
    let inputs = [0, 1, 2].map(|number| terms.variable(Variable::Input(number), width));
    let [a, b, c] = inputs;
    let roots = all_float_operations(&mut terms, a, b, c);
    let mut blaster = translated(&terms, &inputs, &roots);
    for [i, j, k] in triples(&mut Random(seed)) {
        let expected = terms.evaluate(&roots, |variable| match variable {
            Variable::Input(0) => i,
            Variable::Input(1) => j,
            _ => k,
        });
        let found = values(&mut blaster, &[(a, i), (b, j), (c, k)], &roots);
        for ((root, found), expected) in roots.iter().zip(found).zip(expected) {
            let node = terms.node(*root);
            assert_eq!(found, expected, "{node:?} of {i:#x} {j:#x} {k:#x}: {found:#x}, not {expected:#x}");
        }
    }
}

/// All pairs of boundary values, with one of them as the third operand, and random ones: arbitrary, and near each
/// other.
fn triples(width: u32, ends: &[u128], random: &mut Random, share: usize, count: usize) -> Vec<[u128; 3]> {
    let mut triples = Vec::new();
    for (i, j) in ends.iter().flat_map(|i| ends.iter().map(|j| (*i, *j))) {
        if random.below(share) == 0 {
            triples.push([i, j, ends[random.below(ends.len())]]);
        }
    }
    let fraction = if width == 32 { 23 } else { 52 };
    for _ in 0..count {
        let any = [0; 3].map(|_: u128| random.value(width));
        triples.push(any);
        // Exponents close to each other: sums cancel, products and sums meet.
        let near = (any[0] >> fraction).wrapping_add(random.below(5) as u128) << fraction;
        let mask = u128::MAX >> (128 - width);
        triples.push([any[0], (near | any[1] & ((1 << fraction) - 1)) & mask, any[2]]);
        let one = if width == 32 { 0x3f80_0000 } else { 0x3ff0_0000_0000_0000 };
        triples.push([any[0], (one + random.below(1 << 20) as u128) & mask, any[0] ^ 1 << (width - 1)]);
    }
    for size in [8, 16, 32, 64] {
        for value in near_integers(size) {
            let bits = if width == 32 { u128::from((value as f32).to_bits()) } else { u128::from(value.to_bits()) };
            triples.push([bits, any_of(ends, random), any_of(ends, random)]);
        }
    }
    triples
}

fn any_of(ends: &[u128], random: &mut Random) -> u128 {
    ends[random.below(ends.len())]
}

/// How many random operands: more on request, as a campaign.
fn cases() -> usize {
    std::env::var("PERTURB_FUZZ_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60)
}

#[test]
fn circuits_of_single_floats_compute_what_rusts_do() {
    check_floats(32, 23, |random| triples(32, &binary32(), random, 8, cases()));
}

#[test]
fn circuits_of_double_floats_compute_what_rusts_do() {
    check_floats(64, 24, |random| triples(64, &binary64(), random, 12, cases()));
}
