//! Finds the lines that a statement spans, by brackets and semicolons: for coverage data that knows only lines.
//!
//! Errs on the side of more lines: braces that may be those of an initialiser, and macros that may be loops, do not end
//! a statement.

use crate::lexer::{self, TokenKind};
use crate::source::{SourceFile, SourceRange};
use std::ops::RangeInclusive;

/// The text of one function, cut where one statement, or the head of one, ends and another begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementSpans {
    function: SourceRange,
    /// In ascending order.
    cuts: Vec<u32>,
    loops: Vec<Loop>,
}

/// Where the head of a loop stands, and where its body ends. A compiler that finds nothing to compute in `while (1)`
/// may leave no trace of the head until the loop comes round: that it is executed shows in the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Loop {
    head: SourceRange,
    end: u32,
}

/// What is open at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Block,
    /// Of an initialiser.
    Braces,
    /// Of `if (…)` and its like.
    Head,
    /// Of `while (…)` and `for (…)`, which begins here.
    LoopHead(u32),
    /// After a name, of a call or of a lambda's parameters.
    Call,
    Other,
}

impl StatementSpans {
    pub fn of(source: &SourceFile, function: SourceRange) -> Self {
        let text = source.text();
        let (mut open, mut cuts, mut loops) = (Vec::new(), Vec::new(), Vec::new());
        let (mut before, mut closed): (&[u8], Option<Bracket>) = (b";", None);
        for token in lexer::tokens(text, function.start, function.end) {
            let word = token.text(text);
            let in_block = open.last().is_none_or(|bracket| *bracket == Bracket::Block);
            match word {
                b"(" | b"[" => open.push(round(before, word, token.start)),
                b")" | b"]" => {
                    closed = open.pop();
                    if let Some(Bracket::LoopHead(start)) = closed {
                        let head = SourceRange::new(start, token.end);
                        loops.push(Loop { head, end: end_of_body(text, head.end, function.end) });
                    }
                    if matches!(closed, Some(Bracket::Head | Bracket::LoopHead(_))) {
                        cuts.push(token.end);
                    }
                }
                b"{" if begins_block(before, closed, in_block) => {
                    cuts.push(token.end);
                    open.push(Bracket::Block);
                }
                b"{" => open.push(Bracket::Braces),
                b"}" if open.pop() != Some(Bracket::Braces) => cuts.extend([token.start, token.end]),
                b";" if in_block => cuts.push(token.end),
                b"else" | b"do" if token.kind == TokenKind::Identifier => cuts.push(token.end),
                _ => {}
            }
            before = word;
        }
        cuts.dedup();
        Self { function, cuts, loops }
    }

    /// The lines of the statements that a range of the function stands in.
    pub fn lines(&self, source: &SourceFile, range: SourceRange) -> RangeInclusive<u32> {
        let start = self.cuts.iter().rev().find(|cut| **cut <= range.start).copied().unwrap_or(self.function.start);
        let end = self.cuts.iter().find(|cut| **cut >= range.end).copied().unwrap_or(self.function.end);
        let end = self.loops.iter().find(|of| of.head.contains(range)).map_or(end, |of| end.max(of.end));
        let line = |offset: u32| source.line_column(offset).line;
        let first = lexer::skip_trivia(source.text(), start).min(range.start);
        line(first)..=line(end.max(range.end).saturating_sub(1).max(first))
    }
}

/// The end of the block or the first semicolon after the head of a loop.
fn end_of_body(text: &[u8], head_end: u32, function_end: u32) -> u32 {
    let next = lexer::token_at(text, head_end);
    let end = match next.text(text) {
        b"{" => lexer::matching_bracket(text, next.start),
        _ => lexer::tokens(text, head_end, function_end).find(|token| token.text(text) == b";").map(|token| token.end),
    };
    end.map_or(head_end, |end| end.min(function_end))
}

fn round(before: &[u8], word: &[u8], at: u32) -> Bracket {
    match before {
        b"for" | b"while" => Bracket::LoopHead(at),
        b"if" | b"switch" | b"catch" | b"constexpr" => Bracket::Head,
        b"return" | b"sizeof" | b"case" => Bracket::Other,
        [.., b']' | b'>'] if word == b"(" => Bracket::Call,
        [first, ..] if word == b"(" && lexer::is_identifier_byte(*first) => Bracket::Call,
        _ => Bracket::Other,
    }
}

/// Whether a brace begins a block: `if (…) {`, `else {`, `({`; not `= {`, `(struct s){`, `T{`.
fn begins_block(before: &[u8], closed: Option<Bracket>, in_block: bool) -> bool {
    match before {
        b")" => matches!(closed, Some(Bracket::Head | Bracket::LoopHead(_) | Bracket::Call)),
        b";" | b"}" | b"{" | b":" => in_block,
        b"else" | b"do" | b"try" | b"(" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    /// The lines of each `@`, which is not part of the text.
    fn lines(marked: &str) -> Vec<RangeInclusive<u32>> {
        let marks = marked.match_indices('@').enumerate().map(|(number, (at, _))| (at - number) as u32);
        let source = SourceFile::new("a.c", marked.replace('@', "").into_bytes());
        let spans = StatementSpans::of(&source, SourceRange::new(0, source.text().len() as u32));
        marks.map(|at| spans.lines(&source, SourceRange::new(at, at + 1))).collect()
    }

    #[test]
    fn a_statement_has_the_lines_it_is_written_on() {
        assert_eq!(lines("int f(int a)\n{\n    a = @1;\n    return a\n        + @2;\n}\n"), [3..=3, 4..=5]);
        assert_eq!(lines("int f(int a) { return @a; }"), [1..=1]);
        assert_eq!(lines("{\n  /* ;\n */ int x = g(1,\n    @2);\n}"), [3..=4]);
        assert_eq!(lines("{\n  g(\";\", '{');\n  h(@1);\n}"), [3..=3]);
    }

    #[test]
    fn the_head_of_a_statement_is_told_from_what_it_holds() {
        assert_eq!(lines("{\n  if (@a &&\n      b)\n    return @1;\n  else\n    return @2;\n}"), [2..=3, 4..=4, 6..=6]);
        assert_eq!(lines("{\n  for (i = 0;\n       i < @n; i++)\n    g(@i);\n}"), [2..=4, 4..=4]);
        assert_eq!(lines("{\n  do\n    g(@1);\n  while (\n    @x);\n  h(@2);\n}"), [3..=3, 4..=5, 6..=6]);
        assert_eq!(
            lines("{\n  while (@1) {\n    int x;\n    g(@x);\n  }\n  while (@x)\n    ;\n}"),
            [2..=5, 4..=4, 6..=7]
        );
        assert_eq!(lines("{\n  switch (@x) {\n  case 1:\n    return @1;\n  }\n}"), [2..=2, 3..=4]);
        assert_eq!(lines("{\n  if (a) {\n    int x = @1;\n  } else if (@b) {\n  }\n}"), [3..=3, 4..=4]);
        assert_eq!(lines("{\n  EACH(x)\n    g(@x);\n  EACH(y) {\n    g(@y);\n  }\n}"), [2..=3, 5..=5]);
    }

    #[test]
    fn the_braces_of_an_initialiser_end_nothing() {
        assert_eq!(lines("{\n  int x[] = {\n    @1,\n    { @2 },\n  };\n  g(@3);\n}"), [2..=5, 2..=5, 6..=6]);
        assert_eq!(lines("{\n  g((struct s){\n    @1 });\n  return (struct s){\n @2};\n}"), [2..=3, 4..=5]);
        assert_eq!(lines("{\n  x = ({\n    @1;\n  });\n  g(@2);\n}"), [3..=3, 5..=5]);
        assert_eq!(lines("{\n  auto f = [&](int a) {\n    return @a;\n  };\n  g(@1);\n}"), [3..=3, 5..=5]);
    }

    #[test]
    fn text_that_does_not_add_up_is_no_reason_to_panic() {
        for text in [
            "@",
            "@}}}",
            "@((([[[{{{",
            "})]@",
            ";;@;",
            "{\n#if X\n if (@a) {\n#else\n if (b) {\n#endif\n}}",
            "@\"",
            "while (@1",
            "for (@1)",
            "while (@1) {",
        ] {
            lines(text);
        }
        assert_eq!(lines("{\n#if X\n  if (@a) {\n#else\n  if (b) {\n#endif\n  g(@1);\n  }\n}").last(), Some(&(6..=7)));
    }

    #[test]
    fn a_range_over_several_statements_has_the_lines_of_all() {
        let source = SourceFile::new("a.c", b"{\n  a;\n  if (b) {\n    c;\n  }\n  d;\n}".to_vec());
        let whole = SourceRange::new(0, source.text().len() as u32);
        let spans = StatementSpans::of(&source, whole);
        let text = std::str::from_utf8(source.text()).unwrap();
        let range = SourceRange::new(text.find("if").unwrap() as u32, text.find("  d").unwrap() as u32 - 1);
        assert_eq!(spans.lines(&source, range), 3..=5);
    }

    #[test]
    fn fuzzed_functions_have_lines_around_every_place() {
        let examples = [
            "int f(int a)\n{\n  for (i = 0;\n       i < n; i++) {\n    g(i); }\n  do h(); while (x);\n}\n",
            "{\n  int x[] = { 1,\n { 2 } };\n  auto f = [&](int a) {\n return a; };\n#if X\n  if (a) {\n#endif\n \
             switch (x) {case 1: ;}}",
        ];
        perturb_fuzz::survives("statements", Share::All, &examples, |text| {
            let source = SourceFile::new("a.c", text.to_vec());
            let end = text.len() as u32;
            let spans = StatementSpans::of(&source, SourceRange::new(0, end));
            for at in (0..end).step_by(7) {
                let range = SourceRange::new(at, (at + 3).min(end));
                let (lines, line) = (spans.lines(&source, range), source.line_column(at).line);
                assert!(lines.contains(&line), "{lines:?} without {line}");
            }
        });
    }
}
