//! Constructors of bit-vector terms. They panic if widths do not fit: no proof should rest on a caller that mixes them.

use super::{mask, Node, Op, Term, Terms, Variable, MAX_WIDTH};

impl Terms {
    /// A constant: the low `width` bits of `value`.
    pub fn constant(&mut self, value: u128, width: u32) -> Term {
        check_width(width);
        self.intern(Node::Constant(value & mask(width)), width)
    }

    /// A variable; every use of it has to be of the same width.
    pub fn variable(&mut self, variable: Variable, width: u32) -> Term {
        check_width(width);
        let first = *self.widths.entry(variable).or_insert(width);
        assert_eq!(first, width, "{variable:?} has one width");
        self.intern(Node::Variable(variable), width)
    }

    pub fn truth(&mut self, value: bool) -> Term {
        self.constant(u128::from(value), 1)
    }

    pub fn not(&mut self, a: Term) -> Term {
        self.unary(Op::Not, a)
    }

    pub fn neg(&mut self, a: Term) -> Term {
        self.unary(Op::Neg, a)
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::And, a, b)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Or, a, b)
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Xor, a, b)
    }

    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Add, a, b)
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Sub, a, b)
    }

    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Mul, a, b)
    }

    /// All ones if `b` is zero.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Udiv, a, b)
    }

    /// `a` if `b` is zero.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Urem, a, b)
    }

    /// Toward zero. If `b` is zero: 1 for a negative `a`, else -1.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Sdiv, a, b)
    }

    /// With the sign of `a`; `a` if `b` is zero.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Srem, a, b)
    }

    /// Zero if `b` is at least the width.
    pub fn shl(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Shl, a, b)
    }

    /// Zero if `b` is at least the width.
    pub fn lshr(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Lshr, a, b)
    }

    /// All sign bits if `b` is at least the width.
    pub fn ashr(&mut self, a: Term, b: Term) -> Term {
        self.binary(Op::Ashr, a, b)
    }

    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        self.comparison(Op::Eq, a, b)
    }

    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        self.comparison(Op::Ult, a, b)
    }

    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        self.comparison(Op::Ule, a, b)
    }

    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        self.comparison(Op::Slt, a, b)
    }

    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        self.comparison(Op::Sle, a, b)
    }

    /// `then` where the truth value `condition` holds, else `other`.
    pub fn ite(&mut self, condition: Term, then: Term, other: Term) -> Term {
        assert_eq!(self.width(condition), 1, "a condition is a truth value");
        let width = self.same_width(then, other);
        self.apply(Op::Ite, width, &[condition, then, other])
    }

    /// `high` concatenated with `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let width = self.width(high) + self.width(low);
        check_width(width);
        self.apply(Op::Concat, width, &[high, low])
    }

    /// `width` bits of `a` from bit `low` on.
    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Term {
        check_width(width);
        let end = low.checked_add(width).expect("an end within numbers");
        assert!(end <= self.width(a), "bits {low} to {end} of {} bits", self.width(a));
        self.apply(Op::Extract { low }, width, &[a])
    }

    /// Zero-extended to `width`.
    pub fn zext(&mut self, a: Term, width: u32) -> Term {
        self.extend(Op::Zext, a, width)
    }

    /// Sign-extended to `width`.
    pub fn sext(&mut self, a: Term, width: u32) -> Term {
        self.extend(Op::Sext, a, width)
    }

    /// The highest bit.
    pub fn sign(&mut self, a: Term) -> Term {
        let width = self.width(a);
        self.extract(a, width - 1, 1)
    }

    /// Whether all of these hold.
    pub fn all(&mut self, conditions: &[Term]) -> Term {
        let mut result = self.truth(true);
        for condition in conditions {
            result = self.and(result, *condition);
        }
        result
    }

    fn unary(&mut self, op: Op, a: Term) -> Term {
        self.apply(op, self.width(a), &[a])
    }

    fn binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        self.apply(op, width, &[a, b])
    }

    fn comparison(&mut self, op: Op, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        self.apply(op, 1, &[a, b])
    }

    fn extend(&mut self, op: Op, a: Term, width: u32) -> Term {
        check_width(width);
        assert!(width >= self.width(a), "{} bits extended to {width}", self.width(a));
        if width == self.width(a) {
            return a;
        }
        self.apply(op, width, &[a])
    }

    pub(super) fn same_width(&self, a: Term, b: Term) -> u32 {
        assert_eq!(self.width(a), self.width(b), "operands of one width");
        self.width(a)
    }
}

fn check_width(width: u32) {
    assert!((1..=MAX_WIDTH).contains(&width), "a width of 1 to {MAX_WIDTH}, not {width}");
}
