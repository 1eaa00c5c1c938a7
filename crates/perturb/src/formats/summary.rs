//! The summary of a run: counts of every outcome, both scores, the time of each step. `perturb run` ends with it, and
//! its report begins with it.

use super::generated::WithTests;
use super::scores::{projected, projection};
use super::{plural, time};
use crate::page::{Page, Style};
use anstyle::AnsiColor;
use perturb_model::{
    AuditCount, Baseline, Comparisons, Covered, Engine, Interval, Judgement, Kills, Method, Outcome, Projected,
    ProvedBy, Sampled, Skips, Tally, Test,
};
use perturb_pipeline::steps::score::{is_part, Rate, Scores};
use perturb_store::{Ending, MutantState, StoredRun};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Result;

const HEAD: Style = Style::BOLD;
const BAD: Style = Style::colour(AnsiColor::Red);
const DIM: Style = Style::DIM;

/// The width of the column of words: that of the longest.
const WORDS: usize = 19;
const NUMBERS: usize = 8;

pub fn write(run: &StoredRun, out: &mut Page) -> Result<()> {
    write_tests(&run.tests, out)?;
    let files: BTreeSet<_> = run.mutants.iter().map(|state| &state.mutant.file.relative).collect();
    writeln!(
        out,
        "{HEAD}{:WORDS$}{HEAD:#}{:>NUMBERS$}   in {}",
        "mutants",
        run.mutants.len(),
        plural(files.len(), "file")
    )?;
    write_outcomes(run, out)?;
    write_compared(run, out)?;
    write_coverage(run, out)?;
    write_contradictions(run, out)?;
    write_engines(run, out)?;
    write_pairs(run, out)?;
    write_audit(run, out)?;
    write_steps(run, out)?;
    write_sandbox(run, out)?;
    write_scores(run, out)?;
    write_generated(run, out)
}

/// Why the run is not complete; None if it is.
pub fn unfinished(run: &StoredRun) -> Option<&'static str> {
    match run.finished {
        None => Some("it goes on, or it was killed"),
        Some((_, Ending::Complete)) => None,
        Some((_, Ending::Stopped)) => Some("it was asked to stop after a step"),
        Some((_, Ending::Interrupted)) => Some("it was interrupted"),
        Some((_, Ending::OutOfBudget)) => Some("its time was up"),
        Some((_, Ending::Failed)) => Some("an error ended it"),
    }
}

fn write_tests(tests: &[Test], out: &mut Page) -> Result<()> {
    let count = |is: fn(&Baseline) -> bool| tests.iter().filter(|test| is(&test.baseline)).count();
    let counts = [
        (count(|baseline| matches!(baseline, Baseline::Passed)), "passed"),
        (count(|baseline| matches!(baseline, Baseline::Failed { .. })), "failed"),
        (count(|baseline| matches!(baseline, Baseline::Flaky { .. })), "flaky"),
        (count(|baseline| matches!(baseline, Baseline::Skipped { .. })), "skipped"),
    ];
    writeln!(out, "{HEAD}{:WORDS$}{HEAD:#}{:>NUMBERS$}   {}", "tests", tests.len(), parts(&counts))?;
    for test in tests.iter().filter(|test| !test.takes_part()) {
        writeln!(out, "  {BAD}{}{BAD:#} left out, {}", test.name, in_one_line(&test.baseline.to_string()))?;
    }
    Ok(())
}

fn write_outcomes(run: &StoredRun, out: &mut Page) -> Result<()> {
    // All fields by name, so that a new outcome cannot be forgotten here.
    let Tally {
        killed,
        live,
        not_covered,
        not_infected,
        equivalent,
        likely_equivalent,
        duplicate,
        compile_error,
        unstable,
        skipped,
        pending,
    } = run.tally();
    let Kills { failed, crashed, timed_out, output_differs, test_skipped } = killed;
    let how = [
        (failed, "test failed"),
        (crashed, "crashed"),
        (timed_out, "timed out"),
        (output_differs, "output differs"),
        (test_skipped, "test skipped"),
    ];
    let Skips { suppressed, out_of_scope, not_sampled } = skipped;
    let why = [(suppressed, "suppressed"), (out_of_scope, "out of scope"), (not_sampled, "not sampled")];
    let note = |count: usize, text: &str| if count > 0 { text.to_string() } else { String::new() };
    let rows = [
        ("killed", killed.total(), parts(&how)),
        ("live", live, String::new()),
        (
            "not infected",
            not_infected,
            note(not_infected, "executed, but no test makes a difference there: as good as live"),
        ),
        ("not covered", not_covered, note(not_covered, "no test executes them")),
        ("equivalent", equivalent, equivalent_by(run)),
        ("likely equivalent", likely_equivalent, likely_by(run)),
        ("duplicate", duplicate, note(duplicate, "outside the score: the same code as another one, which counts")),
        ("compile error", compile_error, String::new()),
        ("unstable", unstable, note(unstable, "outside the score")),
        ("skipped", skipped.total(), parts(&why)),
        ("pending", pending, note(pending, "not executed yet: run again to go on")),
    ];
    write_rows(&rows, out)
}

/// Writes `  live    12   a note on them`.
fn write_rows(rows: &[(&str, usize, String)], out: &mut Page) -> Result<()> {
    for (word, count, note) in rows {
        let row = format!("  {word:width$}{count:>NUMBERS$}   {note}", width = WORDS - 2);
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

/// How perturb knows that mutants are equivalent.
fn equivalent_by(run: &StoredRun) -> String {
    let (mut code, mut proved) = (0, 0);
    for state in &run.mutants {
        match state.outcome {
            Outcome::Equivalent {
                by: ProvedBy::SameFunction { .. } | ProvedBy::SameUnit { .. } | ProvedBy::SameByClang,
            } => {
                code += 1;
            }
            Outcome::Equivalent { .. } => proved += 1,
            _ => {}
        }
    }
    match (code, proved) {
        (0, 0) => String::new(),
        (_, 0) => "outside the score: the same code, as long as nothing undefined happens".to_string(),
        (0, _) => "outside the score: proved for all inputs".to_string(),
        _ => format!(
            "outside the score: {code} by the same code, as long as nothing undefined happens, {proved} proved for all \
             inputs"
        ),
    }
}

/// How perturb knows that mutants are likely equivalent.
fn likely_by(run: &StoredRun) -> String {
    let likely = run.mutants.iter().filter(|state| state.outcome == Outcome::LikelyEquivalent);
    let is_proved = |state: &&MutantState| matches!(state.judgement, Some(Judgement::Equivalent(_)));
    let (proved, counted): (Vec<_>, Vec<_>) = likely.partition(is_proved);
    let counts = [
        (counted.len(), "live, but no test executes anything else on them"),
        (proved.len(), "equivalent under bounds or assumptions"),
    ];
    match counts {
        [(0, _), (0, _)] => String::new(),
        [(_, text), (0, _)] | [(0, _), (_, text)] => format!("{text}; in the raw score"),
        counts => format!("{}; in the raw score", parts(&counts)),
    }
}

/// Writes what comparing functions found about live mutants.
fn write_compared(run: &StoredRun, out: &mut Page) -> Result<()> {
    let found: Comparisons = run.mutants.iter().filter_map(|state| state.judgement.as_ref()).collect();
    if found.total() == 0 {
        return Ok(());
    }
    let Comparisons { output, endless, undefined, equivalent, conditional, unknown } = found;
    let kinds = [(output, "by their output"), (endless, "endless"), (undefined, "undefined")];
    let kinds = match parts(&kinds).as_str() {
        "" => String::new(),
        kinds => format!("{kinds}; an input shows it"),
    };
    writeln!(out)?;
    writeln!(
        out,
        "{HEAD}{:WORDS$}{HEAD:#}{:>NUMBERS$}   that lived, with the original, function by function",
        "compared",
        found.total()
    )?;
    let rows = [
        ("different", found.different(), kinds),
        ("equivalent", equivalent, String::new()),
        ("likely equivalent", conditional, String::new()),
        ("unknown", unknown, String::new()),
    ];
    write_rows(&rows, out)
}

fn write_coverage(run: &StoredRun, out: &mut Page) -> Result<()> {
    let Some(covered) = statement_coverage(run) else { return Ok(()) };
    writeln!(out)?;
    writeln!(out, "{HEAD}{:WORDS$}{HEAD:#}{:>NUMBERS$}   {covered}", "statements", covered.percent())
}

/// How many statements of all files the tests execute: `431 of 512 are executed by tests`. None if it is not known.
pub fn statement_coverage(run: &StoredRun) -> Option<Coverage> {
    let sum = |of: fn(&Covered) -> usize| run.covered.iter().map(of).sum();
    let coverage = Coverage { executed: sum(|covered| covered.executed), of: sum(|covered| covered.of) };
    (coverage.of > 0).then_some(coverage)
}

#[derive(Debug, Clone, Copy)]
pub struct Coverage {
    executed: usize,
    of: usize,
}

impl Coverage {
    pub fn percent(self) -> String {
        percent(self.executed as f64 / self.of as f64)
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} are executed by tests", self.executed, self.of)
    }
}

/// Writes the mutants for which tests refute what compiled code says.
fn write_contradictions(run: &StoredRun, out: &mut Page) -> Result<()> {
    let contradicted: Vec<_> = run.mutants.iter().filter(|state| state.code_says.is_some()).collect();
    if contradicted.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let note = "so the tests count; mostly something undefined happens in them";
    writeln!(out, "{BAD}the tests refute what compiled code says{BAD:#}, {note}")?;
    for state in contradicted {
        let says = state.code_says.as_ref().map(ToString::to_string).unwrap_or_default();
        writeln!(out, "  {}: {}, yet {says} [{}]", state.mutant.name(), state.outcome, state.mutant.id)?;
    }
    Ok(())
}

/// Writes how many mutants each engine executed, and why not the fastest engine.
fn write_engines(run: &StoredRun, out: &mut Page) -> Result<()> {
    let mut engines: BTreeMap<Engine, BTreeMap<&str, usize>> = BTreeMap::new();
    for plan in run.mutants.iter().filter_map(|state| state.plan.as_deref()) {
        *engines.entry(plan.engine).or_default().entry(plan.why.as_str()).or_default() += 1;
    }
    if engines.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{HEAD}{:WORDS$}{:>NUMBERS$}{HEAD:#}", "engine", "mutants")?;
    for (engine, reasons) in engines {
        let total: usize = reasons.values().sum();
        writeln!(out, "  {engine:width$}{total:>NUMBERS$}", width = WORDS - 2)?;
        let mut reasons: Vec<_> = reasons.into_iter().filter(|(why, _)| !why.is_empty()).collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (why, count) in reasons {
            writeln!(out, "{DIM}{:WORDS$}{count:>NUMBERS$}   {}{DIM:#}", "", in_one_line(why))?;
        }
    }
    Ok(())
}

/// Writes how many pairs of a mutant and a test each engine executed, and why some were not split.
fn write_pairs(run: &StoredRun, out: &mut Page) -> Result<()> {
    let of_engine: Vec<_> = run.pairs.iter().filter(|count| count.why.is_empty()).collect();
    if of_engine.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{HEAD}{:WORDS$}{:>NUMBERS$}{HEAD:#}   of a mutant and a test", "executed by", "pairs")?;
    for count in of_engine {
        writeln!(out, "  {:width$}{:>NUMBERS$}", count.engine, count.pairs, width = WORDS - 2)?;
    }
    let deferred: Vec<_> = run.pairs.iter().filter(|count| !count.why.is_empty()).collect();
    if !deferred.is_empty() {
        let sum: usize = deferred.iter().map(|count| count.pairs).sum();
        writeln!(out, "  {:width$}{sum:>NUMBERS$}", "not split", width = WORDS - 2)?;
    }
    for count in deferred {
        writeln!(out, "{DIM}{:WORDS$}{:>NUMBERS$}   {}{DIM:#}", "", count.pairs, count.why)?;
    }
    Ok(())
}

/// Writes whether the rebuild engine confirms the verdicts of the fast engines.
fn write_audit(run: &StoredRun, out: &mut Page) -> Result<()> {
    let Some(AuditCount { checked, disagreed, confirmed, changed, in_doubt }) = run.audit else { return Ok(()) };
    writeln!(out)?;
    write!(out, "{HEAD}{:WORDS$}{HEAD:#}{checked:>NUMBERS$}   executed once more, each built by itself: ", "audit")?;
    match disagreed {
        0 => writeln!(out, "all found again")?,
        _ => writeln!(out, "{BAD}{disagreed} not found again{BAD:#}: they are unstable")?,
    }
    if confirmed + changed > 0 {
        let found = confirmed + changed;
        let what = "of the same engine and test found again by a slower engine";
        writeln!(out, "{:WORDS$}{found:>NUMBERS$}   {what}: {changed} changed", "")?;
    }
    if in_doubt > 0 {
        let why = "of the same engine and test, and not found again";
        writeln!(out, "{:WORDS$}{in_doubt:>NUMBERS$}   {BAD}in doubt{BAD:#}: {why}", "")?;
    }
    Ok(())
}

fn write_steps(run: &StoredRun, out: &mut Page) -> Result<()> {
    if run.steps.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "{HEAD}{:WORDS$}{:>12}{:>12}{HEAD:#}", "step", "time", "CPU")?;
    for step in &run.steps {
        let (wall, cpu) = (time::duration(step.wall), time::duration(step.cpu));
        writeln!(out, "  {:width$}{wall:>12}{cpu:>12}", step.step, width = WORDS - 2)?;
    }
    let (wall, cpu) = (run.steps.iter().map(|step| step.wall).sum(), run.steps.iter().map(|step| step.cpu).sum());
    writeln!(out, "  {:width$}{:>12}{:>12}", "all", time::duration(wall), time::duration(cpu), width = WORDS - 2)
}

/// The layers that the sandbox of a run lacked, because the machine does not allow them.
pub fn weakness(run: &StoredRun) -> Option<&str> {
    run.manifest["sandbox"]["weakness"].as_str()
}

fn write_sandbox(run: &StoredRun, out: &mut Page) -> Result<()> {
    let Some(weakness) = weakness(run) else { return Ok(()) };
    writeln!(out)?;
    writeln!(out, "{HEAD}{:WORDS$}{HEAD:#}{:>NUMBERS$}   {weakness}", "sandbox", "weaker")
}

fn write_scores(run: &StoredRun, out: &mut Page) -> Result<()> {
    let tally = run.tally();
    writeln!(out)?;
    if let Some(sampled) = run.sampled.as_ref().filter(|sampled| is_part(sampled)) {
        return write_sampled(run, sampled, &tally, out);
    }
    let [covered, all] = match projection(run, &tally) {
        Some(Projected { covered, all }) => {
            let (killed, executed) = (tally.killed.total(), tally.executed());
            let from = format!("if the rest is like the {executed} executed, of which {killed} were killed");
            [covered, all].map(|percent| (projected(percent), from.clone()))
        }
        None => {
            [tally.score_of_covered(), tally.score_of_all()].map(|score| match score.filter(|_| tally.executed() > 0) {
                Some(score) => (score.to_string(), format!("{} of {} killed", score.killed(), score.of())),
                None => ("none".to_string(), "no mutant was executed that a test could kill".to_string()),
            })
        }
    };
    for (name, (value, note)) in [("score, covered", covered), ("score, all code", all)] {
        writeln!(out, "{HEAD}{name:WORDS$}{value:>NUMBERS$}{HEAD:#}   {note}")?;
    }
    write_adjusted(run, &tally, out)
}

/// Writes the adjusted scores, which stand beside the raw ones.
fn write_adjusted(run: &StoredRun, tally: &Tally, out: &mut Page) -> Result<()> {
    let Some(Scores { adjusted, mass, .. }) = Scores::of(tally, run.sampled.as_ref()) else { return Ok(()) };
    let discarded = discarded(tally);
    if discarded.is_empty() || projection(run, tally).is_some() {
        return Ok(());
    }
    writeln!(
        out,
        "{:WORDS$}{:>NUMBERS$}   of covered code without {discarded}",
        "  adjusted",
        percent(adjusted.share)
    )?;
    match mass.filter(|_| tally.not_infected > 0) {
        Some(mass) => writeln!(
            out,
            "{:WORDS$}{:>NUMBERS$}   and, as MASS has it, without the {} that no test infects",
            "",
            percent(mass.share),
            tally.not_infected
        ),
        None => Ok(()),
    }
}

/// `5 likely equivalent ones`, empty if there are none.
pub fn discarded(tally: &Tally) -> String {
    match tally.likely_equivalent {
        0 => String::new(),
        count => plural(count, "likely equivalent one"),
    }
}

/// Writes the scores that are estimated from a sample.
fn write_sampled(run: &StoredRun, sampled: &Sampled, tally: &Tally, out: &mut Page) -> Result<()> {
    let Sampled { strategy, population, estimate, rule, .. } = sampled;
    let killed = estimate.killed;
    let population = *population as u64;
    let (plain, exact) = (estimate.interval(), estimate.finite_interval(population));
    let sure = rule.confidence;
    let seed = run.seed;
    let Some(Scores { covered, all, .. }) = Scores::of(tally, Some(sampled)) else { return Ok(()) };
    writeln!(
        out,
        "{HEAD}{:WORDS$}{:>NUMBERS$}{HEAD:#}   {sure} sure: {}; {} of {} killed, drawn from {population} ({strategy}, \
         seed {seed})",
        "score, covered",
        percent(covered.share),
        range(plain),
        killed.hits(),
        killed.of(),
    )?;
    writeln!(out, "{:WORDS$}{:NUMBERS$}   exact, for a population of {population}: {}", "", "", range(exact))?;
    match estimate.method {
        Method::Plain => {}
        Method::Corrected { missed } => writeln!(
            out,
            "{:WORDS$}{:NUMBERS$}   with reduced suites, which missed {} of {} that were executed with both; \
             corrected by that",
            "",
            "",
            missed.hits(),
            missed.of()
        )?,
        Method::Sufficed => writeln!(
            out,
            "{:WORDS$}{:NUMBERS$}   with whole suites: the mutants executed with both, to measure what reduced ones \
             miss, sufficed",
            "", ""
        )?,
        Method::NotCalibrated { missed } => writeln!(
            out,
            "{:WORDS$}{:NUMBERS$}   with whole suites: what reduced ones miss ({} of {}) could not be measured well \
             enough",
            "",
            "",
            missed.hits(),
            missed.of()
        )?,
    }
    let sure_of_all = all.interval.map(range).unwrap_or_default();
    writeln!(
        out,
        "{HEAD}{:WORDS$}{:>NUMBERS$}{HEAD:#}   {sure} sure: {sure_of_all}",
        "score, all code",
        percent(all.share)
    )?;
    write_adjusted(run, tally, out)
}

/// Writes the scores that the run would have with generated tests.
fn write_generated(run: &StoredRun, out: &mut Page) -> Result<()> {
    let Some(with) = WithTests::of(run) else { return Ok(()) };
    writeln!(out)?;
    writeln!(
        out,
        "{HEAD}{:WORDS$}{HEAD:#}{:>NUMBERS$}   of the live mutants are killed by them; \
         they are not part of the project yet",
        "generated tests", with.killed
    )?;
    for line in [with.would_be(), format!("they are in {}", with.places())].iter().filter(|line| !line.is_empty()) {
        writeln!(out, "{:WORDS$}{:NUMBERS$}   {line}", "", "")?;
    }
    Ok(())
}

/// The result of a run in one line: `killed 240 of 366 mutants drawn from 13045: 65.5 % of covered code (60.4 to 70.4
/// %, 95 % sure)`
pub struct Headline<'r> {
    run: &'r StoredRun,
}

impl<'r> Headline<'r> {
    pub fn of(run: &'r StoredRun) -> Self {
        Self { run }
    }
}

impl std::fmt::Display for Headline<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tally = self.run.tally();
        let sampled = self.run.sampled.as_ref();
        let (killed, live) = (tally.killed.total(), tally.survivors());
        write!(f, "{} killed, {live} live", plural(killed, "mutant"))?;
        let Some(Scores { covered, all, confidence, .. }) = Scores::of(&tally, sampled) else {
            return f.write_str("; no score, as no mutant was executed that a test could kill");
        };
        let rate = |rate: Rate| match rate.interval {
            Some(interval) => format!("{} ({}, {confidence} sure)", percent(rate.share), range(interval)),
            None => percent(rate.share),
        };
        write!(f, ": score {} of covered code, {} of all code", rate(covered), rate(all))
    }
}

/// A share in percent, rounded down, as scores are.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", (share * 1000.0 + 1e-9).floor() / 10.0)
}

pub fn range(interval: Interval) -> String {
    format!("{:.1} to {:.1} %", 100.0 * interval.low, 100.0 * interval.high)
}

/// `3 passed · 1 failed`, without counts of 0.
fn parts(counts: &[(usize, &str)]) -> String {
    let shown = counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    shown.collect::<Vec<_>>().join(" · ")
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
