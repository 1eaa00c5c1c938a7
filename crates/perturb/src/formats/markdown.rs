//! The verification report, in Markdown, for an assessor who has to accept the analysis as evidence: scope, tools,
//! steps, results, and limits.

use super::generated::{result, WithTests};
use super::summary::{self, percent, range, statement_coverage};
use super::{doubts, plural, time};
use crate::page::Page;
use crate::visible;
use perturb_model::{AuditCount, Comparisons, Method, Outcome, Sampled, Skip, Tally};
use perturb_pipeline::steps::score::{is_part, Rate, Scores};
use perturb_store::{MutantState, Ranked, StoredRun};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Result;

pub fn write(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "# Mutation analysis: verification report\n")?;
    write_scope(run, out)?;
    write_tools(run, out)?;
    write_configuration(run, out)?;
    write_steps(run, out)?;
    write_results(run, out)?;
    write_scores(run, out)?;
    write_breakdown(run, out)?;
    write_live(run, out)?;
    write_left_out(run, out)?;
    write_limits(run, out)
}

fn write_scope(run: &StoredRun, out: &mut Page) -> Result<()> {
    let files: BTreeSet<_> = run.mutants.iter().map(|state| &state.mutant.file.relative).collect();
    let functions: BTreeSet<_> =
        run.mutants.iter().map(|state| (&state.mutant.file.relative, &state.mutant.scope.name)).collect();
    writeln!(out, "## 1. Scope\n")?;
    row(out, "project", &code(&visible::path(&run.root)))?;
    row(out, "analysed", &format!("{}, {}", plural(files.len(), "file"), plural(functions.len(), "function")))?;
    row(out, "started", &time::date(run.started))?;
    let state = match summary::unfinished(run) {
        None => "the analysis is complete".to_string(),
        Some(why) => format!("**the analysis is not finished**: {why}; all figures are of what was done so far"),
    };
    row(out, "state", &state)?;
    writeln!(out)
}

fn write_tools(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 2. Tools\n")?;
    for (name, version) in run.manifest["versions"].as_object().into_iter().flatten() {
        row(out, name, &text(version.as_str().unwrap_or_default()))?;
    }
    let compilers = run.manifest["compilers"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    row(out, "compilers", &compilers.map(code).collect::<Vec<_>>().join(", "))?;
    row(out, "build", &text(run.manifest["build"].as_str().unwrap_or_default()))?;
    let commands = run.manifest["commands"].as_array();
    let sources = run.manifest["sources"].as_object();
    let count = |many: Option<usize>| many.unwrap_or_default();
    let recorded = format!(
        "{} and the SHA-256 of {} are in the manifest of the run (`perturb report --format json`, `config.manifest`)",
        plural(count(commands.map(Vec::len)), "compile command"),
        plural(count(sources.map(serde_json::Map::len)), "source"),
    );
    row(out, "manifest", &recorded)?;
    writeln!(out)
}

fn write_configuration(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 3. Configuration\n")?;
    let typed = shlex::try_join(run.arguments.iter().map(String::as_str)).unwrap_or_else(|_| run.arguments.join(" "));
    row(out, "command", &code(&typed))?;
    row(out, "seed", &run.seed.to_string())?;
    if let Some(layers) = run.manifest["sandbox"]["layers"].as_str() {
        let weaker = summary::weakness(run).map(|weakness| format!("; weaker than it could be: {weakness}"));
        row(out, "sandbox", &format!("{layers}{}", weaker.unwrap_or_default()))?;
    }
    let operators: BTreeSet<_> = run.mutants.iter().map(|state| state.mutant.operator).collect();
    let operators: Vec<String> =
        operators.iter().map(|operator| format!("{operator} ({})", operator.title())).collect();
    row(out, "operators", &operators.join(", "))?;
    writeln!(out)
}

fn write_steps(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 4. Steps\n")?;
    table(out, &["step", "time", "CPU"], "|---|--:|--:|")?;
    for step in &run.steps {
        writeln!(out, "| {} | {} | {} |", step.step, time::duration(step.wall), time::duration(step.cpu))?;
    }
    let passed = run.tests.iter().filter(|test| test.takes_part()).count();
    writeln!(out)?;
    writeln!(out, "{passed} of {} pass on the original, twice, and take part.", plural(run.tests.len(), "test"))?;
    for test in run.tests.iter().filter(|test| !test.takes_part()) {
        writeln!(out, "- {} is left out: {}", code(test.name.as_str()), text(&test.baseline.to_string()))?;
    }
    if let Some(coverage) = statement_coverage(run) {
        writeln!(out, "- Statement coverage: {coverage}, {}.", coverage.percent())?;
    }
    for count in run.pairs.iter().filter(|count| count.why.is_empty()) {
        writeln!(
            out,
            "- {} of a mutant and a test were executed by the {} engine.",
            plural(count.pairs, "pair"),
            count.engine
        )?;
    }
    if let Some(audit) = run.audit {
        let AuditCount { checked, disagreed, .. } = audit;
        writeln!(
            out,
            "- {} were found again with each mutant built by itself; in {disagreed} of them the engines disagreed.",
            plural(checked, "verdict")
        )?;
        for sentence in doubts(&audit) {
            writeln!(out, "- {sentence}")?;
        }
    }
    writeln!(out)
}

fn write_results(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 5. Results\n")?;
    table(out, &["outcome", "mutants"], "|---|--:|")?;
    let mut words: Vec<(&str, usize)> = Vec::new();
    for state in &run.mutants {
        let word = state.outcome.word();
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (word, count) in words {
        writeln!(out, "| {word} | {count} |")?;
    }
    writeln!(out, "| **all** | **{}** |\n", run.mutants.len())?;
    let compared: Comparisons = run.mutants.iter().filter_map(|state| state.judgement.as_ref()).collect();
    if compared.total() > 0 {
        let Comparisons { output, endless, undefined, equivalent, conditional, unknown } = compared;
        writeln!(
            out,
            "{} that lived were compared with the original, function by function: {} are different by an input that \
             was run ({output} by their output, {endless} endless, {undefined} undefined), {equivalent} equivalent for \
             all inputs, {conditional} under bounds or assumptions, {unknown} unknown.\n",
            plural(compared.total(), "mutant"),
            compared.different()
        )?;
    }
    if let Some(with) = WithTests::of(run) {
        writeln!(out, "{}\n", text(&with.sentence()))?;
    }
    Ok(())
}

fn write_scores(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 6. Score\n")?;
    let tally = run.tally();
    let sampled = run.sampled.as_ref();
    let Some(Scores { covered, all, adjusted, mass, confidence }) = Scores::of(&tally, sampled) else {
        return writeln!(out, "No mutant was decided: there is no score.\n");
    };
    table(out, &["score", "value", &format!("interval ({confidence})")], "|---|--:|---|")?;
    let mut line = |name: &str, rate: Rate| {
        let none = match tally.pending {
            0 => "none: every mutant was executed",
            _ => "none: what was executed so far is no random sample",
        };
        let interval = rate.interval.map_or_else(|| none.to_string(), range);
        writeln!(out, "| {name} | {} | {interval} |", percent(rate.share))
    };
    line("raw, covered code: killed / (killed + live)", covered)?;
    line("raw, all code: mutants that no test covers count as live", all)?;
    line("without likely equivalent ones (conditional on leaving them out rightly)", adjusted)?;
    if let Some(mass) = mass {
        line("as MASS counts: without mutants that do not change what is executed", mass)?;
    }
    writeln!(out)?;
    if let Some(sampled) = sampled.filter(|sampled| is_part(sampled)) {
        write_sample(run.seed, sampled, out)?;
    }
    Ok(())
}

fn write_sample(seed: u64, sampled: &Sampled, out: &mut Page) -> Result<()> {
    let Sampled { strategy, population, estimate, rule, is_complete, .. } = sampled;
    let exact = range(estimate.finite_interval(*population as u64));
    writeln!(
        out,
        "The score is estimated from a sample: {} of {population} were drawn at random (strategy `{strategy}`, seed \
         {seed}, T_CI {}), and {} of them were killed. The interval is Clopper and Pearson's; \
         for just these {population} mutants, drawn without replacement, the exact one is {exact}.",
        plural(estimate.killed.of() as usize, "mutant"),
        rule.width,
        estimate.killed.hits()
    )?;
    if !is_complete {
        writeln!(out)?;
        writeln!(out, "**The sample is not complete**: the run ended early.")?;
    }
    let calibrated = |missed: perturb_model::Share| {
        format!(
            "on {} that were executed with both, reduced suites missed {} that whole ones kill",
            missed.of(),
            missed.hits()
        )
    };
    if !matches!(estimate.method, Method::Plain) {
        writeln!(out)?;
    }
    match estimate.method {
        Method::Plain => {}
        Method::Corrected { missed } => writeln!(
            out,
            "Mutants were executed with reduced suites. What these miss was measured: {} (Wilson: {}); the interval is \
             moved by that, and the score is its middle.",
            calibrated(missed),
            estimate.calibrated().map(range).unwrap_or_default()
        )?,
        Method::Sufficed => writeln!(
            out,
            "Reduced suites were asked for, but not needed: the mutants that were executed with both sufficed."
        )?,
        Method::NotCalibrated { missed } => {
            writeln!(
                out,
                "Reduced suites were asked for, but not used: {}, which is too few for an estimate.",
                calibrated(missed)
            )?;
        }
    }
    writeln!(out)
}

fn write_breakdown(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 7. By file, function and operator\n")?;
    let by = |key: &dyn Fn(&MutantState) -> String| {
        let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
        run.mutants.iter().for_each(|state| tallies.entry(key(state)).or_default().add(&state.outcome));
        tallies
    };
    let file = |state: &MutantState| visible::path(&state.mutant.file.relative);
    for (title, tallies) in [
        ("file", by(&file)),
        ("function", by(&|state| format!("{} {}", file(state), state.mutant.scope.name))),
        ("operator", by(&|state| state.mutant.operator.to_string())),
    ] {
        let titles = [title, "mutants", "killed", "live", "not infected", "not covered", "score"];
        table(out, &titles, "|---|--:|--:|--:|--:|--:|--:|")?;
        for (name, tally) in tallies {
            let score = tally.score_of_covered().map_or_else(|| "-".to_string(), |score| score.to_string());
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} | {score} |",
                cell(&name),
                tally.total(),
                tally.killed.total(),
                tally.live,
                tally.not_infected,
                tally.not_covered
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_live(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 8. Live mutants\n")?;
    let live = run.ranked();
    if live.is_empty() {
        return writeln!(out, "None.\n");
    }
    writeln!(
        out,
        "The mutants to look at first are at the top: those with an input on which they differ from the original; \
         then those whose trace is farthest from the original's.\n"
    )?;
    let titles =
        ["mutant", "where", "change", "outcome", "distance", "the same trace as", "compared", "generated test"];
    table(out, &titles, "|---|---|---|---|--:|---|---|---|")?;
    for Ranked { state, same_as } in live {
        let mutant = &state.mutant;
        let place = cell(&mutant.place());
        let what = cell(&mutant.what());
        let distance = state.trace.map_or_else(String::new, |trace| format!("{:.4}", trace.distance));
        let same = same_as.map_or_else(String::new, |id| format!("`{id}`"));
        let compared = state.judgement.as_ref().map_or_else(String::new, |judgement| text(&judgement.to_string()));
        let word = state.outcome.word();
        let generated = text(&result(state));
        writeln!(
            out,
            "| `{}` | {place} | {what} | {word} | {distance} | {same} | {compared} | {generated} |",
            mutant.id
        )?;
    }
    writeln!(out)
}

/// Writes the mutants that somebody suppressed, and those without a certain verdict.
fn write_left_out(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 9. Left out by decision, and undecided\n")?;
    let mut is_any = false;
    for MutantState { mutant, outcome, code_says, .. } in &run.mutants {
        let why = match (outcome, code_says) {
            (Outcome::Skipped(Skip::Suppressed), _) => {
                let reason = mutant.suppression.as_ref().map(|suppression| suppression.reason()).unwrap_or_default();
                format!("suppressed: {}", if reason.is_empty() { "no reason given" } else { reason })
            }
            (Outcome::Unstable { why }, _) => format!("unstable: {why}"),
            (_, Some(says)) => format!("{outcome}; compiled code says {says}"),
            _ => continue,
        };
        is_any = true;
        writeln!(out, "- `{}` {}: {}", mutant.id, code(&mutant.name()), text(&why))?;
    }
    if !is_any {
        writeln!(out, "None.")?;
    }
    writeln!(out)
}

fn write_limits(run: &StoredRun, out: &mut Page) -> Result<()> {
    writeln!(out, "## 10. Limits\n")?;
    limits(run).into_iter().try_for_each(|limit| writeln!(out, "- {limit}"))
}

/// The limits of the figures. Code is in backticks.
pub fn limits(run: &StoredRun) -> Vec<&'static str> {
    let mut limits = vec![
        "A mutant is one small fault. Tests that notice these faults need not notice all others.",
        "`equivalent` means the same machine code as the original, or a proof for all inputs of the function; \
         `duplicate` means the same machine code as another mutant. Both hold as long as nothing undefined happens.",
        "Some live mutants may be equivalent, although perturb has no proof: the true score may be higher.",
        "A test that takes much longer than on the original kills the mutant.",
    ];
    if run.sampled.as_ref().is_some_and(is_part) {
        limits.push(
            "The score of all mutants is within the interval of a sample only with the confidence that is given.",
        );
    }
    limits
}

/// Writes a line of a list. `value` is Markdown.
fn row(out: &mut Page, name: &str, value: &str) -> Result<()> {
    writeln!(out, "- {}: {value}", text(name))
}

/// Writes the head of a table.
fn table(out: &mut Page, titles: &[&str], rule: &str) -> Result<()> {
    writeln!(out, "| {} |", titles.join(" | "))?;
    writeln!(out, "{rule}")
}

/// Text as code. The backticks around it are more than it has itself in a row.
fn code(text: &str) -> String {
    let text = visible::line(text);
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // Blanks keep backticks of the text apart from those around it; a reader does not see them.
    match text.contains('`') || text.trim().len() < text.len() {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// Text as code in a table, where Markdown looks for `|` before it looks for code.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

/// Text with Markdown's own characters escaped, also for tables.
fn text(text: &str) -> String {
    let mut escaped = String::new();
    for character in visible::line(text).chars() {
        if "\\`*_~<>|[]#&".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    // Markdown makes links of addresses.
    escaped.replace("://", ":\\//").replace("www.", "www\\.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_as_they_are() {
        for (name, in_text, in_code, in_cell) in [
            ("a|b", "a\\|b", "`a|b`", "`a\\|b`"),
            ("`x", "\\`x", "`` `x ``", "`` `x ``"),
            ("a``b", "a\\`\\`b", "``` a``b ```", "``` a``b ```"),
            ("[x](http://y)", "\\[x\\](http:\\//y)", "`[x](http://y)`", "`[x](http://y)`"),
            ("<b>*&amp;", "\\<b\\>\\*\\&amp;", "`<b>*&amp;`", "`<b>*&amp;`"),
            ("a\n# b", "a\\\\n\\# b", "`a\\n# b`", "`a\\n# b`"),
        ] {
            assert_eq!([text(name), code(name), cell(name)], [in_text, in_code, in_cell]);
        }
    }
}
