//! The live mutants, those to look at first at the top.

use super::text::{count, Escaped};
use super::{class, mutant, PageKind, Report};
use maud::{html, Markup};
use perturb_csrc::Scope;
use perturb_model::{MutantId, MutantIdx, Tally};
use perturb_store::Ranked;
use std::collections::HashMap;
use std::path::Path;

/// The list has so many; the pages of the files have all.
const MOST: usize = 1_000;

/// A mutant of the list.
struct Entry<'r> {
    index: MutantIdx,
    file: usize,
    scope: &'r Scope,
    /// The counts of its function.
    tally: Tally,
    same_as: Option<MutantId>,
}

pub fn list(report: &Report<'_>, at: PageKind<'_>) -> Markup {
    let ranked = ranked(report);
    html! {
        section #live aria-labelledby="live-h" {
            h2 #live-h { "Live mutants" @if !ranked.is_empty() { " " small { (count(ranked.len())) } } }
            @if ranked.is_empty() {
                p { "None: the tests notice every mutant that they execute." }
            } @else {
                p.note {
                    "The mutants to look at first are at the top: those with an input on which they differ from the "
                    "original; then those whose trace is farthest from the original's, one for each trace; then "
                    "those that no test infects, and those that are likely equivalent."
                    @if ranked.len() > MOST {
                        " These are the first " (count(MOST)) "; all are on the pages of their files."
                    }
                }
                ol.ranked { @for entry in ranked.iter().take(MOST) { (item(report, at, entry)) } }
            }
        }
    }
}

fn item(report: &Report<'_>, at: PageKind<'_>, entry: &Entry<'_>) -> Markup {
    let state = report.state(entry.index);
    let id = state.mutant.id;
    let start = state.mutant.start();
    let (killed, others) = (entry.tally.killed.total(), decided(&entry.tally) - 1);
    let brackets = if entry.scope.is_function { "()" } else { "" };
    html! {
        li {
            details.m id={ "l-" (id) } data-o=(class(&state.outcome)) data-p=(state.mutant.operator) {
                summary {
                    (mutant::heading(state))
                    span.where { (Escaped(&report.files[entry.file].path)) ":" (start.line) }
                    span.function {
                        code { (Escaped(&entry.scope.name)) (brackets) }
                        @if others > 0 { " " (count(killed)) " of " (count(others)) " others killed" }
                    }
                }
                (mutant::body(report, entry.index))
                @if let Some(other) = entry.same_as {
                    p.note {
                        "It leaves the same trace in what is executed as "
                        a href={ "#l-" (other) } { code { (other) } } ", which comes before it."
                    }
                }
                p.jump { a href=(report.mutant_link(at, entry.file, id)) { "in its source, line " (start.line) } }
            }
        }
    }
}

fn decided(tally: &Tally) -> usize {
    tally.score_of_covered().map_or(1, |score| score.of())
}

fn ranked<'r>(report: &'r Report<'_>) -> Vec<Entry<'r>> {
    let mut functions: HashMap<(&Path, &Scope), Tally> = HashMap::new();
    for state in &report.run.mutants {
        let function = (state.mutant.file.relative.as_path(), &*state.mutant.scope);
        functions.entry(function).or_default().add(&state.outcome);
    }
    let mut indices: HashMap<MutantId, (MutantIdx, usize)> = HashMap::new();
    for (file, listed) in report.files.iter().enumerate() {
        indices.extend(listed.mutants.iter().map(|index| (report.state(*index).mutant.id, (*index, file))));
    }
    let entry = |ranked: Ranked<'r>| {
        let mutant = &ranked.state.mutant;
        let ((index, file), scope) = (indices[&mutant.id], &*mutant.scope);
        let tally = functions[&(mutant.file.relative.as_path(), scope)];
        Entry { index, file, scope, tally, same_as: ranked.same_as }
    };
    report.run.ranked().into_iter().map(entry).collect()
}
