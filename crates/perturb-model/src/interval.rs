//! Confidence intervals of a share that is estimated from a sample.

use statrs::distribution::{Beta, ContinuousCDF as _, DiscreteCDF as _, Hypergeometric, Normal};
use std::fmt;

/// `hits` of `of`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    hits: u64,
    of: u64,
}

impl Share {
    pub fn new(hits: u64, of: u64) -> Self {
        assert!(hits <= of, "{hits} of {of}");
        Self { hits, of }
    }

    pub fn add(&mut self, is_hit: bool) {
        self.hits += u64::from(is_hit);
        self.of += 1;
    }

    pub fn hits(self) -> u64 {
        self.hits
    }

    pub fn of(self) -> u64 {
        self.of
    }

    /// The share as a number; None for 0 of 0.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }
}

/// The probability that an interval contains the true value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    pub const DEFAULT: Self = Self(0.95);

    /// None unless it is between 0 and 1, both excluded.
    pub fn new(level: f64) -> Option<Self> {
        (level > 0.0 && level < 1.0).then_some(Self(level))
    }

    pub fn level(self) -> f64 {
        self.0
    }

    /// The probability that the true value lies below the interval, and that it lies above.
    fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }
}

/// `95 %`
impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", (self.0 * 1e6).round() / 1e4)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// The interval of a share of which nothing is known.
    pub const WHOLE: Self = Self { low: 0.0, high: 1.0 };

    /// The interval of Clopper and Pearson, for an infinite population. Its confidence is at least the given one.
    pub fn clopper_pearson(Share { hits, of }: Share, confidence: Confidence) -> Self {
        let hits = hits as f64;
        let of = of as f64;
        let quantile = |a: f64, b: f64, p: f64| Beta::new(a, b).expect("both are above 0").inverse_cdf(p);
        let tail = confidence.tail();
        let low = if hits > 0.0 { quantile(hits, of - hits + 1.0, tail) } else { 0.0 };
        let high = if hits < of { quantile(hits + 1.0, of - hits, 1.0 - tail) } else { 1.0 };
        Self { low, high }
    }

    /// Wilson's score interval. Its confidence is close to the given one, also for small samples and shares near 0.
    pub fn wilson(share: Share, confidence: Confidence) -> Self {
        let Some(value) = share.value() else { return Self::WHOLE };
        let z = Normal::standard().inverse_cdf(1.0 - confidence.tail());
        let n = share.of as f64;
        let z2 = z * z;
        let middle = (value + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = z / (1.0 + z2 / n) * (value * (1.0 - value) / n + z2 / (4.0 * n * n)).sqrt();
        // Rounding must not move a limit beyond 0 or 1.
        let low = if share.hits == 0 { 0.0 } else { middle - half };
        let high = if share.hits == share.of { 1.0 } else { middle + half };
        Self { low, high }
    }

    /// The interval for a sample drawn without replacement from a population of this size: exact, and never wider than
    /// that of Clopper and Pearson. A sample of the whole population has an interval of width 0.
    pub fn of_finite(Share { hits, of }: Share, population: u64, confidence: Confidence) -> Self {
        assert!(of <= population, "{of} of {population} were drawn");
        if population == 0 {
            return Self::WHOLE;
        }
        let tail = confidence.tail();
        let drawn = |all: u64| Hypergeometric::new(population, all, of).expect("no more than there are");
        let at_least = |all: u64| if hits == 0 { 1.0 } else { drawn(all).sf(hits - 1) };
        let at_most = |all: u64| drawn(all).cdf(hits);
        // The numbers of hits that the population can have: the more there are, the likelier is a sample with at least
        // `hits`.
        let fewest = hits;
        let most = population - (of - hits);
        let low = first(fewest, most, |all| at_least(all) > tail);
        let high = most - first(0, most - fewest, |less| at_most(most - less) > tail);
        Self { low: low as f64 / population as f64, high: high as f64 / population as f64 }
    }

    pub fn width(self) -> f64 {
        self.high - self.low
    }

    pub fn middle(self) -> f64 {
        (self.low + self.high) / 2.0
    }

    pub fn holds(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// The interval of the sum of two shares, limited to 1.
    pub fn plus(self, other: Self) -> Self {
        Self { low: (self.low + other.low).min(1.0), high: (self.high + other.high).min(1.0) }
    }
}

/// The first number for which `is_true`, which must then hold for all greater ones too. The last number is not tested.
fn first(mut low: u64, mut high: u64, is_true: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if is_true(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURE: Confidence = Confidence::DEFAULT;

    #[track_caller]
    fn check(found: Interval, low: f64, high: f64) {
        let is_close = |found: f64, expected: f64| (found - expected).abs() < 0.000_06;
        assert!(is_close(found.low, low) && is_close(found.high, high), "{found:?} instead of {low} to {high}");
    }

    /// Against tables of the exact binomial limits, as handbooks of statistics print them.
    #[test]
    fn clopper_pearson_is_what_tables_have() {
        for (hits, of, low, high) in [
            (0, 10, 0.0, 0.3085),
            (1, 10, 0.0025, 0.4450),
            (5, 10, 0.1871, 0.8129),
            (10, 10, 0.6915, 1.0),
            (1, 20, 0.0013, 0.2487),
            (4, 20, 0.0573, 0.4366),
            (10, 100, 0.0490, 0.1762),
            (50, 100, 0.3983, 0.6017),
            (81, 263, 0.2527, 0.3676),
        ] {
            check(Interval::clopper_pearson(Share::new(hits, of), SURE), low, high);
        }
        let surer = Confidence::new(0.99).unwrap();
        check(Interval::clopper_pearson(Share::new(5, 10), surer), 0.1283, 0.8717);
    }

    /// The last two, and 81 of 263, are of Newcombe's comparison of methods (1998).
    #[test]
    fn wilson_is_what_tables_have() {
        for (hits, of, low, high) in [
            (0, 10, 0.0, 0.2775),
            (1, 10, 0.0179, 0.4042),
            (5, 10, 0.2366, 0.7634),
            (10, 10, 0.7225, 1.0),
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            check(Interval::wilson(Share::new(hits, of), SURE), low, high);
        }
    }

    /// The limits by their definition, with probabilities counted in whole numbers.
    #[test]
    fn the_finite_interval_is_what_counting_says() {
        fn choose(n: u64, k: u64) -> u128 {
            (0..k.min(n)).fold(u128::from(k <= n), |all, i| all * u128::from(n - i) / u128::from(i + 1))
        }
        for population in [1, 2, 5, 12, 25] {
            for of in 1..=population {
                for hits in 0..=of {
                    let probability = |all: u64, wanted: &dyn Fn(u64) -> bool| -> f64 {
                        let ways = |i: u64| choose(all, i) * choose(population - all, of - i);
                        (0..=of).filter(|i| wanted(*i)).map(ways).sum::<u128>() as f64 / choose(population, of) as f64
                    };
                    let is_possible = |all: &u64| {
                        probability(*all, &|i| i >= hits) > 0.025 && probability(*all, &|i| i <= hits) > 0.025
                    };
                    let possible: Vec<u64> = (0..=population).filter(is_possible).collect();
                    let found = Interval::of_finite(Share::new(hits, of), population, SURE);
                    let as_share = |all: &u64| *all as f64 / population as f64;
                    assert_eq!(
                        (Some(found.low), Some(found.high)),
                        (possible.first().map(as_share), possible.last().map(as_share)),
                        "{hits} of {of} of {population}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_finite_population_leaves_less_open_and_all_of_it_nothing() {
        let share = Share::new(240, 366);
        let plain = Interval::clopper_pearson(share, SURE);
        let [large, small] = [1_000_000, 500].map(|population| Interval::of_finite(share, population, SURE));
        assert!(
            (large.low - plain.low).abs() < 0.001 && (large.high - plain.high).abs() < 0.001,
            "{large:?} {plain:?}"
        );
        assert!(small.width() < 0.6 * plain.width() && small.holds(share.value().unwrap()), "{small:?}");
        let all = Interval::of_finite(share, 366, SURE);
        assert_eq!((all.low, all.width()), (share.value().unwrap(), 0.0));
    }

    #[test]
    fn nothing_drawn_says_nothing() {
        let nothing = Share::default();
        for interval in [
            Interval::clopper_pearson(nothing, SURE),
            Interval::wilson(nothing, SURE),
            Interval::of_finite(nothing, 9, SURE),
            Interval::of_finite(nothing, 0, SURE),
        ] {
            assert_eq!(interval, Interval::WHOLE);
        }
        assert_eq!((nothing.value(), Confidence::new(1.0), Confidence::new(0.0)), (None, None, None));
        assert_eq!(Confidence::new(0.999).unwrap().to_string(), "99.9 %");
    }
}
