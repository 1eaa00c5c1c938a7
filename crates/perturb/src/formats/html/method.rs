//! The section for the record: scope, tools, the time of each step, results, and limits.

use super::text::{count, prose, Escaped};
use super::Report;
use crate::formats::summary::{self, percent, range};
use crate::formats::{doubts, markdown, plural, time};
use crate::visible;
use maud::{html, Markup};
use perturb_model::{AuditCount, Method};
use perturb_pipeline::steps::score::{is_part, Rate, Scores};
use perturb_store::StoredRun;
use std::collections::{BTreeMap, BTreeSet};

pub fn section(report: &Report<'_>) -> Markup {
    let run = report.run;
    html! {
        section #method aria-labelledby="method-h" {
            h2 #method-h { "Method and figures for the record" }
            div.columns {
                div { h3 { "Scope and configuration" } (configuration(run)) }
                div { h3 { "Steps" } (steps(run)) }
                div { h3 { "Scores" } (scores(run)) }
                div { h3 { "By operator" } (operators(run)) }
            }
            h3 { "Limits" }
            ul.limits { @for limit in markdown::limits(run) { li { (prose(limit)) } } }
            p.note {
                "The manifest of the run, with all compile commands and the SHA-256 of all sources, is in the JSON "
                "report (" code { "perturb report --format json" } "); "
                code { "perturb report --format markdown" }
                " writes this section with all functions and all live mutants."
            }
        }
    }
}

fn configuration(run: &StoredRun) -> Markup {
    let functions: BTreeSet<_> =
        run.mutants.iter().map(|state| (&state.mutant.file.relative, &state.mutant.scope.name)).collect();
    let files: BTreeSet<_> = functions.iter().map(|(file, _)| file).collect();
    let typed = shlex::try_join(run.arguments.iter().map(String::as_str)).unwrap_or_else(|_| run.arguments.join(" "));
    let compilers = run.manifest["compilers"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    let compilers = compilers.collect::<Vec<_>>().join(", ");
    let build = run.manifest["build"].as_str().unwrap_or_default();
    let versions = run.manifest["versions"].as_object().into_iter().flatten();
    let layers = run.manifest["sandbox"]["layers"].as_str();
    let weakness = summary::weakness(run);
    html! {
        dl.record {
            dt { "project" } dd { code { (Escaped(&visible::name(&run.root))) } }
            dt { "analysed" } dd { (plural(files.len(), "file")) ", " (plural(functions.len(), "function")) }
            dt { "command" } dd { code { (Escaped(&typed)) } }
            dt { "seed" } dd { (run.seed) }
            @if !compilers.is_empty() { dt { "compilers" } dd { (Escaped(&compilers)) } }
            @if let Some(layers) = layers {
                dt { "sandbox" }
                dd { (Escaped(layers)) @if let Some(weakness) = weakness { "; weaker: " (Escaped(weakness)) } }
            }
            @if !build.is_empty() { dt { "build" } dd { (Escaped(build)) } }
            @for (name, version) in versions {
                dt { (Escaped(name)) }
                dd { (Escaped(version.as_str().unwrap_or_default())) }
            }
        }
    }
}

fn steps(run: &StoredRun) -> Markup {
    let passed = run.tests.iter().filter(|test| test.takes_part()).count();
    html! {
        @if !run.steps.is_empty() {
            table {
                thead { tr { th scope="col" { "step" } th.n scope="col" { "time" } th.n scope="col" { "CPU" } } }
                tbody { @for step in &run.steps {
                    tr {
                        th scope="row" { (step.step) }
                        td.n { (time::duration(step.wall)) }
                        td.n { (time::duration(step.cpu)) }
                    }
                } }
                tfoot { tr {
                    th scope="row" { "all" }
                    td.n { (time::duration(run.steps.iter().map(|step| step.wall).sum())) }
                    td.n { (time::duration(run.steps.iter().map(|step| step.cpu).sum())) }
                } }
            }
        }
        ul {
            li { (passed) " of " (plural(run.tests.len(), "test")) " pass on the original, twice, and take part." }
            @for test in run.tests.iter().filter(|test| !test.takes_part()) {
                li { (Escaped(test.name.as_str())) " is left out: " (Escaped(&test.baseline.to_string())) }
            }
            @for pairs in run.pairs.iter().filter(|pairs| pairs.why.is_empty()) {
                li {
                    (count(pairs.pairs)) " pairs of a mutant and a test were executed by the " (pairs.engine) " engine."
                }
            }
            @if let Some(audit) = run.audit {
                @let AuditCount { checked, disagreed, .. } = audit;
                li {
                    "Audit: " (plural(checked, "verdict")) " were found again with each mutant built by itself; in "
                    (disagreed) " of them the engines disagreed."
                }
                @for sentence in doubts(&audit) { li { (sentence) } }
            }
        }
    }
}

fn scores(run: &StoredRun) -> Markup {
    let tally = run.tally();
    let sampled = run.sampled.as_ref();
    let Some(Scores { covered, all, adjusted, mass, confidence }) = Scores::of(&tally, sampled) else {
        return html! { p { "No mutant was decided: there is no score." } };
    };
    let none = match tally.pending {
        0 => "none: every mutant was executed",
        _ => "none: what was executed so far is no random sample",
    };
    let row = |name: &str, rate: Rate| {
        let interval = rate.interval.map_or_else(|| none.to_string(), range);
        html! { tr { th scope="row" { (name) } td.n { (percent(rate.share)) } td { (interval) } } }
    };
    html! {
        table {
            thead { tr {
                th scope="col" { "score" }
                th.n scope="col" { "value" }
                th scope="col" { "interval (" (confidence) ")" }
            } }
            tbody {
                (row("raw, covered code: killed / (killed + live)", covered))
                (row("raw, all code: mutants that no test covers count as live", all))
                (row("without likely equivalent ones (if they are left out rightly)", adjusted))
                @if let Some(mass) = mass {
                    (row("as MASS counts: without mutants that do not change what is executed", mass))
                }
            }
        }
        @if let Some(sampled) = sampled.filter(|sampled| is_part(sampled)) {
            p.note {
                @let exact = sampled.estimate.finite_interval(sampled.population as u64);
                "The intervals are Clopper and Pearson's (T_CI " (sampled.rule.width) "). For just these "
                (count(sampled.population)) " mutants, drawn without replacement, the exact one is " (range(exact)) "."
                @match sampled.estimate.method {
                    Method::Plain => {}
                    Method::Corrected { missed } => {
                        " Reduced suites of tests were used. On " (missed.of())
                        " mutants that were executed with both, they missed " (missed.hits())
                        " that whole ones kill; the interval is moved by that, and the score is its middle."
                    }
                    Method::Sufficed => {
                        " Reduced suites were asked for, but not needed: the mutants that were executed with both "
                        "sufficed."
                    }
                    Method::NotCalibrated { missed } => {
                        " Reduced suites were asked for, but not used: on " (missed.of()) " mutants they missed "
                        (missed.hits()) ", which is too few for an estimate."
                    }
                }
            }
        }
    }
}

fn operators(run: &StoredRun) -> Markup {
    let mut tallies: BTreeMap<_, perturb_model::Tally> = BTreeMap::new();
    for state in &run.mutants {
        tallies.entry(state.mutant.operator).or_default().add(&state.outcome);
    }
    html! {
        table {
            thead { tr {
                th scope="col" { "operator" }
                @for word in ["mutants", "killed", "live", "score"] { th.n scope="col" { (word) } }
            } }
            tbody { @for (operator, tally) in tallies {
                tr {
                    th scope="row" { (operator) ", " (operator.title()) }
                    td.n { (count(tally.total())) }
                    td.n { (count(tally.killed.total())) }
                    td.n { (count(tally.survivors())) }
                    td.n { (tally.score_of_covered().map_or_else(|| "–".to_string(), |score| score.to_string())) }
                }
            } }
        }
    }
}
