//! Every operation on integers, at many widths, against Rust's integers.

use super::super::{mask, Op, Term, Terms, Variable};
use super::{boundaries, Random};

pub(crate) const BINARY: [Op; 18] = [
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Eq,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
];
const WIDTHS: [u32; 7] = [1, 3, 8, 16, 32, 64, 128];

/// What Rust's integers of that width say.
macro_rules! native {
    ($name:ident, $unsigned:ty, $signed:ty) => {
        fn $name(op: Op, a: u128, b: u128) -> u128 {
            let (x, y) = (a as $unsigned, b as $unsigned);
            let (i, j) = (x as $signed, y as $signed);
            let by = u32::try_from(b).unwrap_or(u32::MAX);
            let result = match op {
                Op::And => x & y,
                Op::Or => x | y,
                Op::Xor => x ^ y,
                Op::Add => x.wrapping_add(y),
                Op::Sub => x.wrapping_sub(y),
                Op::Mul => x.wrapping_mul(y),
                Op::Udiv => x.checked_div(y).unwrap_or(<$unsigned>::MAX),
                Op::Urem => x.checked_rem(y).unwrap_or(x),
                Op::Sdiv if j == 0 => (if i < 0 { 1 } else { -1 }) as $unsigned,
                Op::Sdiv => i.wrapping_div(j) as $unsigned,
                Op::Srem if j == 0 => x,
                Op::Srem => i.wrapping_rem(j) as $unsigned,
                Op::Shl => x.checked_shl(by).unwrap_or(0),
                Op::Lshr => x.checked_shr(by).unwrap_or(0),
                Op::Ashr => i.checked_shr(by).unwrap_or(if i < 0 { -1 } else { 0 }) as $unsigned,
                Op::Eq => <$unsigned>::from(x == y),
                Op::Ult => <$unsigned>::from(x < y),
                Op::Ule => <$unsigned>::from(x <= y),
                Op::Slt => <$unsigned>::from(i < j),
                Op::Sle => <$unsigned>::from(i <= j),
                _ => panic!("{op:?} is no binary operation of integers"),
            };
            result as u128
        }
    };
}
native!(native_8, u8, i8);
native!(native_16, u16, i16);
native!(native_32, u32, i32);
native!(native_64, u64, i64);
native!(native_128, u128, i128);

/// The widths that Rust has not: of one and three bits, in the arithmetic of 64.
fn small(op: Op, width: u32, a: u128, b: u128) -> u128 {
    let signed = |value: u128| (value as i64) << (64 - width) >> (64 - width);
    let (x, y, i, j) = (a as i64, b as i64, signed(a), signed(b));
    let result = match op {
        Op::Udiv if y == 0 => -1,
        Op::Sdiv if y == 0 => {
            if i < 0 {
                1
            } else {
                -1
            }
        }
        Op::Urem | Op::Srem if y == 0 => x,
        Op::Udiv => x / y,
        Op::Urem => x % y,
        Op::Sdiv => i / j,
        Op::Srem => i % j,
        Op::Shl => x << y,
        Op::Lshr => x >> y,
        Op::Ashr => i >> y,
        Op::Slt => i64::from(i < j),
        Op::Sle => i64::from(i <= j),
        _ => return native_64(op, a, b) & mask(width),
    };
    result as u128 & mask(width)
}

pub(crate) fn reference(op: Op, width: u32, a: u128, b: u128) -> u128 {
    match width {
        8 => native_8(op, a, b),
        16 => native_16(op, a, b),
        32 => native_32(op, a, b),
        64 => native_64(op, a, b),
        128 => native_128(op, a, b),
        _ => small(op, width, a, b),
    }
}

fn pairs(width: u32, random: &mut Random) -> Vec<(u128, u128)> {
    let ends = boundaries(width);
    let mut pairs: Vec<(u128, u128)> = ends.iter().flat_map(|a| ends.iter().map(|b| (*a, *b))).collect();
    if width > 3 {
        pairs.extend((0..200).map(|_| (random.value(width), random.value(width))));
    }
    pairs
}

fn binary(terms: &mut Terms, op: Op, a: Term, b: Term) -> Term {
    let width = match op {
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => 1,
        _ => terms.width(a),
    };
    terms.apply(op, width, &[a, b])
}

#[test]
fn binary_operations_are_those_of_rusts_integers() {
    let mut random = Random(1);
    for width in WIDTHS {
        for op in BINARY {
            for mut terms in [Terms::new(), Terms::plain()] {
                let (x, y) = (Variable::Input(0), Variable::Input(1));
                let (a, b) = (terms.variable(x, width), terms.variable(y, width));
                let both = binary(&mut terms, op, a, b);
                for (i, j) in pairs(width, &mut random) {
                    // With two variables, with one of them and a constant, and with two constants.
                    let (p, q) = (terms.constant(i, width), terms.constant(j, width));
                    let roots = [
                        both,
                        binary(&mut terms, op, a, q),
                        binary(&mut terms, op, p, b),
                        binary(&mut terms, op, p, q),
                    ];
                    let values = terms.evaluate(&roots, |variable| if variable == x { i } else { j });
                    assert_eq!(values, [reference(op, width, i, j); 4], "{op:?} of {width} bits: {i:#x} {j:#x}");
                }
            }
        }
    }
}

#[test]
fn unary_operations_and_slices_are_those_of_rusts_integers() {
    let mut random = Random(2);
    for width in WIDTHS {
        for mut terms in [Terms::new(), Terms::plain()] {
            let a = terms.variable(Variable::Input(0), width);
            let (low, end) = (width / 3, width - width / 4);
            let long = (width + 5).min(128);
            let roots = [
                terms.not(a),
                terms.neg(a),
                terms.extract(a, low, end - low),
                terms.zext(a, long),
                terms.sext(a, long),
            ];
            let mut values = boundaries(width);
            values.extend((0..100).map(|_| random.value(width)));
            for value in values {
                let shift = 128 - width;
                let signed = ((value << shift) as i128 >> shift) as u128;
                let expected = [
                    !value & mask(width),
                    value.wrapping_neg() & mask(width),
                    value >> low & mask(end - low),
                    value,
                    signed & mask(long),
                ];
                assert_eq!(terms.evaluate(&roots, |_| value), expected, "{value:#x} of {width} bits");
            }
        }
    }
}

#[test]
fn overflow_is_where_the_exact_result_does_not_fit() {
    let mut random = Random(3);
    for width in [1, 3, 8, 16, 32] {
        for mut terms in [Terms::new(), Terms::plain()] {
            let (a, b) = (terms.variable(Variable::Input(0), width), terms.variable(Variable::Input(1), width));
            let roots = overflows(&mut terms, a, b);
            for (i, j) in pairs(width, &mut random) {
                let values = terms.evaluate(&roots, |variable| if variable == Variable::Input(0) { i } else { j });
                let found: Vec<bool> = values.iter().map(|value| *value == 1).collect();
                assert_eq!(found, exact_overflows(width, i, j), "{i:#x} {j:#x} of {width} bits");
            }
        }
    }
}

#[test]
fn products_too_wide_for_a_term_overflow_like_rusts() {
    let mut random = Random(4);
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(Variable::Input(0), 128), terms.variable(Variable::Input(1), 128));
    let roots = [terms.umul_overflows(a, b), terms.smul_overflows(a, b)];
    for (i, j) in pairs(128, &mut random) {
        let values = terms.evaluate(&roots, |variable| if variable == Variable::Input(0) { i } else { j });
        let expected = [i.checked_mul(j).is_none(), (i as i128).checked_mul(j as i128).is_none()];
        assert_eq!(values, expected.map(u128::from), "{i:#x} {j:#x}");
    }
}

fn overflows(terms: &mut Terms, a: Term, b: Term) -> [Term; 7] {
    [
        terms.uadd_overflows(a, b),
        terms.sadd_overflows(a, b),
        terms.usub_overflows(a, b),
        terms.ssub_overflows(a, b),
        terms.umul_overflows(a, b),
        terms.smul_overflows(a, b),
        terms.neg_overflows(a),
    ]
}

fn exact_overflows(width: u32, a: u128, b: u128) -> Vec<bool> {
    let signed = |value: u128| (value as i128) << (128 - width) >> (128 - width);
    let (x, y, i, j) = (a as i128, b as i128, signed(a), signed(b));
    let leaves_unsigned = |value: i128| !(0..1i128 << width).contains(&value);
    let leaves_signed = |value: i128| !(-(1i128 << (width - 1))..1i128 << (width - 1)).contains(&value);
    vec![
        leaves_unsigned(x + y),
        leaves_signed(i + j),
        leaves_unsigned(x - y),
        leaves_signed(i - j),
        leaves_unsigned(x * y),
        leaves_signed(i * j),
        leaves_signed(-i),
    ]
}

#[test]
fn what_is_known_of_bits_is_so() {
    let mut random = Random(5);
    for op in BINARY {
        for _ in 0..200 {
            let mut terms = Terms::plain();
            let width = [3, 8, 16][random.below(3)];
            // Variables with some bits fixed.
            let mut operand = |terms: &mut Terms, number: u32| {
                let variable = terms.variable(Variable::Input(number), width);
                let (zeros, ones) = (random.value(width), random.value(width));
                let (zeros, ones) = (terms.constant(zeros, width), terms.constant(ones, width));
                let masked = terms.and(variable, zeros);
                terms.or(masked, ones)
            };
            let (a, b) = (operand(&mut terms, 0), operand(&mut terms, 1));
            let root = binary(&mut terms, op, a, b);
            let known = terms.known(root);
            for _ in 0..10 {
                let (i, j) = (random.value(width), random.value(width));
                let value = terms.evaluate(&[root], |variable| if variable == Variable::Input(0) { i } else { j })[0];
                assert_eq!((value & known.zeros, !value & known.ones), (0, 0), "{op:?} of {width} bits");
            }
        }
    }
}
