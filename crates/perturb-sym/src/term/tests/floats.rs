//! Floats against Rust's.

use super::super::{FloatOp, Op, Rounding, Term, Terms, Variable};
use super::Random;

/// Bits at which floats behave differently from their neighbours.
pub(crate) fn binary32() -> Vec<u128> {
    let magnitudes: [u32; 24] = [
        0,
        1,
        2,
        3,
        0x0040_0000,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x0100_0000,
        0x33ff_ffff,
        0x3400_0000,
        0x3eff_ffff,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x3fc0_0000,
        0x4020_0000,
        0x4b00_0000,
        0x4f00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
    ];
    magnitudes.iter().flat_map(|bits| [u128::from(*bits), u128::from(*bits | 1 << 31)]).collect()
}

pub(crate) fn binary64() -> Vec<u128> {
    let magnitudes: [u64; 22] = [
        0,
        1,
        3,
        0x0008_0000_0000_0000,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x0010_0000_0000_0001,
        0x0020_0000_0000_0000,
        0x3690_0000_0000_0000,
        0x3810_0000_0000_0000,
        0x3cb0_0000_0000_0000,
        0x3fdf_ffff_ffff_ffff,
        0x3fe0_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0x3ff0_0000_1000_0000,
        0x3ff8_0000_0000_0001,
        0x4330_0000_0000_0001,
        0x43e0_0000_0000_0000,
        0x47ef_ffff_f000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x7ff8_0000_0000_0000,
    ];
    magnitudes.iter().flat_map(|bits| [u128::from(*bits), u128::from(*bits | 1 << 63)]).collect()
}

fn bits(value: f64, width: u32) -> u128 {
    match width {
        32 if value.is_nan() => 0x7fc0_0000,
        32 => u128::from((value as f32).to_bits()),
        _ if value.is_nan() => 0x7ff8_0000_0000_0000,
        _ => u128::from(value.to_bits()),
    }
}

fn number(bits: u128, width: u32) -> f64 {
    if width == 32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        f64::from_bits(bits as u64)
    }
}

fn operands(width: u32, random: &mut Random) -> Vec<u128> {
    let mut values = if width == 32 { binary32() } else { binary64() };
    values.extend((0..40).map(|_| random.value(width)));
    values
}

/// What is made of bit operations, as Rust's floats have it.
#[test]
fn comparisons_and_signs_are_those_of_rusts_floats() {
    let mut random = Random(11);
    for width in [32, 64] {
        for mut terms in [Terms::new(), Terms::plain()] {
            let (a, b) = (terms.variable(Variable::Input(0), width), terms.variable(Variable::Input(1), width));
            let roots = [
                terms.feq(a, b),
                terms.flt(a, b),
                terms.fle(a, b),
                terms.is_nan(a),
                terms.fmin(a, b),
                terms.fmax(a, b),
            ];
            let values = operands(width, &mut random);
            for (x, y) in values.iter().flat_map(|x| values.iter().map(|y| (*x, *y))) {
                let found = terms.evaluate(&roots, |variable| if variable == Variable::Input(0) { x } else { y });
                let (i, j) = (number(x, width), number(y, width));
                let truth = |value: bool| u128::from(value);
                let expected = [truth(i == j), truth(i < j), truth(i <= j), truth(i.is_nan())];
                assert_eq!(found[..4], expected, "{i:e} {j:e}");
                if i != 0.0 || j != 0.0 {
                    assert_eq!(found[4..], [bits(i.min(j), width), bits(i.max(j), width)], "{i:e} {j:e}");
                }
            }
        }
    }
}

#[test]
fn conversions_to_integers_fail_where_rusts_saturate() {
    let mut random = Random(12);
    for (width, size) in [32, 64].into_iter().flat_map(|width| [8, 16, 32, 64].map(|size| (width, size))) {
        for mut terms in [Terms::new(), Terms::plain()] {
            let a = terms.variable(Variable::Input(0), width);
            let roots = [
                terms.to_signed(a, size),
                terms.to_signed_fails(a, size),
                terms.to_unsigned(a, size),
                terms.to_unsigned_fails(a, size),
            ];
            let mut values = operands(width, &mut random);
            values.extend(near_integers(size).map(|value| bits(value, width)));
            for x in values {
                let whole = number(x, width).trunc();
                let half = 2f64.powi(size as i32 - 1);
                let (signed, unsigned) = ((-half..half).contains(&whole), (0.0..2.0 * half).contains(&whole));
                let mask = u128::MAX >> (128 - size);
                let of = |fits: bool| if fits { whole as i128 as u128 & mask } else { 0 };
                let expected = [of(signed), u128::from(!signed), of(unsigned), u128::from(!unsigned)];
                assert_eq!(terms.evaluate(&roots, |_| x), expected, "{whole:e} of {width} to {size}");
            }
        }
    }
}

/// Floats around the ends of the integers of so many bits.
pub(crate) fn near_integers(size: u32) -> impl Iterator<Item = f64> {
    let ends = [0.0, 2f64.powi(size as i32 - 1), 2f64.powi(size as i32)];
    let near = |end: f64| [-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0].map(|add| end + add);
    ends.into_iter().flat_map(near).flat_map(|value| [value, -value])
}

#[test]
fn operations_are_those_of_rusts_floats() {
    let mut random = Random(13);
    let mut terms = Terms::new();
    let (a, b) = (terms.variable(Variable::Input(0), 64), terms.variable(Variable::Input(1), 64));
    let roots = [terms.fadd(a, b), terms.fsub(a, b), terms.fmul(a, b), terms.fdiv(a, b)];
    let values = operands(64, &mut random);
    for (x, y) in values.iter().flat_map(|x| values.iter().map(|y| (*x, *y))) {
        let (i, j) = (number(x, 64), number(y, 64));
        let found = terms.evaluate(&roots, |variable| if variable == Variable::Input(0) { x } else { y });
        assert_eq!(found, [i + j, i - j, i * j, i / j].map(|value| bits(value, 64)), "{i:e} {j:e}");
    }
}

/// All operations whose results are floats of so many bits, of operands of the same.
pub(crate) fn all(terms: &mut Terms, a: Term, b: Term, c: Term) -> Vec<Term> {
    let width = terms.width(a);
    let mut all = vec![terms.fadd(a, b), terms.fmul(a, b), terms.fdiv(a, b), terms.fsqrt(a)];
    for rounding in [Rounding::Floor, Rounding::Ceil, Rounding::Trunc, Rounding::NearestEven, Rounding::NearestAway] {
        all.push(terms.fround(rounding, a));
    }
    all.push(terms.fma(a, b, c));
    all.push(terms.fconvert(a, 96 - width));
    for size in [8, 16, 32, 64] {
        for op in [FloatOp::ToSigned, FloatOp::ToUnsigned] {
            all.push(terms.apply(Op::Float(op), size, &[a]));
        }
        if size <= width {
            let integer = terms.extract(a, 0, size);
            all.extend([32, 64].map(|to| terms.from_signed(integer, to)));
            all.extend([32, 64].map(|to| terms.from_unsigned(integer, to)));
        }
    }
    all
}

/// Operations of which one operand is a constant, where rules apply, and of converted integers.
#[test]
fn simplified_floats_have_the_same_values() {
    let mut random = Random(14);
    for width in [32, 64] {
        let values = operands(width, &mut random);
        let (mut simple, mut plain) = (Terms::new(), Terms::plain());
        let roots = [&mut simple, &mut plain].map(|terms| {
            let a = terms.variable(Variable::Input(0), width);
            let mut roots = vec![terms.fadd(a, a), terms.fmul(a, a), terms.fdiv(a, a), terms.fsub(a, a)];
            for constant in &values {
                let constant = terms.constant(*constant, width);
                roots.extend([terms.fadd(a, constant), terms.fsub(a, constant), terms.fsub(constant, a)]);
                roots.extend([terms.fmul(a, constant), terms.fdiv(a, constant), terms.fdiv(constant, a)]);
            }
            let other = terms.fconvert(a, 96 - width);
            roots.push(terms.fconvert(other, width));
            for (size, to) in [8, 16, 24, 25, 32].into_iter().flat_map(|size| [8, 16, 32, 64].map(|to| (size, to))) {
                let integer = terms.extract(a, 3, size.min(width - 3));
                let floats = [terms.from_signed(integer, width), terms.from_unsigned(integer, width)];
                for float in floats {
                    roots.extend([terms.to_signed(float, to), terms.to_signed_fails(float, to)]);
                    roots.extend([terms.to_unsigned(float, to), terms.to_unsigned_fails(float, to)]);
                }
            }
            roots
        });
        for value in &values {
            let (one, other) = (simple.evaluate(&roots[0], |_| *value), plain.evaluate(&roots[1], |_| *value));
            let first = one.iter().zip(&other).position(|(one, other)| one != other);
            assert_eq!(first, None, "of {value:#x}");
        }
    }
}
