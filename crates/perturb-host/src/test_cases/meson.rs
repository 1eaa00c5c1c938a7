//! Tests that Meson knows. We run each directly, as `meson test` would.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::pass_rule::{ExitRule, PassRule};
use super::{executable_of, listing, TestCase, TestList, TestSource};
use crate::error::HostError;
use crate::process::tools::require_program;
use crate::project::meson::introspect;
use crate::shadow::Shadow;

#[derive(Deserialize)]
struct MesonTest {
    name: String,
    cmd: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    workdir: Option<PathBuf>,
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default = "yes")]
    is_parallel: bool,
    #[serde(default)]
    protocol: String,
}

fn yes() -> bool {
    true
}

/// The tests of the build folder, in the order of the build files.
pub(super) fn find(shadow: &Shadow) -> Result<TestList, HostError> {
    let folder = shadow.build_folder();
    let meson = require_program("meson")?;
    let tests: Vec<MesonTest> = introspect(&meson, "--tests", &folder)?;
    let failing = if mentions_failing(shadow.tree()) { expected_to_fail(&meson, &folder)? } else { BTreeSet::new() };
    let tests = tests.into_iter().enumerate().filter(|(_, test)| !test.cmd.is_empty());
    let tests = tests.map(|(number, test)| test_case(shadow, &folder, test, failing.contains(&number)));
    Ok(TestList { tests: tests.collect(), notices: Vec::new() })
}

fn test_case(shadow: &Shadow, folder: &Path, test: MesonTest, will_fail: bool) -> TestCase {
    let executable = executable_of(shadow, folder, test.cmd.iter().map(String::as_str));
    let exit = ExitRule { will_fail, may_crash: will_fail, skip_code: Some(77), error_code: Some(99) };
    let directory = test.workdir.unwrap_or_else(|| folder.to_path_buf());
    let timeout = test.timeout.filter(|seconds| *seconds > 0.0);
    TestCase {
        arguments: test.cmd[1..].to_vec(),
        environment: test.env.into_iter().collect(),
        passes: match test.protocol.as_str() {
            "tap" => PassRule::Tap { will_fail },
            _ => PassRule::ExitStatus(exit),
        },
        timeout: timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        alone: !test.is_parallel,
        executable,
        ..TestCase::plain(test.name, folder.join(&test.cmd[0]), directory, TestSource::Meson)
    }
}

/// Whether some build file has tests that should fail; Meson does not export which.
fn mentions_failing(tree: &Path) -> bool {
    let walk = ignore::WalkBuilder::new(tree).standard_filters(false).build();
    let files = walk.flatten().filter(|item| item.file_name() == "meson.build");
    files.into_iter().any(|item| fs::read_to_string(item.path()).is_ok_and(|text| text.contains("should_fail")))
}

/// The indices of the tests that should fail, from the file that `meson test` reads, by Meson's own interpreter. Empty
/// if it cannot be read: those tests then fail on the original, which is reported.
fn expected_to_fail(meson: &Path, folder: &Path) -> Result<BTreeSet<usize>, HostError> {
    const SCRIPT: &str = "import pickle, sys\n\
        for number, test in enumerate(pickle.load(open(sys.argv[1], 'rb'))):\n    \
        if test.should_fail: print(number)\n";
    let script = fs::read_to_string(meson).unwrap_or_default();
    let interpreter = script.lines().next().and_then(|line| line.strip_prefix("#!")).map(str::trim);
    let Some(interpreter) = interpreter.filter(|path| !path.contains(' ')) else { return Ok(BTreeSet::new()) };
    let setup = folder.join("meson-private/meson_test_setup.dat");
    let answer = listing::ask(Path::new(interpreter), &["-c", SCRIPT, &setup.to_string_lossy()], folder, &[])?;
    let text = answer.map(|answer| answer.stdout).unwrap_or_default();
    Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn fuzzed_tests_of_meson_are_read_or_refused() {
        let example = r#"[{"name":"t","cmd":["/b/a","x"],"env":{"A":"b"},"workdir":null,"timeout":30.5,
            "is_parallel":false,"protocol":"tap"}]"#;
        assert!(serde_json::from_str::<Vec<MesonTest>>(example).is_ok());
        perturb_fuzz::survives("meson tests", Share::All, &[example], |text| {
            drop(serde_json::from_slice::<Vec<MesonTest>>(text));
        });
    }
}
