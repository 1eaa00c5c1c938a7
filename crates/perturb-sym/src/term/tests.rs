//! What terms are worth, against Rust's own numbers, and what becomes of them when they are simplified.

mod floats;
mod idioms;
mod operations;
mod programs;
mod rules;

pub(crate) use floats::{all as all_float_operations, binary32, binary64, near_integers};
pub(crate) use operations::{reference, BINARY};
pub(crate) use programs::Program;

use super::mask;

/// A seeded generator (SplitMix64).
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A value of so many bits, often one near the ends of the range or with few bits set.
    pub fn value(&mut self, width: u32) -> u128 {
        let random = u128::from(self.next()) << 64 | u128::from(self.next());
        let value = match self.below(6) {
            0 => random & 3,
            1 => (random & 3).wrapping_neg(),
            2 => (1u128 << (width - 1)).wrapping_add(random & 3).wrapping_sub(2),
            3 => 1u128 << (random % u128::from(width)),
            4 => random >> (random % 128),
            _ => random,
        };
        value & mask(width)
    }
}

/// The values at which operations of so many bits behave differently from their neighbours.
pub(crate) fn boundaries(width: u32) -> Vec<u128> {
    if width <= 3 {
        return (0..=mask(width)).collect();
    }
    let half = 1u128 << (width - 1);
    let mut values: Vec<u128> =
        [0, 1, 2, 3, 7, u128::from(width) - 1, u128::from(width), u128::from(width) + 1].to_vec();
    values.extend([half - 1, half, half + 1, mask(width) - 1, mask(width), half >> 1, 0x5555_5555_5555 & mask(width)]);
    values
}
