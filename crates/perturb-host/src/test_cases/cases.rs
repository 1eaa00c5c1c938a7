//! Splits one test program into its cases, each a test of its own.
//!
//! The bytes of a program show which framework it uses, and the program itself lists its cases.

mod catch2;
mod gtest;

use std::path::PathBuf;

use regex::bytes::Regex;

use super::select::SEPARATOR;
use super::{TestCase, TestSource};
use crate::error::HostError;
use crate::tree::optional_file::read_optional;

/// One case, as its program lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub name: String,
    /// Makes the program run this case and no other.
    pub arguments: Vec<String>,
}

/// Puts the cases of each program that has some in its place.
pub(super) fn split(tests: Vec<TestCase>) -> Result<Vec<TestCase>, HostError> {
    let mut result = Vec::new();
    for test in tests {
        match cases(&test)? {
            Some((source, cases)) => result.extend(cases.into_iter().map(|case| of(&test, source, case))),
            None => result.push(test),
        }
    }
    Ok(result)
}

fn of(test: &TestCase, source: TestSource, case: Case) -> TestCase {
    let name = format!("{}{SEPARATOR}{}", test.name, case.name);
    TestCase { name, arguments: case.arguments, source, ..test.clone() }
}

/// A program with arguments of its own, behind a launcher or with another rule than its exit status stays one test: so
/// does that of a build that has made one test of each case already.
fn cases(test: &TestCase) -> Result<Option<(TestSource, Vec<Case>)>, HostError> {
    let is_plain = test.arguments.is_empty() && test.passes.is_plain();
    let is_program = |executable: &&PathBuf| executable.file_name() == test.program.file_name();
    let Some(executable) = test.executable.as_ref().filter(is_program).filter(|_| is_plain) else { return Ok(None) };
    let bytes = read_optional(executable)?.unwrap_or_default();
    // An empty list may be a question that was not understood.
    let found = |source, cases: Option<Vec<Case>>| cases.filter(|cases| !cases.is_empty()).map(|cases| (source, cases));
    if gtest::is_in(&bytes) {
        return Ok(found(TestSource::GoogleTest, gtest::list(test)?));
    }
    if catch2::is_in(&bytes) {
        return Ok(found(TestSource::Catch2, catch2::list(test)?));
    }
    Ok(None)
}

/// Whether one of the words is in a program, which may be large.
pub(super) fn has_word(bytes: &[u8], words: &[&str]) -> bool {
    let words: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
    Regex::new(&words.join("|")).expect("plain words").is_match(bytes)
}
