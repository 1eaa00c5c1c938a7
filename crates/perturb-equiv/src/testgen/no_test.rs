//! Why there is no test for a mutant that an input shows.

use crate::native::Tolerance;
use perturb_model::{Judgement, TestgenOutcome};
use std::fmt;

/// A mutant without a confirmed test, so far.
#[derive(Debug)]
pub(super) struct Unconfirmed {
    pub judgement: Judgement,
    pub why: NoTest,
}

impl Unconfirmed {
    pub fn outcome(self) -> TestgenOutcome {
        TestgenOutcome::Unconfirmed { judgement: self.judgement, why: self.why.to_string() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoTest {
    NotTried,
    /// No input shows it whatever memory is around its objects.
    DependsOnSurroundings,
    WithinTolerance(Tolerance),
    /// The message of the compiler, or what else is wrong.
    NoProgram(String),
    /// What the test does on the original instead of passing.
    FailsOnOriginal(String),
    Passes {
        /// If it compares floats within a tolerance.
        within: Option<Tolerance>,
    },
}

impl fmt::Display for NoTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PASSES: &str = "its test passes with the mutant, too";
        match self {
            Self::NotTried => f.write_str("it was not tried"),
            Self::DependsOnSurroundings => {
                f.write_str("its difference depends on what is around the memory that it is given, or on earlier calls")
            }
            Self::WithinTolerance(tolerance) => {
                write!(f, "it differs by no more than the tolerance, {tolerance}, as far as was found")
            }
            Self::NoProgram(why) => write!(f, "no program can be made of its test: {why}"),
            Self::FailsOnOriginal(what) => f.write_str(what),
            Self::Passes { within: None } => f.write_str(PASSES),
            Self::Passes { within: Some(tolerance) } => {
                write!(f, "{PASSES}; numbers that differ by no more than {tolerance} are the same to it")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_read_as_clauses() {
        let tolerance = Tolerance::new(1e-6).unwrap();
        for (why, expected) in [
            (NoTest::NotTried, "it was not tried"),
            (NoTest::WithinTolerance(tolerance), "it differs by no more than the tolerance, 1e-6, as far as was found"),
            (NoTest::NoProgram("a.c:1: no".into()), "no program can be made of its test: a.c:1: no"),
            (NoTest::FailsOnOriginal("its test fails on the original".into()), "its test fails on the original"),
            (NoTest::Passes { within: None }, "its test passes with the mutant, too"),
            (
                NoTest::Passes { within: Some(tolerance) },
                "its test passes with the mutant, too; numbers that differ by no more than 1e-6 are the same to it",
            ),
        ] {
            assert_eq!(why.to_string(), expected);
        }
        assert!(NoTest::DependsOnSurroundings.to_string().starts_with("its difference depends on"));
    }
}
