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
            Self::Mutate => "mutants",
            Self::Build => "build",
            Self::Baseline => "baseline",
            Self::Instrument => "instrument",
            Self::Record => "coverage",
            Self::Execute => "execute",
            Self::Audit => "audit",
            Self::Tce => "tce",
            Self::TceLive => "tce of live",
            Self::Discard => "discard",
            Self::Equivalence => "equivalence",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
