//! Catch2 programs, version 2 and 3: they list the names of their cases, and run the case whose name they are given.

use super::{has_word, Case};
use crate::error::HostError;
use crate::test_cases::{listing, TestCase};

/// Linked in, or named as a shared library.
pub(super) fn is_in(bytes: &[u8]) -> bool {
    has_word(bytes, &[" is a Catch v", " is a Catch2 v", "libCatch2"])
}

/// Hidden cases run only when they are named, which nothing here does.
const VISIBLE: &str = "~[.]";

/// The visible cases; `None` for a program that does not answer as Catch2 does.
pub(super) fn list(test: &TestCase) -> Result<Option<Vec<Case>>, HostError> {
    // Version 2, where the exit status is the number of cases; then version 3, which does not know that option.
    for question in [&[VISIBLE, "--list-test-names-only"][..], &[VISIBLE, "--list-tests", "--verbosity", "quiet"]] {
        let Some(answer) = listing::ask(&test.program, question, &test.directory, &test.environment)? else {
            return Ok(None);
        };
        let is_understood = |text: &str| !text.contains("Unrecognised token");
        if answer.status.code().is_some() && is_understood(&answer.stdout) && is_understood(&answer.stderr) {
            return Ok(Some(parse(&answer.stdout)));
        }
    }
    Ok(None)
}

fn parse(text: &str) -> Vec<Case> {
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
    // A name that starts with a number sign is written in quotes.
    let names = names.map(|name| match name.strip_prefix("\"#").and_then(|rest| rest.strip_suffix('"')) {
        Some(rest) => format!("#{rest}"),
        None => name.to_string(),
    });
    names.map(|name| Case { arguments: vec![escaped(&name)], name }).collect()
}

/// A name as a specification of tests that matches it.
fn escaped(name: &str) -> String {
    // Nothing takes the meaning of this word away; a star matches its first letter.
    if let Some(rest) = name.strip_prefix("exclude:") {
        return format!("*xclude:{}", escaped(rest));
    }
    let mut result = String::new();
    for (at, c) in name.char_indices() {
        let is_special = matches!(c, '\\' | ',' | '[' | ']' | '"') || (at == 0 && matches!(c, '~' | '-'));
        if is_special {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn odd_names_are_read_and_escaped() {
        let text = "plain\n  odd, [name] \"q\" \\ back*\n~tilde\n-dash\n\"#hash\"\n\nexclude:me, too\n";
        let cases: Vec<_> = parse(text).into_iter().map(|case| (case.name, case.arguments[0].clone())).collect();
        let expected = [
            ("plain", "plain"),
            ("odd, [name] \"q\" \\ back*", "odd\\, \\[name\\] \\\"q\\\" \\\\ back*"),
            ("~tilde", "\\~tilde"),
            ("-dash", "\\-dash"),
            ("#hash", "#hash"),
            ("exclude:me, too", "*xclude:me\\, too"),
        ];
        assert_eq!(cases, expected.map(|(name, argument)| (name.to_string(), argument.to_string())));
    }

    /// What Catch2 takes a plain specification for.
    fn unescaped(specification: &str) -> String {
        let (mut name, mut rest) = (String::new(), specification.chars());
        while let Some(c) = rest.next() {
            name.extend(if c == '\\' { rest.next() } else { Some(c) });
        }
        name
    }

    #[test]
    fn fuzzed_listings_are_read_and_their_names_select_themselves() {
        let example = "plain\n  odd, [name] \"q\" \\ back*\n~tilde\n\"#hash\"\n\nexclude:me\n";
        perturb_fuzz::survives("catch2 listing", Share::All, &[example], |text| {
            for case in parse(&String::from_utf8_lossy(text)) {
                assert!(!case.name.is_empty());
                if !case.name.contains("exclude:") {
                    assert_eq!(unescaped(&case.arguments[0]), case.name);
                }
            }
        });
    }
}
