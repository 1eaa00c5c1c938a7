//! Conversions between floats and integers, between float formats, and to integral floats.

use super::super::arithmetic::{constant, extended, padded, Row, Shift};
use super::super::gates::{Clauses, Gates, Lit};
use super::{exponent_width, packed, precision};
use crate::term::{FloatFormat, Rounding};

impl<C: Clauses> Gates<C> {
    pub(in super::super) fn float_converted(&mut self, from: FloatFormat, to: FloatFormat, a: &[Lit]) -> Row {
        let number = self.unpacked_normal(from, a);
        // The wider of the two has room for all exponents.
        let width = exponent_width(from).max(exponent_width(to));
        let sign = number.exponent[number.exponent.len() - 1];
        let exponent = extended(&number.exponent, width, sign);
        let usual = self.rounded(to, number.sign, &exponent, &number.significand);
        let cases = [
            (number.is_nan, packed(to, to.nan())),
            (number.is_infinite, self.infinity(to, number.sign)),
            (number.is_zero, self.zero(to, number.sign)),
        ];
        self.first_of(&cases, usual)
    }

    pub(in super::super) fn float_of_integer(&mut self, format: FloatFormat, a: &[Lit], is_signed: bool) -> Row {
        let sign = if is_signed { a[a.len() - 1] } else { Lit::FALSE };
        let magnitude = self.negated_if(sign, a);
        let exponent = constant(a.len() as i128 - 1, exponent_width(format));
        let (significand, exponent) = self.normal(&magnitude, &exponent);
        let is_zero = !significand[significand.len() - 1];
        let usual = self.rounded(format, sign, &exponent, &significand);
        let zero = self.zero(format, Lit::FALSE);
        self.chosen(is_zero, &zero, &usual)
    }

    /// Toward zero; 0 if the result does not fit.
    pub(in super::super) fn integer_of_float(
        &mut self,
        format: FloatFormat,
        a: &[Lit],
        width: usize,
        is_signed: bool,
    ) -> Row {
        let number = self.unpacked(format, a);
        let (precision, exponent) = (precision(format), &number.exponent);
        // Shifted by the exponent, the integer starts at the point. NaNs and infinities have the greatest exponent.
        let is_fraction = exponent[exponent.len() - 1];
        let end = constant(width as i128, exponent.len());
        let is_below_end = self.signed_less(exponent, &end);
        let row = extended(&number.significand, precision - 1 + width, Lit::FALSE);
        let shifted = self.shifted(&row, &exponent[..7], Shift::Left);
        let magnitude = &shifted[precision - 1..];
        let highest = magnitude[width - 1];
        let is_whole = self.and(is_below_end, !is_fraction);
        let magnitude: Row = magnitude.iter().map(|bit| self.and(*bit, is_whole)).collect();
        let fits = if is_signed {
            // The smallest integer is the only one of its magnitude.
            let others = self.any(&magnitude[..width - 1]);
            let is_least = self.and(number.sign, !others);
            let is_small = self.or(!highest, is_least);
            self.and(is_whole, is_small)
        } else {
            self.and(is_whole, !number.sign)
        };
        let integer = self.negated_if(number.sign, &magnitude);
        integer.iter().map(|bit| self.and(*bit, fits)).collect()
    }

    pub(in super::super) fn float_integral(&mut self, format: FloatFormat, rounding: Rounding, a: &[Lit]) -> Row {
        let number = self.unpacked(format, a);
        let (precision, exponent) = (precision(format), &number.exponent);
        let digits = constant(precision as i128 - 1, exponent.len());
        let has_fraction = self.signed_less(exponent, &digits);
        // The bits after the point, then a guard and a sticky bit.
        let after_point = self.difference(&digits, exponent);
        let shift: Row = after_point.iter().map(|bit| self.and(*bit, has_fraction)).collect();
        let shifted = self.shifted_sticky(&padded(&number.significand, 2), &shift);
        let (sticky, guard, whole) = (shifted[0], shifted[1], &shifted[2..]);
        let rest = self.or(guard, sticky);
        let rounds_up = match rounding {
            Rounding::Trunc => Lit::FALSE,
            Rounding::Floor => self.and(rest, number.sign),
            Rounding::Ceil => self.and(rest, !number.sign),
            Rounding::NearestAway => guard,
            Rounding::NearestEven => {
                let is_odd_or_more = self.or(sticky, whole[0]);
                self.and(guard, is_odd_or_more)
            }
        };
        let whole = self.incremented_if(rounds_up, whole);
        let (significand, exponent) = self.normal(&whole, &digits);
        let is_zero = !significand[precision - 1];
        let usual = self.rounded(format, number.sign, &exponent, &significand);
        let cases = [
            (number.is_nan, packed(format, format.nan())),
            (!has_fraction, a.to_vec()),
            (is_zero, self.zero(format, number.sign)),
        ];
        self.first_of(&cases, usual)
    }
}
