//! Unified diffs, made from the mutant's range, without a search for differences. As data, each byte is that of the
//! file; for people, hidden characters are escaped.

use crate::page::{Page, Style};
use crate::visible;
use anstyle::AnsiColor;
use perturb_model::Mutant;
use std::collections::BTreeMap;
use std::io::{Result, Write};
use std::ops::RangeInclusive;
use std::path::Path;

/// Lines of context before and after.
const CONTEXT: u32 = 3;

const REMOVED: Style = Style::colour(AnsiColor::Red);
const ADDED: Style = Style::colour(AnsiColor::Green);
const PLACE: Style = Style::colour(AnsiColor::Cyan);

/// The kind of a line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Names of files, and text above a diff.
    Head,
    Place,
    Context,
    Removed,
    Added,
    /// The note that the file does not end in a line feed.
    Unended,
}

/// A line of a diff, without its end.
#[derive(Debug, Clone)]
pub struct Line {
    kind: Kind,
    text: Vec<u8>,
}

impl Line {
    fn new(kind: Kind, text: impl Into<Vec<u8>>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// Writes a diff for `patch`, with each byte as it is.
pub fn write(lines: &[Line], out: &mut impl Write) -> Result<()> {
    for line in lines {
        out.write_all(&line.text)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes a diff for people.
pub fn show(lines: &[Line], out: &mut Page) -> Result<()> {
    for Line { kind, text } in lines {
        let style = match kind {
            Kind::Place => PLACE,
            Kind::Removed => REMOVED,
            Kind::Added => ADDED,
            Kind::Head | Kind::Context | Kind::Unended => Style::PLAIN,
        };
        write!(out, "{style}")?;
        out.verbatim(text.strip_suffix(b"\r").unwrap_or(text));
        writeln!(out, "{style:#}")?;
    }
    Ok(())
}

/// Each mutant's diff, with its name above it.
pub fn of_all(mutants: &[Mutant]) -> impl Iterator<Item = Vec<Line>> + '_ {
    mutants.iter().map(|mutant| {
        let name = format!("# {} {}", mutant.id, visible::line(&mutant.name()));
        [vec![Line::new(Kind::Head, name)], of(mutant)].concat()
    })
}

pub fn of(mutant: &Mutant) -> Vec<Line> {
    let source = &mutant.file.source;
    let text = source.text();
    let lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
    let first = mutant.start().line - 1;
    let last = source.line_column(mutant.range.end.max(mutant.range.start + 1) - 1).line - 1;
    let before = first.saturating_sub(CONTEXT)..first;
    let after = last + 1..(last + 1 + CONTEXT).min(lines.len() as u32);

    let line_start = mutant.range.start - (mutant.start().column - 1);
    let line_end = line_start + (first..=last).map(|line| lines[line as usize].len() as u32).sum::<u32>();
    let head = &text[line_start as usize..mutant.range.start as usize];
    let tail = &text[mutant.range.end as usize..line_end as usize];
    let new = [head, &mutant.replacement, tail].concat();
    let new_lines: Vec<&[u8]> = new.split_inclusive(|&b| b == b'\n').collect();

    let context = (before.len() + after.len()) as u32;
    let (old_count, new_count) = (context + last - first + 1, context + new_lines.len() as u32);
    let start = before.start + 1;
    let function = visible::line(mutant.function().unwrap_or_default());
    let mut diff = names(&mutant.file.relative);
    let hunk = format!("@@ -{start},{old_count} +{start},{new_count} @@ {function}");
    diff.push(Line::new(Kind::Place, hunk.trim_end()));
    let line = |number: u32| lines[number as usize];
    before.map(line).for_each(|text| add(&mut diff, Kind::Context, text));
    (first..=last).map(line).for_each(|text| add(&mut diff, Kind::Removed, text));
    new_lines.into_iter().for_each(|text| add(&mut diff, Kind::Added, text));
    after.map(line).for_each(|text| add(&mut diff, Kind::Context, text));
    diff
}

fn names(file: &Path) -> Vec<Line> {
    let name = file_name(file.as_os_str().as_encoded_bytes());
    [&b"--- a/"[..], b"+++ b/"].map(|side| Line::new(Kind::Head, [side, &name].concat())).into()
}

/// The name of a file as `patch` reads it.
fn file_name(name: &[u8]) -> Vec<u8> {
    // A line feed would end the name, and the rest of the name would be part of the diff.
    if name.contains(&b'\n') {
        return visible::line(&visible::bytes(name)).into_owned().into_bytes();
    }
    // A tab ends a name that contains a space, as in git's own diffs.
    let end: &[u8] = if name.contains(&b' ') { b"\t" } else { b"" };
    [name, end].concat()
}

/// The diff of a file that gets new lines, each before the line with its number, from 1.
pub fn of_insertions(file: &Path, text: &[u8], new: &BTreeMap<u32, Vec<u8>>) -> Vec<Line> {
    let lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
    let mut hunks: Vec<(RangeInclusive<u32>, usize)> = Vec::new();
    for &at in new.keys() {
        let around = at.saturating_sub(CONTEXT).max(1)..=(at + CONTEXT - 1).min(lines.len() as u32);
        match hunks.last_mut() {
            Some((last, count)) if *around.start() <= last.end() + 1 => {
                (*last, *count) = (*last.start()..=*around.end(), *count + 1)
            }
            _ => hunks.push((around, 1)),
        }
    }
    let mut diff = if hunks.is_empty() { Vec::new() } else { names(file) };
    let mut before = 0;
    for (lines_of_hunk, count) in hunks {
        let (start, old) = (*lines_of_hunk.start() as usize, lines_of_hunk.clone().count());
        let place = format!("@@ -{start},{old} +{},{} @@", start + before, old + count);
        diff.push(Line::new(Kind::Place, place));
        before += count;
        for number in lines_of_hunk {
            if let Some(line) = new.get(&number) {
                add(&mut diff, Kind::Added, line);
            }
            add(&mut diff, Kind::Context, lines[number as usize - 1]);
        }
    }
    diff
}

/// A line of the file, or one that comes into it, behind its sign.
fn add(diff: &mut Vec<Line>, kind: Kind, line: &[u8]) {
    let sign: &[u8] = match kind {
        Kind::Removed => b"-",
        Kind::Added => b"+",
        _ => b" ",
    };
    let body = line.strip_suffix(b"\n");
    diff.push(Line::new(kind, [sign, body.unwrap_or(line)].concat()));
    if body.is_none() {
        diff.push(Line::new(Kind::Unended, "\\ No newline at end of file"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_that_are_close_share_a_hunk() {
        let text = (1..=20).map(|number| format!("{number}\n")).collect::<String>();
        let new = [(1, b"a\n".to_vec()), (5, b"b\n".to_vec()), (18, b"c\n".to_vec())].into();
        let mut out = Vec::new();
        write(&of_insertions(Path::new("x.c"), text.as_bytes(), &new), &mut out).unwrap();
        let expected = "--- a/x.c\n+++ b/x.c\n@@ -1,7 +1,9 @@\n+a\n 1\n 2\n 3\n 4\n+b\n 5\n 6\n 7\n\
                        @@ -15,6 +17,7 @@\n 15\n 16\n 17\n+c\n 18\n 19\n 20\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn nothing_inserted_is_no_diff() {
        assert!(of_insertions(Path::new("x.c"), b"1\n", &BTreeMap::new()).is_empty());
    }

    #[test]
    fn patch_reads_every_byte_and_people_read_what_has_a_shape() {
        let new = [(1, b"\xe9\x1b\r\n".to_vec())].into();
        let diff = of_insertions(Path::new("a\nb.c"), b"\t::x\r\n", &new);
        let mut data = Vec::new();
        let mut page = Page::default();
        write(&diff, &mut data).unwrap();
        show(&diff, &mut page).unwrap();
        let head = "--- a/a\\nb.c\n+++ b/a\\nb.c\n@@ -1,1 +1,2 @@\n";
        assert_eq!(data, [head.as_bytes(), b"+\xe9\x1b\r\n \t::x\r\n"].concat());
        assert_eq!(page.plain(), format!("{head}+\\xe9\\x1b\n \t:\\x3ax\n"));
    }
}
