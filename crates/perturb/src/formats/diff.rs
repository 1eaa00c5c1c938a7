//! Unified diffs, made from the range itself: no search for differences, and every byte as it is in the file.

use anstyle::{AnsiColor, Style};
use perturb_pipeline::Mutant;
use std::io::{Result, Write};

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
    // A tab ends a name that holds a space, as in git's own diffs.
    let name = mutant.file.relative.display().to_string();
    let file = if name.contains(' ') { format!("{name}\t") } else { name };
    let (start, function) = (before.start + 1, mutant.function().unwrap_or_default());
    writeln!(out, "--- a/{file}\n+++ b/{file}")?;
    let hunk = format!("@@ -{start},{old_count} +{start},{new_count} @@ {function}");
    writeln!(out, "{place}{}{place:#}", hunk.trim_end())?;
    let line = |number: u32| lines[number as usize];
    before.map(line).try_for_each(|text| write_line(out, PLAIN, ' ', text))?;
    (first..=last).map(line).try_for_each(|text| write_line(out, removed, '-', text))?;
    new_lines.into_iter().try_for_each(|text| write_line(out, added, '+', text))?;
    after.map(line).try_for_each(|text| write_line(out, PLAIN, ' ', text))
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
