//! CMake's regular expressions, translated: a small dialect in which braces are plain characters, a backslash only
//! takes the meaning of the next character away, and a dot matches a line's end too.
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
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

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

    #[test]
    fn fuzzed_expressions_are_translated_or_refused() {
        const PIECES: &[&str] = &[
            "a", "b+", "*", "?", "(", ")", "|", "[", "]", "[^]a-z]", "^", "$", ".", "\\", "\\.", "{2}", "-", "é", "\n",
        ];
        perturb_fuzz::holds("cmake expression", Share::OneIn(4), perturb_fuzz::text_of(PIECES), |written| {
            if let Some(pattern) = Pattern::read(&written) {
                pattern.is_in(b"abba 12.\n");
                pattern.is_in(written.as_bytes());
            }
        });
        let examples = ["^(PASS|ok) [0-9]+$", "Error: [^a-z]*", "((a+)b?)+"];
        perturb_fuzz::survives("cmake expression, spoiled", Share::OneIn(4), &examples, |written| {
            if let Some(pattern) = Pattern::read(&String::from_utf8_lossy(written)) {
                pattern.is_in(b"PASS 1\nError: 7");
            }
        });
    }

    #[test]
    fn fuzzed_names_that_are_escaped_match_themselves_and_nothing_longer() {
        perturb_fuzz::holds("cmake expression of a name", Share::OneIn(4), any::<String>(), |name| {
            let escaped: String = name.chars().flat_map(|c| ['\\', c]).collect();
            let pattern = Pattern::read(&format!("^({escaped})$")).expect("plain characters");
            assert!(pattern.is_in(name.as_bytes()));
            assert!(!pattern.is_in(format!("{name}x").as_bytes()));
        });
    }
}
