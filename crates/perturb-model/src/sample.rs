//! A sample of mutants: how it is drawn, when it is large enough, and what it says about the score.

use crate::index::MutantIdx;
use crate::interval::{Confidence, Interval, Share};
use std::fmt;
use std::str::FromStr;

/// Which mutants are executed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SamplingStrategy {
    All,
    /// This percentage of all mutants.
    Uniform {
        percent: f64,
    },
    /// This percentage of the mutants of every function, and at least one of each.
    Stratified {
        percent: f64,
    },
    /// This number of mutants.
    Fixed {
        count: usize,
    },
    /// One mutant after the other, until the interval of the score is narrow enough: a fixed-width sequential
    /// confidence interval.
    Fsci,
}

/// The error for a text that names no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way to sample: all, uniform:10%, stratified:10%, fixed:1000 or fsci")]
pub struct SamplingStrategyError(String);

impl FromStr for SamplingStrategy {
    type Err = SamplingStrategyError;

    fn from_str(text: &str) -> Result<Self, SamplingStrategyError> {
        let error = || SamplingStrategyError(text.to_string());
        let percent = |number: &str| {
            let number: f64 = number.strip_suffix('%').unwrap_or(number).trim_end().parse().map_err(|_| error())?;
            // Excludes 0 and NaN.
            if number > 0.0 && number <= 100.0 {
                Ok(number)
            } else {
                Err(error())
            }
        };
        match text.split_once(':') {
            None if text == "all" => Ok(Self::All),
            None if text == "fsci" => Ok(Self::Fsci),
            Some(("uniform", number)) => Ok(Self::Uniform { percent: percent(number)? }),
            Some(("stratified", number)) => Ok(Self::Stratified { percent: percent(number)? }),
            Some(("fixed", number)) => match number.parse() {
                Ok(count) if count > 0 => Ok(Self::Fixed { count }),
                _ => Err(error()),
            },
            _ => Err(error()),
        }
    }
}

/// As users type it.
impl fmt::Display for SamplingStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Uniform { percent } => write!(f, "uniform:{percent}%"),
            Self::Stratified { percent } => write!(f, "stratified:{percent}%"),
            Self::Fixed { count } => write!(f, "fixed:{count}"),
            Self::Fsci => f.write_str("fsci"),
        }
    }
}

/// The user's options for the sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleOptions {
    /// None: chosen by the number of mutants.
    pub strategy: Option<SamplingStrategy>,
    pub rule: Rule,
}

impl SampleOptions {
    /// With more mutants than this, a sample is drawn unless the user asks for all.
    const MOST: usize = 20_000;

    pub fn strategy(&self, population: usize) -> SamplingStrategy {
        let suited = if population > Self::MOST { SamplingStrategy::Fsci } else { SamplingStrategy::All };
        self.strategy.unwrap_or(suited)
    }
}

/// When a sample is large enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The interval has to be narrower than this (T_CI).
    pub width: f64,
    pub confidence: Confidence,
    /// How reduced suites are calibrated, if they are used.
    pub calibration: Option<Calibration>,
}

/// How precisely a run has to know the share of kills that reduced suites miss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The largest width of the interval of that share (T_CE).
    pub width: f64,
    /// The least number of mutants that are executed with both the reduced and the whole suite.
    pub least: u64,
}

impl Rule {
    pub const WIDTH: f64 = 0.10;
}

impl Calibration {
    pub const DEFAULT: Self = Self { width: 0.035, least: 150 };
}

/// How the interval is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From whole suites alone.
    Plain,
    /// From reduced suites, corrected by the share of kills that these miss.
    Corrected { missed: Share },
    /// Reduced suites were asked for, but the mutants of the calibration sufficed.
    Sufficed,
    /// Reduced suites were asked for, but the calibration was not precise enough.
    NotCalibrated { missed: Share },
}

/// The estimate of the raw score, killed of killed and live: all else follows from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Killed, of the mutants that count: by the reduced suites where these are used.
    pub killed: Share,
    pub method: Method,
    pub confidence: Confidence,
}

impl Estimate {
    /// The interval for an infinite population.
    pub fn interval(&self) -> Interval {
        self.moved(Interval::clopper_pearson(self.killed, self.confidence))
    }

    /// The exact interval for a population of this size, drawn without replacement.
    pub fn finite_interval(&self, population: u64) -> Interval {
        self.moved(Interval::of_finite(self.killed, population, self.confidence))
    }

    /// The interval of the share of kills that reduced suites miss.
    pub fn calibrated(&self) -> Option<Interval> {
        match self.method {
            Method::Corrected { missed } => Some(Interval::wilson(missed, self.confidence)),
            Method::Plain | Method::Sufficed | Method::NotCalibrated { .. } => None,
        }
    }

    /// Killed of killed and live; with reduced suites the middle of the interval. None before the first draw.
    pub fn score(&self) -> Option<f64> {
        match self.method {
            Method::Corrected { .. } => Some(self.interval().middle()),
            Method::Plain | Method::Sufficed | Method::NotCalibrated { .. } => self.killed.value(),
        }
    }

    fn moved(&self, interval: Interval) -> Interval {
        self.calibrated().map_or(interval, |calibrated| interval.plus(calibrated))
    }
}

/// A sample, and the estimate of the raw score.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    pub strategy: SamplingStrategy,
    /// How many mutants could be drawn.
    pub population: usize,
    /// The mutants that count, in the order in which they were drawn. Empty where all are executed.
    pub drawn: Vec<MutantIdx>,
    pub rule: Rule,
    pub estimate: Estimate,
    /// Whether all mutants were drawn that the strategy asks for; not so where the time was up.
    pub is_complete: bool,
}
