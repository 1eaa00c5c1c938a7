//! A source file, line by line, with its mutants where they stand: those that the tests miss below their line, the others behind
//! a mark at its end.

use super::text::{count, Seen};
use super::{class, mutant, At, Report};
use crate::formats::report::is_worth_a_look;
use maud::{html, Markup, Render};
use perturb_pipeline::Tally;

/// All files on one page: each can be opened by itself.
pub fn all(report: &Report<'_>) -> Markup {
    let is_alone = report.files.len() == 1;
    html! {
        section #sources aria-labelledby="sources-h" {
            h2 #sources-h { "Sources" }
            @for (at, file) in report.files.iter().enumerate() {
                details.file id={ "f-" (at) } open[is_alone] {
                    summary {
                        span.name { (Seen(&file.path)) }
                        (marks(&file.tally))
                    }
                    (lines(report, at, At::Whole))
                }
            }
        }
    }
}

/// One file on its own page.
pub fn alone(report: &Report<'_>, file: usize, at: At<'_>) -> Markup {
    html! {
        section.file #sources aria-label="Source" { (lines(report, file, at)) }
    }
}

fn lines(report: &Report<'_>, file: usize, at: At<'_>) -> Markup {
    let places = &report.files[file].places;
    let source = &report.state(places[0]).mutant.file.source;
    let text = source.text();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut out = String::with_capacity(text.len() + 1024 * places.len());
    out.push_str("<ol class=\"source\">");
    let mut next = 0;
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let from = next;
        while next < places.len() && report.state(places[next]).mutant.start().line <= number {
            next += 1;
        }
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let id = if let At::Whole = at { format!("f-{file}-{number}") } else { format!("L{number}") };
        write_line(report, &line, &id, &places[from..next], &mut out);
    }
    out.push_str("</ol>");
    maud::PreEscaped(out)
}

fn write_line(report: &Report<'_>, line: &str, id: &str, places: &[usize], out: &mut String) {
    if places.is_empty() {
        html! { li { code { (Seen(line)) } } }.render_to(out);
        return;
    }
    let is_missed = |place: &usize| is_worth_a_look(&report.state(*place).outcome);
    let (missed, rest): (Vec<usize>, Vec<usize>) = places.iter().partition(|place| is_missed(place));
    let tally: Tally = rest.iter().map(|place| &report.state(*place).outcome).collect();
    let worst = missed.first().or(rest.first()).map_or("", |place| class(&report.state(*place).outcome));
    html! {
        li.(worst) id=(id) {
            code { (Seen(line)) }
            @if !rest.is_empty() {
                details.rest {
                    summary aria-label={ "other mutants of this line: " (words(&tally)) } { (marks(&tally)) }
                    @for place in &rest { (one(report, *place)) }
                }
            }
            @for place in &missed { (one(report, *place)) }
        }
    }
    .render_to(out);
}

fn one(report: &Report<'_>, place: usize) -> Markup {
    let state = report.state(place);
    html! {
        details.m id={ "m-" (state.mutant.id) } data-o=(class(&state.outcome)) data-p=(state.mutant.operator) {
            summary { (mutant::heading(state)) }
            (mutant::body(report, place))
        }
    }
}

/// A coloured number for each outcome.
pub fn marks(tally: &Tally) -> Markup {
    html! {
        span.marks {
            @for (class, word, number) in super::outcomes(tally) {
                span.mark.(class) title={ (number) " " (word) } { (count(number)) }
            }
        }
    }
}

fn words(tally: &Tally) -> String {
    let words = super::outcomes(tally).into_iter().map(|(_, word, number)| format!("{number} {word}"));
    words.collect::<Vec<_>>().join(", ")
}
