//! Test names: makes them unique, and selects those that the user asks for.

use std::collections::BTreeMap;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::{TestCase, TestOptions};
use crate::error::HostError;

/// Stands between the name of a program and that of its case.
pub(super) const SEPARATOR: &str = "::";

/// Tests in different folders may have the same name: the second becomes `name (2)`.
pub(super) fn make_unique(tests: &mut [TestCase]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for test in tests {
        let count = seen.entry(test.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            test.name = format!("{} ({count})", test.name);
        }
    }
}

/// The tests that are asked for; an error where that leaves none.
pub(super) fn select(tests: Vec<TestCase>, options: &TestOptions) -> Result<Vec<TestCase>, HostError> {
    let (only, exclude) = (patterns("only", &options.only)?, patterns("exclude", &options.exclude)?);
    let count = tests.len();
    let is_wanted = |name: &str| (options.only.is_empty() || matches(&only, name)) && !matches(&exclude, name);
    let selected: Vec<TestCase> = tests.into_iter().filter(|test| is_wanted(&test.name)).collect();
    if selected.is_empty() {
        return Err(HostError::NoTestSelected { count });
    }
    Ok(selected)
}

/// A pattern that matches a program matches all of its cases.
pub(crate) fn matches(set: &GlobSet, name: &str) -> bool {
    let program = name.split_once(SEPARATOR).map(|(program, _)| program);
    set.is_match(name) || program.is_some_and(|program| set.is_match(program))
}

pub(crate) fn patterns(setting: &'static str, patterns: &[String]) -> Result<GlobSet, HostError> {
    let bad = |pattern: &str, error: globset::Error| HostError::BadPattern {
        setting,
        pattern: pattern.to_string(),
        reason: error.kind().to_string(),
    };
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        builder.add(GlobBuilder::new(pattern).build().map_err(|error| bad(pattern, error))?);
    }
    builder.build().map_err(|error| bad(&patterns.join(", "), error))
}
