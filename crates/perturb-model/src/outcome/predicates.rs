//! Predicates of an outcome. Each matches every outcome, so that a new one does not compile before all of them handle
//! it.

use super::{Outcome, Verdict};

impl Verdict {
    pub fn is_kill(self) -> bool {
        match self {
            Self::Killed(_) => true,
            Self::Survived => false,
        }
    }
}

impl Outcome {
    pub fn is_killed(&self) -> bool {
        match self {
            Self::Killed { .. } => true,
            Self::Live
            | Self::NotCovered
            | Self::NotInfected
            | Self::Equivalent { .. }
            | Self::LikelyEquivalent
            | Self::Duplicate { .. }
            | Self::CompileError
            | Self::Unstable { .. }
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }

    /// Whether the raw score of covered code counts it as live: the tests should perhaps notice it.
    pub fn survives(&self) -> bool {
        match self {
            Self::Live | Self::NotInfected | Self::LikelyEquivalent => true,
            Self::Killed { .. }
            | Self::NotCovered
            | Self::Equivalent { .. }
            | Self::Duplicate { .. }
            | Self::CompileError
            | Self::Unstable { .. }
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }

    /// Whether it survives and nothing suggests that it is equivalent. Reports show it as a warning, others as a note.
    pub fn is_missed(&self) -> bool {
        match self {
            Self::Live | Self::NotInfected => true,
            Self::Killed { .. }
            | Self::NotCovered
            | Self::Equivalent { .. }
            | Self::LikelyEquivalent
            | Self::Duplicate { .. }
            | Self::CompileError
            | Self::Unstable { .. }
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }

    /// Whether a new test could kill it: it survives, or no test covers it.
    pub fn needs_test(&self) -> bool {
        match self {
            Self::Live | Self::NotCovered | Self::NotInfected | Self::LikelyEquivalent => true,
            Self::Killed { .. }
            | Self::Equivalent { .. }
            | Self::Duplicate { .. }
            | Self::CompileError
            | Self::Unstable { .. }
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }

    /// Whether the project's tests were not run on it, because none of them can kill it.
    pub fn lacks_infecting_test(&self) -> bool {
        match self {
            Self::NotCovered | Self::NotInfected => true,
            Self::Killed { .. }
            | Self::Live
            | Self::Equivalent { .. }
            | Self::LikelyEquivalent
            | Self::Duplicate { .. }
            | Self::CompileError
            | Self::Unstable { .. }
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }

    /// Whether running tests decided it, and nothing else. A mutant that is likely equivalent was live or not infected
    /// before, and something else has decided on it since.
    pub fn is_decided_by_tests(&self) -> bool {
        match self {
            Self::Killed { .. } | Self::Live => true,
            Self::NotCovered
            | Self::NotInfected
            | Self::Equivalent { .. }
            | Self::LikelyEquivalent
            | Self::Duplicate { .. }
            | Self::CompileError
            | Self::Unstable { .. }
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }

    /// Whether it is in the score of all code, where mutants that no test covers count as live.
    pub fn is_scored(&self) -> bool {
        self.is_killed() || self.needs_test()
    }

    /// Whether it is in the score of covered code, which leaves out mutants that no test covers.
    pub fn is_scored_of_covered(&self) -> bool {
        self.is_killed() || self.survives()
    }

    /// Whether it is proved to be the same as the original, or as another mutant that counts for both.
    pub fn is_redundant(&self) -> bool {
        match self {
            Self::Equivalent { .. } | Self::Duplicate { .. } => true,
            Self::Killed { .. }
            | Self::Live
            | Self::NotCovered
            | Self::NotInfected
            | Self::LikelyEquivalent
            | Self::CompileError
            | Self::Unstable { .. }
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }

    pub fn is_unstable(&self) -> bool {
        match self {
            Self::Unstable { .. } => true,
            Self::Killed { .. }
            | Self::Live
            | Self::NotCovered
            | Self::NotInfected
            | Self::Equivalent { .. }
            | Self::LikelyEquivalent
            | Self::Duplicate { .. }
            | Self::CompileError
            | Self::Skipped(_)
            | Self::Pending => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::every;
    use super::*;
    use crate::{Kill, Tally};

    type Predicate = (&'static str, fn(&Outcome) -> bool);

    #[test]
    fn each_outcome_has_these_properties_and_no_others() {
        let predicates: [Predicate; 10] = [
            ("killed", Outcome::is_killed),
            ("survives", Outcome::survives),
            ("missed", Outcome::is_missed),
            ("needs-test", Outcome::needs_test),
            ("uninfected", Outcome::lacks_infecting_test),
            ("by-tests", Outcome::is_decided_by_tests),
            ("scored", Outcome::is_scored),
            ("scored-of-covered", Outcome::is_scored_of_covered),
            ("redundant", Outcome::is_redundant),
            ("unstable", Outcome::is_unstable),
        ];
        let expected = |word: &str| match word {
            "killed" => "killed by-tests scored scored-of-covered",
            "live" => "survives missed needs-test by-tests scored scored-of-covered",
            "not covered" => "needs-test uninfected scored",
            "not infected" => "survives missed needs-test uninfected scored scored-of-covered",
            "likely equivalent" => "survives needs-test scored scored-of-covered",
            "equivalent" | "duplicate" => "redundant",
            "unstable" => "unstable",
            "compile error" | "skipped" | "pending" => "",
            other => panic!("{other} is not in the table"),
        };
        for outcome in every() {
            let matching = predicates.iter().filter(|(_, predicate)| predicate(&outcome));
            let names: Vec<&str> = matching.map(|(name, _)| *name).collect();
            assert_eq!(names.join(" "), expected(outcome.word()), "{outcome}");
        }
    }

    #[test]
    fn the_tally_counts_what_the_predicates_say() {
        let all = every();
        let tally: Tally = all.iter().collect();
        let count = |holds: fn(&Outcome) -> bool| all.iter().filter(|outcome| holds(outcome)).count();
        assert_eq!(count(Outcome::survives), tally.survivors());
        assert_eq!(count(Outcome::is_scored_of_covered), tally.score_of_covered().unwrap().of());
        assert_eq!(count(Outcome::is_scored), tally.score_of_all().unwrap().of());
    }

    #[test]
    fn only_a_kill_is_a_kill() {
        assert!(Verdict::Killed(Kill::Failed).is_kill() && !Verdict::Survived.is_kill());
    }
}
