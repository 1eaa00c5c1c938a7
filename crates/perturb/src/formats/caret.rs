//! A mutant as compilers show an error: position, description, and the line with a mark below the replaced text.

use crate::page::{Page, Style};
use crate::visible;
use anstyle::AnsiColor;
use perturb_model::{Mutant, Outcome, Witness};
use std::io::Result;

const PLACE: Style = Style::BOLD;
const OUTCOME: Style = Style::bold(AnsiColor::Magenta);
const MARK: Style = Style::bold(AnsiColor::Green);

/// Longer lines are cut around the mark.
const WIDEST: usize = 100;
const BEFORE_MARK: usize = 30;

pub fn write(mutant: &Mutant, outcome: &Outcome, out: &mut Page) -> Result<()> {
    let place = mutant.place();
    let what = mutant.what();
    let id = mutant.id;
    writeln!(out, "{PLACE}{place}:{PLACE:#} {OUTCOME}{outcome}:{OUTCOME:#} {what} [{id}]")?;
    let (line, marks) = marked(mutant);
    write!(out, "{:>5} | ", mutant.start().line)?;
    out.verbatim(line.as_bytes());
    writeln!(out)?;
    write!(out, "{:>5} | {MARK}", "")?;
    out.verbatim(marks.as_bytes());
    writeln!(out, "{MARK:#}")
}

/// Writes `src/ring.c:41:17: different: ROR push(): '<' -> '<=' [4438572044839414]`, and the input that shows it.
pub fn write_witness(mutant: &Mutant, shown: &Witness, out: &mut Page) -> Result<()> {
    let place = mutant.place();
    let what = mutant.what();
    let id = mutant.id;
    writeln!(out, "{PLACE}{place}:{PLACE:#} {OUTCOME}different:{OUTCOME:#} {what} [{id}]")?;
    writeln!(out, "    {shown}")
}

/// The line as it is shown, and the marks for the line below it; tabs stay tabs in both.
fn marked(mutant: &Mutant) -> (String, String) {
    let text = mutant.file.source.text();
    let (start, end) = (mutant.range.start as usize, mutant.range.end as usize);
    let line_start = start - (mutant.start().column as usize - 1);
    let line_end = text[line_start..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| line_start + at);
    let end = end.clamp(start, line_end);
    let chars = |from: usize, to: usize| -> Vec<char> {
        let part = visible::bytes(&text[from..to]);
        visible::text(part.strip_suffix('\r').unwrap_or(&part)).chars().collect()
    };
    let (head, marked, tail) = (chars(line_start, start), chars(start, end), chars(end, line_end));
    let is_wide = head.len() + marked.len() + tail.len() > WIDEST;
    let cut = if is_wide { head.len().saturating_sub(BEFORE_MARK) } else { 0 };
    let before = if cut > 0 { "…" } else { "" };
    let mut line: Vec<char> = before.chars().chain(head[cut..].iter().copied()).collect();
    let pad: String = line.iter().map(|c| if *c == '\t' { '\t' } else { ' ' }).collect();
    let length = marked.len().clamp(1, WIDEST.saturating_sub(line.len()).max(1));
    line.extend(marked.into_iter().chain(tail));
    if line.len() > WIDEST {
        line.truncate(WIDEST);
        line.push('…');
    }
    (line.into_iter().collect(), format!("{pad}^{}", "~".repeat(length - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_csrc::{Operator, Scope, SourceFile, SourceRange};
    use perturb_model::MutatedFile;
    use std::sync::Arc;

    /// The mutant of what stands in brackets.
    fn mutant(text: &str) -> Mutant {
        let (start, end) = (text.find('[').unwrap(), text.find(']').unwrap() - 1);
        let source = SourceFile::new("a.c", text.replace(['[', ']'], "").into_bytes());
        Mutant {
            id: "0000000000000001".parse().unwrap(),
            file: Arc::new(MutatedFile { relative: "a.c".into(), source }),
            range: SourceRange::new(start as u32, end as u32),
            operator: Operator::Sdl,
            replacement: (*b";").into(),
            scope: Arc::new(Scope { name: "f".into(), parameters: String::new(), is_function: true }),
            constant: None,
            suppression: None,
        }
    }

    #[test]
    fn what_is_replaced_is_marked_whatever_stands_before_it() {
        for (text, line, marks) in [
            ("int a;\n  x [<] y;\n", "  x < y;", "    ^"),
            ("\tif ([n > 0])\r\n", "\tif (n > 0)", "\t    ^~~~~"),
            ("/* é */ [a+b];", "/* é */ a+b;", "        ^~~"),
            ("  [for (;;) {\n  }]\n", "  for (;;) {", "  ^~~~~~~~~~"),
            ("[x]", "x", "^"),
            ("/* \x1b */ [x];\r\n", "/* \\x1b */ x;", "           ^"),
            ("a[\u{202e}b];", "a\\u{202e}b;", " ^~~~~~~~~"),
        ] {
            assert_eq!(marked(&mutant(text)), (line.to_string(), marks.to_string()), "{text:?}");
        }
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let (line, marks) = marked(&mutant(&format!("{}[here] {}", "a ".repeat(200), "b ".repeat(200))));
        assert!(line.starts_with('…') && line.ends_with('…') && line.chars().count() <= WIDEST + 2, "{line}");
        let (at, length) = (marks.find('^').unwrap(), marks.trim_start().len());
        let under: String = line.chars().skip(at).take(length).collect();
        assert_eq!(under, "here");
        let (_, marks) = marked(&mutant(&format!("[{}]", "x".repeat(500))));
        assert_eq!(marks.len(), WIDEST);
    }

    #[test]
    fn the_first_line_is_one_that_editors_understand() {
        let mut out = Page::default();
        write(&mutant("x;\n  [y;]\n"), &Outcome::Live, &mut out).unwrap();
        let lines: Vec<&str> = out.plain().lines().collect();
        assert_eq!(lines, ["a.c:2:3: live: SDL f(): 'y;' -> ';' [0000000000000001]", "    2 |   y;", "      |   ^~"]);
    }
}
