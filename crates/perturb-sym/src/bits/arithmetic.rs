//! Circuits of integers. A vector of literals is a number, its lowest bit first; operands have the same length.

use super::gates::{Clauses, Gates, Lit};

/// A number, its lowest bit first.
pub(super) type Row = Vec<Lit>;

/// The direction of a shift, and the bits that it shifts in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shift {
    Left,
    Right { fill: Lit },
}

/// A constant in two's complement.
pub(super) fn constant(value: i128, width: usize) -> Row {
    (0..width).map(|bit| Lit::constant(value >> bit.min(127) & 1 == 1)).collect()
}

/// Extended at the high end by copies of one literal.
pub(super) fn extended(row: &[Lit], width: usize, fill: Lit) -> Row {
    let mut row = row.to_vec();
    row.resize(width, fill);
    row
}

/// Extended at the low end by zeros.
pub(super) fn padded(row: &[Lit], zeros: usize) -> Row {
    let mut padded = vec![Lit::FALSE; zeros];
    padded.extend_from_slice(row);
    padded
}

pub(super) fn complement(row: &[Lit]) -> Row {
    row.iter().map(|bit| !*bit).collect()
}

impl<C: Clauses> Gates<C> {
    /// The sum and its last carry.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Row, Lit) {
        let mut sum = Row::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = self.xor(*a, *b);
            sum.push(self.xor(half, carry));
            carry = self.majority(*a, *b, carry);
        }
        (sum, carry)
    }

    pub(super) fn sum(&mut self, a: &[Lit], b: &[Lit]) -> Row {
        self.add(a, b, Lit::FALSE).0
    }

    pub(super) fn difference(&mut self, a: &[Lit], b: &[Lit]) -> Row {
        self.add(a, &complement(b), Lit::TRUE).0
    }

    pub(super) fn negated(&mut self, a: &[Lit]) -> Row {
        self.negated_if(Lit::TRUE, a)
    }

    /// The negation if the condition holds.
    pub(super) fn negated_if(&mut self, condition: Lit, a: &[Lit]) -> Row {
        let flipped: Row = a.iter().map(|bit| self.xor(*bit, condition)).collect();
        self.add(&flipped, &vec![Lit::FALSE; a.len()], condition).0
    }

    /// Incremented if the condition holds.
    pub(super) fn incremented_if(&mut self, condition: Lit, a: &[Lit]) -> Row {
        self.add(a, &vec![Lit::FALSE; a.len()], condition).0
    }

    /// The low `width` bits of a product; the factors may have different lengths.
    pub(super) fn product(&mut self, a: &[Lit], b: &[Lit], width: usize) -> Row {
        // Sorted, so that products commute without a proof. Constants, the smallest literals, come last: their zeros
        // are skipped.
        let (a, b) = if a >= b { (a, b) } else { (b, a) };
        let mut sum = vec![Lit::FALSE; width];
        for (at, bit) in b.iter().take(width).enumerate() {
            let addend: Row = a.iter().take(width - at).map(|other| self.and(*bit, *other)).collect();
            if addend.iter().any(|bit| *bit != Lit::FALSE) {
                let addend = extended(&addend, width - at, Lit::FALSE);
                let high = self.sum(&sum[at..], &addend);
                sum.splice(at.., high);
            }
        }
        sum
    }

    /// A product with a constant: few additions and subtractions, as the constant's non-adjacent form has few digits.
    pub(super) fn multiple(&mut self, a: &[Lit], mut factor: u128) -> Row {
        let width = a.len();
        let mut sum = vec![Lit::FALSE; width];
        for at in 0..width {
            if factor & 1 == 1 {
                // Minus one where the next digit would be a one too.
                let is_minus = factor & 2 == 2;
                let addend = &a[..width - at];
                let high = if is_minus { self.difference(&sum[at..], addend) } else { self.sum(&sum[at..], addend) };
                sum.splice(at.., high);
                factor = if is_minus { factor.wrapping_add(1) } else { factor - 1 };
            }
            factor >>= 1;
        }
        sum
    }

    /// Quotient and remainder, bit by bit; dividing by zero gives all ones and `a`, as in SMT-LIB.
    pub(super) fn quotient_and_rest(&mut self, a: &[Lit], b: &[Lit]) -> (Row, Row) {
        let width = a.len();
        let divisor = extended(b, width + 1, Lit::FALSE);
        let mut quotient = vec![Lit::FALSE; width];
        let mut rest = vec![Lit::FALSE; width];
        for at in (0..width).rev() {
            rest.insert(0, a[at]);
            let (reduced, fits) = self.add(&rest, &complement(&divisor), Lit::TRUE);
            quotient[at] = fits;
            rest = self.chosen(fits, &reduced, &rest);
            rest.truncate(width);
        }
        (quotient, rest)
    }

    pub(super) fn signed_quotient_and_rest(&mut self, a: &[Lit], b: &[Lit]) -> (Row, Row) {
        let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
        let (a, b) = (self.negated_if(sign_a, a), self.negated_if(sign_b, b));
        let (quotient, rest) = self.quotient_and_rest(&a, &b);
        let signs_differ = self.xor(sign_a, sign_b);
        (self.negated_if(signs_differ, &quotient), self.negated_if(sign_a, &rest))
    }

    /// A shift by a vector of any length.
    pub(super) fn shifted(&mut self, a: &[Lit], by: &[Lit], shift: Shift) -> Row {
        let fill = match shift {
            Shift::Left => Lit::FALSE,
            Shift::Right { fill } => fill,
        };
        let mut row = a.to_vec();
        let mut is_out = Lit::FALSE;
        for (stage, bit) in by.iter().enumerate() {
            match 1usize.checked_shl(stage as u32).filter(|amount| *amount < a.len()) {
                Some(amount) => {
                    let moved = moved(&row, amount, shift, fill);
                    row = self.chosen(*bit, &moved, &row);
                }
                None => is_out = self.or(is_out, *bit),
            }
        }
        let all = vec![fill; a.len()];
        self.chosen(is_out, &all, &row)
    }

    /// A right shift whose lowest bit is sticky.
    pub(super) fn shifted_sticky(&mut self, a: &[Lit], by: &[Lit]) -> Row {
        let mut row = a.to_vec();
        let mut sticky = Lit::FALSE;
        for (stage, bit) in by.iter().enumerate() {
            let amount = 1usize.checked_shl(stage as u32).map_or(a.len(), |amount| amount.min(a.len()));
            let lost = self.any(&row[..amount]);
            let lost = self.and(lost, *bit);
            sticky = self.or(sticky, lost);
            let moved = extended(&row[amount..], a.len(), Lit::FALSE);
            row = self.chosen(*bit, &moved, &row);
        }
        row[0] = self.or(row[0], sticky);
        row
    }

    /// Normalises: shifts left until the highest bit is one. Also returns the amount; zero stays zero.
    pub(super) fn normalised(&mut self, a: &[Lit]) -> (Row, Row) {
        let width = a.len();
        let stages = (0..usize::BITS).take_while(|stage| 1usize << stage < width).count();
        let mut row = a.to_vec();
        let mut count = vec![Lit::FALSE; stages];
        for stage in (0..stages).rev() {
            let amount = 1usize << stage;
            let any = self.any(&row[width - amount..]);
            count[stage] = !any;
            let moved = padded(&row[..width - amount], amount);
            row = self.chosen(any, &row, &moved);
        }
        (row, count)
    }

    pub(super) fn chosen(&mut self, condition: Lit, then: &[Lit], other: &[Lit]) -> Row {
        then.iter().zip(other).map(|(then, other)| self.choice(condition, *then, *other)).collect()
    }

    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let differences: Row = a.iter().zip(b).map(|(a, b)| self.xor(*a, *b)).collect();
        !self.any(&differences)
    }

    /// Unsigned.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        a.iter().zip(b).fold(Lit::FALSE, |borrow, (a, b)| self.majority(!*a, *b, borrow))
    }

    pub(super) fn signed_less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        for row in [&mut a, &mut b] {
            let last = row.len() - 1;
            row[last] = !row[last];
        }
        self.less(&a, &b)
    }

    /// The disjunction of these, as a balanced tree.
    pub(super) fn any(&mut self, literals: &[Lit]) -> Lit {
        let mut level = literals.to_vec();
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| self.or(pair[0], *pair.last().expect("a pair or one"))).collect();
        }
        level.first().copied().unwrap_or(Lit::FALSE)
    }

    pub(super) fn all(&mut self, literals: &[Lit]) -> Lit {
        !self.any(&complement(literals))
    }
}

/// A shift by a constant amount, at most the length.
fn moved(row: &[Lit], amount: usize, shift: Shift, fill: Lit) -> Row {
    match shift {
        Shift::Left => padded(&row[..row.len() - amount], amount),
        Shift::Right { .. } => extended(&row[amount..], row.len(), fill),
    }
}
