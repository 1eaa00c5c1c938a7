//! Tests of automake's makefiles: the programs in `TESTS`, each in its folder.
//!
//! Wrappers that a makefile puts around its tests are understood where they only set variables or are the driver for
//! TAP; otherwise `make` runs the test, alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::pass_rule::{ExitRule, PassRule};
use super::{executable_of, TestCase, TestList, TestSource};
use crate::command_line::normalise;
use crate::error::HostError;
use crate::process::tools::find_program;
use crate::project::automake;
use crate::shadow::Shadow;
use perturb_model::Notice;

const NAMES: &[&str] =
    &["TESTS", "XFAIL_TESTS", "TEST_EXTENSIONS", "TESTS_ENVIRONMENT", "AM_TESTS_ENVIRONMENT", "srcdir"];

/// The tests of all folders; none where automake is not used.
pub(super) fn find(shadow: &Shadow) -> Result<TestList, HostError> {
    let mut list = TestList::default();
    let Some(make) = find_program("make") else { return Ok(list) };
    for folder in automake::folders(shadow.tree())? {
        let ask = |names: &[&str]| automake::variables(shadow.program(&make), &folder, names);
        let Some(mut variables) = ask(NAMES)? else { continue };
        let around = around_tests(variables.get("TEST_EXTENSIONS").map_or("", String::as_str));
        variables.extend(ask(&around.iter().map(String::as_str).collect::<Vec<_>>())?.unwrap_or_default());
        let tests = AutomakeFolder { shadow, folder: &folder, make: &make, variables: &variables };
        list.tests.extend(tests.list());
    }
    // A build of the user's own may make a part of them only.
    let not_built: Vec<TestCase> = list.tests.extract_if(.., |test| !test.program.exists()).collect();
    if let Some(first) = not_built.first() {
        let (count, example) = (not_built.len(), first.name.clone());
        list.notices.push(Notice::TestsNotBuilt { count, example });
    }
    Ok(list)
}

/// The variables that put something around a test, for each extension of names and for none.
fn around_tests(extensions: &str) -> Vec<String> {
    let extensions =
        extensions.split_whitespace().map(|extension| extension.trim_start_matches('.').to_uppercase() + "_");
    let prefixes: Vec<String> = extensions.chain([String::new()]).collect();
    let names = |prefix: &String| {
        ["LOG_COMPILER", "LOG_FLAGS", "LOG_DRIVER", "LOG_DRIVER_FLAGS"].map(|name| format!("{prefix}{name}")).to_vec()
    };
    let mut all: Vec<String> = prefixes.iter().flat_map(names).collect();
    all.extend(prefixes.iter().map(|prefix| format!("AM_{prefix}LOG_FLAGS")));
    all
}

struct AutomakeFolder<'a> {
    shadow: &'a Shadow,
    folder: &'a Path,
    make: &'a Path,
    variables: &'a BTreeMap<String, String>,
}

impl AutomakeFolder<'_> {
    fn value(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }

    fn list(&self) -> Vec<TestCase> {
        let expected_to_fail: BTreeSet<&str> = self.value("XFAIL_TESTS").split_whitespace().collect();
        let tests = self.value("TESTS").split_whitespace();
        tests.map(|test| self.test_case(test, expected_to_fail.contains(test))).collect()
    }

    fn test_case(&self, test: &str, will_fail: bool) -> TestCase {
        let program = self.program(test);
        let below = self.folder.strip_prefix(self.shadow.tree()).unwrap_or(self.folder);
        let name = below.join(test).display().to_string();
        let executable = executable_of(self.shadow, self.folder, program.to_str());
        let plain = TestCase::plain(name, program, self.folder.to_path_buf(), TestSource::Automake);
        let case = TestCase { executable, ..plain };
        match (self.environment(), self.pass_rule(test, will_fail)) {
            (Some(environment), Some(passes)) => TestCase { environment, passes, ..case },
            _ => self.through_make(test, case),
        }
    }

    fn program(&self, test: &str) -> PathBuf {
        let here = self.folder.join(test);
        if here.exists() {
            return here;
        }
        normalise(&self.folder.join(self.value("srcdir")).join(test))
    }

    /// `None` when something that we do not know runs the test.
    fn pass_rule(&self, test: &str, will_fail: bool) -> Option<PassRule> {
        let extensions = self.value("TEST_EXTENSIONS").split_whitespace();
        let extension = extensions.into_iter().find(|extension| test.ends_with(extension)).unwrap_or_default();
        let prefix = match extension.trim_start_matches('.') {
            "" => String::new(),
            name => name.to_uppercase() + "_",
        };
        let is_wrapped =
            [format!("{prefix}LOG_COMPILER"), format!("{prefix}LOG_FLAGS"), format!("AM_{prefix}LOG_FLAGS")]
                .iter()
                .any(|name| !self.value(name).is_empty());
        if is_wrapped {
            return None;
        }
        let driver = self.value(&format!("{prefix}LOG_DRIVER"));
        if driver.contains("tap-driver") {
            return Some(PassRule::Tap { will_fail });
        }
        let is_known = driver.is_empty() || driver.ends_with("test-driver");
        // The shell that the driver is written for sees a crash as a failure like others.
        let rule = ExitRule { will_fail, may_crash: will_fail, skip_code: Some(77), error_code: Some(99) };
        is_known.then_some(PassRule::ExitStatus(rule))
    }

    /// The variables that are set for tests; `None` when more is done there.
    fn environment(&self) -> Option<Vec<(String, String)>> {
        let mut variables = vec![("srcdir".to_string(), self.value("srcdir").to_string())];
        let statements = [self.value("AM_TESTS_ENVIRONMENT"), self.value("TESTS_ENVIRONMENT")];
        for statement in statements.iter().flat_map(|text| text.split(';')) {
            if statement.contains(['$', '`', '|', '<', '>', '&']) {
                return None;
            }
            let words = shlex::split(statement)?;
            let words = words.strip_prefix(&["export".to_string()][..]).unwrap_or(&words);
            for word in words {
                match word.split_once('=') {
                    Some((name, value)) if is_name(name) => variables.push((name.to_string(), value.to_string())),
                    None if variables.iter().any(|(name, _)| name == word) => {}
                    _ => return None,
                }
            }
        }
        Some(variables)
    }

    fn through_make(&self, test: &str, case: TestCase) -> TestCase {
        TestCase {
            program: self.make.to_path_buf(),
            arguments: vec!["check-TESTS".to_string(), format!("TESTS={test}")],
            // All write the same summary.
            exclusive: vec![format!("check-TESTS {}", self.folder.display())],
            ..case
        }
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
