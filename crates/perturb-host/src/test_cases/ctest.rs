//! Tests that ctest knows. We run each directly: starting ctest takes longer than many tests.
//!
//! ctest itself runs only those tests that need it: for fixtures, for tests that must run before them, or for
//! resources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::cmake_regex::Pattern;
use super::pass_rule::{ExitRule, OutputRule, PassRule};
use super::{executable_of, listing, TestCase, TestList, TestSource};
use crate::error::HostError;
use crate::process::tools::require_program;
use crate::shadow::Shadow;
use perturb_model::Notice;

#[derive(Deserialize)]
struct Reply {
    tests: Vec<CTestEntry>,
}

#[derive(Deserialize)]
struct CTestEntry {
    name: String,
    command: Option<Vec<String>>,
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    value: Value,
}

impl CTestEntry {
    fn value(&self, name: &str) -> Option<&Value> {
        self.properties.iter().find(|property| property.name == name).map(|property| &property.value)
    }

    fn is(&self, name: &str) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(false)
    }

    fn list(&self, name: &str) -> Vec<&str> {
        match self.value(name) {
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(value)) => vec![value],
            _ => Vec::new(),
        }
    }
}

/// Folders below the tree in which a command of the user's has called CMake.
pub(super) fn folders(tree: &Path) -> Vec<PathBuf> {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).max_depth(Some(3)).build();
    let caches = walk.flatten().filter(|item| item.file_name() == "CMakeCache.txt");
    let mut folders: Vec<PathBuf> = caches.filter_map(|item| item.path().parent().map(Path::to_path_buf)).collect();
    folders.sort();
    folders
}

/// The tests of a build folder; none where CMake defines none.
pub(super) fn find(shadow: &Shadow, folder: &Path) -> Result<TestList, HostError> {
    if !folder.join("CTestTestfile.cmake").is_file() {
        return Ok(TestList::default());
    }
    let program = require_program("ctest")?;
    let answer = listing::ask(&program, &["--show-only=json-v1"], folder, &[])?;
    let unexpected = |reason: String| HostError::ToolReply { tool: "ctest", path: folder.to_path_buf(), reason };
    let answer = answer.ok_or_else(|| unexpected("no answer within a minute".to_string()))?;
    let reply: Reply = serde_json::from_str(&answer.stdout)
        .map_err(|error| unexpected(format!("{error}; {}", answer.stderr.lines().next().unwrap_or_default())))?;
    Ok(Finder::new(shadow, folder, program, &reply.tests).list())
}

struct Finder<'a> {
    shadow: &'a Shadow,
    folder: &'a Path,
    program: PathBuf,
    tests: &'a [CTestEntry],
    by_name: BTreeMap<&'a str, &'a CTestEntry>,
    /// Fixtures that some test requires.
    required: BTreeSet<&'a str>,
}

impl<'a> Finder<'a> {
    fn new(shadow: &'a Shadow, folder: &'a Path, program: PathBuf, tests: &'a [CTestEntry]) -> Finder<'a> {
        let by_name = tests.iter().map(|test| (test.name.as_str(), test)).collect();
        let required = tests.iter().flat_map(|test| test.list("FIXTURES_REQUIRED")).collect();
        Finder { shadow, folder, program, tests, by_name, required }
    }

    fn list(&self) -> TestList {
        let mut list = TestList::default();
        let (mut disabled, mut not_built) = (Vec::new(), Vec::new());
        for test in self.tests {
            match &test.command {
                _ if test.is("DISABLED") => disabled.push(test.name.clone()),
                _ if self.is_part_of_fixture(test) => {}
                Some(command) if !command.is_empty() => list.tests.push(self.test_case(test, command)),
                _ => not_built.push(test.name.clone()),
            }
        }
        let first = |names: Vec<String>| names.first().cloned().map(|example| (names.len(), example));
        list.notices.extend(first(disabled).map(|(count, example)| Notice::TestsDisabled { count, example }));
        list.notices.extend(first(not_built).map(|(count, example)| Notice::TestsNotBuilt { count, example }));
        list
    }

    /// It sets up or cleans up for others, and runs with each of them.
    fn is_part_of_fixture(&self, test: &CTestEntry) -> bool {
        let fixtures = test.list("FIXTURES_SETUP").into_iter().chain(test.list("FIXTURES_CLEANUP"));
        fixtures.into_iter().any(|fixture| self.required.contains(fixture))
    }

    fn test_case(&self, test: &CTestEntry, command: &[String]) -> TestCase {
        let directory = test.value("WORKING_DIRECTORY").and_then(Value::as_str).map_or(self.folder, Path::new);
        let timeout = test.value("TIMEOUT").and_then(Value::as_f64).filter(|seconds| *seconds > 0.0);
        let (program, directory) = (PathBuf::from(&command[0]), directory.to_path_buf());
        let case = TestCase {
            arguments: command[1..].to_vec(),
            timeout: timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            exclusive: test.list("RESOURCE_LOCK").into_iter().map(str::to_string).collect(),
            alone: test.is("RUN_SERIAL"),
            executable: executable_of(self.shadow, &directory, command.iter().map(String::as_str)),
            ..TestCase::plain(test.name.clone(), program, directory, TestSource::CTest)
        };
        match (environment(test), pass_rule(test)) {
            (Some(environment), Some(passes)) if !needs_ctest(test) => TestCase { environment, passes, ..case },
            _ => self.through_ctest(test, case),
        }
    }

    fn through_ctest(&self, test: &CTestEntry, case: TestCase) -> TestCase {
        let names: Vec<String> = self.with_dependencies(test).into_iter().map(escaped).collect();
        let selection = format!("^({})$", names.join("|"));
        TestCase {
            program: self.program.clone(),
            arguments: ["-R", &selection, "--output-on-failure", "--no-tests=error"].map(str::to_string).to_vec(),
            directory: self.folder.to_path_buf(),
            environment: Vec::new(),
            passes: PassRule::default(),
            // Others run as well, each with a time of its own that ctest sees to.
            timeout: None,
            // Two of them would write the same log.
            exclusive: case.exclusive.iter().cloned().chain(["ctest".to_string()]).collect(),
            source: TestSource::ThroughCTest,
            ..case
        }
    }

    /// The test and all that have to run before it; ctest sees to the fixtures by itself.
    fn with_dependencies(&self, test: &'a CTestEntry) -> BTreeSet<&'a str> {
        let mut names = BTreeSet::new();
        let mut open = vec![test];
        while let Some(test) = open.pop() {
            if names.insert(test.name.as_str()) {
                open.extend(test.list("DEPENDS").into_iter().filter_map(|name| self.by_name.get(name).copied()));
            }
        }
        names
    }
}

/// Whether more than the test's own command is needed.
fn needs_ctest(test: &CTestEntry) -> bool {
    let has = |name: &str| !test.list(name).is_empty() || test.value(name).is_some_and(|value| !value.is_null());
    let is_missing = |file: &&str| !Path::new(file).exists();
    ["FIXTURES_REQUIRED", "DEPENDS", "RESOURCE_GROUPS", "TIMEOUT_AFTER_MATCH"].into_iter().any(has)
        || test.list("REQUIRED_FILES").iter().any(is_missing)
}

/// `None` for patterns that only ctest understands.
fn pass_rule(test: &CTestEntry) -> Option<PassRule> {
    let read = |name: &str| test.list(name).into_iter().map(Pattern::read).collect::<Option<Vec<_>>>();
    let skip_code = test.value("SKIP_RETURN_CODE").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
    let exit = ExitRule {
        will_fail: test.is("WILL_FAIL"),
        skip_code: skip_code.filter(|code| *code >= 0),
        ..ExitRule::default()
    };
    let pass = read("PASS_REGULAR_EXPRESSION")?;
    let fail = read("FAIL_REGULAR_EXPRESSION")?;
    let skip = read("SKIP_REGULAR_EXPRESSION")?;
    if pass.is_empty() && fail.is_empty() && skip.is_empty() {
        return Some(PassRule::ExitStatus(exit));
    }
    Some(PassRule::Output(OutputRule { pass, fail, skip, exit }))
}

/// `None` for a variable that has to be taken away.
fn environment(test: &CTestEntry) -> Option<Vec<(String, String)>> {
    let mut variables: Vec<(String, String)> = Vec::new();
    for setting in test.list("ENVIRONMENT") {
        let (name, value) = setting.split_once('=')?;
        set(&mut variables, name, value.to_string());
    }
    for change in test.list("ENVIRONMENT_MODIFICATION") {
        let (name, operation) = change.split_once('=')?;
        let (operation, value) = operation.split_once(':')?;
        let before = variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        let before = before.or_else(|| std::env::var(name).ok());
        match modified(before.as_deref(), operation, value) {
            Modified::Value(value) => set(&mut variables, name, value),
            Modified::Unset if before.is_none() => {}
            Modified::Unset | Modified::Unknown => return None,
        }
    }
    Some(variables)
}

fn set(variables: &mut Vec<(String, String)>, name: &str, value: String) {
    variables.retain(|(known, _)| known != name);
    variables.push((name.to_string(), value));
}

enum Modified {
    Value(String),
    Unset,
    Unknown,
}

/// The operations of `ENVIRONMENT_MODIFICATION`; a list grows only by a separator where it is not empty.
fn modified(before: Option<&str>, operation: &str, value: &str) -> Modified {
    let before = before.unwrap_or_default();
    let joined = |separator: &str, first: &str, second: &str| {
        let separator = if before.is_empty() { "" } else { separator };
        Modified::Value(format!("{first}{separator}{second}"))
    };
    match operation {
        "set" => Modified::Value(value.to_string()),
        "unset" => Modified::Unset,
        "string_append" => joined("", before, value),
        "string_prepend" => joined("", value, before),
        "path_list_append" => joined(":", before, value),
        "path_list_prepend" => joined(":", value, before),
        "cmake_list_append" => joined(";", before, value),
        "cmake_list_prepend" => joined(";", value, before),
        _ => Modified::Unknown,
    }
}

/// A name as a regular expression of CMake that matches it and nothing else.
fn escaped(name: &str) -> String {
    let mut result = String::new();
    for c in name.chars() {
        if "^$.[]|()*+?\\".contains(c) {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn fuzzed_replies_of_ctest_are_read_or_refused() {
        let example = r#"{"kind":"ctestInfo","tests":[{"name":"ring","command":["/b/ring","x"],"properties":[
            {"name":"ENVIRONMENT","value":["A=b","C=d=e"]},{"name":"TIMEOUT","value":1.5},
            {"name":"ENVIRONMENT_MODIFICATION","value":["A=set:b","PATH=path_list_prepend:/x","Z=unset:"]},
            {"name":"PASS_REGULAR_EXPRESSION","value":["^ok$","[0-9]+"]},{"name":"SKIP_RETURN_CODE","value":77},
            {"name":"WILL_FAIL","value":true},{"name":"DEPENDS","value":["other"]}]},{"name":"other"}]}"#;
        perturb_fuzz::survives("ctest listing", Share::All, &[example], |text| {
            let Ok(reply) = serde_json::from_slice::<Reply>(text) else { return };
            for test in &reply.tests {
                environment(test);
                pass_rule(test);
                needs_ctest(test);
            }
        });
    }

    #[test]
    fn fuzzed_names_of_tests_select_themselves_in_ctest() {
        perturb_fuzz::holds("ctest selection", Share::OneIn(4), any::<String>(), |name| {
            let selection = Pattern::read(&format!("^({})$", escaped(&name))).expect("plain characters");
            assert!(selection.is_in(name.as_bytes()));
            assert!(!selection.is_in(format!("{name}x").as_bytes()));
        });
    }
}
