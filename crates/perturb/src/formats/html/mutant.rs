//! One mutant: a heading, and below it, when a reader opens it, the details.

use super::text::{prose, Escaped};
use super::{class, Report};
use crate::formats::generated::{kill, result};
use crate::formats::suppression_comment;
use crate::formats::why::{why, Part};
use maud::{html, Markup};
use perturb_model::{Mutant, MutantIdx, Outcome, Suppression, TestName};
use perturb_store::MutantState;

/// Of more tests than this, the first are named and the others counted.
const MOST_NAMES: usize = 5;
/// A longer change is cut after so many lines.
const MOST_LINES: usize = 12;

/// `live  ROR  '<' → '<='`, the heading that opens the details.
pub fn heading(state: &MutantState) -> Markup {
    let MutantState { mutant, outcome, .. } = state;
    html! {
        span.badge.(class(outcome)) { (outcome.word()) }
        abbr title=(mutant.operator.title()) { (mutant.operator) }
        (change(mutant))
    }
}

/// `'<' → '<='`
pub fn change(mutant: &Mutant) -> Markup {
    let (from, to) = mutant.sides();
    html! {
        span.change {
            code { (Escaped(&from)) }
            span.to role="img" aria-label="becomes" { "→" }
            code { (Escaped(&to)) }
        }
    }
}

/// The details of a mutant.
pub fn body(report: &Report<'_>, index: MutantIdx) -> Markup {
    let state = report.state(index);
    let MutantState { mutant, outcome, .. } = state;
    html! {
        div.body {
            (diff(mutant))
            dl {
                (fact("mutant", html! {
                    code { (mutant.id) } ", " (mutant.operator.title())
                    @if let Some(function) = mutant.function() { ", in " code { (Escaped(function)) "()" } }
                }))
                (outcome_facts(report, index))
                @if let Some(suppression) = &mutant.suppression { (fact("left out", left_out(suppression))) }
                (fact("see it", html! { code.command { (Escaped(&(report.rerun)(mutant.id, outcome))) } }))
                @if mutant.suppression.is_none() {
                    (fact("leave it out", html! { code.command { (suppression_comment(mutant.operator)) } }))
                }
            }
        }
    }
}

fn fact(name: &str, value: Markup) -> Markup {
    html! { dt { (name) } dd { (value) } }
}

fn outcome_facts(report: &Report<'_>, index: MutantIdx) -> Markup {
    let state = report.state(index);
    let MutantState { mutant, outcome, plan, code_says, trace, judgement, .. } = state;
    let reaching = names(report, |reach| reach.reached.contains(index));
    let infecting = names(report, |reach| report.has_infection && reach.infected.contains(index));
    let executed = report.executed.get(&mutant.id);
    let part =
        Part { reaching: reaching.len(), infecting: infecting.len(), executed: executed.map_or(0, |sum| sum.tests) };
    let why = why(state, part, report.run.finished.is_some());
    html! {
        @match outcome {
            Outcome::Killed { test, how } => {
                @let killers = executed.map_or(&[][..], |sum| &sum.killed_by);
                (fact("killed by", html! { (Escaped(test.as_str())) ": " (how) (also(killers, test)) }))
            }
            Outcome::Unstable { why } => { (fact("unstable", html! { (Escaped(why)) })) }
            Outcome::Skipped(skip) => { (fact("skipped", html! { (skip) })) }
            _ => {}
        }
        @if let Some(why) = &why { (fact("why", prose(why))) }
        @if let Some(judgement) = judgement { (fact("compared", html! { (Escaped(&judgement.to_string())) })) }
        @if state.generated.is_some() {
            (fact("generated", html! { (Escaped(&kill(state).unwrap_or_else(|| result(state)))) }))
        }
        @if let Some(found) = code_says {
            (fact("but", html! { "by its compiled code it is " (Escaped(&found.to_string())) }))
        }
        @if let Some(said) = report.refused.get(&mutant.id) {
            (fact("compiler", html! { pre { (Escaped(said.trim_end())) } }))
        }
        @if !report.reach.is_empty() && !reaching.is_empty() {
            (fact("reached by", named(&reaching)))
            @if report.has_infection { (fact("infected in", named(&infecting))) }
        }
        @if let Some(trace) = trace {
            @let distance = format!("{:.4} from what is executed on the original, of at most 1", trace.distance);
            (fact("distance", html! { (distance) }))
        }
        @if let Some(plan) = plan.as_deref().filter(|_| executed.is_some()) {
            (fact("engine", html! { (plan.engine) @if !plan.why.is_empty() { ": " (Escaped(&plan.why)) } }))
        }
    }
}

/// Other tests that were run and kill the mutant too.
fn also(killers: &[TestName], first: &TestName) -> Markup {
    let others: Vec<&str> = killers.iter().filter(|test| *test != first).map(TestName::as_str).collect();
    html! { @if !others.is_empty() { "; also by " (named(&others)) } }
}

fn names<'r>(report: &'r Report<'_>, is_in: impl Fn(&perturb_model::Reach) -> bool) -> Vec<&'r str> {
    report.reach.iter().filter(|reach| is_in(reach)).map(|reach| reach.test.as_str()).collect()
}

/// `3 tests: a, b, c`, or the first of many and how many more there are.
fn named(names: &[&str]) -> Markup {
    let shown = if names.len() <= MOST_NAMES + 1 { names.len() } else { MOST_NAMES };
    let first = names[..shown].join(", ");
    let more = names.len() - shown;
    html! {
        @match names.len() {
            0 => { "no test" }
            1 => { (Escaped(&first)) }
            _ => { (names.len()) " tests: " (Escaped(&first)) @if more > 0 { " and " (more) " more" } }
        }
    }
}

fn left_out(suppression: &Suppression) -> Markup {
    let reason = if suppression.reason().is_empty() { "no reason given" } else { suppression.reason() };
    html! {
        @match suppression {
            Suppression::Comment { .. } => { "by a comment: " (Escaped(reason)) }
            Suppression::Review { disposition, reviewer, .. } => {
                (disposition) " in review"
                @if !reviewer.is_empty() { " by " (Escaped(reviewer)) }
                ": " (Escaped(reason))
            }
        }
    }
}

/// The lines that change, before and after, without context, which the source shows.
fn diff(mutant: &Mutant) -> Markup {
    let text = mutant.file.source.text();
    let (start, end) = (mutant.range.start as usize, mutant.range.end as usize);
    let line_start = start - (mutant.start().column as usize - 1);
    let last = end.max(start + 1) - 1;
    let line_end = text[last..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| last + at).max(end);
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let (head, tail) = (lossy(&text[line_start..start]), lossy(&text[end..line_end]));
    let (old, new) = (lossy(&text[start..end]), lossy(&mutant.replacement));
    let head = if old.contains('\n') { head.as_str() } else { head.trim_start() };
    let side = |part: &str| {
        let lines = part.lines().count();
        let shown = part.lines().take(MOST_LINES).collect::<Vec<_>>().join("\n");
        html! {
            (Escaped(head)) b { @if lines > MOST_LINES { (Escaped(&shown)) } @else { (Escaped(part)) } }
            @if lines > MOST_LINES { "\n… " (lines - MOST_LINES) " more lines" } @else { (Escaped(tail.trim_end())) }
        }
    };
    html! { pre.diff { del aria-label="before" { (side(&old)) } ins aria-label="after" { (side(&new)) } } }
}
