//! The findings of compiled code, and how they change outcomes together with the verdicts of tests.

use super::classes::Same;
use perturb_model::{Mutant, MutantIdx, Outcome, ProvedBy};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The findings so far. Several threads add to them and read them. A mutant is added once all units that contain it
/// agree.
#[derive(Debug, Default)]
pub struct Findings {
    found: Mutex<BTreeMap<MutantIdx, Finding>>,
}

/// The finding on one mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    pub same: Same,
    /// Whether only its whole unit showed it.
    pub by_unit: bool,
}

impl Finding {
    /// The finding as an outcome.
    pub fn outcome(&self, mutants: &[Mutant]) -> Outcome {
        match self.same {
            Same::AsOriginal { level } if self.by_unit => Outcome::Equivalent { by: ProvedBy::SameUnit { level } },
            Same::AsOriginal { level } => Outcome::Equivalent { by: ProvedBy::SameFunction { level } },
            Same::AsMutant { mutant, level } => Outcome::Duplicate { of: mutants[mutant].id, level },
        }
    }

    /// Whether a mutant with this outcome is now found to be equivalent.
    pub fn replaces(&self, outcome: &Outcome) -> bool {
        matches!((self.same, test_status(outcome)), (Same::AsOriginal { .. }, TestStatus::Alive))
    }
}

impl Findings {
    pub fn add(&self, same: BTreeMap<MutantIdx, Same>, by_unit: bool) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for (mutant, same) in same {
            found.entry(mutant).or_insert(Finding { same, by_unit });
        }
    }

    pub fn all(&self) -> BTreeMap<MutantIdx, Finding> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn get(&self, mutant: MutantIdx) -> Option<Finding> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).get(&mutant).copied()
    }
}

/// The changes of outcomes that follow from findings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct WeighedFindings {
    /// Outcomes that replace those of the tests.
    pub replaced: Vec<(MutantIdx, Outcome)>,
    /// Outcomes that compiled code suggests and tests refute. The tests are right.
    pub contradicted: Vec<(MutantIdx, Outcome)>,
}

/// Compares findings with outcomes. Equal code is only equivalent if no undefined behaviour occurs: a kill is valid in
/// spite of equal code, and the contradiction is reported.
pub fn judge(mutants: &[Mutant], outcomes: &[Outcome], found: &BTreeMap<MutantIdx, Finding>) -> WeighedFindings {
    let mut judged = WeighedFindings::default();
    for (&mutant, found) in found {
        if outcomes[mutant].is_redundant() {
            continue;
        }
        let says = found.outcome(mutants);
        match (&outcomes[mutant], found.same) {
            (Outcome::Killed { .. }, Same::AsOriginal { .. }) => judged.contradicted.push((mutant, says)),
            (outcome, Same::AsMutant { mutant: other, .. }) => {
                match (test_status(outcome), test_status(&outcomes[other])) {
                    // One of them has a verdict that the other still lacks: it is kept.
                    (TestStatus::Killed, TestStatus::Open) | (TestStatus::Alive, TestStatus::Open) => {}
                    (TestStatus::None, _) | (_, TestStatus::None) => {}
                    (one, other) if one == TestStatus::Open || one == other => judged.replaced.push((mutant, says)),
                    _ => judged.contradicted.push((mutant, says)),
                }
            }
            (outcome, Same::AsOriginal { .. })
                if matches!(test_status(outcome), TestStatus::Alive | TestStatus::Open) =>
            {
                judged.replaced.push((mutant, says));
            }
            (_, Same::AsOriginal { .. }) => {}
        }
    }
    judged
}

/// The verdict of tests on a mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestStatus {
    Killed,
    Alive,
    Open,
    /// It takes no part.
    None,
}

fn test_status(outcome: &Outcome) -> TestStatus {
    match outcome {
        Outcome::Killed { .. } => TestStatus::Killed,
        Outcome::Live | Outcome::NotCovered | Outcome::NotInfected | Outcome::LikelyEquivalent => TestStatus::Alive,
        // All other mutants differ from those that are the same as the original.
        Outcome::Equivalent { .. } => TestStatus::Alive,
        Outcome::Pending => TestStatus::Open,
        Outcome::Duplicate { .. } | Outcome::CompileError | Outcome::Unstable { .. } | Outcome::Skipped(_) => {
            TestStatus::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_csrc::{Operator, Scope, SourceFile, SourceRange};
    use perturb_model::{Kill, Level, MutantId, MutatedFile};
    use std::sync::Arc;

    fn mutants(count: usize) -> Vec<Mutant> {
        let source = SourceFile::new("a.c", b"x".to_vec());
        let file = Arc::new(MutatedFile { relative: "a.c".into(), source });
        let scope = Arc::new(Scope { name: "f".into(), parameters: String::new(), is_function: true });
        let mutant = |at: usize| Mutant {
            id: MutantId::from_bits(at as u64),
            file: file.clone(),
            range: SourceRange::new(0, 1),
            operator: Operator::Ror,
            replacement: Box::default(),
            scope: scope.clone(),
            constant: None,
            suppression: None,
        };
        (0..count).map(mutant).collect()
    }

    fn judged(letters: &str, found: &[(usize, Same)]) -> String {
        let outcome = |letter| match letter {
            'k' => Outcome::Killed { test: "t".into(), how: Kill::Failed },
            'l' => Outcome::Live,
            'i' => Outcome::NotInfected,
            'p' => Outcome::Pending,
            _ => Outcome::CompileError,
        };
        let outcomes: Vec<Outcome> = letters.chars().map(outcome).collect();
        let found = found
            .iter()
            .map(|(number, same)| (MutantIdx::new(*number), Finding { same: *same, by_unit: false }))
            .collect();
        let judged = judge(&mutants(outcomes.len()), &outcomes, &found);
        let shown = |(mutant, outcome): &(MutantIdx, Outcome)| format!("{} {}", mutant.get(), outcome.word());
        let list = |list: &[(MutantIdx, Outcome)]| list.iter().map(shown).collect::<Vec<_>>().join(", ");
        format!("{} | {}", list(&judged.replaced), list(&judged.contradicted))
    }

    const ORIGINAL: Same = Same::AsOriginal { level: Level::O2 };

    fn as_mutant(number: usize) -> Same {
        Same::AsMutant { mutant: MutantIdx::new(number), level: Level::O2 }
    }

    #[test]
    fn what_lives_and_is_the_same_as_the_original_is_equivalent() {
        assert_eq!(
            judged("lip", &[(0, ORIGINAL), (1, ORIGINAL), (2, ORIGINAL)]),
            "0 equivalent, 1 equivalent, 2 equivalent | "
        );
    }

    #[test]
    fn a_kill_is_valid_and_the_contradiction_is_reported() {
        assert_eq!(judged("k", &[(0, ORIGINAL)]), " | 0 equivalent");
        assert_eq!(judged("lk", &[(1, as_mutant(0))]), " | 1 duplicate");
        assert_eq!(judged("kl", &[(1, as_mutant(0))]), " | 1 duplicate");
    }

    #[test]
    fn duplicates_count_once_if_tests_agree_on_them() {
        assert_eq!(judged("kk", &[(1, as_mutant(0))]), "1 duplicate | ");
        assert_eq!(judged("il", &[(1, as_mutant(0))]), "1 duplicate | ");
        assert_eq!(judged("kp", &[(1, as_mutant(0))]), "1 duplicate | ");
    }

    #[test]
    fn a_verdict_is_not_replaced_by_a_missing_one() {
        assert_eq!(judged("pk", &[(1, as_mutant(0))]), " | ");
        assert_eq!(judged("pp", &[(1, as_mutant(0))]), "1 duplicate | ", "neither has one");
        assert_eq!(judged("ck", &[(1, as_mutant(0))]), " | ");
    }
}
