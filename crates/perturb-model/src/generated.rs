//! The results of generating tests for mutants.

use crate::judgement::{Difference, Judgement};
use crate::mutant::MutantId;

/// The result of test generation for one mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestgenOutcome {
    /// These tests of a file kill it; perturb has run them.
    Killed { tests: Vec<String>, file: String },
    /// It differs only by undefined behaviour. These tests of a file fail on it when they are compiled with sanitizers;
    /// perturb has run them.
    Sanitized { judgement: Judgement, tests: Vec<String>, file: String },
    /// There is an input on which it differs, but no test that shows it.
    Unconfirmed { judgement: Judgement, why: String },
    /// The judgement gives no test: the mutant is equivalent, undefined on the inputs that show the difference, or
    /// unknown.
    Left(Judgement),
}

/// The results for the mutants of a function. Mutants are given by id, because indices change with the selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputSearchResult {
    pub judged: Vec<MutantJudgement>,
    pub chosen: Vec<ChosenInput>,
    /// Mutants that differ by less than a tolerance.
    pub within_tolerance: Vec<MutantId>,
}

/// The judgement on one mutant of the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutantJudgement {
    pub mutant: MutantId,
    pub judgement: Judgement,
}

/// An input that a test is written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenInput {
    /// The mutant that the input was chosen for.
    pub own: MutantId,
    /// The index of the wider signature that the function is called with; None for its own.
    pub wider: Option<usize>,
    /// The mutants that the input kills, each with the difference from the original.
    pub kills: Vec<(MutantId, Difference)>,
}

/// The framework that runs generated tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framework {
    /// A `main` without a framework, which ends with status 1 if a test fails.
    Plain,
    Cmocka,
    Unity,
    Check,
    GoogleTest,
}

impl Framework {
    pub const ALL: [Self; 5] = [Self::Plain, Self::Cmocka, Self::Unity, Self::Check, Self::GoogleTest];

    /// The name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Cmocka => "cmocka",
            Self::Unity => "unity",
            Self::Check => "check",
            Self::GoogleTest => "gtest",
        }
    }

    /// The header that a file of tests includes.
    pub fn header(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Cmocka => Some("cmocka.h"),
            Self::Unity => Some("unity.h"),
            Self::Check => Some("check.h"),
            Self::GoogleTest => Some("gtest/gtest.h"),
        }
    }

    /// The options that link the framework.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Self::Plain | Self::Unity => &[],
            Self::Cmocka => &["-lcmocka"],
            // Check needs the other libraries itself.
            Self::Check => &["-lcheck", "-lsubunit", "-lrt", "-lpthread"],
            Self::GoogleTest => &["-lgtest_main", "-lgtest", "-lpthread", "-lstdc++"],
        }
    }

    /// How to install the framework.
    pub fn how_to_install(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Cmocka => "on Debian: apt-get install libcmocka-dev",
            Self::Unity => "the project has no unity.c among the files that it compiles",
            Self::Check => "on Debian: apt-get install check",
            Self::GoogleTest => "on Debian: apt-get install libgtest-dev g++",
        }
    }
}

impl std::str::FromStr for Framework {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|framework| framework.name() == text).ok_or_else(|| format!("one of {}", known()))
    }
}
