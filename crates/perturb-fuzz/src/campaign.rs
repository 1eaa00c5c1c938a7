//! How many cases a target gets, from which seed, and the line that tells how many it had.

use crate::Share;
use proptest::test_runner::{RngAlgorithm, TestRng};
use std::env;
use std::fs::File;
use std::io::Write;
use std::time::Instant;

/// Of a cheap target in an ordinary test run: all targets together take a few seconds.
const CASES: u32 = 256;

/// The least that a dear target gets.
const FEWEST: u32 = 8;

#[derive(Debug)]
pub(crate) struct Campaign<'t> {
    target: &'t str,
    pub cases: u32,
    begun: Instant,
}

impl<'t> Campaign<'t> {
    pub fn of(target: &'t str, share: Share) -> Self {
        let all = number("PERTURB_FUZZ_CASES").and_then(|cases| u32::try_from(cases).ok()).unwrap_or(CASES);
        let cases = match share {
            Share::All => all,
            Share::OneIn(many) => (all / many).max(FEWEST),
        };
        Self { target, cases, begun: Instant::now() }
    }

    /// Other numbers for each target, and the same for it every time.
    pub fn rng(&self) -> TestRng {
        let seed = number("PERTURB_FUZZ_SEED").unwrap_or(1);
        let name = self
            .target
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..16].copy_from_slice(&name.to_le_bytes());
        TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
    }

    /// Tests of one binary run at the same time: each line is one write.
    pub fn log(&self) {
        let Some(path) = env::var_os("PERTURB_FUZZ_LOG") else { return };
        let line = format!("{}\t{}\t{:.1}\n", self.target, self.cases, self.begun.elapsed().as_secs_f64());
        let file = File::options().append(true).create(true).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the log can be written");
    }
}

fn number(variable: &str) -> Option<u64> {
    let value = env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable} is no number: {value}")))
}
