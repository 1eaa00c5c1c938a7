//! Sums of floats, and fused multiply-add.

use super::super::arithmetic::{constant, extended, padded, Row};
use super::super::gates::{Clauses, Gates, Lit};
use super::{exponent_width, packed, precision, Unpacked};
use crate::term::FloatFormat;

/// Guard, round and sticky bit. These suffice, as more than one bit cancels only where none was lost.
const SPARE: usize = 3;

impl<C: Clauses> Gates<C> {
    pub(in super::super) fn float_sum(&mut self, format: FloatFormat, a: &[Lit], b: &[Lit]) -> Row {
        // Sorted, whatever the signs: `a + b` and `b + a` share all gates, and `a - b` and `b - a` most of them.
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let (a, b) = (self.unpacked(format, a), self.unpacked(format, b));
        self.sum_of_parts(format, a, b)
    }

    /// `a * b + c`.
    pub(in super::super) fn float_fma(&mut self, format: FloatFormat, a: &[Lit], b: &[Lit], c: &[Lit]) -> Row {
        let (a, b) = (self.unpacked(format, a), self.unpacked(format, b));
        let mut product = self.exact_product(format, &a, &b);
        let mut addend = self.unpacked_normal(format, c);
        addend.significand = padded(&addend.significand, precision(format));
        // Zeros must not count as the larger.
        let width = exponent_width(format);
        let least = constant(-(1 << (width - 1)) / 2, width);
        for number in [&mut product, &mut addend] {
            number.exponent = self.chosen(number.is_zero, &least, &number.exponent);
        }
        self.sum_of_parts(format, product, addend)
    }

    /// The rounded sum of two numbers with significands of the same length. A number that is not normalised has the
    /// smallest exponent, or is zero.
    fn sum_of_parts(&mut self, format: FloatFormat, a: Unpacked, b: Unpacked) -> Row {
        let signs_differ = self.xor(a.sign, b.sign);
        let opposed = self.all(&[a.is_infinite, b.is_infinite, signs_differ]);
        let is_nan = self.any(&[a.is_nan, b.is_nan, opposed]);
        let infinite_sign = self.choice(a.is_infinite, a.sign, b.sign);
        let is_infinite = self.or(a.is_infinite, b.is_infinite);
        let zero_sign = self.and(a.sign, b.sign);

        let is_less = self.is_magnitude_less(&a, &b);
        let exponents =
            [self.chosen(is_less, &b.exponent, &a.exponent), self.chosen(is_less, &a.exponent, &b.exponent)];
        let large = self.chosen(is_less, &b.significand, &a.significand);
        let small = self.chosen(is_less, &a.significand, &b.significand);
        let sign = self.choice(is_less, b.sign, a.sign);

        let distance = self.difference(&exponents[0], &exponents[1]);
        let small = self.shifted_sticky(&padded(&small, SPARE), &distance);
        let length = small.len() + 1;
        let (large, small) =
            (extended(&padded(&large, SPARE), length, Lit::FALSE), extended(&small, length, Lit::FALSE));
        let addend: Row = small.iter().map(|bit| self.xor(*bit, signs_differ)).collect();
        let (sum, _) = self.add(&large, &addend, signs_differ);
        // The sum has one bit more before the point.
        let exponent = self.incremented_if(Lit::TRUE, &exponents[0]);
        let (significand, exponent) = self.normal(&sum, &exponent);
        let is_zero = !significand[length - 1];
        let usual = self.rounded(format, sign, &exponent, &significand);
        let cases = [
            (is_nan, packed(format, format.nan())),
            (is_infinite, self.infinity(format, infinite_sign)),
            (is_zero, self.zero(format, zero_sign)),
        ];
        self.first_of(&cases, usual)
    }

    fn is_magnitude_less(&mut self, a: &Unpacked, b: &Unpacked) -> Lit {
        // Compares signed exponents, then significands: as one number, with the exponent's sign flipped.
        let key = |number: &Unpacked| {
            let mut key = number.significand.clone();
            key.extend_from_slice(&number.exponent);
            key
        };
        let (a, b) = (key(a), key(b));
        self.signed_less(&a, &b)
    }
}
