//! Compiled code: levels of optimisation, what compilers assume, and whether the code of a mutant is that of another
//! one.

use std::fmt;
use std::str::FromStr;

/// A level of optimisation, as a compiler option names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    O0,
    O1,
    O2,
    O3,
    Os,
    Ofast,
}

impl Level {
    pub const ALL: [Level; 6] = [Self::O0, Self::O1, Self::O2, Self::O3, Self::Os, Self::Ofast];

    /// The option without its dash.
    pub fn word(self) -> &'static str {
        match self {
            Self::O0 => "O0",
            Self::O1 => "O1",
            Self::O2 => "O2",
            Self::O3 => "O3",
            Self::Os => "Os",
            Self::Ofast => "Ofast",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-{}", self.word())
    }
}

/// The error for a text that is no level of optimisation.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is no level of optimisation: write O0, O1, O2, O3, Os or Ofast, or all")]
pub struct UnknownLevel(String);

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(text: &str) -> Result<Self, UnknownLevel> {
        let word = text.trim().trim_start_matches('-');
        Self::ALL.into_iter().find(|level| level.word() == word).ok_or_else(|| UnknownLevel(text.to_string()))
    }
}

/// A class of undefined behaviour that compilers assume never to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Assumption {
    Overflow,
    Aliasing,
    NullPointers,
    Loops,
    Shifts,
    Division,
    Bounds,
}

impl Assumption {
    pub const ALL: [Assumption; 7] =
        [Self::Overflow, Self::Aliasing, Self::NullPointers, Self::Loops, Self::Shifts, Self::Division, Self::Bounds];

    /// The compiler option that switches the assumption off, if there is one.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Self::Overflow => Some("-fno-strict-overflow"),
            Self::Aliasing => Some("-fno-strict-aliasing"),
            Self::NullPointers => Some("-fno-delete-null-pointer-checks"),
            Self::Loops => Some("-fno-aggressive-loop-optimizations"),
            Self::Shifts | Self::Division | Self::Bounds => None,
        }
    }

    /// A short name, for files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overflow => "overflow",
            Self::Aliasing => "aliasing",
            Self::NullPointers => "null",
            Self::Loops => "loops",
            Self::Shifts => "shifts",
            Self::Division => "division",
            Self::Bounds => "bounds",
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overflow => "no signed number and no pointer overflows",
            Self::Aliasing => "nothing is accessed as what it is not",
            Self::NullPointers => "no null pointer is followed",
            Self::Loops => "no loop goes on beyond what its accesses allow",
            Self::Shifts => "no number is shifted by less than nothing or beyond its width",
            Self::Division => "nothing is divided by zero",
            Self::Bounds => "no array is accessed beyond its ends",
        })
    }
}

/// The hash of compiled code, in which the names of local symbols do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeHash(pub [u8; 16]);

/// The code of a mutant, in one translation unit and at one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The same as the code of the original.
    Original,
    Other(CodeHash),
    /// The unit does not contain the mutant.
    Absent,
    /// It does not compile, or cannot be compared.
    Unknown,
    /// Not compared: an earlier level has already shown that it is the same as other code.
    Settled,
}
