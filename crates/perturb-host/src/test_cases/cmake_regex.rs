//! CMake's regular expressions, translated: a small dialect in which braces are plain characters, a backslash only takes
//! the meaning of the next character away, and a dot matches a line's end too.
//!
//! Refuses what the translation does not cover; such a test is run by ctest itself.

use regex::bytes::{Regex, RegexBuilder};

/// One expression, as written and ready for use.
#[derive(Debug, Clone)]
pub struct Pattern {
    written: String,
    regex: Regex,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.written == other.written
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// `None` for what means nothing, or something else, in our dialect.
    pub(crate) fn read(written: &str) -> Option<Pattern> {
        let text = translated(written)?;
        let regex = RegexBuilder::new(&text).dot_matches_new_line(true).unicode(!written.is_ascii()).build().ok()?;
        Some(Pattern { written: written.to_string(), regex })
    }

    pub(crate) fn is_in(&self, output: &[u8]) -> bool {
        self.regex.is_match(output)
    }
}

fn translated(written: &str) -> Option<String> {
    let mut result = String::new();
    let mut rest = written.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => result.push_str(&regex::escape(rest.next()?.encode_utf8(&mut [0; 4]))),
            '[' => result.push_str(&bracket(&mut rest)?),
            '^' | '$' | '.' | '*' | '+' | '?' | '|' | '(' | ')' => {
                // `a*?` and `(?i)` mean something to us and not to CMake.
                let follows_repeat = result.ends_with(['*', '+', '?']) && !result.ends_with("\\*");
                if matches!(c, '*' | '+' | '?') && (follows_repeat || result.ends_with('(')) {
                    return None;
                }
                result.push(c);
            }
            other => result.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    Some(result)
}

/// `[^]a-z\]`: a bracket that comes first is a character of the set, and a backslash always is one.
fn bracket(rest: &mut std::iter::Peekable<std::str::Chars>) -> Option<String> {
    let mut result = String::from("[");
    if rest.next_if_eq(&'^').is_some() {
        result.push('^');
    }
    let mut is_first = true;
    loop {
        match rest.next()? {
            ']' if !is_first => break,
            '-' => result.push_str(if is_first || rest.peek() == Some(&']') { "\\-" } else { "-" }),
            c if c.is_alphanumeric() || c == ' ' || c == '_' => result.push(c),
            c if c.is_ascii_punctuation() => result.extend(['\\', c]),
            c => result.push(c),
        }
        is_first = false;
    }
    result.push(']');
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_they_mean_to_cmake() {
        for (pattern, text, expected) in [
            ("^All [0-9]+ tests$", "All 12 tests", true),
            ("^All", "x\nAll", false),
            ("a.b", "a\nb", true),
            ("{ok}", "{ok}", true),
            ("a{2}", "aa", false),
            ("\\d", "d", true),
            ("\\d", "7", false),
            ("\\(x\\)\\.", "(x).", true),
            ("[]x]", "]", true),
            ("[^\\n]x", "nx", false),
            ("[a-]", "-", true),
            ("[&&]~[~~]", "&~~", true),
            ("(error|Error)s?", "Errors", true),
            ("é+", "éé", true),
        ] {
            let read = Pattern::read(pattern).unwrap_or_else(|| panic!("{pattern} is refused"));
            assert_eq!(read.is_in(text.as_bytes()), expected, "{pattern} in {text:?}");
        }
        assert!(Pattern::read("a.b").unwrap().is_in(b"a\xffb"));
        for pattern in ["a**", "(?i)x", "(a", "[a", "a\\"] {
            assert_eq!(Pattern::read(pattern), None, "{pattern}");
        }
    }
}
