//! A run for people: its summary, tables of files, operators and functions, and each live mutant in a line that editors
//! understand.

use super::generated::kill;
use super::why::evidence;
use super::{plural, scores, summary, time};
use crate::page::{Page, Style};
use crate::visible;
use perturb_model::{Judgement, Mutant, Outcome, Tally};
use perturb_store::{MutantState, StoredRun};
use std::collections::BTreeMap;
use std::io::Result;

const HEAD: Style = Style::BOLD;
const DIM: Style = Style::DIM;

pub fn write(run: &StoredRun, out: &mut Page) -> Result<()> {
    let root = visible::path(&run.root);
    let started = time::date(run.started);
    let typed = shlex::try_join(run.arguments.iter().map(String::as_str)).unwrap_or_else(|_| run.arguments.join(" "));
    writeln!(out, "{HEAD}{root}{HEAD:#}")?;
    writeln!(out, "run {} of {started}, perturb {}: {typed}", run.id, run.version)?;
    if let Some(why) = summary::unfinished(run) {
        writeln!(out, "{HEAD}not finished{HEAD:#}: {why}")?;
    }
    writeln!(out)?;
    summary::write(run, out)?;
    let file = |mutant: &Mutant| visible::path(&mutant.file.relative);
    write_table(run, "file", &by(run, file), out)?;
    write_table(run, "operator", &by(run, |mutant| mutant.operator.to_string()), out)?;
    write_functions(run, &by(run, |mutant| format!("{} {}", file(mutant), visible::line(&mutant.scope.name))), out)?;
    write_survivors(run, out)
}

fn by(run: &StoredRun, key: impl Fn(&Mutant) -> String) -> Vec<(String, Tally)> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    run.mutants.iter().for_each(|state| tallies.entry(key(&state.mutant)).or_default().add(&state.outcome));
    tallies.into_iter().collect()
}

/// The table of functions lists so many: those to look at first.
const FUNCTIONS: usize = 20;

/// Writes the functions with live mutants, those with most first.
fn write_functions(run: &StoredRun, functions: &[(String, Tally)], out: &mut Page) -> Result<()> {
    let has_survivors = |(_, tally): &&(String, Tally)| tally.survivors() > 0;
    let mut living: Vec<(String, Tally)> = functions.iter().filter(has_survivors).cloned().collect();
    living.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.survivors()));
    let others = living.len().saturating_sub(FUNCTIONS);
    living.truncate(FUNCTIONS);
    write_table(run, "function", &living, out)?;
    match others {
        0 => Ok(()),
        _ => writeln!(
            out,
            "{DIM}{} more with live mutants: perturb report --format markdown{DIM:#}",
            plural(others, "function")
        ),
    }
}

fn write_table(run: &StoredRun, what: &str, tallies: &[(String, Tally)], out: &mut Page) -> Result<()> {
    if tallies.is_empty() {
        return Ok(());
    }
    let widest = tallies.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default().max(what.len());
    writeln!(out)?;
    writeln!(
        out,
        "{HEAD}{what:widest$} {:>8} {:>8} {:>8} {:>12} {:>11} {:>8} {:>8} {:>8}{HEAD:#}",
        "mutants", "killed", "live", "not infected", "not covered", "others", "score", "of all"
    )?;
    for (name, tally) in tallies {
        let (killed, live, not_infected) = (tally.killed.total(), tally.live, tally.not_infected);
        let (total, not_covered) = (tally.total(), tally.not_covered);
        let others = total - killed - live - not_infected - not_covered;
        let [covered, all] = scores::scores(run, tally);
        writeln!(
            out,
            "{name:widest$} {total:>8} {killed:>8} {live:>8} {not_infected:>12} {not_covered:>11} {others:>8} \
             {covered:>8} {all:>8}"
        )?;
    }
    Ok(())
}

fn write_survivors(run: &StoredRun, out: &mut Page) -> Result<()> {
    // Mutants that are shown to be different come first; the others follow in the order of the files.
    let is_different = |state: &MutantState| matches!(state.judgement, Some(Judgement::Different(_)));
    let different = run.ranked().into_iter().map(|ranked| ranked.state).filter(|state| is_different(state));
    let rest = run.mutants.iter().filter(|state| is_worth_a_look(&state.outcome) && !is_different(state));
    let mut survivors = different.chain(rest).peekable();
    if survivors.peek().is_some() {
        writeln!(out)?;
    }
    survivors.try_for_each(|state| {
        writeln!(out, "{}", line(&state.mutant, &state.outcome))?;
        let mut notes = evidence(state).into_iter().chain(kill(state));
        notes.try_for_each(|text| writeln!(out, "    {text}"))
    })
}

/// Whether a reader should look at a mutant: the tests missed it, or its verdict is not certain.
pub fn is_worth_a_look(outcome: &Outcome) -> bool {
    // Not what no test covers: whole functions may have no tests, and the table of files counts their mutants.
    outcome.survives() || outcome.is_unstable()
}

/// `src/ring.c:41:17: live: ROR push(): '<' -> '<=' [4438572044839414]`
pub fn line(mutant: &Mutant, outcome: &Outcome) -> String {
    format!("{}: {outcome}: {} [{}]", mutant.place(), mutant.what(), mutant.id)
}
