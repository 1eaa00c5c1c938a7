//! Catch2 programs, version 2 and 3: they list the names of their cases, and run the case whose name they are given.

use super::cases::{has_word, Case};
use super::{listing, TestCase};
use crate::error::HostError;

/// Linked in, or named as a shared library.
pub(super) fn is_in(bytes: &[u8]) -> bool {
    has_word(bytes, &["list-test-names-only", "libCatch2", "--list-tests"])
}

/// Hidden cases run only when they are named; nobody does.
const VISIBLE: &str = "~[.]";

/// The visible cases; `None` for a program that does not answer as Catch2 does.
pub(super) fn list(test: &TestCase) -> Result<Option<Vec<Case>>, HostError> {
    // Version 2, where the exit status is the number of cases; then version 3.
    for question in [&[VISIBLE, "--list-test-names-only"][..], &[VISIBLE, "--list-tests", "--verbosity", "quiet"]] {
        let Some(answer) = listing::ask(&test.program, question, &test.directory, &test.environment)? else {
            return Ok(None);
        };
        if answer.status.code().is_some() && !answer.stdout.contains("Unrecognised token") && answer.stderr.is_empty() {
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
