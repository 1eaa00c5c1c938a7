//! What comes of generating tests for mutants.

use crate::judgement::{Difference, Judgement};
use crate::mutant::MutantId;

/// What came of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// These tests of a file kill it, as was seen.
    Killed { tests: Vec<String>, file: String },
    /// It differs only in something undefined; these tests of a file fail with it when they are compiled with
    /// sanitizers, as was seen.
    Sanitized { judgement: Judgement, tests: Vec<String>, file: String },
    /// There is an input on which it differs, but no test came of it.
    Unconfirmed { judgement: Judgement, why: String },
    /// None of these becomes a test: equivalent, undefined on the inputs that show it, or unknown.
    Left(Judgement),
}

/// What was found for the mutants of a function, by ids: indices change with what is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptTests {
    pub judged: Vec<JudgedFor>,
    pub chosen: Vec<ChosenInput>,
    /// Mutants whose difference a tolerance hides.
    pub within_tolerance: Vec<MutantId>,
}

/// What is said of one of its mutants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedFor {
    pub mutant: MutantId,
    pub judgement: Judgement,
}

/// An input that becomes a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenInput {
    /// The mutant that it is there for.
    pub own: MutantId,
    /// In which of the function's other ways it is called with it, if not in its own.
    pub wider: Option<usize>,
    /// The original on it, against each mutant that does something else.
    pub kills: Vec<(MutantId, Difference)>,
}

/// Who runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framework {
    /// A `main` that needs nothing, and ends with status 1 if a test fails.
    Plain,
    Cmocka,
    Unity,
    Check,
    GoogleTest,
}

impl Framework {
    pub const ALL: [Self; 5] = [Self::Plain, Self::Cmocka, Self::Unity, Self::Check, Self::GoogleTest];

    /// As it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Cmocka => "cmocka",
            Self::Unity => "unity",
            Self::Check => "check",
            Self::GoogleTest => "gtest",
        }
    }

    /// The header that a file includes which uses it.
    pub fn header(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Cmocka => Some("cmocka.h"),
            Self::Unity => Some("unity.h"),
            Self::Check => Some("check.h"),
            Self::GoogleTest => Some("gtest/gtest.h"),
        }
    }

    /// The libraries that it is in.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Self::Plain | Self::Unity => &[],
            Self::Cmocka => &["-lcmocka"],
            // With what it needs itself.
            Self::Check => &["-lcheck", "-lsubunit", "-lrt", "-lpthread"],
            Self::GoogleTest => &["-lgtest_main", "-lgtest", "-lpthread", "-lstdc++"],
        }
    }

    /// What to do where it is not there.
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
