//! The order in which to look at live mutants.

use super::{MutantState, StoredRun};
use perturb_model::{Judgement, Kind, MutantId, Outcome};
use std::collections::HashMap;

/// A live mutant, in the order in which to look at it.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'r> {
    pub state: &'r MutantState,
    /// A mutant earlier in the order that leaves the same trace in the statement counts: the two probably have the same
    /// effect.
    pub same_as: Option<MutantId>,
}

impl StoredRun {
    /// All live mutants, in the order in which to look at them. First those that differ on a known input: by their
    /// output, by not ending, by undefined behaviour. Within each of these groups, and among all others: mutants with
    /// the largest trace first, one for each trace; then those that repeat a trace; then those without a trace, those
    /// that no test infects, and those that are likely equivalent.
    pub fn ranked(&self) -> Vec<Ranked<'_>> {
        let mut live: Vec<&MutantState> = self.mutants.iter().filter(|state| class(state).is_some()).collect();
        let distance = |state: &MutantState| state.trace.map_or(0.0, |trace| trace.distance);
        live.sort_by(|a, b| {
            let classes = (evidence(a), class(a)).cmp(&(evidence(b), class(b)));
            classes.then_with(|| distance(b).total_cmp(&distance(a)))
        });
        let mut first: HashMap<_, MutantId> = HashMap::new();
        let mut alone = Vec::new();
        let mut repeated = Vec::new();
        let mut others = Vec::new();
        for state in live {
            // A mutant that is likely equivalent by now may still have a trace from before.
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

/// Mutants that are known to differ come first.
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

/// The class of a live mutant; None for all others.
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
