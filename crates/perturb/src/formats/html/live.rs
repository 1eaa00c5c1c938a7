//! The live mutants in the order in which they are worth a look.

use super::text::{count, Seen};
use super::{class, mutant, At, Report};
use maud::{html, Markup};
use perturb_csrc::Scope;
use perturb_pipeline::{Outcome, Tally};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

/// What no reader comes to the end of is on the pages of the files.
const MOST: usize = 1_000;

/// A mutant of the list.
struct Ranked<'r> {
    place: usize,
    file: usize,
    scope: &'r Scope,
    /// Of the mutants of its function.
    tally: Tally,
}

pub fn list(report: &Report<'_>, at: At<'_>) -> Markup {
    let ranked = ranked(report);
    html! {
        section #live aria-labelledby="live-h" {
            h2 #live-h { "Live mutants" @if !ranked.is_empty() { " " small { (count(ranked.len())) } } }
            @if ranked.is_empty() {
                p { "None: the tests notice every mutant that they execute." }
            } @else {
                p.note {
                    "In the order in which they are worth a look: live, then not infected, then likely equivalent; first those in functions where most "
                    "others are killed, since a test is nearly there."
                    @if ranked.len() > MOST { " These are the first " (count(MOST)) "; all are on the pages of their files." }
                }
                ol.ranked { @for entry in ranked.iter().take(MOST) { (item(report, at, entry)) } }
            }
        }
    }
}

fn item(report: &Report<'_>, at: At<'_>, entry: &Ranked<'_>) -> Markup {
    let state = report.state(entry.place);
    let (id, start) = (state.mutant.id, state.mutant.start());
    let (killed, others) = (entry.tally.killed.total(), decided(&entry.tally) - 1);
    let brackets = if entry.scope.is_function { "()" } else { "" };
    html! {
        li {
            details.m id={ "l-" (id) } data-o=(class(&state.outcome)) data-p=(state.mutant.operator) {
                summary {
                    (mutant::heading(state))
                    span.where { (Seen(&report.files[entry.file].path)) ":" (start.line) }
                    span.function { code { (Seen(&entry.scope.name)) (brackets) } @if others > 0 { " " (count(killed)) " of " (count(others)) " others killed" } }
                }
                (mutant::body(report, entry.place))
                p.jump { a href=(report.mutant_link(at, entry.file, id)) { "in its source, line " (start.line) } }
            }
        }
    }
}

fn decided(tally: &Tally) -> usize {
    tally.score_of_covered().map_or(1, |score| score.of())
}

fn ranked<'r>(report: &'r Report<'_>) -> Vec<Ranked<'r>> {
    let mut functions: HashMap<(&Path, &Scope), Tally> = HashMap::new();
    for state in &report.run.mutants {
        let function = (state.mutant.file.relative.as_path(), &*state.mutant.scope);
        functions.entry(function).or_default().add(&state.outcome);
    }
    let mut ranked = Vec::new();
    for (file, listed) in report.files.iter().enumerate() {
        for place in &listed.places {
            let state = report.state(*place);
            let Some(kind) = kind(&state.outcome) else { continue };
            let scope = &*state.mutant.scope;
            let tally = functions[&(state.mutant.file.relative.as_path(), scope)];
            let share = 1000 * tally.killed.total() / decided(&tally);
            let key = (kind, Reverse(share), Reverse(tally.killed.total()));
            ranked.push((key, Ranked { place: *place, file, scope, tally }));
        }
    }
    // What is equal stays in the order of the files.
    ranked.sort_by_key(|(key, _)| *key);
    ranked.into_iter().map(|(_, entry)| entry).collect()
}

fn kind(outcome: &Outcome) -> Option<u8> {
    match outcome {
        Outcome::Live => Some(0),
        Outcome::NotInfected => Some(1),
        Outcome::LikelyEquivalent => Some(2),
        Outcome::Killed { .. }
        | Outcome::NotCovered
        | Outcome::Equivalent { .. }
        | Outcome::Duplicate { .. }
        | Outcome::CompileError
        | Outcome::Unstable { .. }
        | Outcome::Skipped(_)
        | Outcome::Pending => None,
    }
}
