//! Constructors of float operations. Comparisons, minimum and sign are expressed by bit operations, so that they
//! benefit from the simplifier.

use super::rewrite::exact_integer;
use super::{FloatFormat, FloatOp, Op, Rounding, Term, Terms};

impl Terms {
    pub fn fadd(&mut self, a: Term, b: Term) -> Term {
        self.float_binary(FloatOp::Add, a, b)
    }

    /// `a + -b`, which is the same in every case, with signs of zeros and NaNs.
    pub fn fsub(&mut self, a: Term, b: Term) -> Term {
        let negated = self.fneg(b);
        self.fadd(a, negated)
    }

    pub fn fmul(&mut self, a: Term, b: Term) -> Term {
        self.float_binary(FloatOp::Mul, a, b)
    }

    pub fn fdiv(&mut self, a: Term, b: Term) -> Term {
        self.float_binary(FloatOp::Div, a, b)
    }

    pub fn fsqrt(&mut self, a: Term) -> Term {
        self.float_unary(FloatOp::Sqrt, a)
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&mut self, a: Term, b: Term, c: Term) -> Term {
        self.same_width(a, b);
        let width = self.same_width(b, c);
        FloatFormat::of_width(width);
        self.apply(Op::Float(FloatOp::Fma), width, &[a, b, c])
    }

    pub fn fround(&mut self, rounding: Rounding, a: Term) -> Term {
        self.float_unary(FloatOp::Round(rounding), a)
    }

    /// Converts to the format of `width` bits.
    pub fn fconvert(&mut self, a: Term, width: u32) -> Term {
        FloatFormat::of_width(width);
        if self.width(a) == width {
            return a;
        }
        self.format(a);
        self.apply(Op::Float(FloatOp::Convert), width, &[a])
    }

    /// The float of `width` bits nearest to an integer of at most 64 bits.
    pub fn from_signed(&mut self, a: Term, width: u32) -> Term {
        self.integer_to_float(FloatOp::FromSigned, a, width)
    }

    pub fn from_unsigned(&mut self, a: Term, width: u32) -> Term {
        self.integer_to_float(FloatOp::FromUnsigned, a, width)
    }

    /// An integer of at most 64 bits, rounded toward zero. It is 0 if [`Terms::to_signed_fails`].
    pub fn to_signed(&mut self, a: Term, width: u32) -> Term {
        if let Some(integer) = self.converted_back(a, true, width) {
            return integer;
        }
        let fails = self.to_signed_fails(a, width);
        self.float_to_integer(FloatOp::ToSigned, a, width, fails)
    }

    pub fn to_unsigned(&mut self, a: Term, width: u32) -> Term {
        if let Some(integer) = self.converted_back(a, false, width) {
            return integer;
        }
        let fails = self.to_unsigned_fails(a, width);
        self.float_to_integer(FloatOp::ToUnsigned, a, width, fails)
    }

    /// Whether a float does not fit a signed integer of this width: the conversion is undefined in C.
    pub fn to_signed_fails(&mut self, a: Term, width: u32) -> Term {
        assert!((1..=64).contains(&width), "integers of at most 64 bits");
        if self.converted_back(a, true, width).is_some() {
            return self.truth(false);
        }
        let format = self.format(a);
        let end = format.power_of_two(width as i32 - 1);
        // The smallest integer minus one still rounds to it, if that is a float; otherwise the smallest integer is the
        // bound.
        let least = end | format.sign_bit();
        let below_fits = width <= format.fraction_bits + 1;
        if below_fits {
            let below = least | 1 << (format.fraction_bits + 1 - width);
            let below = if width == 1 { format.power_of_two(1) | format.sign_bit() } else { below };
            return self.outside(a, below, false, end);
        }
        self.outside(a, least, true, end)
    }

    pub fn to_unsigned_fails(&mut self, a: Term, width: u32) -> Term {
        assert!((1..=64).contains(&width), "integers of at most 64 bits");
        if self.converted_back(a, false, width).is_some() {
            return self.truth(false);
        }
        let format = self.format(a);
        let end = format.power_of_two(width as i32);
        let minus_one = format.power_of_two(0) | format.sign_bit();
        self.outside(a, minus_one, false, end)
    }

    /// The integer that a float was converted from, if the conversion is exact.
    fn converted_back(&mut self, a: Term, is_signed: bool, width: u32) -> Option<Term> {
        let (integer, was_signed) = exact_integer(self, a).filter(|_| self.is_simplifying)?;
        let old = self.width(integer);
        match (was_signed, is_signed) {
            (true, true) if old <= width => Some(self.sext(integer, width)),
            (false, true) if old < width => Some(self.zext(integer, width)),
            (false, false) if old <= width => Some(self.zext(integer, width)),
            _ => None,
        }
    }

    /// Whether `a` is outside of these floats; true for NaN.
    fn outside(&mut self, a: Term, low: u128, is_low_inside: bool, end: u128) -> Term {
        let width = self.width(a);
        let (low, end) = (self.constant(low, width), self.constant(end, width));
        let above = if is_low_inside { self.fle(low, a) } else { self.flt(low, a) };
        let below = self.flt(a, end);
        let inside = self.and(above, below);
        self.not(inside)
    }

    pub fn fneg(&mut self, a: Term) -> Term {
        let sign = self.sign_bit(a);
        self.xor(a, sign)
    }

    pub fn fabs(&mut self, a: Term) -> Term {
        let magnitude = self.magnitude(a);
        self.zext(magnitude, self.width(a))
    }

    /// The magnitude of `a` with the sign of `b`.
    pub fn copysign(&mut self, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        let (magnitude, sign) = (self.magnitude(a), self.sign(b));
        self.concat(sign, magnitude)
    }

    pub fn is_nan(&mut self, a: Term) -> Term {
        let infinity = self.format(a).infinity();
        let magnitude = self.magnitude(a);
        let infinity = self.constant(infinity, self.width(magnitude));
        self.ult(infinity, magnitude)
    }

    pub fn feq(&mut self, a: Term, b: Term) -> Term {
        let (ordered, zeros) = (self.ordered(a, b), self.both_zero(a, b));
        let same = self.eq(a, b);
        let equal = self.or(same, zeros);
        self.and(ordered, equal)
    }

    pub fn flt(&mut self, a: Term, b: Term) -> Term {
        let ordered = self.ordered(a, b);
        let less = self.less_but_nan(a, b);
        self.and(ordered, less)
    }

    pub fn fle(&mut self, a: Term, b: Term) -> Term {
        let ordered = self.ordered(a, b);
        let greater = self.less_but_nan(b, a);
        let not_greater = self.not(greater);
        self.and(ordered, not_greater)
    }

    /// C's `fmin`: the other operand if one is NaN. C leaves the order of zeros open; here -0 is less.
    pub fn fmin(&mut self, a: Term, b: Term) -> Term {
        self.choose(a, b, true)
    }

    /// C's `fmax`: the other operand if one is NaN. C leaves the order of zeros open; here -0 is less.
    pub fn fmax(&mut self, a: Term, b: Term) -> Term {
        self.choose(a, b, false)
    }

    /// A float with every NaN made canonical.
    pub fn canonical(&mut self, a: Term) -> Term {
        let nan = self.format(a).nan();
        let (is_nan, nan) = (self.is_nan(a), self.constant(nan, self.width(a)));
        self.ite(is_nan, nan, a)
    }

    fn choose(&mut self, a: Term, b: Term, is_min: bool) -> Term {
        self.same_width(a, b);
        // With ordered zeros, floats have the order of their bits: magnitudes reversed for negative ones.
        let (sign_a, sign_b) = (self.sign(a), self.sign(b));
        let (less, greater) = (self.ult(a, b), self.ult(b, a));
        let has_negative = self.or(sign_a, sign_b);
        let is_a_less = self.ite(has_negative, greater, less);
        let (least, greatest) = (self.ite(is_a_less, a, b), self.ite(is_a_less, b, a));
        let chosen = if is_min { least } else { greatest };
        let (nan_a, nan_b) = (self.is_nan(a), self.is_nan(b));
        let unless_b = self.ite(nan_b, a, chosen);
        let chosen = self.ite(nan_a, b, unless_b);
        self.canonical(chosen)
    }

    /// Whether neither is NaN.
    fn ordered(&mut self, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        let (one, other) = (self.is_nan(a), self.is_nan(b));
        let either = self.or(one, other);
        self.not(either)
    }

    fn both_zero(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (self.magnitude(a), self.magnitude(b));
        let (a, b) = (self.is_nonzero(a), self.is_nonzero(b));
        let either = self.or(a, b);
        self.not(either)
    }

    /// `a < b` where neither is NaN.
    fn less_but_nan(&mut self, a: Term, b: Term) -> Term {
        let (sign_a, sign_b) = (self.sign(a), self.sign(b));
        let zeros = self.both_zero(a, b);
        let nonzero = self.not(zeros);
        let crosses = self.and(sign_a, nonzero);
        let (less, greater) = (self.ult(a, b), self.ult(b, a));
        let same_sign = self.ite(sign_a, greater, less);
        let signs_differ = self.xor(sign_a, sign_b);
        self.ite(signs_differ, crosses, same_sign)
    }

    /// All bits but the sign.
    fn magnitude(&mut self, a: Term) -> Term {
        let width = self.format(a).width();
        self.extract(a, 0, width - 1)
    }

    fn sign_bit(&mut self, a: Term) -> Term {
        let format = self.format(a);
        self.constant(format.sign_bit(), format.width())
    }

    fn format(&self, a: Term) -> FloatFormat {
        FloatFormat::of_width(self.width(a))
    }

    fn float_unary(&mut self, op: FloatOp, a: Term) -> Term {
        let width = self.format(a).width();
        self.apply(Op::Float(op), width, &[a])
    }

    fn float_binary(&mut self, op: FloatOp, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        let width = self.format(a).width();
        self.apply(Op::Float(op), width, &[a, b])
    }

    fn integer_to_float(&mut self, op: FloatOp, a: Term, width: u32) -> Term {
        FloatFormat::of_width(width);
        assert!(self.width(a) <= 64, "integers of at most 64 bits");
        self.apply(Op::Float(op), width, &[a])
    }

    fn float_to_integer(&mut self, op: FloatOp, a: Term, width: u32, fails: Term) -> Term {
        let integer = self.apply(Op::Float(op), width, &[a]);
        // The operation is 0 there anyway. This is explicit for solvers that leave it open.
        let zero = self.constant(0, width);
        self.ite(fails, zero, integer)
    }
}
