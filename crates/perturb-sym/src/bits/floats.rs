//! Circuits of IEEE 754 floats, rounding to nearest even. Operands are unpacked, the exact result is computed as far as
//! needed (with one sticky bit for the rest), and rounded once.

mod convert;
mod divide;
mod sum;

use super::arithmetic::{constant, extended, padded, Row};
use super::gates::{Clauses, Gates, Lit};
use crate::term::FloatFormat;

/// An unpacked float. Its value is the significand, with the point after its highest bit, times two to the power of the
/// exponent.
#[derive(Debug, Clone)]
struct Unpacked {
    sign: Lit,
    /// Signed, not biased, and of [`exponent_width`] bits. Meaningless for infinities and NaNs.
    exponent: Row,
    /// With the leading bit, which is zero for a subnormal number that is not normalised.
    significand: Row,
    is_nan: Lit,
    is_infinite: Lit,
    is_zero: Lit,
}

/// Enough bits for every exponent, also of products and quotients of subnormal numbers.
fn exponent_width(format: FloatFormat) -> usize {
    format.exponent_bits as usize + 3
}

fn bias(format: FloatFormat) -> i128 {
    (1 << (format.exponent_bits - 1)) - 1
}

/// The bits of the significand, with the leading one.
fn precision(format: FloatFormat) -> usize {
    format.fraction_bits as usize + 1
}

/// The bits of a float constant.
fn packed(format: FloatFormat, bits: u128) -> Row {
    constant(bits as i128, format.width() as usize)
}

impl<C: Clauses> Gates<C> {
    fn unpacked(&mut self, format: FloatFormat, bits: &[Lit]) -> Unpacked {
        let fraction = format.fraction_bits as usize;
        let (sign, stored) = (bits[bits.len() - 1], &bits[fraction..bits.len() - 1]);
        let (is_normal, is_special) = (self.any(stored), self.all(stored));
        let has_fraction = self.any(&bits[..fraction]);
        // Subnormal numbers have the exponent of the smallest normal ones.
        let mut biased = stored.to_vec();
        biased[0] = self.or(biased[0], !is_normal);
        let width = exponent_width(format);
        let exponent = self.sum(&extended(&biased, width, Lit::FALSE), &constant(-bias(format), width));
        let mut significand = bits[..fraction].to_vec();
        significand.push(is_normal);
        Unpacked {
            sign,
            exponent,
            significand,
            is_nan: self.and(is_special, has_fraction),
            is_infinite: self.and(is_special, !has_fraction),
            is_zero: !self.or(is_normal, has_fraction),
        }
    }

    /// With subnormal numbers normalised.
    fn unpacked_normal(&mut self, format: FloatFormat, bits: &[Lit]) -> Unpacked {
        let mut number = self.unpacked(format, bits);
        (number.significand, number.exponent) = self.normal(&number.significand, &number.exponent);
        number
    }

    /// A significand whose highest bit is one, unless it is zero, with its exponent.
    fn normal(&mut self, significand: &[Lit], exponent: &[Lit]) -> (Row, Row) {
        let (significand, count) = self.normalised(significand);
        let exponent = self.difference(exponent, &extended(&count, exponent.len(), Lit::FALSE));
        (significand, exponent)
    }

    /// Rounds a number with a normalised significand to the nearest float; infinite if it is too large. If the
    /// significand is longer than the precision and two bits, its lowest bit may be sticky.
    fn rounded(&mut self, format: FloatFormat, sign: Lit, exponent: &[Lit], significand: &[Lit]) -> Row {
        let (precision, width) = (precision(format), exponent.len());
        let missing = (precision + 2).saturating_sub(significand.len());
        let significand = padded(significand, missing);
        // Below the smallest normal exponent, bits are lost to keep the exponent.
        let (least, greatest) = (constant(1 - bias(format), width), constant(bias(format), width));
        let is_subnormal = self.signed_less(exponent, &least);
        let below = self.difference(&least, exponent);
        let shift: Row = below.iter().map(|bit| self.and(*bit, is_subnormal)).collect();
        let significand = self.shifted_sticky(&significand, &shift);
        let (rest, kept) = significand.split_at(significand.len() - precision);
        let (sticky, guard) = (self.any(&rest[..rest.len() - 1]), rest[rest.len() - 1]);
        let is_odd_or_more = self.or(sticky, kept[0]);
        let rounds_up = self.and(guard, is_odd_or_more);
        // The leading bit adds one to the exponent, and so does a carry out of the fraction.
        let above = self.sum(exponent, &constant(bias(format) - 1, width));
        let above: Row = above.iter().map(|bit| self.and(*bit, !is_subnormal)).collect();
        let total = precision - 1 + width;
        let stored = padded(&above, precision - 1);
        let (stored, _) = self.add(&stored, &extended(kept, total, Lit::FALSE), rounds_up);
        let is_too_large = self.signed_less(&greatest, exponent);
        let magnitude = format.width() as usize - 1;
        let infinity = &packed(format, format.infinity())[..magnitude];
        let mut bits = self.chosen(is_too_large, infinity, &stored[..magnitude]);
        bits.push(sign);
        bits
    }

    /// Plus or minus infinity.
    fn infinity(&mut self, format: FloatFormat, sign: Lit) -> Row {
        let mut bits = packed(format, format.infinity());
        bits[format.width() as usize - 1] = sign;
        bits
    }

    /// Plus or minus zero.
    fn zero(&mut self, format: FloatFormat, sign: Lit) -> Row {
        let mut bits = packed(format, 0);
        bits[format.width() as usize - 1] = sign;
        bits
    }

    /// The first case that holds, or the default result.
    fn first_of(&mut self, cases: &[(Lit, Row)], usual: Row) -> Row {
        cases.iter().rev().fold(usual, |other, (holds, bits)| self.chosen(*holds, bits, &other))
    }

    pub(super) fn float_product(&mut self, format: FloatFormat, a: &[Lit], b: &[Lit]) -> Row {
        let (a, b) = (self.unpacked(format, a), self.unpacked(format, b));
        let product = self.exact_product(format, &a, &b);
        let usual = self.rounded(format, product.sign, &product.exponent, &product.significand);
        let cases = [
            (product.is_nan, packed(format, format.nan())),
            (product.is_infinite, self.infinity(format, product.sign)),
            (product.is_zero, self.zero(format, product.sign)),
        ];
        self.first_of(&cases, usual)
    }

    /// All bits of a product.
    fn exact_product(&mut self, format: FloatFormat, a: &Unpacked, b: &Unpacked) -> Unpacked {
        let product = self.product(&a.significand, &b.significand, 2 * precision(format));
        // The product of two numbers in [1, 2) may be 2 or more: the point moves one bit to the right.
        let (exponent, _) = self.add(&a.exponent, &b.exponent, Lit::TRUE);
        let (significand, exponent) = self.normal(&product, &exponent);
        let (zero_times_infinity, infinity_times_zero) =
            (self.and(a.is_zero, b.is_infinite), self.and(a.is_infinite, b.is_zero));
        Unpacked {
            sign: self.xor(a.sign, b.sign),
            exponent,
            significand,
            is_nan: self.any(&[a.is_nan, b.is_nan, zero_times_infinity, infinity_times_zero]),
            is_infinite: self.or(a.is_infinite, b.is_infinite),
            is_zero: self.or(a.is_zero, b.is_zero),
        }
    }
}
