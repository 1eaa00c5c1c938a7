//! Step 5, sample: which mutants are executed, in which order they are drawn, and when enough of them were.
//!
//! A draw depends on the seed and on the mutant alone: neither on the number of jobs nor on what else there is to draw.

mod draw;
mod sequential;

pub use draw::{draw, Strategy, StrategyError, Stratum};
pub use sequential::{Calibration, Drawn, Estimate, Method, Rule, Sequential, Suite};

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleOptions {
    /// None: by how many there are.
    pub strategy: Option<Strategy>,
    pub rule: Rule,
}

impl SampleOptions {
    /// Beyond so many mutants not all of them are executed unless that is asked for.
    const MOST: usize = 20_000;

    pub fn strategy(&self, population: usize) -> Strategy {
        let suited = if population > Self::MOST { Strategy::Fsci } else { Strategy::All };
        self.strategy.unwrap_or(suited)
    }
}

/// A sample, and what it says of the raw score.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    pub strategy: Strategy,
    /// How many mutants could have been drawn.
    pub population: usize,
    /// The places of those that count, in the order in which they were drawn. None of them where all are executed.
    pub drawn: Vec<usize>,
    pub rule: Rule,
    pub estimate: Estimate,
    /// Whether all were drawn that should be: time may have been up.
    pub is_complete: bool,
}
