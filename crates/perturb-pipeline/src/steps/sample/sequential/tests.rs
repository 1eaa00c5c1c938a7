//! Compares the sizes of samples and the coverage rates of intervals with published ones, by simulation.

use super::*;
use perturb_model::{Calibration, Confidence};

const PLAIN: Rule = Rule { width: Rule::WIDTH, confidence: Confidence::DEFAULT, calibration: None };
const REDUCED: Rule = Rule { calibration: Some(Calibration::DEFAULT), ..PLAIN };

/// A seeded sequence of numbers from 0 to 1 (splitmix64).
struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Draws until the sample is large enough. `score` is the share of kills by whole suites, `missed` the share of kills
/// that reduced suites miss.
fn sampled(rule: Rule, score: f64, missed: f64, seed: u64) -> Estimate {
    let mut random = Seeded(seed);
    let mut sample = Sequential::new(rule);
    while sample.next_suite().is_some() {
        let at = random.next();
        sample.add(Drawn { by_whole: Some(at < score), by_reduced: Some(at < score - missed) });
    }
    sample.estimate()
}

/// The mean size of the samples, and how often the interval contains the truth.
fn simulated(rule: Rule, score: f64, missed: f64, times: u64) -> (f64, f64) {
    let runs: Vec<Estimate> = (0..times).map(|seed| sampled(rule, score, missed, seed)).collect();
    let size = runs.iter().map(|run| run.killed.of()).sum::<u64>() as f64 / times as f64;
    let covering = runs.iter().filter(|run| run.interval().holds(score)).count() as f64 / times as f64;
    (size, covering)
}

#[test]
fn samples_are_as_large_as_published_and_intervals_contain_the_truth() {
    for (score, published) in [(0.6536, 366.0), (0.6564, 364.0), (0.6912, 346.0), (0.7120, 333.0), (0.8180, 248.0)] {
        let (size, covering) = simulated(PLAIN, score, 0.0, 1000);
        assert!((size / published - 1.0_f64).abs() < 0.03, "{score}: {size} instead of {published}");
        assert!(covering >= 0.94, "{score}: {covering}");
    }
}

#[test]
fn with_reduced_suites_the_corrected_interval_contains_the_truth_as_often() {
    for (missed, smallest, largest) in [(0.0, 600.0, 720.0), (0.01, 640.0, 870.0)] {
        let (size, covering) = simulated(REDUCED, 0.65, missed, 500);
        assert!((smallest..largest).contains(&size), "{missed}: {size}");
        assert!(covering >= 0.94, "{missed}: {covering}");
    }
}

#[test]
fn where_reduced_suites_miss_much_whole_ones_are_used_to_the_end() {
    for seed in 0..50 {
        let run = sampled(REDUCED, 0.65, 0.15, seed);
        assert_eq!(run.method, Method::Sufficed);
        assert_eq!((run.killed, run.score()), (sampled(PLAIN, 0.65, 0.0, seed).killed, run.killed.value()));
    }
    let corrected = sampled(REDUCED, 0.65, 0.005, 1);
    let Method::Corrected { missed } = corrected.method else { panic!("{corrected:?}") };
    let calibrated = corrected.calibrated().unwrap();
    assert!(missed.of() >= 150 && calibrated.width() <= 0.035, "{corrected:?}");
    let reduced = Interval::clopper_pearson(corrected.killed, Confidence::DEFAULT);
    assert_eq!(corrected.interval(), reduced.plus(calibrated));
    assert_eq!(corrected.score(), Some(corrected.interval().middle()));
}

#[test]
fn a_population_that_ends_early_gives_the_estimate_so_far() {
    let mut sample = Sequential::new(REDUCED);
    assert_eq!((sample.next_suite(), sample.estimate().score()), (Some(SuiteChoice::Both), None));
    for number in 0..100 {
        sample.add(Drawn { by_whole: Some(number % 2 == 0), by_reduced: Some(number % 4 == 0) });
    }
    let estimate = sample.estimate();
    assert_eq!(sample.next_suite(), Some(SuiteChoice::Both));
    assert_eq!(estimate.method, Method::NotCalibrated { missed: Share::new(25, 100) });
    assert_eq!((estimate.killed, estimate.score()), (Share::new(50, 100), Some(0.5)));
}

/// The same mutants count, whatever the size of the waves in which they are executed.
#[test]
fn mutants_executed_without_need_change_nothing() {
    for rule in [PLAIN, REDUCED] {
        for wave in [1, 7, 64, 1000] {
            let mut random = Seeded(9);
            let mut sample = Sequential::new(rule);
            while let Some(suite) = sample.next_suite() {
                for _ in 0..wave {
                    let at = random.next();
                    let (whole, reduced) = (Some(at < 0.7), Some(at < 0.69));
                    sample.add(match suite {
                        SuiteChoice::Whole => Drawn { by_whole: whole, by_reduced: None },
                        SuiteChoice::Both => Drawn { by_whole: whole, by_reduced: reduced },
                        SuiteChoice::Reduced => Drawn { by_whole: None, by_reduced: reduced },
                    });
                }
            }
            assert_eq!(sample.estimate(), sampled(rule, 0.7, 0.01, 9), "waves of {wave}");
        }
    }
}

/// There should be few waves, and few mutants that are not needed.
#[test]
fn a_few_waves_suffice() {
    for (rule, score) in [(PLAIN, 0.65), (PLAIN, 0.99), (REDUCED, 0.65), (Rule { width: 0.02, ..PLAIN }, 0.8)] {
        for seed in 0..20 {
            let mut random = Seeded(seed);
            let mut sample = Sequential::new(rule);
            let mut waves = 0;
            let mut executed = 0;
            while sample.next_suite().is_some() {
                let wave = sample.next_wave_size();
                (waves, executed) = (waves + 1, executed + wave);
                for _ in 0..wave {
                    let at = random.next();
                    sample.add(Drawn { by_whole: Some(at < score), by_reduced: Some(at < score - 0.005) });
                }
            }
            let counted = sample.estimate().killed.of() as usize;
            assert!(waves <= 8, "{score}: {waves} waves");
            assert!(executed < counted + counted / 10 + 350, "{score}: {executed} for {counted}");
        }
    }
}
