//! MASS step 7 by comparing functions: how a judgement changes the outcome of a live mutant.
//!
//! A proof for all inputs without assumptions takes it out of the score. A proof under a bound or an assumption makes
//! it likely equivalent. An input that shows a difference keeps it alive, and shows where to look.

use perturb_model::{Judgement, Kind, Outcome, Proof, ProvedBy, Tier};

/// When the functions of mutants are compared with the original's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EquivalenceWhen {
    /// For mutants that live after all other steps.
    Live,
    Never,
}

/// The new outcome of a mutant; None if it does not change.
pub fn outcome(now: &Outcome, judgement: &Judgement) -> Option<Outcome> {
    let then = match judgement {
        Judgement::Equivalent(proof) => match proved_by(proof) {
            Some(by) => Outcome::Equivalent { by },
            None => Outcome::LikelyEquivalent,
        },
        // It is not equivalent after all. Undefined behaviour alone may give the same results on every machine.
        Judgement::Different(shown) if *now == Outcome::LikelyEquivalent && shown.kind != Kind::Undefined => {
            Outcome::Live
        }
        Judgement::Different(_) | Judgement::Unknown { .. } => return None,
    };
    (then != *now).then_some(then)
}

/// What proves the mutant equivalent; None if the proof does not cover everything.
pub fn proved_by(proof: &Proof) -> Option<ProvedBy> {
    let by = match proof.by {
        Tier::Native => None,
        Tier::Exhaustive => Some(ProvedBy::AllInputs),
        Tier::Order => Some(ProvedBy::AllOrders),
        Tier::Code { level } => Some(ProvedBy::SameFunction { level }),
        Tier::Clang => Some(ProvedBy::SameByClang),
        Tier::Structural => Some(ProvedBy::SameTerms),
        Tier::Proof => Some(ProvedBy::Solver),
        Tier::Paths => Some(ProvedBy::Paths),
    };
    by.filter(|_| proof.is_unconditional())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_model::Comparisons;
    use perturb_model::Witness;

    fn proved(by: Tier, bound: Option<&str>, assumptions: &[&str]) -> Judgement {
        let assumptions = assumptions.iter().map(ToString::to_string).collect();
        Judgement::Equivalent(Proof { by, bound: bound.map(String::from), assumptions })
    }

    fn different(kind: Kind) -> Judgement {
        Judgement::Different(Witness { kind, by: Tier::Native, input: Vec::new(), changes: Vec::new() })
    }

    #[test]
    fn only_what_holds_for_all_inputs_leaves_the_score() {
        let (live, likely) = (Outcome::Live, Outcome::LikelyEquivalent);
        let equivalent = |by| Some(Outcome::Equivalent { by });
        for now in [&live, &likely, &Outcome::NotInfected] {
            assert_eq!(outcome(now, &proved(Tier::Exhaustive, None, &[])), equivalent(ProvedBy::AllInputs));
            assert_eq!(outcome(now, &proved(Tier::Proof, None, &[])), equivalent(ProvedBy::Solver));
            assert_eq!(outcome(now, &proved(Tier::Native, None, &[])), (now != &likely).then(|| likely.clone()));
        }
        for bounded in [proved(Tier::Order, Some("b"), &[]), proved(Tier::Structural, None, &["a"])] {
            assert_eq!(outcome(&live, &bounded), Some(likely.clone()));
            assert_eq!(outcome(&Outcome::NotInfected, &bounded), Some(likely.clone()));
            assert_eq!(outcome(&likely, &bounded), None);
        }
    }

    #[test]
    fn what_is_shown_to_differ_is_alive_and_what_is_unknown_stays_as_it_is() {
        for kind in [Kind::Output, Kind::Ended, Kind::Endless, Kind::Undefined] {
            assert_eq!(outcome(&Outcome::Live, &different(kind)), None);
            assert_eq!(outcome(&Outcome::NotInfected, &different(kind)), None);
        }
        assert_eq!(outcome(&Outcome::LikelyEquivalent, &different(Kind::Output)), Some(Outcome::Live));
        assert_eq!(outcome(&Outcome::LikelyEquivalent, &different(Kind::Undefined)), None);
        let unknown = Judgement::Unknown { why: "w".into() };
        assert_eq!(outcome(&Outcome::LikelyEquivalent, &unknown), None);
        let all =
            [different(Kind::Output), proved(Tier::Proof, None, &[]), proved(Tier::Proof, Some("b"), &[]), unknown];
        let counted: Comparisons = all.iter().collect();
        assert_eq!((counted.total(), counted.different(), counted.conditional), (4, 1, 1));
    }
}
