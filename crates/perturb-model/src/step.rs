//! The steps of a run.

use std::fmt;

/// A step of a run, in the order of their execution. Each is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// Find the project and how it is built.
    Discover,
    /// List the mutants.
    Mutate,
    /// Build the project as it is, in a copy.
    Build,
    /// Run the tests on it, twice.
    Baseline,
    /// Build the project with every mutant in it.
    Instrument,
    /// Run the tests on the instrumented build: what they execute, reach and infect.
    Record,
    /// Execute the mutants.
    Execute,
    /// Check some verdicts by building the mutants by themselves.
    Audit,
    /// Compare the compiled code of mutants, in parallel with all steps after the baseline. The step's time is how long
    /// the run waited for it.
    Tce,
    /// Compare the whole units of live mutants.
    TceLive,
    /// Compare the statement counts of live mutants: which are likely equivalent, and which to look at first.
    Discard,
    /// Compare the functions of live mutants with the original's.
    Equivalence,
}

impl Step {
    pub const ALL: [Step; 12] = [
        Self::Discover,
        Self::Mutate,
        Self::Build,
        Self::Baseline,
        Self::Instrument,
        Self::Record,
        Self::Execute,
        Self::Audit,
        Self::Tce,
        Self::TceLive,
        Self::Discard,
        Self::Equivalence,
    ];

    /// The word for it in options, reports and the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Discover => "discover",
            Self::Mutate => "mutate",
            Self::Build => "build",
            Self::Baseline => "baseline",
            Self::Instrument => "instrument",
            Self::Record => "record",
            Self::Execute => "execute",
            Self::Audit => "audit",
            Self::Tce => "tce",
            Self::TceLive => "tce-live",
            Self::Discard => "discard",
            Self::Equivalence => "equivalence",
        }
    }
}

impl Step {
    /// The step that a word names. Stores of earlier builds have other words for three of them.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "mutants" => Some(Self::Mutate),
            "coverage" => Some(Self::Record),
            "tce of live" => Some(Self::TceLive),
            _ => Self::ALL.into_iter().find(|step| step.word() == word),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_names_its_step_and_so_do_words_of_earlier_builds() {
        assert!(Step::ALL.into_iter().all(|step| Step::of_word(step.word()) == Some(step)));
        let earlier = ["mutants", "coverage", "tce of live"].map(Step::of_word);
        assert_eq!(earlier, [Step::Mutate, Step::Record, Step::TceLive].map(Some));
        assert_eq!(Step::of_word("tomorrow"), None);
    }
}
