//! Describes verdicts in words, as the store keeps and reports show them.

use super::{calls, Equivalence, RawWitness};
use crate::native::{HeapContents, Layout, Leaf, LeafKind, ObservedValue};
use perturb_model::{Change, Judgement, Kind, Proof, Witness};
use std::collections::{BTreeMap, BTreeSet};

/// At most this many changes are kept.
const MOST_CHANGES: usize = 8;

impl Equivalence {
    /// The same in words.
    pub fn judgement(&self) -> Judgement {
        match self {
            Self::Different(witness) => Judgement::Different(witness.witness()),
            Self::Equivalent { by, bound, assumptions } => {
                Judgement::Equivalent(Proof { by: *by, bound: bound.clone(), assumptions: assumptions.clone() })
            }
            Self::Unknown { why } => Judgement::Unknown { why: why.clone() },
            Self::Refused => Judgement::Unknown { why: "it does not compile in a copy of its function".to_string() },
        }
    }
}

impl RawWitness {
    /// The input of the function: `a = 3`. Answers of stubs that were not called are left out.
    pub fn input(&self) -> Vec<String> {
        let (layout, leaves) = (&self.layout, &self.layout.leaves);
        let is_asked = |leaf: &Leaf| layout.answered(leaf).is_none_or(|(stub, call)| call < self.calls(stub));
        let all = leaves.iter().zip(values(layout, leaves.iter(), &self.by.input));
        // That no allocation fails is the normal case.
        let is_beyond = |leaf: &Leaf| layout.is_beyond_stream(leaf, &self.by.input);
        let is_there = |leaf: &Leaf| is_asked(leaf) && !is_beyond(leaf) && layout.is_delivered(leaf, &self.by.input);
        let is_told = |leaf: &Leaf, value: &str| is_there(leaf) && (leaf.kind != LeafKind::Refusal || value != "0");
        joined(all.filter(|(leaf, (_, value))| is_told(leaf, value)).map(|(_, value)| value))
    }

    /// How often a stub is called, by the one of the two that calls it more often; the maximum where that is unknown.
    fn calls(&self, stub: usize) -> u64 {
        let count = |seen: &[u8]| self.layout.stub_call_count(seen, stub).unwrap_or(u64::MAX);
        count(&self.by.original).max(count(&self.by.other))
    }

    /// What the original leaves behind.
    pub fn original(&self) -> Vec<String> {
        self.all_left_behind(&self.by.original)
    }

    /// The same for the mutant; nothing if it does not return.
    pub fn mutant(&self) -> Vec<String> {
        match self.by.kind {
            Kind::Ended => vec!["it ends the program".to_string()],
            _ => self.all_left_behind(&self.by.other),
        }
    }

    /// The witness in words.
    pub fn witness(&self) -> Witness {
        let both = self.left_behind(&self.by.original).into_iter().zip(self.left_behind(&self.by.other));
        let both = both.map(|((what, original), (_, mutant))| Change { what, original, mutant });
        let mut others: BTreeMap<String, String> = calls::described(&self.layout, &self.by.other).into_iter().collect();
        // An argument that only one of them passes belongs to a call that the other does not make.
        let called = calls::described(&self.layout, &self.by.original).into_iter().filter_map(|(what, original)| {
            let mutant = others.remove(&what)?;
            Some(Change { what, original, mutant })
        });
        let changes = both.chain(called).filter(|change| change.original != change.mutant);
        let changes = changes.chain(self.allocated_otherwise()).take(MOST_CHANGES).collect();
        Witness { kind: self.by.kind, by: self.tier, input: self.input(), changes }
    }

    /// The differences in allocated memory.
    fn allocated_otherwise(&self) -> Vec<Change> {
        let of = |bytes| self.layout.heap_contents(bytes).map(|fresh| allocated(&self.layout, &fresh));
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
        let allocated =
            self.layout.heap_contents(bytes).map(|fresh| allocated(&self.layout, &fresh)).unwrap_or_default();
        let left = self.left_behind(bytes).into_iter().chain(calls::described(&self.layout, bytes));
        joined(left.chain(allocated))
    }

    /// What can be observed after the call, without the words of the call trace, which say nothing by themselves.
    fn left_behind(&self, bytes: &[u8]) -> Vec<Named> {
        let views = self.layout.result.iter().chain(&self.layout.views);
        let all = views.clone().zip(values(&self.layout, views, bytes));
        let trace = self.layout.trace.map(|(trace, _)| trace);
        all.filter(|(leaf, _)| Some(leaf.object) != trace).map(|(_, named)| named).collect()
    }
}

/// The name of a number, and its value.
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
    ObservedValue::of(leaf, u64::from_le_bytes(wide)).described(layout)
}

/// What the call left in allocated memory, in words.
fn allocated(layout: &Layout, fresh: &HeapContents) -> Vec<(String, String)> {
    let name = |object: &usize| layout.objects[*object].name.clone();
    let freed: Vec<String> = fresh.freed.iter().map(name).collect();
    let freed = if freed.is_empty() { "nothing".to_string() } else { freed.join(", ") };
    let mut named = Vec::new();
    if layout.heap.as_ref().is_some_and(|heap| heap.allocates) {
        named.push(("the number of blocks that stay allocated".to_string(), fresh.live.to_string()));
        named.push(("what is freed of what it is given".to_string(), freed));
    }
    named.extend(fresh.values.iter().map(|seen| (seen.name.clone(), seen.value.described(layout))));
    if fresh.rest != 0 {
        named.push(("all that is behind that, as one number".to_string(), fresh.rest.to_string()));
    }
    named
}
