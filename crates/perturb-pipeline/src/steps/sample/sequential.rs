//! When enough mutants were drawn: a fixed-width sequential confidence interval of the raw score, killed of killed and live.
//!
//! Outcomes come in the order in which mutants were drawn, however they were executed: who counts those that were faster
//! counts more of the killed ones.
//!
//! With reduced suites of tests, fewer mutants are killed than with whole ones. By how much is found out on the first mutants
//! drawn, which are executed with both; the interval is then that of the reduced suites, moved by that of what they miss.
//! Where that would not pay, because the interval of what they miss stays too wide or those mutants suffice, whole suites
//! are used to the end.

use crate::interval::{Confidence, Interval, Share};

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

/// Which tests a mutant is executed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suite {
    Whole,
    /// Both, each by itself.
    Both,
    Reduced,
}

/// Whether a mutant that was drawn was killed; by the suites that were asked for at least.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    pub by_whole: Option<bool>,
    pub by_reduced: Option<bool>,
}

/// Where the interval comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Whole suites, from the beginning.
    Plain,
    /// Reduced suites, and what these miss.
    Corrected { missed: Share, calibrated: Interval, reduced: Interval },
    /// Reduced suites were asked for, but the mutants executed with both sufficed.
    Sufficed,
    /// Reduced suites were asked for, but it could not be found out well enough what they miss.
    NotCalibrated { missed: Share },
}

/// What is known of the score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Killed, of the mutants that count: by the reduced suites where these do.
    pub killed: Share,
    pub interval: Interval,
    /// None before anything was drawn.
    pub score: Option<f64>,
    pub method: Method,
}

/// A sample that is being drawn.
#[derive(Debug, Clone)]
pub struct Sequential {
    rule: Rule,
    phase: Phase,
    by_whole: Share,
    by_reduced: Share,
    /// Killed by the whole suite and not by the reduced one, of those executed with both.
    missed: Share,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Plain,
    Calibrating,
    Corrected { calibrated: Interval },
}

impl Sequential {
    pub fn new(rule: Rule) -> Self {
        let phase = if rule.calibration.is_some() { Phase::Calibrating } else { Phase::Plain };
        let (by_whole, by_reduced, missed) = Default::default();
        Self { rule, phase, by_whole, by_reduced, missed, is_done: false }
    }

    /// What the next mutant has to be executed with. None: it is enough.
    pub fn needs(&self) -> Option<Suite> {
        (!self.is_done).then_some(match self.phase {
            Phase::Plain => Suite::Whole,
            Phase::Calibrating => Suite::Both,
            Phase::Corrected { .. } => Suite::Reduced,
        })
    }

    /// Takes what became of the next mutant in the order of the draw. What was executed without need is passed over.
    ///
    /// # Panics
    /// If it was not executed with what was needed.
    pub fn add(&mut self, drawn: Drawn) {
        let (whole, reduced) = (drawn.by_whole, drawn.by_reduced);
        match self.needs() {
            None => {}
            Some(Suite::Whole) => {
                self.by_whole.add(whole.expect("it was executed with the whole suite"));
                self.is_done = self.plain().width() < self.rule.width;
            }
            Some(Suite::Both) => {
                let whole = whole.expect("it was executed with the whole suite");
                let reduced = reduced.expect("it was executed with the reduced suite");
                self.by_whole.add(whole);
                self.by_reduced.add(reduced);
                self.missed.add(whole && !reduced);
                self.calibrate();
            }
            Some(Suite::Reduced) => {
                self.by_reduced.add(reduced.expect("it was executed with the reduced suite"));
                self.is_done = self.estimate().interval.width() < self.rule.width;
            }
        }
    }

    fn calibrate(&mut self) {
        if self.plain().width() < self.rule.width {
            self.is_done = true;
            return;
        }
        let Some(calibration) = self.rule.calibration else { return };
        let missed = Interval::wilson(self.missed, self.rule.confidence);
        if self.missed.of() >= calibration.least && missed.width() <= calibration.width {
            self.phase = Phase::Corrected { calibrated: missed };
        }
    }

    /// With whole suites.
    fn plain(&self) -> Interval {
        Interval::clopper_pearson(self.by_whole, self.rule.confidence)
    }

    /// What is known so far.
    pub fn estimate(&self) -> Estimate {
        let (killed, missed) = (self.by_whole, self.missed);
        let plain = |method| Estimate { killed, interval: self.plain(), score: killed.value(), method };
        match self.phase {
            Phase::Plain => plain(Method::Plain),
            Phase::Calibrating if self.is_done => plain(Method::Sufficed),
            Phase::Calibrating => plain(Method::NotCalibrated { missed }),
            Phase::Corrected { calibrated } => {
                let killed = self.by_reduced;
                let reduced = Interval::clopper_pearson(killed, self.rule.confidence);
                let interval = reduced.plus(calibrated);
                let method = Method::Corrected { missed, calibrated, reduced };
                Estimate { killed, interval, score: Some(interval.middle()), method }
            }
        }
    }
}

#[cfg(test)]
mod tests;
