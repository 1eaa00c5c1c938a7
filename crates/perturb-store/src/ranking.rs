//! Which of the mutants that live to look at first.

use super::{MutantState, StoredRun};
use perturb_model::{Judgement, Kind, MutantId, Outcome};
use std::collections::HashMap;

/// A mutant that lives, in the order in which it is worth a look.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'r> {
    pub state: &'r MutantState,
    /// One that comes before it and leaves the same trace in what is executed: whoever has looked at that one has
    /// probably seen this one.
    pub same_as: Option<MutantId>,
}

impl StoredRun {
    /// All that live. Those of which an input shows that they differ come first: by their output, by not coming to an
    /// end, by doing something undefined. Among these and among the others: first those that change what is executed,
    /// the most distant from the original before the others and one for each trace; then those whose trace one before
    /// them has; then those of which none is known, those that no test infects, and those that are likely equivalent.
    pub fn ranked(&self) -> Vec<Ranked<'_>> {
        let mut live: Vec<&MutantState> = self.mutants.iter().filter(|state| class(state).is_some()).collect();
        let distance = |state: &MutantState| state.trace.map_or(0.0, |trace| trace.distance);
        live.sort_by(|a, b| {
            let classes = (evidence(a), class(a)).cmp(&(evidence(b), class(b)));
            classes.then_with(|| distance(b).total_cmp(&distance(a)))
        });
        let mut first: HashMap<_, MutantId> = HashMap::new();
        let (mut alone, mut repeated, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for state in live {
            // What is likely equivalent may have left one before that was known.
            let Some(trace) = state.trace.filter(|_| state.outcome == Outcome::Live) else {
                others.push(Ranked { state, same_as: None });
                continue;
            };
            let known = first.get(&(&state.mutant.file.relative, trace.signature)).copied();
            match known {
                Some(id) => repeated.push(Ranked { state, same_as: Some(id) }),
                None => {
                    first.insert((&state.mutant.file.relative, trace.signature), state.mutant.id);
                    alone.push(Ranked { state, same_as: None });
                }
            }
        }
        let mut ranked = [alone, repeated, others].concat();
        ranked.sort_by_key(|ranked| evidence(ranked.state));
        ranked
    }
}

/// What is known to be different is worth a look before all else.
fn evidence(state: &MutantState) -> u8 {
    match &state.judgement {
        Some(Judgement::Different(shown)) => match shown.kind {
            Kind::Output | Kind::Ended => 0,
            Kind::Endless => 1,
            Kind::Undefined => 2,
        },
        Some(Judgement::Equivalent(_) | Judgement::Unknown { .. }) | None => 3,
    }
}

/// None for what does not live.
fn class(state: &MutantState) -> Option<u8> {
    match (&state.outcome, state.trace) {
        (Outcome::Live, Some(_)) => Some(0),
        (Outcome::Live, None) => Some(1),
        (Outcome::NotInfected, _) => Some(2),
        (Outcome::LikelyEquivalent, _) => Some(3),
        (
            Outcome::Killed { .. }
            | Outcome::NotCovered
            | Outcome::Equivalent { .. }
            | Outcome::Duplicate { .. }
            | Outcome::CompileError
            | Outcome::Unstable { .. }
            | Outcome::Skipped(_)
            | Outcome::Pending,
            _,
        ) => None,
    }
}
