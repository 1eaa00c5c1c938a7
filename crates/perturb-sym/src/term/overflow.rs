//! Overflow checks: whether the mathematical result of an operation exceeds the range of its type.

use super::{Term, Terms};

impl Terms {
    pub fn uadd_overflows(&mut self, a: Term, b: Term) -> Term {
        let sum = self.add(a, b);
        self.ult(sum, a)
    }

    pub fn sadd_overflows(&mut self, a: Term, b: Term) -> Term {
        let sum = self.add(a, b);
        let (one, other) = (self.xor(a, sum), self.xor(b, sum));
        let both = self.and(one, other);
        self.sign(both)
    }

    pub fn usub_overflows(&mut self, a: Term, b: Term) -> Term {
        self.ult(a, b)
    }

    pub fn ssub_overflows(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        let (operands, result) = (self.xor(a, b), self.xor(a, difference));
        let both = self.and(operands, result);
        self.sign(both)
    }

    pub fn umul_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if width <= 64 {
            let (a, b) = (self.zext(a, 2 * width), self.zext(b, 2 * width));
            let product = self.mul(a, b);
            let high = self.extract(product, width, width);
            return self.is_nonzero(high);
        }
        // The product does not fit a term: divide it again.
        let product = self.mul(a, b);
        let back = self.udiv(product, a);
        let (lost, divided) = (self.ne(back, b), self.is_nonzero(a));
        self.and(divided, lost)
    }

    pub fn smul_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if width <= 64 {
            let (long_a, long_b) = (self.sext(a, 2 * width), self.sext(b, 2 * width));
            let product = self.mul(long_a, long_b);
            let low = self.extract(product, 0, width);
            let low = self.sext(low, 2 * width);
            return self.ne(product, low);
        }
        let product = self.mul(a, b);
        let back = self.sdiv(product, a);
        let (lost, divided) = (self.ne(back, b), self.is_nonzero(a));
        let lost = self.and(divided, lost);
        // -1 times the least value is the least value again, and so is what it is divided to.
        let ones = self.constant(u128::MAX, width);
        let (flips, least) = (self.eq(a, ones), self.neg_overflows(b));
        let flipped = self.and(flips, least);
        self.or(lost, flipped)
    }

    pub fn neg_overflows(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let least = self.constant(1 << (width - 1), width);
        self.eq(a, least)
    }

    /// Whether an amount to shift by is not less than the width.
    pub fn shift_too_far(&mut self, by: Term) -> Term {
        let width = self.width(by);
        if width < 128 && u128::from(width) > super::mask(width) {
            return self.truth(false);
        }
        let limit = self.constant(u128::from(width), width);
        self.ule(limit, by)
    }

    pub(super) fn is_nonzero(&mut self, a: Term) -> Term {
        let zero = self.constant(0, self.width(a));
        self.ne(a, zero)
    }
}
