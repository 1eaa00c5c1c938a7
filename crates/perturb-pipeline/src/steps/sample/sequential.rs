//! Decides when enough mutants were drawn: a fixed-width sequential confidence interval of the raw score, killed of
//! killed and live.
//!
//! Outcomes must be added in the order of the draw, whatever the order of execution: counting faster mutants first
//! would count too many killed ones.
//!
//! Reduced suites of tests kill fewer mutants than whole ones. To find out how many they miss, the first mutants are
//! executed with both; the interval is then that of the reduced suites, moved by that of the missed kills. Whole suites
//! are used to the end where that would not pay: if the interval of missed kills stays too wide, or if the first
//! mutants suffice.

use perturb_model::Estimate;
use perturb_model::Method;
use perturb_model::Rule;
use perturb_model::{Interval, Share};

/// Which tests a mutant is executed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteChoice {
    Whole,
    /// Both, each by itself.
    Both,
    Reduced,
}

/// Whether a drawn mutant was killed, by each suite that it was executed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drawn {
    pub by_whole: Option<bool>,
    pub by_reduced: Option<bool>,
}

/// A sample that is being drawn.
#[derive(Debug, Clone)]
pub struct Sequential {
    rule: Rule,
    phase: Phase,
    by_whole: Share,
    by_reduced: Share,
    /// Killed by the whole suite and not by the reduced one, of mutants that were executed with both.
    missed: Share,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Phase {
    Plain,
    Calibrating,
    Corrected,
}

impl Sequential {
    pub fn new(rule: Rule) -> Self {
        let phase = if rule.calibration.is_some() { Phase::Calibrating } else { Phase::Plain };
        let by_whole = Share::default();
        let by_reduced = Share::default();
        let missed = Share::default();
        Self { rule, phase, by_whole, by_reduced, missed, is_done: false }
    }

    /// The suite that the next mutant has to be executed with; None if the sample is large enough.
    pub fn next_suite(&self) -> Option<SuiteChoice> {
        (!self.is_done).then_some(match self.phase {
            Phase::Plain => SuiteChoice::Whole,
            Phase::Calibrating => SuiteChoice::Both,
            Phase::Corrected => SuiteChoice::Reduced,
        })
    }

    /// Adds the result of the next mutant in the order of the draw. Ignored if the sample is already large enough.
    ///
    /// # Panics
    /// If the mutant was not executed with the suite that [`Sequential::next_suite`] returns.
    pub fn add(&mut self, drawn: Drawn) {
        let (whole, reduced) = (drawn.by_whole, drawn.by_reduced);
        match self.next_suite() {
            None => {}
            Some(SuiteChoice::Whole) => {
                self.by_whole.add(whole.expect("it was executed with the whole suite"));
                self.is_done = self.is_narrow();
            }
            Some(SuiteChoice::Both) => {
                let whole = whole.expect("it was executed with the whole suite");
                let reduced = reduced.expect("it was executed with the reduced suite");
                self.by_whole.add(whole);
                self.by_reduced.add(reduced);
                self.missed.add(whole && !reduced);
                self.calibrate();
            }
            Some(SuiteChoice::Reduced) => {
                self.by_reduced.add(reduced.expect("it was executed with the reduced suite"));
                self.is_done = self.is_narrow();
            }
        }
    }

    fn calibrate(&mut self) {
        if self.is_narrow() {
            self.is_done = true;
            return;
        }
        let Some(calibration) = self.rule.calibration else { return };
        let missed = Interval::wilson(self.missed, self.rule.confidence);
        if self.missed.of() >= calibration.least && missed.width() <= calibration.width {
            self.phase = Phase::Corrected;
        }
    }

    fn is_narrow(&self) -> bool {
        self.estimate().interval().width() < self.rule.width
    }

    /// The estimate so far.
    pub fn estimate(&self) -> Estimate {
        let missed = self.missed;
        let confidence = self.rule.confidence;
        let (killed, method) = match self.phase {
            Phase::Plain => (self.by_whole, Method::Plain),
            Phase::Calibrating if self.is_done => (self.by_whole, Method::Sufficed),
            Phase::Calibrating => (self.by_whole, Method::NotCalibrated { missed }),
            Phase::Corrected => (self.by_reduced, Method::Corrected { missed }),
        };
        Estimate { killed, method, confidence }
    }

    /// How many more mutants to execute next: the expected number that is still needed, if the rest is like the mutants
    /// so far.
    pub fn next_wave_size(&self) -> usize {
        /// The first wave, before much is known: about what a score of two thirds next_suite.
        const FIRST: u64 = 350;
        const LEAST: u64 = 16;
        let drawn = self.estimate().killed.of();
        if let (Phase::Calibrating, Some(calibration)) = (self.phase, self.rule.calibration) {
            // Execution with both suites is the most expensive.
            return calibration.least.saturating_sub(drawn).max(2 * LEAST) as usize;
        }
        if drawn < LEAST {
            return FIRST as usize;
        }
        let mut ahead = self.clone();
        let scaled = |share: Share, of: u64| Share::new(share.hits() * of / share.of().max(1), of);
        let (mut low, mut high) = (drawn, drawn * 2);
        let is_enough = |of: u64, ahead: &mut Self| {
            (ahead.by_whole, ahead.by_reduced) = (scaled(self.by_whole, of), scaled(self.by_reduced, of));
            ahead.is_narrow()
        };
        while !is_enough(high, &mut ahead) && high < 1 << 40 {
            (low, high) = (high, high * 2);
        }
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if is_enough(middle, &mut ahead) {
                high = middle;
            } else {
                low = middle;
            }
        }
        let more = high - drawn;
        // After few mutants, the expected number is only a rough guess.
        let wave = if more > drawn { more * 3 / 4 } else { more * 21 / 20 };
        wave.max(LEAST) as usize
    }
}

#[cfg(test)]
mod tests;
