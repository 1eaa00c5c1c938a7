//! A sample of mutants: how it is drawn, when it is large enough, and what it says of the score.

use crate::index::MutantIdx;
use crate::interval::{Confidence, Interval, Share};
use std::fmt;
use std::str::FromStr;

/// Which mutants are executed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SamplingStrategy {
    All,
    /// So many percent of all.
    Uniform {
        percent: f64,
    },
    /// So many percent of those of every function, and at least one.
    Stratified {
        percent: f64,
    },
    /// So many of all.
    Fixed {
        count: usize,
    },
    /// One after the other, until the interval of the score is narrow enough: a fixed-width sequential confidence
    /// interval.
    Fsci,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way to sample: all, uniform:10%, stratified:10%, fixed:1000 or fsci")]
pub struct SamplingStrategyError(String);

impl FromStr for SamplingStrategy {
    type Err = SamplingStrategyError;

    fn from_str(text: &str) -> Result<Self, SamplingStrategyError> {
        let error = || SamplingStrategyError(text.to_string());
        let percent = |number: &str| {
            let number: f64 = number.strip_suffix('%').unwrap_or(number).trim_end().parse().map_err(|_| error())?;
            // Neither nothing nor what is no number.
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

/// As it is typed.
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

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleOptions {
    /// None: by how many there are.
    pub strategy: Option<SamplingStrategy>,
    pub rule: Rule,
}

impl SampleOptions {
    /// Beyond so many mutants not all of them are executed unless that is asked for.
    const MOST: usize = 20_000;

    pub fn strategy(&self, population: usize) -> SamplingStrategy {
        let suited = if population > Self::MOST { SamplingStrategy::Fsci } else { SamplingStrategy::All };
        self.strategy.unwrap_or(suited)
    }
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The interval has to be narrower than this (T_CI).
    pub width: f64,
    pub confidence: Confidence,
    /// With reduced suites.
    pub calibration: Option<Calibration>,
}

/// How well it has to be known what reduced suites miss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The interval may be so wide (T_CE).
    pub width: f64,
    /// So many mutants at least are executed with both.
    pub least: u64,
}

impl Rule {
    pub const WIDTH: f64 = 0.10;
}

impl Calibration {
    pub const DEFAULT: Self = Self { width: 0.035, least: 150 };
}

/// Where the interval comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Whole suites, from the beginning.
    Plain,
    /// Reduced suites, and what these miss of mutants that whole ones kill.
    Corrected { missed: Share },
    /// Reduced suites were asked for, but the mutants executed with both sufficed.
    Sufficed,
    /// Reduced suites were asked for, but it could not be found out well enough what they miss.
    NotCalibrated { missed: Share },
}

/// What is known of the raw score, killed of killed and live: all else follows from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Killed, of the mutants that count: by the reduced suites where these do.
    pub killed: Share,
    pub method: Method,
    pub confidence: Confidence,
}

impl Estimate {
    /// As of a population without end.
    pub fn interval(&self) -> Interval {
        self.moved(Interval::clopper_pearson(self.killed, self.confidence))
    }

    /// Of a population of this size, of which none was drawn twice: exact.
    pub fn finite_interval(&self, population: u64) -> Interval {
        self.moved(Interval::of_finite(self.killed, population, self.confidence))
    }

    /// Of what reduced suites miss.
    pub fn calibrated(&self) -> Option<Interval> {
        match self.method {
            Method::Corrected { missed } => Some(Interval::wilson(missed, self.confidence)),
            Method::Plain | Method::Sufficed | Method::NotCalibrated { .. } => None,
        }
    }

    /// Killed of killed and live; with reduced suites the middle of the interval. None before anything was drawn.
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

/// A sample, and what it says of the raw score.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    pub strategy: SamplingStrategy,
    /// How many mutants could have been drawn.
    pub population: usize,
    /// Those that count, in the order in which they were drawn. None of them where all are executed.
    pub drawn: Vec<MutantIdx>,
    pub rule: Rule,
    pub estimate: Estimate,
    /// Whether all were drawn that should be: time may have been up.
    pub is_complete: bool,
}
