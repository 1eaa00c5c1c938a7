//! MASS step 8, score: the share of mutants that the tests notice, with its confidence interval.

use perturb_model::{Confidence, Estimate, Interval, Method, Sampled, SamplingStrategy, Share, Tally};

/// A share of killed mutants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    pub share: f64,
    /// None where every mutant was executed, so that the share is exact.
    pub interval: Option<Interval>,
}

impl Rate {
    /// The rate in a larger population, of which this part was sampled and the rest has no kills.
    fn diluted(self, part: f64) -> Self {
        let diluted = |interval: Interval| Interval { low: interval.low * part, high: interval.high * part };
        Self { share: self.share * part, interval: self.interval.map(diluted) }
    }

    pub fn percent(self) -> f64 {
        100.0 * self.share
    }
}

/// The scores of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Raw: killed of killed and live, over covered code. Mutants that no test infects count as live.
    pub covered: Rate,
    /// The raw score over all code: mutants that no test covers count as live too.
    pub all: Rate,
    /// Without likely equivalent mutants. Its interval treats the rest as a sample, and is valid only if these are
    /// really equivalent.
    pub adjusted: Rate,
    /// The score of MASS, which treats all mutants as equivalent that do not change what is executed, including those
    /// that no test infects.
    pub mass: Option<Rate>,
    pub confidence: Confidence,
}

impl Scores {
    /// None unless a mutant was executed that a test could have killed: mutants that need no execution say nothing
    /// about the tests of a run that stopped before the first one.
    pub fn of(tally: &Tally, sampled: Option<&Sampled>) -> Option<Self> {
        if tally.executed() == 0 {
            return None;
        }
        let killed = tally.killed.total() as u64;
        let live = tally.live as u64;
        let share = |live: u64| Share::new(killed, killed + live);
        let confidence = sampled.map_or(Confidence::DEFAULT, |sampled| sampled.rule.confidence);
        let part = sampled.filter(|sampled| is_part(sampled));
        let rate = |share: Share| {
            let interval = part.map(|_| Interval::clopper_pearson(share, confidence));
            share.value().map(|share| Rate { share, interval })
        };
        let covered = match part {
            Some(Sampled { estimate, .. }) => of_estimate(estimate)?,
            None => rate(share(tally.survivors() as u64))?,
        };
        // The sampled population, and the mutants that no test covers.
        let population = part.map_or(share(tally.survivors() as u64).of(), |sampled| sampled.population as u64) as f64;
        let all = covered.diluted(population / (population + tally.not_covered as f64));
        let adjusted = rate(share(live + tally.not_infected as u64)).unwrap_or(covered);
        Some(Self { covered, all, adjusted, mass: rate(share(live)), confidence })
    }
}

/// Whether the score is estimated from some of the mutants.
pub fn is_part(sampled: &Sampled) -> bool {
    let is_all = sampled.strategy == SamplingStrategy::All && sampled.is_complete;
    !sampled.drawn.is_empty() && (!is_all || sampled.estimate.method != Method::Plain)
}

fn of_estimate(estimate: &Estimate) -> Option<Rate> {
    Some(Rate { share: estimate.score()?, interval: Some(estimate.interval()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_model::{Kills, MutantIdx, Rule};

    fn tally() -> Tally {
        let killed = Kills { failed: 60, ..Kills::default() };
        Tally { killed, live: 20, not_infected: 15, likely_equivalent: 5, not_covered: 100, ..Tally::default() }
    }

    #[test]
    fn each_score_leaves_out_the_mutants_that_it_should() {
        let scores = Scores::of(&tally(), None).unwrap();
        let shares = [scores.covered, scores.all, scores.adjusted, scores.mass.unwrap()].map(|rate| rate.share);
        assert_eq!(shares, [0.6, 0.3, 60.0 / 95.0, 0.75]);
        assert_eq!(scores.covered.interval, None);
        assert_eq!(Scores::of(&Tally::default(), None), None);
        let unexecuted = Tally { not_infected: 78, not_covered: 3, pending: 100, ..Tally::default() };
        assert_eq!(Scores::of(&unexecuted, None), None, "0 of 78 would say that tests miss what they were not run on");
    }

    #[test]
    fn a_sample_represents_the_population() {
        let confidence = Confidence::DEFAULT;
        let estimate = Estimate { killed: Share::new(60, 100), method: Method::Plain, confidence };
        let rule = Rule { width: 0.1, confidence, calibration: None };
        let strategy = SamplingStrategy::Fsci;
        let drawn = MutantIdx::all(100).collect();
        let sampled = Sampled { strategy, population: 900, drawn, rule, estimate, is_complete: true };
        let scores = Scores::of(&tally(), Some(&sampled)).unwrap();
        assert_eq!((scores.covered.share, scores.all.share), (0.6, 0.6 * 0.9));
        let (covered, all) = (scores.covered.interval.unwrap(), scores.all.interval.unwrap());
        assert_eq!(covered, Interval::clopper_pearson(Share::new(60, 100), confidence));
        assert!((all.high - 0.9 * covered.high).abs() < 1e-12);
    }
}
