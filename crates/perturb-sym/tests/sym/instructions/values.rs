//! Values that are worth a try, from a fixed seed: bounds and what is next to them, small ones, and any.

use super::cases::{Case, Kind};

struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.next() % list.len() as u64) as usize]
    }
}

/// So many pairs, the same for a case of the same name; what lies beyond a width is zero.
pub fn pairs(case: &Case, count: usize) -> Vec<[u64; 2]> {
    let seed = case.name.bytes().fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut random = Random(seed);
    (0..count).map(|_| case.parameters.map(|kind| value(&mut random, kind))).collect()
}

fn value(random: &mut Random, kind: Kind) -> u64 {
    let bits = if kind.is_float { float(random, kind.width) } else { integer(random, kind.width) };
    bits & (u64::MAX >> (64 - kind.width))
}

fn integer(random: &mut Random, width: u32) -> u64 {
    let top = 1 << (width - 1);
    let bounds = [0, top, top - 1, u64::MAX, u64::from(width), u64::from(width) - 1, 1];
    match random.next() % 5 {
        0 => random.of(&bounds),
        1 => random.of(&bounds).wrapping_add(random.next() % 5).wrapping_sub(2),
        2 => random.next() % (2 * u64::from(width)),
        3 => 1u64.rotate_left((random.next() % 64) as u32).wrapping_sub(random.next() % 2),
        _ => random.next() >> (random.next() % 64),
    }
}

fn float(random: &mut Random, width: u32) -> u64 {
    // Bounds of integers are those of conversions.
    let bound = 2f64.powi(random.of(&[7, 8, 15, 16, 24, 31, 32, 53, 63, 64, 128, 1023]));
    let least = if width == 32 { f64::from(f32::from_bits(1)) } else { f64::from_bits(1) };
    let special = [0.0, 1.0, 0.5, 0.1, f64::INFINITY, f64::NAN, least, f64::MAX, f64::from(f32::MAX), bound];
    let value = match random.next() % 6 {
        0 => random.of(&special),
        1 => bound + random.of(&[-1.5, -1.0, -0.5, 0.5, 1.0]),
        2 => (random.next() % 2000) as f64 / 8.0,
        3 => 2f64.powi((random.next() % 64) as i32 - 32) * (random.next() as f64),
        _ => return random.next(),
    };
    let value = if random.next().is_multiple_of(2) { value } else { -value };
    if width == 32 {
        u64::from((value as f32).to_bits())
    } else {
        value.to_bits()
    }
}
