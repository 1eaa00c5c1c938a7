//! Verdicts in words, as they are kept in the store and told in reports.

use super::{calls, Equivalence, Tier, Witness};
use perturb_sym::native::{Fresh, Kind, Layout, Leaf, LeafKind, Value};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
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

/// So many changes are kept.
const MOST_CHANGES: usize = 8;

/// So many numbers of an input are told in one line.
const MOST_NUMBERS: usize = 8;

impl Judgement {
    pub fn of(verdict: &Equivalence) -> Self {
        match verdict {
            Equivalence::Different(witness) => Self::Different(witness.shown()),
            Equivalence::Equivalent { by, bound, assumptions } => {
                Self::Equivalent(Proved { by: *by, bound: bound.clone(), assumptions: assumptions.clone() })
            }
            Equivalence::Unknown { why } => Self::Unknown { why: why.clone() },
            Equivalence::Refused => Self::Unknown { why: "it does not compile in a copy of its function".to_string() },
        }
    }
}

impl Proved {
    /// Whether it holds for all inputs, whatever the program does with the function.
    pub fn is_unconditional(&self) -> bool {
        self.bound.is_none() && self.assumptions.is_empty()
    }
}

impl Witness {
    /// What the function is given: `a = 3`. What a stand-in would have answered if it had been asked once more is left out.
    pub fn input(&self) -> Vec<String> {
        let (layout, leaves) = (&self.layout, &self.layout.leaves);
        let is_asked = |leaf: &Leaf| layout.answered(leaf).is_none_or(|(stub, call)| call < self.calls(stub));
        let all = leaves.iter().zip(values(layout, leaves.iter(), &self.by.input));
        // That no allocation fails goes without saying.
        let is_beyond = |leaf: &Leaf| layout.is_beyond_stream(leaf, &self.by.input);
        let is_there = |leaf: &Leaf| is_asked(leaf) && !is_beyond(leaf) && layout.is_delivered(leaf, &self.by.input);
        let is_told = |leaf: &Leaf, value: &str| is_there(leaf) && (leaf.kind != LeafKind::Refusal || value != "0");
        joined(all.filter(|(leaf, (_, value))| is_told(leaf, value)).map(|(_, value)| value))
    }

    /// How often a stand-in is asked by the one that asks it more often; as often as can be where that is not known.
    fn calls(&self, stub: usize) -> u64 {
        let count = |seen: &[u8]| self.layout.stub_call_count(seen, stub).unwrap_or(u64::MAX);
        count(&self.by.original).max(count(&self.by.other))
    }

    /// What the original leaves behind.
    pub fn original(&self) -> Vec<String> {
        self.all_left_behind(&self.by.original)
    }

    /// The same of the mutant; nothing where it does not return.
    pub fn mutant(&self) -> Vec<String> {
        match self.by.kind {
            Kind::Ended => vec!["it ends the program".to_string()],
            _ => self.all_left_behind(&self.by.other),
        }
    }

    pub fn shown(&self) -> Shown {
        let both = self.left_behind(&self.by.original).into_iter().zip(self.left_behind(&self.by.other));
        let both = both.map(|((what, original), (_, mutant))| Change { what, original, mutant });
        let mut others: BTreeMap<String, String> = calls::told(&self.layout, &self.by.other).into_iter().collect();
        // What only one of them is told is a call that the other does not make.
        let called = calls::told(&self.layout, &self.by.original).into_iter().filter_map(|(what, original)| {
            let mutant = others.remove(&what)?;
            Some(Change { what, original, mutant })
        });
        let changes = both.chain(called).filter(|change| change.original != change.mutant);
        let changes = changes.chain(self.allocated_otherwise()).take(MOST_CHANGES).collect();
        Shown { kind: self.by.kind, by: self.tier, input: self.input(), changes }
    }

    /// What is not the same in memory that was allocated.
    fn allocated_otherwise(&self) -> Vec<Change> {
        let of = |bytes| self.layout.fresh(bytes).map(|fresh| allocated(&self.layout, &fresh));
        let (Some(original), Some(mutant)) = (of(&self.by.original), of(&self.by.other)) else { return Vec::new() };
        let nothing = "not there".to_string();
        let by_name: BTreeMap<&String, &String> = mutant.iter().map(|(name, value)| (name, value)).collect();
        let known: BTreeSet<&String> = original.iter().map(|(name, _)| name).collect();
        let both = original.iter().map(|(name, value)| (name, value, *by_name.get(name).unwrap_or(&&nothing)));
        let new = mutant.iter().filter(|(name, _)| !known.contains(name)).map(|(name, value)| (name, &nothing, value));
        let changed = both.chain(new).filter(|(_, original, mutant)| original != mutant);
        let change = |(what, original, mutant): (&String, &String, &String)| Change {
            what: what.clone(),
            original: original.clone(),
            mutant: mutant.clone(),
        };
        changed.map(change).collect()
    }

    fn all_left_behind(&self, bytes: &[u8]) -> Vec<String> {
        let allocated = self.layout.fresh(bytes).map(|fresh| allocated(&self.layout, &fresh)).unwrap_or_default();
        let left = self.left_behind(bytes).into_iter().chain(calls::told(&self.layout, bytes));
        joined(left.chain(allocated))
    }

    /// What is seen afterwards, but for what stand-ins were given: these are words that say nothing by themselves.
    fn left_behind(&self, bytes: &[u8]) -> Vec<Named> {
        let views = self.layout.result.iter().chain(&self.layout.views);
        let all = views.clone().zip(values(&self.layout, views, bytes));
        let trace = self.layout.trace.map(|(trace, _)| trace);
        all.filter(|(leaf, _)| Some(leaf.object) != trace).map(|(_, named)| named).collect()
    }
}

/// What a number is called, and what it is.
type Named = (String, String);

fn joined(values: impl Iterator<Item = Named>) -> Vec<String> {
    values.map(|(name, value)| format!("{name} = {value}")).collect()
}

fn values<'l>(layout: &Layout, leaves: impl Iterator<Item = &'l Leaf>, bytes: &[u8]) -> Vec<Named> {
    let mut at = 0;
    let mut found = Vec::new();
    for leaf in leaves {
        let Some(own) = bytes.get(at..at + leaf.size as usize) else { break };
        at += leaf.size as usize;
        found.push((leaf.name.clone(), value(layout, leaf, own)));
    }
    found
}

fn value(layout: &Layout, leaf: &Leaf, bytes: &[u8]) -> String {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    Value::of(leaf, u64::from_le_bytes(wide)).told(layout)
}

/// What is left of memory that was allocated, in words.
fn allocated(layout: &Layout, fresh: &Fresh) -> Vec<(String, String)> {
    let name = |object: &usize| layout.objects[*object].name.clone();
    let freed: Vec<String> = fresh.freed.iter().map(name).collect();
    let freed = if freed.is_empty() { "nothing".to_string() } else { freed.join(", ") };
    let mut named = Vec::new();
    if layout.heap.as_ref().is_some_and(|heap| heap.allocates) {
        named.push(("the number of blocks that stay allocated".to_string(), fresh.live.to_string()));
        named.push(("what is freed of what it is given".to_string(), freed));
    }
    named.extend(fresh.values.iter().map(|seen| (seen.name.clone(), seen.value.told(layout))));
    if fresh.rest != 0 {
        named.push(("all that is behind that, as one number".to_string(), fresh.rest.to_string()));
    }
    named
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

/// `a solver finds no input on which they differ, if *p has 4 bytes, as long as no two pointers lead to the same object`
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
