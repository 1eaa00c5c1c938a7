//! Quotients and square roots of floats, bit by bit, with the remainder as the sticky bit.

use super::super::arithmetic::{complement, extended, padded, Row};
use super::super::gates::{Clauses, Gates, Lit};
use super::{packed, precision};
use crate::term::FloatFormat;

impl<C: Clauses> Gates<C> {
    pub(in super::super) fn float_quotient(&mut self, format: FloatFormat, a: &[Lit], b: &[Lit]) -> Row {
        let (a, b) = (self.unpacked_normal(format, a), self.unpacked_normal(format, b));
        let sign = self.xor(a.sign, b.sign);
        let quotient = self.quotient_digits(&a.significand, &b.significand, precision(format) + 2);
        let exponent = self.difference(&a.exponent, &b.exponent);
        // Greater than 1/2: the first or the second digit is one.
        let is_less_than_one = !quotient[quotient.len() - 1];
        let doubled = padded(&quotient[..quotient.len() - 1], 1);
        let significand = self.chosen(is_less_than_one, &doubled, &quotient);
        let correction = vec![is_less_than_one; exponent.len()];
        let exponent = self.sum(&exponent, &correction);
        let usual = self.rounded(format, sign, &exponent, &significand);
        let (zeros, infinities) = (self.and(a.is_zero, b.is_zero), self.and(a.is_infinite, b.is_infinite));
        let is_nan = self.any(&[a.is_nan, b.is_nan, zeros, infinities]);
        let (is_infinite, is_zero) = (self.or(a.is_infinite, b.is_zero), self.or(a.is_zero, b.is_infinite));
        let cases = [
            (is_nan, packed(format, format.nan())),
            (is_infinite, self.infinity(format, sign)),
            (is_zero, self.zero(format, sign)),
        ];
        self.first_of(&cases, usual)
    }

    /// The digits of a quotient less than two, the first of them before the point, and a sticky bit at the low end.
    fn quotient_digits(&mut self, a: &[Lit], b: &[Lit], digits: usize) -> Row {
        let width = a.len() + 1;
        let divisor = extended(b, width, Lit::FALSE);
        let mut rest = extended(a, width, Lit::FALSE);
        let mut quotient = Row::with_capacity(digits + 1);
        for _ in 0..digits {
            let (reduced, fits) = self.add(&rest, &complement(&divisor), Lit::TRUE);
            quotient.push(fits);
            rest = self.chosen(fits, &reduced, &rest);
            // Less than the divisor, so that its double still fits.
            rest = padded(&rest[..width - 1], 1);
        }
        quotient.push(self.any(&rest));
        quotient.reverse();
        quotient
    }

    pub(in super::super) fn float_root(&mut self, format: FloatFormat, a: &[Lit]) -> Row {
        let number = self.unpacked_normal(format, a);
        let digits = precision(format) + 2;
        // An odd exponent moves a factor of two to the significand: then half of the exponent is exact.
        let is_odd = number.exponent[0];
        let once = extended(&number.significand, precision(format) + 1, Lit::FALSE);
        let twice = padded(&number.significand, 1);
        let radicand = self.chosen(is_odd, &twice, &once);
        let sign = number.exponent[number.exponent.len() - 1];
        let half = extended(&number.exponent[1..], number.exponent.len(), sign);
        let root = self.root_digits(&radicand, digits);
        let usual = self.rounded(format, Lit::FALSE, &half, &root);
        let is_negative = self.and(number.sign, !number.is_zero);
        let is_nan = self.or(number.is_nan, is_negative);
        let cases = [
            (is_nan, packed(format, format.nan())),
            (number.is_infinite, self.infinity(format, Lit::FALSE)),
            (number.is_zero, self.zero(format, number.sign)),
        ];
        self.first_of(&cases, usual)
    }

    /// The digits of the square root of a number in [1, 4), which has two digits before the point, and a sticky bit at
    /// the low end. The first digit is the only one before the point.
    fn root_digits(&mut self, radicand: &[Lit], digits: usize) -> Row {
        // Two digits of the radicand give one of the root.
        let mut next = radicand.iter().rev().copied();
        let mut root = Row::new();
        let mut rest = Row::new();
        for _ in 0..digits {
            let high = next.next().unwrap_or(Lit::FALSE);
            let low = next.next().unwrap_or(Lit::FALSE);
            rest.splice(0..0, [low, high]);
            // (2 root + 1)^2 = 4 root^2 + 4 root + 1.
            let width = rest.len().max(root.len() + 2) + 1;
            let mut trial = root.clone();
            trial.splice(0..0, [Lit::TRUE, Lit::FALSE]);
            let (long, trial) = (extended(&rest, width, Lit::FALSE), extended(&trial, width, Lit::FALSE));
            let (reduced, fits) = self.add(&long, &complement(&trial), Lit::TRUE);
            root.insert(0, fits);
            rest = self.chosen(fits, &reduced, &long);
            // The remainder is at most twice the root.
            rest.truncate(root.len() + 1);
        }
        root.insert(0, self.any(&rest));
        root
    }
}
