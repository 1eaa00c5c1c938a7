//! A source file, line by line, with its mutants: those that the tests miss below their line, the others behind a mark
//! at its end.

use super::text::{count, Escaped};
use super::{class, mutant, PageKind, Report};
use crate::formats::report::is_worth_a_look;
use maud::{html, Markup, Render};
use perturb_model::{MutantIdx, Tally};

/// All files on one page. A reader opens each by itself.
pub fn all(report: &Report<'_>) -> Markup {
    let is_alone = report.files.len() == 1;
    html! {
        section #sources aria-labelledby="sources-h" {
            h2 #sources-h { "Sources" }
            @for (at, file) in report.files.iter().enumerate() {
                details.file id={ "f-" (at) } open[is_alone] {
                    summary {
                        span.name { (Escaped(&file.path)) }
                        (marks(&file.tally))
                    }
                    (lines(report, at, PageKind::Whole))
                }
            }
        }
    }
}

/// One file on its own page.
pub fn alone(report: &Report<'_>, file: usize, at: PageKind<'_>) -> Markup {
    html! {
        section.file #sources aria-label="Source" { (lines(report, file, at)) }
    }
}

fn lines(report: &Report<'_>, file: usize, at: PageKind<'_>) -> Markup {
    let mutants = &report.files[file].mutants;
    let source = &report.state(mutants[0]).mutant.file.source;
    let text = source.text();
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut out = String::with_capacity(text.len() + 1024 * mutants.len());
    out.push_str("<ol class=\"source\">");
    let comments = comments(text);
    let (mut next, mut start) = (0, 0);
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let from = next;
        while next < mutants.len() && report.state(mutants[next]).mutant.start().line <= number {
            next += 1;
        }
        let id = if let PageKind::Whole = at { format!("f-{file}-{number}") } else { format!("L{number}") };
        let end = start + line.strip_suffix(b"\r").unwrap_or(line).len();
        let shown = Line { text, comments: &comments, start, end, id };
        write_line(report, shown, &mutants[from..next], &mut out);
        start += line.len() + 1;
    }
    out.push_str("</ol>");
    maud::PreEscaped(out)
}

/// A line of a file.
struct Line<'r> {
    /// The text of the whole file.
    text: &'r [u8],
    comments: &'r [(usize, usize)],
    start: usize,
    end: usize,
    id: String,
}

impl Line<'_> {
    /// A part of the line, with comments marked.
    fn part(&self, mut from: usize, to: usize) -> Markup {
        let lossy = |from: usize, to: usize| String::from_utf8_lossy(&self.text[from..to]);
        let first = self.comments.partition_point(|(_, end)| *end <= from);
        let mut out = String::new();
        for (start, end) in self.comments[first..].iter().take_while(|(start, _)| *start < to) {
            let (start, end) = ((*start).max(from), (*end).min(to));
            html! { (Escaped(&lossy(from, start))) i { (Escaped(&lossy(start, end))) } }.render_to(&mut out);
            from = end;
        }
        Escaped(&lossy(from, to)).render_to(&mut out);
        maud::PreEscaped(out)
    }
}

/// The ranges of comments, only for colours: a mistake here changes only the colour.
fn comments(text: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let until = |end: &[u8]| rest[2..].windows(end.len()).position(|part| part == end).map(|offset| 2 + offset);
        let length = match rest {
            [b'/', b'/', ..] => until(b"\n").unwrap_or(rest.len()),
            [b'/', b'*', ..] => until(b"*/").map_or(rest.len(), |end| end + 2),
            [quote @ (b'"' | b'\''), ..] => {
                at += literal(rest, *quote);
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        found.push((at, at + length));
        at += length;
    }
    found
}

/// The length of a literal. One without an end ends with its line.
fn literal(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

fn write_line(report: &Report<'_>, line: Line<'_>, mutants: &[MutantIdx], out: &mut String) {
    if mutants.is_empty() {
        html! { li { code { (line.part(line.start, line.end)) } } }.render_to(out);
        return;
    }
    let is_missed = |index: &MutantIdx| is_worth_a_look(&report.state(*index).outcome);
    let (missed, rest): (Vec<MutantIdx>, Vec<MutantIdx>) = mutants.iter().partition(|index| is_missed(index));
    let tally: Tally = rest.iter().map(|index| &report.state(*index).outcome).collect();
    // The first outcome is the one to look at first.
    let first = || super::outcomes(&tally).first().map_or("", |counted| counted.class);
    let colour = missed.first().map_or_else(first, |index| class(&report.state(*index).outcome));
    html! {
        li.(colour) id=(line.id) {
            code { (marked(report, &line, &missed)) }
            @if !rest.is_empty() {
                details.rest {
                    summary aria-label={ "other mutants of this line: " (words(&tally)) } { (marks(&tally)) }
                    @for index in &rest { (one(report, *index)) }
                }
            }
            @for index in &missed { (one(report, *index)) }
        }
    }
    .render_to(out);
}

/// The text of a line, with the ranges of missed mutants underlined.
fn marked(report: &Report<'_>, line: &Line<'_>, missed: &[MutantIdx]) -> Markup {
    let ranges = missed.iter().map(|index| report.state(*index).mutant.range);
    let ranges = ranges.map(|range| (range.start as usize, range.end as usize));
    // Not those of several lines, which would underline whole lines. The ranges are in the order of their starts.
    let mut merged: Vec<(usize, usize)> = Vec::new();
    for (from, to) in ranges.filter(|(from, to)| from < to && *from >= line.start && *to <= line.end) {
        match merged.last_mut() {
            Some((_, last)) if from <= *last => *last = to.max(*last),
            _ => merged.push((from, to)),
        }
    }
    let mut at = line.start;
    html! {
        @for (from, to) in merged {
            (line.part(std::mem::replace(&mut at, to), from)) u { (line.part(from, to)) }
        }
        (line.part(at, line.end))
    }
}

fn one(report: &Report<'_>, index: MutantIdx) -> Markup {
    let state = report.state(index);
    html! {
        details.m id={ "m-" (state.mutant.id) } data-o=(class(&state.outcome)) data-p=(state.mutant.operator) {
            summary { (mutant::heading(state)) span.where { "column " (state.mutant.start().column) } }
            (mutant::body(report, index))
        }
    }
}

/// A coloured number for each outcome.
pub fn marks(tally: &Tally) -> Markup {
    html! {
        span.marks {
            @for counted in super::outcomes(tally) {
                span.mark.(counted.class) title={ (counted.count) " " (counted.word) } { (count(counted.count)) }
            }
        }
    }
}

/// `4 killed, 1 equivalent`
pub fn words(tally: &Tally) -> String {
    let words = super::outcomes(tally).into_iter().map(|counted| format!("{} {}", counted.count, counted.word));
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn comments_are_found_and_not_what_looks_like_them() {
        let text = b"a /* b\n c */ d // e\n\"/* f\\\" */\" '\\'' /**/ \"// g\n// h";
        let found: Vec<_> =
            comments(text).into_iter().map(|(from, to)| String::from_utf8_lossy(&text[from..to])).collect();
        assert_eq!(found, ["/* b\n c */", "// e", "/**/", "// h"]);
    }
}
