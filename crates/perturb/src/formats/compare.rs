//! Changes between two runs. Mutants are matched by their ids, which edits elsewhere do not change.

use super::plural;
use super::report::line;
use super::summary::Headline;
use crate::page::{Page, Style};
use anstyle::AnsiColor;
use perturb_model::{MutantId, Outcome};
use perturb_store::{MutantState, StoredRun};
use std::collections::HashMap;
use std::io::Result;

const HEAD: Style = Style::BOLD;
const GOOD: Style = Style::colour(AnsiColor::Green);
const BAD: Style = Style::colour(AnsiColor::Red);

/// The states of a mutant between which a change is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Killed,
    Live,
    NotCovered,
    /// Outside the score, or not decided.
    Outside,
}

fn state(outcome: &Outcome) -> State {
    match outcome {
        Outcome::Killed { .. } => State::Killed,
        Outcome::Live | Outcome::NotInfected | Outcome::LikelyEquivalent => State::Live,
        Outcome::NotCovered => State::NotCovered,
        Outcome::Equivalent { .. }
        | Outcome::Duplicate { .. }
        | Outcome::CompileError
        | Outcome::Unstable { .. }
        | Outcome::Skipped(_)
        | Outcome::Pending => State::Outside,
    }
}

pub fn write(old: &StoredRun, new: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "{HEAD}before{HEAD:#}  run {}: {}", old.id, Headline::of(old))?;
    writeln!(out, "{HEAD}now{HEAD:#}     run {}: {}", new.id, Headline::of(new))?;
    let before: HashMap<MutantId, &MutantState> = old.mutants.iter().map(|state| (state.mutant.id, state)).collect();
    let now: HashMap<MutantId, &MutantState> = new.mutants.iter().map(|state| (state.mutant.id, state)).collect();
    let changed = |from: &dyn Fn(Option<State>) -> bool, to: State| -> Vec<&MutantState> {
        let is_changed = |state_now: &&MutantState| {
            state(&state_now.outcome) == to && from(before.get(&state_now.mutant.id).map(|old| state(&old.outcome)))
        };
        new.mutants.iter().filter(is_changed).collect()
    };
    let lists = [
        (BAD, "no longer killed", changed(&|from| from == Some(State::Killed), State::Live)),
        (
            BAD,
            "no longer covered",
            changed(&|from| matches!(from, Some(State::Killed | State::Live)), State::NotCovered),
        ),
        (BAD, "new and live", changed(&|from| from.is_none(), State::Live)),
        (GOOD, "killed now", changed(&|from| matches!(from, Some(State::Live | State::NotCovered)), State::Killed)),
    ];
    for (style, title, states) in &lists {
        if !states.is_empty() {
            writeln!(out)?;
            writeln!(out, "{style}{title}{style:#}: {}", plural(states.len(), "mutant"))?;
        }
        for state in states {
            writeln!(out, "  {}", line(&state.mutant, &state.outcome))?;
        }
    }
    let gone = old.mutants.iter().filter(|state| !now.contains_key(&state.mutant.id)).count();
    let added = new.mutants.iter().filter(|state| !before.contains_key(&state.mutant.id)).count();
    if gone + added > 0 {
        writeln!(out)?;
        writeln!(out, "the code has changed: {} are gone, {added} are new", plural(gone, "mutant"))?;
    }
    if lists.iter().all(|(_, _, states)| states.is_empty()) {
        writeln!(out)?;
        writeln!(out, "nothing that tests make of a mutant has changed")?;
    }
    Ok(())
}
