//! Fuzzing for the tests of the other crates: whatever a parser of ours is given, it answers or refuses, in little time
//! and memory. What it is given is arbitrary, or was a valid document before it was spoiled.
//!
//! Every case follows from a fixed seed: a run finds what the last one found. `PERTURB_FUZZ_CASES` asks for more cases
//! than a test does by itself, `PERTURB_FUZZ_SEED` for others, and `PERTURB_FUZZ_LOG` names a file that gets a line for
//! each target, which `bench/fuzz` reads. Nothing of it is in the program: the crate is for tests only, and it prints
//! nothing.
//!
//! As all crates have it for their tests, it also knows when golden files are written anew ([`golden`]).

mod campaign;
pub mod golden;
mod meter;
mod spoil;

pub use proptest::prelude;
pub use spoil::{bytes, spoiled, text_of};

use campaign::Campaign;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::fmt::Debug;

/// How many cases a target gets: all, or one in so many of what others get, where one takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    All,
    OneIn(u32),
}

/// A parser takes whatever it is given: arbitrary bytes, and `examples` of what it reads with parts flipped, cut,
/// doubled, or replaced by what parsers trip over.
#[track_caller]
pub fn survives<E: AsRef<[u8]>>(target: &str, share: Share, examples: &[E], parse: impl Fn(&[u8])) {
    let examples: Vec<Vec<u8>> = examples.iter().map(|example| example.as_ref().to_vec()).collect();
    let input = prop_oneof![1 => bytes(), 4 => spoiled(prop::sample::select(examples))];
    holds(target, share, input, |input: Vec<u8>| parse(&input));
}

/// A property holds of everything that a strategy makes. It panics where it does not.
#[track_caller]
pub fn holds<S>(target: &str, share: Share, strategy: S, property: impl Fn(S::Value))
where
    S: Strategy,
    S::Value: Debug,
{
    let campaign = Campaign::of(target, share);
    let config = Config {
        cases: campaign.cases,
        failure_persistence: None,
        max_shrink_iters: 1000,
        // In milliseconds: a parser that is slow must not be asked for ever.
        max_shrink_time: 30_000,
        max_global_rejects: u32::MAX,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, campaign.rng());
    let result = runner.run(&strategy, |value| {
        meter::within_reason(|| property(value));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{target}: {error}");
    }
    campaign.log();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::panic::{catch_unwind, AssertUnwindSafe};

    /// What is found to be wrong with a parser.
    fn found(parse: impl Fn(&[u8])) -> Option<String> {
        let panic = catch_unwind(AssertUnwindSafe(|| survives("made up", Share::All, &["key = 12\n"], parse))).err()?;
        panic.downcast_ref::<String>().cloned()
    }

    #[test]
    fn a_parser_that_panics_on_a_rare_input_is_found_and_its_input_made_small() {
        let is_it = |input: &[u8]| input.starts_with(b"key") && input.contains(&0);
        let reason = found(|input| assert!(!is_it(input), "there it is"));
        assert!(reason.as_ref().is_some_and(|reason| reason.contains("there it is")), "{reason:?}");
        assert_eq!(found(|input| assert!(String::from_utf8_lossy(input).lines().count() <= input.len())), None);
    }

    #[test]
    fn a_parser_that_takes_too_much_memory_is_found() {
        let greedy = |input: &[u8]| drop(Vec::<u8>::with_capacity(input.len() << 22));
        assert!(found(greedy).is_some_and(|reason| reason.contains("MiB")));
    }

    #[test]
    fn the_same_cases_come_every_time_and_most_of_them_are_near_an_example() {
        let run = || {
            let (sum, near) = (Cell::new(0_u64), Cell::new(0_u32));
            survives("made up", Share::All, &["key = 12\n"], |input| {
                sum.set(input.iter().fold(sum.get(), |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte))));
                near.set(near.get() + u32::from(input.windows(4).any(|window| window == b"key ")));
            });
            (sum.get(), near.get())
        };
        let (sum, near) = run();
        assert_eq!(run(), (sum, near));
        assert!(near > 50, "{near}");
    }
}
