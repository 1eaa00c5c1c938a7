//! The tree of files, with the scores of files and folders.

use super::text::{count, Escaped};
use super::{class, PageKind, Report};
use crate::formats::scores;
use maud::{html, Markup};
use perturb_model::{Projected, Tally};
use perturb_store::StoredRun;
use std::collections::{BTreeMap, BTreeSet};

pub fn tree(report: &Report<'_>, at: PageKind<'_>) -> Markup {
    let folders = folders(report);
    html! {
        section #files aria-labelledby="files-h" {
            h2 #files-h { "Files" " " small { (count(report.files.len())) } }
            div.scroll {
                table.files {
                    thead { tr {
                        th scope="col" { "file" }
                        th scope="col" { "score" }
                        th.n scope="col" { "of covered" }
                        th.n scope="col" { "of all" }
                        @for word in ["mutants", "killed", "live", "not infected", "not covered", "others"] {
                            th.n scope="col" { (word) }
                        }
                    } }
                    tbody {
                        @for row in rows(report) { @match row {
                            Row::Folder { name, path, depth } => { tr.folder {
                                th scope="row" style={ "--depth:" (depth) } { (Escaped(name)) "/" }
                                (figures(report.run, &folders[path]))
                            } }
                            Row::File { number, name, depth } => { (file_row(report, at, number, name, depth)) }
                        } }
                    }
                }
            }
        }
    }
}

/// A row of the tree.
enum Row<'r> {
    Folder { name: &'r str, path: &'r str, depth: usize },
    File { number: usize, name: &'r str, depth: usize },
}

/// The rows: each folder before its files.
fn rows<'r>(report: &'r Report<'_>) -> Vec<Row<'r>> {
    let mut rows = Vec::new();
    let mut above = "";
    for (number, file) in report.files.iter().enumerate() {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let ends = folder.match_indices('/').map(|(at, _)| at).chain((!folder.is_empty()).then_some(folder.len()));
        let mut depth = 0;
        for end in ends {
            let path = &folder[..end];
            let is_open = above == path || above.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
            if !is_open {
                rows.push(Row::Folder { name: path.rsplit('/').next().unwrap_or(path), path, depth });
            }
            depth += 1;
        }
        rows.push(Row::File { number, name, depth });
        above = folder;
    }
    rows
}

/// The row of a file, with the words that filters find it by: functions, outcomes and operators.
fn file_row(report: &Report<'_>, at: PageKind<'_>, number: usize, name: &str, depth: usize) -> Markup {
    let file = &report.files[number];
    let states = || file.mutants.iter().map(|mutant| report.state(*mutant));
    let functions: BTreeSet<&str> = states().map(|state| state.mutant.scope.name.as_str()).collect();
    let outcomes: BTreeSet<&str> = states().map(|state| class(&state.outcome)).collect();
    let operators: BTreeSet<&str> = states().map(|state| state.mutant.operator.acronym()).collect();
    let joined = |words: BTreeSet<&str>| words.into_iter().collect::<Vec<_>>().join(" ");
    let words = format!("{} {}", file.path, joined(functions));
    html! {
        tr.entry data-s=(Escaped(&words)) data-o=(joined(outcomes)) data-p=(joined(operators)) {
            th scope="row" style={ "--depth:" (depth) } { a href=(report.link(at, number)) { (Escaped(name)) } }
            (figures(report.run, &file.tally))
        }
    }
}

fn figures(run: &StoredRun, tally: &Tally) -> Markup {
    let (killed, live, not_infected) = (tally.killed.total(), tally.live, tally.not_infected);
    let (total, not_covered) = (tally.total(), tally.not_covered);
    let others = total - killed - live - not_infected - not_covered;
    let (covered, all) = (tally.score_of_covered(), tally.score_of_all());
    let [covered_text, all_text] = match scores::projection(run, tally) {
        Some(Projected { covered, all }) => [covered, all].map(scores::projected),
        None => [covered, all].map(|score| score.map_or_else(|| "–".to_string(), |score| score.to_string())),
    };
    let numbers = [(total, ""), (killed, ""), (live, "bad"), (not_infected, "bad"), (not_covered, ""), (others, "")];
    html! {
        td { (super::overview::stack(&in_score(tally))) }
        td.n.rate { (covered_text) }
        td.n { (all_text) }
        @for (number, class) in numbers {
            td.n.(if number == 0 { "zero" } else { class }) { (count(number)) }
        }
    }
}

/// The counts that are in the score.
fn in_score(tally: &Tally) -> Tally {
    let Tally { killed, live, not_covered, not_infected, likely_equivalent, pending, .. } = *tally;
    Tally { killed, live, not_covered, not_infected, likely_equivalent, pending, ..Tally::default() }
}

/// The counts of each folder and all below it.
fn folders(report: &Report<'_>) -> BTreeMap<String, Tally> {
    let mut folders: BTreeMap<String, Tally> = BTreeMap::new();
    for file in &report.files {
        for (end, _) in file.path.match_indices('/') {
            let tally = folders.entry(file.path[..end].to_string()).or_default();
            file.mutants.iter().for_each(|mutant| tally.add(&report.state(*mutant).outcome));
        }
    }
    folders
}
