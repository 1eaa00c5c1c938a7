//! Judgements: the results of comparing the function of a mutant with the original's.

use crate::code::Level;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The result of comparing the function of a mutant with the original's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    Different(Witness),
    Equivalent(Proof),
    Unknown { why: String },
}

/// An input on which a mutant differs from the original, and how it differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub kind: Kind,
    /// The tier that found the input.
    pub by: Tier,
    /// `a = 3`, one entry for each number in the function's input.
    pub input: Vec<String>,
    /// The first values that differ after the call; empty where the mutant does not return.
    pub changes: Vec<Change>,
}

/// A value that differs after the call: the result, or something in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The value's name, as C would write it, or `the result`.
    pub what: String,
    pub original: String,
    pub mutant: String,
}

/// Why a mutant is equivalent, and under which conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    pub by: Tier,
    /// The inputs that the proof is limited to; None if it covers all inputs.
    pub bound: Option<String>,
    /// What the proof takes for granted.
    pub assumptions: Vec<String>,
}

/// How many numbers of an input are shown in one line.
const MOST_NUMBERS: usize = 8;

impl Proof {
    /// Whether the proof holds for all inputs, whatever the program does with the function.
    pub fn is_unconditional(&self) -> bool {
        self.bound.is_none() && self.assumptions.is_empty()
    }
}

impl Witness {
    /// The input of the function: `a = 3, b = 4`, or the first `most` numbers of it.
    pub fn given(&self, most: usize) -> String {
        let first = self.input.iter().take(most).map(String::as_str).collect::<Vec<_>>().join(", ");
        match self.input.len().saturating_sub(most) {
            _ if self.input.is_empty() => "no input".to_string(),
            0 => first,
            more => format!("{first} and {more} more"),
        }
    }

    /// How the mutant differs from the original, one sentence for each value.
    pub fn effects(&self) -> Vec<String> {
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
impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effects = self.effects();
        let first = effects.first().map_or("it leaves something else behind", String::as_str);
        write!(f, "with {}: {first}", self.given(MOST_NUMBERS))
    }
}

/// `a solver finds no input on which they differ, if *p has 4 bytes, as long as no two pointers lead to the same
/// object`
impl fmt::Display for Proof {
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

/// An input on which two functions differ, with the bytes that both leave behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub kind: Kind,
    pub input: Vec<u8>,
    pub original: Vec<u8>,
    /// Empty where the other function does not return.
    pub other: Vec<u8>,
}

/// The way in which two functions were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Some inputs were tried.
    Native,
    /// All inputs were tried.
    Exhaustive,
    /// All orders of the elements were tried, and the functions depend on nothing but the order.
    Order,
    /// The project's compiler generates the same code for both.
    Code { level: Level },
    /// Clang generates the same code for both, at -O2.
    Clang,
    /// Both compute the same terms.
    Structural,
    /// A solver shows that there is no input on which they differ.
    Proof,
    /// A solver shows the same for each path.
    Paths,
}

impl Tier {
    /// How the tier knows, as a sentence.
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

/// How many mutants have which judgement.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Comparisons {
    pub output: usize,
    pub endless: usize,
    pub undefined: usize,
    /// Proved for all inputs.
    pub equivalent: usize,
    /// Proved under bounds or assumptions.
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

    fn shown(kind: Kind, input: usize) -> Witness {
        let change =
            |n: usize| Change { what: format!("a[{n}]"), original: n.to_string(), mutant: (n + 1).to_string() };
        let changes = if kind == Kind::Output { (0..3).map(change).collect() } else { Vec::new() };
        Witness { kind, by: Tier::Native, input: (0..input).map(|n| format!("a[{n}] = {n}")).collect(), changes }
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
        let whole = Proof { by: Tier::Proof, bound: None, assumptions: Vec::new() };
        let bounded = Proof { bound: Some("*p has 4 bytes".into()), ..whole.clone() };
        let assumed = Proof { assumptions: vec!["p is null".into(), "q is null".into()], ..whole.clone() };
        assert_eq!([&whole, &bounded, &assumed].map(Proof::is_unconditional), [true, false, false]);
        assert!(bounded.to_string().ends_with("they differ, if *p has 4 bytes"));
        assert!(assumed.to_string().ends_with(", as long as p is null, and q is null"));
    }
}
