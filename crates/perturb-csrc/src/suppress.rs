//! Suppression comments: `// perturb: ignore[ROR] reason`, and regions from `perturb: off` to `perturb: on`.

use crate::lexer;
use crate::operators::Operator;
use crate::source::SourceFile;

const MARK: &[u8] = b"perturb:";

/// Lines on which some operators are not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Suppression {
    first_line: u32,
    last_line: u32,
    /// None: all of them.
    operators: Option<Vec<Operator>>,
    reason: String,
}

/// A comment that starts with our mark but says nothing we know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisreadComment {
    pub line: u32,
    pub text: String,
}

/// All suppressions of one file.
#[derive(Debug, Default, Clone)]
pub struct Suppressions {
    list: Vec<Suppression>,
    pub misread: Vec<MisreadComment>,
    /// The lines of suppressions that do not say why.
    pub without_reason: Vec<u32>,
    /// The line of an `off` that no `on` ends.
    pub not_closed: Option<u32>,
}

impl Suppressions {
    pub fn of(source: &SourceFile) -> Self {
        let mut found = Self::default();
        if !source.text().windows(MARK.len()).any(|window| window == MARK) {
            return found;
        }
        let mut open: Option<(u32, String)> = None;
        for (offset, comment) in comments(source.text()) {
            let Some(at) = comment.find("perturb:") else { continue };
            let line = source.line_column(offset).line + comment[..at].matches('\n').count() as u32;
            let order = comment[at + MARK.len()..].lines().next().unwrap_or_default();
            let order = order.trim().trim_end_matches("*/").trim();
            let (verb, reason) = order.split_once(char::is_whitespace).unwrap_or((order, ""));
            match verb {
                "off" if open.is_none() => open = Some((line, reason.trim().to_string())),
                "off" => {}
                "on" => found.close(&mut open, line),
                _ => found.ignore(source, offset, line, order),
            }
        }
        found.not_closed = open.as_ref().map(|(line, _)| *line);
        found.close(&mut open, u32::MAX);
        found
    }

    /// Why a mutant of this operator on this line is suppressed, if it is.
    pub fn reason(&self, line: u32, operator: Operator) -> Option<&str> {
        let applies = |s: &&Suppression| {
            (s.first_line..=s.last_line).contains(&line) && s.operators.as_ref().is_none_or(|o| o.contains(&operator))
        };
        self.list.iter().find(applies).map(|s| s.reason.as_str())
    }

    fn close(&mut self, open: &mut Option<(u32, String)>, last_line: u32) {
        if let Some((first_line, reason)) = open.take() {
            if reason.is_empty() {
                self.without_reason.push(first_line);
            }
            self.list.push(Suppression { first_line, last_line, operators: None, reason });
        }
    }

    /// `ignore`, `ignore[ROR, AOR]`, each with a reason behind it.
    fn ignore(&mut self, source: &SourceFile, offset: u32, line: u32, order: &str) {
        let parsed = order.strip_prefix("ignore").and_then(|rest| match rest.strip_prefix('[') {
            None => (rest.is_empty() || rest.starts_with(char::is_whitespace)).then_some((None, rest)),
            Some(list) => {
                let (names, reason) = list.split_once(']')?;
                let operators: Result<Vec<_>, _> = names.split(',').map(|name| name.trim().parse()).collect();
                Some((Some(operators.ok()?), reason))
            }
        });
        let Some((operators, reason)) = parsed else {
            self.misread.push(MisreadComment { line, text: format!("perturb: {order}") });
            return;
        };
        if reason.trim().is_empty() {
            self.without_reason.push(line);
        }
        // A comment on a line of its own refers to the next line, one behind code to its own line.
        let column = source.line_column(offset).column as usize;
        let alone = source.line(source.line_column(offset).line)[..column - 1].iter().all(u8::is_ascii_whitespace);
        let first_line = if alone { line + 1 } else { line };
        self.list.push(Suppression { first_line, last_line: first_line, operators, reason: reason.trim().to_string() });
    }
}

/// The comments of a file with their offsets.
fn comments(text: &[u8]) -> Vec<(u32, String)> {
    let (mut found, mut at) = (Vec::new(), 0);
    loop {
        let token = lexer::token_at(text, at);
        let mut from = at;
        while let Some(start) = (from..token.start.saturating_sub(1)).find(|&i| is_comment_start(text, i)) {
            let end = comment_end(text, start, token.start);
            found.push((start, String::from_utf8_lossy(&text[start as usize..end as usize]).into_owned()));
            from = end;
        }
        if token.kind == lexer::TokenKind::End {
            return found;
        }
        at = token.end;
    }
}

fn is_comment_start(text: &[u8], at: u32) -> bool {
    text[at as usize] == b'/' && matches!(text.get(at as usize + 1), Some(b'/' | b'*'))
}

/// Only white space and comments are between tokens, so the end of a comment is easy to find.
fn comment_end(text: &[u8], start: u32, limit: u32) -> u32 {
    let rest = &text[start as usize..limit as usize];
    let length = if rest.starts_with(b"//") {
        rest.iter().position(|&b| b == b'\n')
    } else {
        rest.windows(2).skip(2).position(|w| w == b"*/").map(|at| at + 4)
    };
    start + length.unwrap_or(rest.len()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    fn check(text: &str, line: u32, operator: Operator, expect: Option<&str>) {
        let source = SourceFile::new("a.c", text.as_bytes().to_vec());
        assert_eq!(Suppressions::of(&source).reason(line, operator), expect, "{text}");
    }

    #[test]
    fn a_comment_speaks_of_its_own_line_or_of_the_next() {
        let behind = "int a;\na < b; // perturb: ignore[ROR] checked by hand\nc < d;\n";
        check(behind, 2, Operator::Ror, Some("checked by hand"));
        check(behind, 2, Operator::Aor, None);
        check(behind, 3, Operator::Ror, None);
        let above = "/* perturb: ignore[ROR, AOR] reviewed */\na < b;\n";
        check(above, 2, Operator::Aor, Some("reviewed"));
        check(above, 1, Operator::Aor, None);
        check("// perturb: ignore logging only\nx;\n", 2, Operator::Sdl, Some("logging only"));
    }

    #[test]
    fn a_region_lasts_from_off_to_on_or_to_the_end() {
        let text = "a;\n// perturb: off generated\nb;\nc;\n// perturb: on\nd;\n// perturb: off\ne;\n";
        check(text, 1, Operator::Sdl, None);
        check(text, 3, Operator::Sdl, Some("generated"));
        check(text, 4, Operator::Icr, Some("generated"));
        check(text, 6, Operator::Sdl, None);
        check(text, 8, Operator::Sdl, Some(""));
    }

    #[test]
    fn strings_are_no_comments_and_misspelled_orders_are_told() {
        check("s = \"// perturb: ignore\"; a < b;\n", 1, Operator::Ror, None);
        let source = SourceFile::new("a.c", b"x; // perturb: ignore[RRR] typo\ny; // perturb: igonre\n".to_vec());
        let misread: Vec<_> = Suppressions::of(&source).misread.into_iter().map(|m| m.line).collect();
        assert_eq!(misread, [1, 2]);
        let source = SourceFile::new("a.c", b"x; // perturb: ignore[ROR]\n// perturb: off here\n".to_vec());
        let found = Suppressions::of(&source);
        assert_eq!((found.without_reason, found.not_closed), (vec![1], Some(2)));
    }

    #[test]
    fn fuzzed_comments_are_read() {
        let examples = [
            "a < b; // perturb: ignore[ROR, AOR] checked\n/* perturb: off\n generated */ c;\n// perturb: on\nd;\n",
            "s = \"// perturb: ignore\"; /* perturb: igonre[ */ x; // perturb: ignore\\\n more\n// perturb: off here\n",
        ];
        perturb_fuzz::survives("suppression comments", Share::All, &examples, |text| {
            let source = SourceFile::new("a.c", text.to_vec());
            let found = Suppressions::of(&source);
            let lines = source.line_count();
            assert!(found.misread.iter().all(|comment| (1..=lines).contains(&comment.line)));
            assert!(found.without_reason.iter().chain(&found.not_closed).all(|line| (1..=lines).contains(line)));
            assert!((0..=lines + 1).filter_map(|line| found.reason(line, Operator::Ror)).count() <= lines as usize + 2);
        });
    }

    #[test]
    fn fuzzed_reasons_come_back_from_their_comment() {
        let reason = any::<String>().prop_map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        let reason = reason.prop_filter("the end of the comment, or a spliced line", |text| {
            !text.contains("*/") && !text.contains(char::is_control) && !text.ends_with(['\\', '*', '/'])
        });
        perturb_fuzz::holds(
            "suppression comments, round trip",
            Share::All,
            (reason, any::<bool>()),
            |(reason, block)| {
                let comment = format!("perturb: ignore[ROR] {reason}");
                let comment = if block { format!("/* {comment} */") } else { format!("// {comment}") };
                check(&format!("int a;\nx < y; {comment}\nz;\n"), 2, Operator::Ror, Some(&reason));
            },
        );
    }
}
