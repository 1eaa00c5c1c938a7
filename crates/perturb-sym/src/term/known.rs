//! Known-bits analysis: the bits of a term that do not depend on variables.

use super::{mask, Node, Op, Terms};

/// The bits known to be zero and those known to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KnownBits {
    pub zeros: u128,
    pub ones: u128,
}

impl KnownBits {
    pub(super) fn constant(value: u128, width: u32) -> KnownBits {
        KnownBits { zeros: !value & mask(width), ones: value }
    }

    /// The value, if every bit is known.
    pub fn value(self, width: u32) -> Option<u128> {
        (self.zeros | self.ones == mask(width)).then_some(self.ones)
    }

    /// The least unsigned value.
    pub fn min(self) -> u128 {
        self.ones
    }

    /// The greatest unsigned value.
    pub fn max(self, width: u32) -> u128 {
        !self.zeros & mask(width)
    }

    fn not(self) -> KnownBits {
        KnownBits { zeros: self.ones, ones: self.zeros }
    }

    /// The bits known in both.
    fn join(self, other: KnownBits) -> KnownBits {
        KnownBits { zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    /// All values up to `max`.
    fn at_most(max: u128, width: u32) -> KnownBits {
        let needed = 128 - max.leading_zeros();
        KnownBits { zeros: if needed == 0 { mask(width) } else { mask(width) & !mask(needed) }, ones: 0 }
    }

    /// With `count` zeros at the low end.
    fn with_trailing_zeros(self, count: u32, width: u32) -> KnownBits {
        let zeros = if count == 0 { 0 } else { mask(count.min(width)) };
        KnownBits { zeros: self.zeros | zeros, ones: self.ones & !zeros }
    }

    fn trailing_zeros(self) -> u32 {
        self.zeros.trailing_ones()
    }

    fn shifted_left(self, by: u32, width: u32) -> KnownBits {
        let low = if by == 0 { 0 } else { mask(by) };
        KnownBits { zeros: (self.zeros << by | low) & mask(width), ones: self.ones << by & mask(width) }
    }
}

/// The known bits of a node whose arguments are in the pool.
pub(super) fn of(terms: &Terms, node: Node, width: u32) -> KnownBits {
    let (op, arguments) = match node {
        Node::Constant(value) => return KnownBits::constant(value, width),
        Node::Variable(_) => return KnownBits::default(),
        Node::Apply(op, arguments) => (op, arguments),
    };
    let [a, b, c] = arguments.map(|term| terms.known(term));
    let [a_width, b_width, _] = arguments.map(|term| terms.width(term));
    match op {
        Op::Not => a.not(),
        Op::Neg => add(KnownBits::constant(0, width), a.not(), 1, width),
        Op::And => KnownBits { zeros: a.zeros | b.zeros, ones: a.ones & b.ones },
        Op::Or => KnownBits { zeros: a.zeros & b.zeros, ones: a.ones | b.ones },
        Op::Xor => KnownBits { zeros: a.zeros & b.zeros | a.ones & b.ones, ones: a.zeros & b.ones | a.ones & b.zeros },
        Op::Add => add(a, b, 0, width),
        Op::Sub => add(a, b.not(), 1, width),
        Op::Mul => multiply(a, b, width),
        Op::Udiv => {
            a.max(width).checked_div(b.min()).map_or(KnownBits::default(), |max| KnownBits::at_most(max, width))
        }
        Op::Urem if b.min() > 0 => KnownBits::at_most(a.max(width).min(b.max(width) - 1), width),
        Op::Urem | Op::Lshr => KnownBits::at_most(a.max(width), width),
        Op::Shl => KnownBits::default().with_trailing_zeros(a.trailing_zeros(), width),
        Op::Ite => b.join(c),
        Op::Concat => {
            let high = a.shifted_left(b_width, width);
            KnownBits { zeros: high.zeros & !mask(b_width) | b.zeros, ones: high.ones | b.ones }
        }
        Op::Extract { low } => KnownBits { zeros: a.zeros >> low & mask(width), ones: a.ones >> low & mask(width) },
        Op::Zext => KnownBits { zeros: a.zeros | mask(width) & !mask(a_width), ones: a.ones },
        Op::Sext => {
            let (high, sign) = (mask(width) & !mask(a_width), 1 << (a_width - 1));
            let spread = |bits: u128| if bits & sign != 0 { bits | high } else { bits };
            KnownBits { zeros: spread(a.zeros), ones: spread(a.ones) }
        }
        Op::Ashr | Op::Sdiv | Op::Srem => KnownBits::default(),
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle | Op::Float(_) => KnownBits::default(),
    }
}

/// A sum, by the least and the greatest carry into each bit.
fn add(a: KnownBits, b: KnownBits, carry: u128, width: u32) -> KnownBits {
    let all = mask(width);
    let greatest = a.max(width).wrapping_add(b.max(width)).wrapping_add(carry);
    let least = a.min().wrapping_add(b.min()).wrapping_add(carry);
    let no_carry = !(greatest ^ a.zeros ^ b.zeros);
    let sure_carry = least ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (no_carry | sure_carry) & all;
    KnownBits { zeros: !greatest & known, ones: least & known }
}

fn multiply(a: KnownBits, b: KnownBits, width: u32) -> KnownBits {
    let max = a.max(width).checked_mul(b.max(width)).filter(|max| *max <= mask(width));
    let high = max.map_or(KnownBits::default(), |max| KnownBits::at_most(max, width));
    let zeros = a.trailing_zeros().saturating_add(b.trailing_zeros());
    high.with_trailing_zeros(zeros, width)
}
