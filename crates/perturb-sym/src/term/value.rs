//! What operations do to values: the meaning that simplification, circuits and printing have to agree with.

use super::{FloatOp, Op, Rounding};

/// The low `width` bits.
pub(crate) fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// A value and its width.
#[derive(Debug, Clone, Copy)]
pub(super) struct SizedBits {
    pub bits: u128,
    pub width: u32,
}

impl SizedBits {
    /// Read as two's complement.
    fn signed(self) -> i128 {
        let shift = 128 - self.width;
        ((self.bits << shift) as i128) >> shift
    }

    fn is_negative(self) -> bool {
        self.signed() < 0
    }
}

/// What an operation of `width` bits makes of its arguments.
pub(super) fn of(op: Op, width: u32, arguments: &[SizedBits]) -> u128 {
    let a = arguments[0];
    let b = *arguments.get(1).unwrap_or(&a);
    let bits = match op {
        Op::Not => !a.bits,
        Op::Neg => a.bits.wrapping_neg(),
        Op::And => a.bits & b.bits,
        Op::Or => a.bits | b.bits,
        Op::Xor => a.bits ^ b.bits,
        Op::Add => a.bits.wrapping_add(b.bits),
        Op::Sub => a.bits.wrapping_sub(b.bits),
        Op::Mul => a.bits.wrapping_mul(b.bits),
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => divide(op, a, b),
        Op::Shl | Op::Lshr | Op::Ashr => shift(op, a, b),
        Op::Eq => u128::from(a.bits == b.bits),
        Op::Ult => u128::from(a.bits < b.bits),
        Op::Ule => u128::from(a.bits <= b.bits),
        Op::Slt => u128::from(a.signed() < b.signed()),
        Op::Sle => u128::from(a.signed() <= b.signed()),
        Op::Ite => arguments[if a.bits == 1 { 1 } else { 2 }].bits,
        Op::Concat => a.bits.checked_shl(b.width).unwrap_or(0) | b.bits,
        Op::Extract { low } => a.bits >> low,
        Op::Zext => a.bits,
        Op::Sext => a.signed() as u128,
        Op::Float(op) => float(op, width, arguments),
    };
    bits & mask(width)
}

fn divide(op: Op, a: SizedBits, b: SizedBits) -> u128 {
    match (op, b.bits) {
        (Op::Udiv, 0) => u128::MAX,
        (Op::Sdiv, 0) if a.is_negative() => 1,
        (Op::Sdiv, 0) => u128::MAX,
        (_, 0) => a.bits,
        (Op::Udiv, _) => a.bits / b.bits,
        (Op::Urem, _) => a.bits % b.bits,
        (Op::Sdiv, _) => a.signed().wrapping_div(b.signed()) as u128,
        _ => a.signed().wrapping_rem(b.signed()) as u128,
    }
}

fn shift(op: Op, a: SizedBits, b: SizedBits) -> u128 {
    let width = u128::from(a.width);
    if b.bits < width {
        // Less than 128.
        let by = b.bits as u32;
        return match op {
            Op::Shl => a.bits << by,
            Op::Lshr => a.bits >> by,
            _ => (a.signed() >> by) as u128,
        };
    }
    match op {
        Op::Ashr if a.is_negative() => u128::MAX,
        _ => 0,
    }
}

/// The layout of a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatFormat {
    pub exponent_bits: u32,
    /// The stored ones: the leading one is not among them.
    pub fraction_bits: u32,
}

impl FloatFormat {
    /// The format of so many bits.
    pub fn of_width(width: u32) -> FloatFormat {
        match width {
            32 => FloatFormat { exponent_bits: 8, fraction_bits: 23 },
            64 => FloatFormat { exponent_bits: 11, fraction_bits: 52 },
            _ => panic!("a float has 32 or 64 bits, not {width}"),
        }
    }

    pub fn width(self) -> u32 {
        1 + self.exponent_bits + self.fraction_bits
    }

    pub fn infinity(self) -> u128 {
        mask(self.exponent_bits) << self.fraction_bits
    }

    /// The one NaN that operations give.
    pub fn nan(self) -> u128 {
        self.infinity() | 1 << (self.fraction_bits - 1)
    }

    pub fn sign_bit(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// The bits of 2 to the power of `exponent`, which has to be that of a normal number.
    pub fn power_of_two(self, exponent: i32) -> u128 {
        let bias = (1i32 << (self.exponent_bits - 1)) - 1;
        let biased = u128::try_from(exponent + bias).expect("the exponent of a normal number");
        biased << self.fraction_bits
    }
}

fn float(op: FloatOp, width: u32, arguments: &[SizedBits]) -> u128 {
    let bits = match (op, arguments[0]) {
        (FloatOp::ToSigned | FloatOp::ToUnsigned, a) => return to_integer(op == FloatOp::ToSigned, width, a),
        (FloatOp::FromSigned, a) if width == 32 => u128::from((a.signed() as f32).to_bits()),
        (FloatOp::FromSigned, a) => u128::from((a.signed() as f64).to_bits()),
        (FloatOp::FromUnsigned, a) if width == 32 => u128::from((a.bits as f32).to_bits()),
        (FloatOp::FromUnsigned, a) => u128::from((a.bits as f64).to_bits()),
        (FloatOp::Convert, a) if width == 32 => u128::from((f64::from_bits(a.bits as u64) as f32).to_bits()),
        (FloatOp::Convert, a) => u128::from(f64::from(f32::from_bits(a.bits as u32)).to_bits()),
        _ if width == 32 => {
            let values: Vec<f32> = arguments.iter().map(|value| f32::from_bits(value.bits as u32)).collect();
            u128::from(single(op, &values).to_bits())
        }
        _ => {
            let values: Vec<f64> = arguments.iter().map(|value| f64::from_bits(value.bits as u64)).collect();
            u128::from(double(op, &values).to_bits())
        }
    };
    let format = FloatFormat::of_width(width);
    let is_nan = bits & !format.sign_bit() > format.infinity();
    if is_nan {
        format.nan()
    } else {
        bits
    }
}

/// Both formats have the same operations under the same names.
macro_rules! arithmetic {
    ($name:ident, $type:ty) => {
        fn $name(op: FloatOp, values: &[$type]) -> $type {
            let a = values[0];
            match op {
                FloatOp::Add => a + values[1],
                FloatOp::Mul => a * values[1],
                FloatOp::Div => a / values[1],
                FloatOp::Fma => a.mul_add(values[1], values[2]),
                FloatOp::Round(Rounding::Floor) => a.floor(),
                FloatOp::Round(Rounding::Ceil) => a.ceil(),
                FloatOp::Round(Rounding::Trunc) => a.trunc(),
                FloatOp::Round(Rounding::NearestEven) => a.round_ties_even(),
                FloatOp::Round(Rounding::NearestAway) => a.round(),
                // The others are conversions, done before.
                _ => a.sqrt(),
            }
        }
    };
}
arithmetic!(single, f32);
arithmetic!(double, f64);

/// Toward zero; 0 where it does not fit.
fn to_integer(is_signed: bool, width: u32, a: SizedBits) -> u128 {
    // Exact: every single is a double.
    let value = if a.width == 32 { f64::from(f32::from_bits(a.bits as u32)) } else { f64::from_bits(a.bits as u64) };
    let whole = value.trunc();
    // At most 64 bits: the limits are doubles, and `i128` holds all that is between them.
    let (low, end) = if is_signed {
        (-2f64.powi(width as i32 - 1), 2f64.powi(width as i32 - 1))
    } else {
        (0.0, 2f64.powi(width as i32))
    };
    if (low..end).contains(&whole) {
        whole as i128 as u128
    } else {
        0
    }
}
