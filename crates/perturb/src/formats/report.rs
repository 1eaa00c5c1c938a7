//! A run for people: its summary, a table of files, and every mutant that lives as a line that editors understand.

use super::{summary, time};
use anstyle::Style;
use perturb_pipeline::store::StoredRun;
use perturb_pipeline::{Mutant, Outcome, Projected, Tally};
use std::collections::BTreeMap;
use std::io::{Result, Write};

const HEAD: Style = Style::new().bold();

pub fn write(run: &StoredRun, out: &mut impl Write) -> Result<()> {
    let (root, started) = (run.root.display(), time::date(run.started));
    let typed = shlex::try_join(run.arguments.iter().map(String::as_str)).unwrap_or_else(|_| run.arguments.join(" "));
    writeln!(out, "{HEAD}{root}{HEAD:#}")?;
    writeln!(out, "run {} of {started}, perturb {}: {typed}", run.id, run.version)?;
    if let Some(why) = summary::unfinished(run) {
        writeln!(out, "{HEAD}not finished{HEAD:#}: {why}")?;
    }
    writeln!(out)?;
    summary::write(run, out)?;
    write_files(run, out)?;
    write_survivors(run, out)
}

fn write_files(run: &StoredRun, out: &mut impl Write) -> Result<()> {
    let mut files: BTreeMap<String, Tally> = BTreeMap::new();
    for state in &run.mutants {
        files.entry(state.mutant.file.relative.display().to_string()).or_default().add(&state.outcome);
    }
    if files.is_empty() {
        return Ok(());
    }
    let widest = files.keys().map(|file| file.chars().count()).max().unwrap_or_default().max(4);
    writeln!(
        out,
        "\n{HEAD}{:widest$} {:>8} {:>8} {:>8} {:>12} {:>11} {:>8} {:>8} {:>8}{HEAD:#}",
        "file", "mutants", "killed", "live", "not infected", "not covered", "others", "score", "of all"
    )?;
    for (file, tally) in &files {
        let (killed, live, not_infected) = (tally.killed.total(), tally.live, tally.not_infected);
        let (total, not_covered) = (tally.total(), tally.not_covered);
        let others = total - killed - live - not_infected - not_covered;
        let [covered, all] = match summary::projection(run, tally) {
            Some(Projected { covered, all }) => [covered, all].map(summary::projected),
            None => [tally.score_of_covered(), tally.score_of_all()]
                .map(|score| score.map_or_else(|| "-".to_string(), |score| score.to_string())),
        };
        writeln!(
            out,
            "{file:widest$} {total:>8} {killed:>8} {live:>8} {not_infected:>12} {not_covered:>11} {others:>8} {covered:>8} {all:>8}"
        )?;
    }
    Ok(())
}

fn write_survivors(run: &StoredRun, out: &mut impl Write) -> Result<()> {
    let mut survivors = run.mutants.iter().filter(|state| is_worth_a_look(&state.outcome)).peekable();
    if survivors.peek().is_some() {
        writeln!(out)?;
    }
    survivors.try_for_each(|state| writeln!(out, "{}", line(&state.mutant, &state.outcome)))
}

/// What the tests missed, and what could not be told.
pub fn is_worth_a_look(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Live | Outcome::NotInfected | Outcome::LikelyEquivalent | Outcome::Unstable { .. } => true,
        // Whole functions may be without tests: the table of files counts them.
        Outcome::NotCovered => false,
        Outcome::Killed { .. }
        | Outcome::Equivalent { .. }
        | Outcome::Duplicate { .. }
        | Outcome::CompileError
        | Outcome::Skipped(_)
        | Outcome::Pending => false,
    }
}

/// `src/ring.c:41:17: live: ROR push(): '<' -> '<=' [4438572044839414]`
pub fn line(mutant: &Mutant, outcome: &Outcome) -> String {
    format!("{}: {outcome}: {} [{}]", mutant.place(), mutant.what(), mutant.id)
}
