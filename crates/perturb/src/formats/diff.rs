//! Unified diffs, made from the range itself: no search for differences, and every byte as it is in the file.

use anstyle::{AnsiColor, Style};
use perturb_pipeline::Mutant;
use std::collections::BTreeMap;
use std::io::{Result, Write};
use std::ops::RangeInclusive;
use std::path::Path;

/// Lines of context before and after.
const CONTEXT: u32 = 3;
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();
const PLAIN: Style = Style::new();

/// Each mutant's diff, with its name above it.
pub fn write_all(mutants: &[Mutant], out: &mut impl Write) -> Result<()> {
    for mutant in mutants {
        writeln!(out, "# {} {}", mutant.id, mutant.name())?;
        write(mutant, out, [PLAIN; 3])?;
    }
    Ok(())
}

pub fn write_one(mutant: &Mutant, is_coloured: bool, out: &mut impl Write) -> Result<()> {
    write(mutant, out, if is_coloured { [PLACE, REMOVED, ADDED] } else { [PLAIN; 3] })
}

fn write(mutant: &Mutant, out: &mut impl Write, [place, removed, added]: [Style; 3]) -> Result<()> {
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
    let (start, function) = (before.start + 1, mutant.function().unwrap_or_default());
    write_names(&mutant.file.relative, out)?;
    let hunk = format!("@@ -{start},{old_count} +{start},{new_count} @@ {function}");
    writeln!(out, "{place}{}{place:#}", hunk.trim_end())?;
    let line = |number: u32| lines[number as usize];
    before.map(line).try_for_each(|text| write_line(out, PLAIN, ' ', text))?;
    (first..=last).map(line).try_for_each(|text| write_line(out, removed, '-', text))?;
    new_lines.into_iter().try_for_each(|text| write_line(out, added, '+', text))?;
    after.map(line).try_for_each(|text| write_line(out, PLAIN, ' ', text))
}

fn write_names(file: &Path, out: &mut impl Write) -> Result<()> {
    // A tab ends a name that holds a space, as in git's own diffs.
    let name = file.display().to_string();
    let file = if name.contains(' ') { format!("{name}\t") } else { name };
    writeln!(out, "--- a/{file}\n+++ b/{file}")
}

/// A file with new lines in it, each before the line of the file that it stands at, from 1.
pub fn write_insertions(file: &Path, text: &[u8], new: &BTreeMap<u32, Vec<u8>>, out: &mut impl Write) -> Result<()> {
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
    if !hunks.is_empty() {
        write_names(file, out)?;
    }
    let mut before = 0;
    for (lines_of_hunk, count) in hunks {
        let (start, old) = (*lines_of_hunk.start() as usize, lines_of_hunk.clone().count());
        writeln!(out, "@@ -{start},{old} +{},{} @@", start + before, old + count)?;
        before += count;
        for number in lines_of_hunk {
            new.get(&number).map_or(Ok(()), |line| write_line(out, PLAIN, '+', line))?;
            write_line(out, PLAIN, ' ', lines[number as usize - 1])?;
        }
    }
    Ok(())
}

fn write_line(out: &mut impl Write, style: Style, sign: char, line: &[u8]) -> Result<()> {
    let body = line.strip_suffix(b"\n");
    write!(out, "{style}{sign}")?;
    out.write_all(body.unwrap_or(line))?;
    writeln!(out, "{style:#}")?;
    if body.is_none() {
        writeln!(out, "\\ No newline at end of file")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_that_are_close_share_a_hunk() {
        let text = (1..=20).map(|number| format!("{number}\n")).collect::<String>();
        let new = [(1, b"a\n".to_vec()), (5, b"b\n".to_vec()), (18, b"c\n".to_vec())].into();
        let mut out = Vec::new();
        write_insertions(Path::new("x.c"), text.as_bytes(), &new, &mut out).unwrap();
        let expected = "\
--- a/x.c\n+++ b/x.c\n@@ -1,7 +1,9 @@\n+a\n 1\n 2\n 3\n 4\n+b\n 5\n 6\n 7\n@@ -15,6 +17,7 @@\n 15\n 16\n 17\n+c\n 18\n 19\n 20\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn nothing_inserted_is_no_diff() {
        let mut out = Vec::new();
        write_insertions(Path::new("x.c"), b"1\n", &BTreeMap::new(), &mut out).unwrap();
        assert_eq!(out, b"");
    }
}
