//! What comparing functions says of mutants.

use crate::code::Level;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What comparing functions says of a mutant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    Different(Shown),
    Equivalent(Proved),
    Unknown { why: String },
}

/// An input that shows a difference, and what it comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub kind: Kind,
    /// Which tier found it.
    pub by: Tier,
    /// `a = 3`, one for each number that the function is given.
    pub input: Vec<String>,
    /// The first of what is not the same afterwards; nothing where the mutant does not return.
    pub changes: Vec<Change>,
}

/// Something that is left behind, and is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// As C would write it, or `the result`.
    pub what: String,
    pub original: String,
    pub mutant: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proved {
    pub by: Tier,
    /// What it holds for; none for all that there is.
    pub bound: Option<String>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
}

/// So many numbers of an input are told in one line.
const MOST_NUMBERS: usize = 8;

impl Proved {
    /// Whether it holds for all inputs, whatever the program does with the function.
    pub fn is_unconditional(&self) -> bool {
        self.bound.is_none() && self.assumptions.is_empty()
    }
}

impl Shown {
    /// What the function is given: `a = 3, b = 4`, or the first of many.
    pub fn given(&self, most: usize) -> String {
        let first = self.input.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.input.len().saturating_sub(most) {
            _ if self.input.is_empty() => "no input".to_string(),
            0 => first,
            more => format!("{first} and {more} more"),
        }
    }

    /// What the mutant does with it that the original does not, a sentence each.
    pub fn told(&self) -> Vec<String> {
        match self.kind {
            Kind::Undefined => vec!["it does something undefined, and the original does not".to_string()],
            Kind::Endless => vec!["it does not come to an end, and the original does".to_string()],
            Kind::Ended => vec!["it ends the program, and the original does not".to_string()],
            Kind::Output => self.changes.iter().map(ToString::to_string).collect(),
        }
    }
}

/// `the result is 4 in the original, 5 in the mutant`
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, original, mutant } = self;
        write!(f, "{what} is {original} in the original, {mutant} in the mutant")
    }
}

/// `with a = 3: the result is 4 in the original, 5 in the mutant`
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.told();
        let first = told.first().map_or("it leaves something else behind", String::as_str);
        write!(f, "with {}: {first}", self.given(MOST_NUMBERS))
    }
}

/// `a solver finds no input on which they differ, if *p has 4 bytes, as long as no two pointers lead to the same
/// object`
impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.by.how())?;
        if let Some(bound) = &self.bound {
            write!(f, ", if {bound}")?;
        }
        if !self.assumptions.is_empty() {
            write!(f, ", as long as {}", self.assumptions.join(", and "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Different(shown) => write!(f, "different: {shown}"),
            Self::Equivalent(proved) => write!(f, "equivalent: {proved}"),
            Self::Unknown { why } => write!(f, "unknown: {why}"),
        }
    }
}

/// How a function shows that it is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It returns, or leaves behind, something else.
    Output,
    /// It does something undefined, and the original does not.
    Undefined,
    /// It does not come to an end, and the original does.
    Endless,
    /// It ends the program, and the original does not.
    Ended,
}

/// An input on which two functions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub kind: Kind,
    pub input: Vec<u8>,
    pub original: Vec<u8>,
    /// Empty where it does not return.
    pub other: Vec<u8>,
}

/// What showed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Inputs that were tried.
    Native,
    /// All inputs were tried.
    Exhaustive,
    /// All orders of elements were tried, and nothing but their order counts.
    Order,
    /// The project's compiler makes the same code of both.
    Code { level: Level },
    /// Clang does, at -O2.
    Clang,
    /// Both come to the same terms.
    Structural,
    /// A solver finds no input on which they differ.
    Proof,
    /// A solver finds none on any path.
    Paths,
}

impl Tier {
    /// How it is known, as a sentence.
    pub fn how(self) -> String {
        match self {
            Self::Native => "by calling it".to_string(),
            Self::Exhaustive => "all inputs were tried".to_string(),
            Self::Order => "only the order of elements counts, and all orders were tried".to_string(),
            Self::Code { level } => format!("the same code at {level}, as long as nothing undefined happens"),
            Self::Clang => "clang makes the same code of both, as long as nothing undefined happens".to_string(),
            Self::Structural => "both compute the same terms".to_string(),
            Self::Proof => "a solver finds no input on which they differ".to_string(),
            Self::Paths => "path by path, a solver finds no input on which they differ".to_string(),
        }
    }
}

impl std::fmt::Display for Tier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::Exhaustive => "exhaustive",
            Self::Order => "order",
            Self::Code { .. } => "tce",
            Self::Clang => "clang",
            Self::Structural => "structural",
            Self::Proof => "proof",
            Self::Paths => "paths",
        })
    }
}

/// How many mutants came to what.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Comparisons {
    pub output: usize,
    pub endless: usize,
    pub undefined: usize,
    /// For all inputs.
    pub equivalent: usize,
    /// Under bounds or assumptions.
    pub conditional: usize,
    pub unknown: usize,
}

impl Comparisons {
    pub fn add(&mut self, judgement: &Judgement) {
        let count = match judgement {
            Judgement::Different(shown) => match shown.kind {
                Kind::Output | Kind::Ended => &mut self.output,
                Kind::Endless => &mut self.endless,
                Kind::Undefined => &mut self.undefined,
            },
            Judgement::Equivalent(proved) if proved.is_unconditional() => &mut self.equivalent,
            Judgement::Equivalent(_) => &mut self.conditional,
            Judgement::Unknown { .. } => &mut self.unknown,
        };
        *count += 1;
    }

    pub fn different(&self) -> usize {
        self.output + self.endless + self.undefined
    }

    pub fn total(&self) -> usize {
        self.different() + self.equivalent + self.conditional + self.unknown
    }
}

impl<'j> FromIterator<&'j Judgement> for Comparisons {
    fn from_iter<I: IntoIterator<Item = &'j Judgement>>(judgements: I) -> Self {
        let mut comparisons = Self::default();
        judgements.into_iter().for_each(|judgement| comparisons.add(judgement));
        comparisons
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: Kind, input: usize) -> Shown {
        let change =
            |n: usize| Change { what: format!("a[{n}]"), original: n.to_string(), mutant: (n + 1).to_string() };
        let changes = if kind == Kind::Output { (0..3).map(change).collect() } else { Vec::new() };
        Shown { kind, by: Tier::Native, input: (0..input).map(|n| format!("a[{n}] = {n}")).collect(), changes }
    }

    #[test]
    fn a_witness_reads_as_a_sentence() {
        assert_eq!(
            shown(Kind::Output, 2).to_string(),
            "with a[0] = 0, a[1] = 1: a[0] is 0 in the original, 1 in the mutant"
        );
        assert!(shown(Kind::Endless, 0).to_string().starts_with("with no input: it does not come to an end"));
        assert!(shown(Kind::Undefined, 20).to_string().contains("a[7] = 7 and 12 more: it does something undefined"));
    }

    #[test]
    fn only_a_proof_without_bounds_and_assumptions_is_unconditional() {
        let whole = Proved { by: Tier::Proof, bound: None, assumptions: Vec::new() };
        let bounded = Proved { bound: Some("*p has 4 bytes".into()), ..whole.clone() };
        let assumed = Proved { assumptions: vec!["p is null".into(), "q is null".into()], ..whole.clone() };
        assert_eq!([&whole, &bounded, &assumed].map(Proved::is_unconditional), [true, false, false]);
        assert!(bounded.to_string().ends_with("they differ, if *p has 4 bytes"));
        assert!(assumed.to_string().ends_with(", as long as p is null, and q is null"));
    }
}
