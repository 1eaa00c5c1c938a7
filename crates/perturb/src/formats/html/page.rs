//! The parts that all pages share: head, navigation, filters, keys, and a policy that allows only our style and script.

use super::text::{address, base64, count, Escaped};
use super::{files, live, method, outcomes, overview, source, tests, PageKind, Report};
use maud::{html, Markup, PreEscaped, DOCTYPE};
use perturb_model::{ContentHash, MutantIdx, Tally};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The files beside the pages of a folder.
pub const ASSETS: [(&str, &str); 2] = [("report.css", STYLE), ("report.js", SCRIPT)];

pub fn whole(report: &Report<'_>) -> String {
    let at = PageKind::Whole;
    let content = html! {
        (overview::section(report))
        (files::tree(report, at))
        (filters(report, None))
        (live::list(report, at))
        (source::all(report))
        (tests::section(report))
        (method::section(report))
    };
    let links = [
        ("overview", "Overview"),
        ("files", "Files"),
        ("live", "Live"),
        ("sources", "Sources"),
        ("tests", "Tests"),
        ("method", "Method"),
    ];
    shell(at, &overview::name(report), anchors(&links), content)
}

pub fn index(report: &Report<'_>, folder: &str) -> String {
    let at = PageKind::Index { folder };
    let content = html! {
        (overview::section(report))
        (filters(report, None))
        (files::tree(report, at))
        (live::list(report, at))
        (tests::section(report))
        (method::section(report))
    };
    let links =
        [("overview", "Overview"), ("files", "Files"), ("live", "Live"), ("tests", "Tests"), ("method", "Method")];
    shell(at, &overview::name(report), anchors(&links), content)
}

pub fn of_file(report: &Report<'_>, file: usize, index: &str) -> String {
    let at = PageKind::Page;
    let listed = &report.files[file];
    let content = html! {
        section #overview aria-labelledby="title" {
            h1 #title { (Escaped(&listed.path)) }
            p.about { (count(listed.tally.total())) " mutants " (source::marks(&listed.tally)) }
        }
        (filters(report, Some(file)))
        (source::alone(report, file, at))
    };
    let up = format!("../{}", address(index));
    let before = file.checked_sub(1);
    let after = Some(file + 1).filter(|next| *next < report.files.len());
    let beside = |other: Option<usize>, rel: &str, word: &str| {
        html! {
            @if let Some(other) = other.map(|other| &report.files[other]) {
                li { a rel=(rel) href=(address(&other.page)) title=(Escaped(&other.path)) { (word) } }
            }
        }
    };
    let links = html! {
        @for (anchor, word) in [("", "All files"), ("#live", "Live"), ("#tests", "Tests")] {
            li { a href={ (up) (anchor) } { (word) } }
        }
        (beside(before, "prev", "← File before"))
        (beside(after, "next", "Next file →"))
    };
    shell(at, &listed.path, links, content)
}

fn anchors(links: &[(&str, &str)]) -> Markup {
    html! { @for (id, word) in links { li { a href={ "#" (id) } { (word) } } } }
}

fn shell(at: PageKind<'_>, title: &str, links: Markup, content: Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy(at));
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={ "perturb " (env!("CARGO_PKG_VERSION")) };
                title { (Escaped(title)) " – mutation analysis" }
                link rel="icon" href="data:,";
                @match at {
                    PageKind::Whole => { style { (PreEscaped(STYLE)) } }
                    PageKind::Index { folder } => { link rel="stylesheet" href={ (address(folder)) "/report.css" }; }
                    PageKind::Page => { link rel="stylesheet" href="report.css"; }
                }
            }
            body #top {
                a.skip href="#main" { "Skip to the report" }
                header.bar {
                    a.brand href="#top" { "perturb" }
                    nav aria-label="Report" { ul { (links) } }
                    div.tools hidden {
                        button #theme type="button" aria-label="Light or dark" title="Light or dark" { "◐" }
                        button #help type="button" aria-label="Keys" title="Keys (?)" { "?" }
                    }
                }
                main #main { (content) }
                (keys())
                @match at {
                    PageKind::Whole => { script { (PreEscaped(SCRIPT)) } }
                    PageKind::Index { folder } => { script src={ (address(folder)) "/report.js" } {} }
                    PageKind::Page => { script src="report.js" {} }
                }
            }
        }
    }
    .into_string()
}

/// The policy: a page loads nothing from elsewhere and runs only our script, even if a browser took text of others for
/// markup.
fn policy(at: PageKind<'_>) -> String {
    let (style, script) = match at {
        PageKind::Whole => ("", format!("'sha256-{}'", base64(ContentHash::of(SCRIPT.as_bytes()).as_bytes()))),
        // `file:` for a folder on the disk, `self` for one on a server.
        PageKind::Index { .. } | PageKind::Page => (" 'self' file:", "'self' file:".to_string()),
    };
    // The bars have their widths in `style` attributes.
    let style = format!("style-src 'unsafe-inline'{style}");
    format!("default-src 'none'; img-src data:; {style}; script-src {script}; base-uri 'none'; form-action 'none'")
}

/// Filters by outcome, operator and text, for one file or for all. The script shows them, because they need it.
fn filters(report: &Report<'_>, file: Option<usize>) -> Markup {
    let mutants: Vec<MutantIdx> = match file {
        Some(file) => report.files[file].mutants.clone(),
        None => MutantIdx::all(report.run.mutants.len()).collect(),
    };
    let tally: Tally = mutants.iter().map(|mutant| &report.state(*mutant).outcome).collect();
    let mut operators: BTreeMap<_, usize> = BTreeMap::new();
    mutants.iter().for_each(|mutant| *operators.entry(report.state(*mutant).mutant.operator).or_default() += 1);
    html! {
        search.filters hidden aria-label="Filters" {
            input #search type="search" placeholder="Search  /"
                aria-label="Search mutants: text, operator, function, test or id" autocomplete="off" spellcheck="false";
            fieldset { legend.unseen { "Only these outcomes" }
                @for counted in outcomes(&tally) {
                    label.choice {
                        input type="checkbox" name="outcome" value=(counted.class);
                        span.swatch.(counted.class) aria-hidden="true" {}
                        (counted.word) " " span.n { (count(counted.count)) }
                    }
                }
            }
            details.operators { summary { "Operators" } fieldset { legend.unseen { "Only these operators" }
                @for (operator, number) in operators {
                    label.choice title=(operator.title()) {
                        input type="checkbox" name="operator" value=(operator);
                        (operator) " " span.n { (count(number)) }
                    }
                }
            } }
            button #clear type="button" hidden { "Show all" }
            output #found role="status" {}
        }
    }
}

fn keys() -> Markup {
    let keys = [
        ("/", "search"),
        ("j", "next mutant"),
        ("k", "mutant before"),
        ("Enter", "open or close it"),
        ("Escape", "leave the search, show all"),
        ("t", "light or dark"),
        ("?", "these keys"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-h" {
            h2 #keys-h { "Keys" }
            dl { @for (key, what) in keys { dt { kbd { (key) } } dd { (what) } } }
            button #close type="button" { "Close" }
        }
    }
}
