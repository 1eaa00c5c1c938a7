//! The message for a project without tests: what was looked for, and what would help.

use std::path::Path;

use serde::Deserialize;

use crate::error::HostError;
use crate::process::tools::find_program;
use crate::project::builder::Builder;
use crate::project::cmake_cache::{self, CacheEntry};
use crate::project::description::Project;
use crate::project::meson::introspect;
use crate::shadow::Shadow;

const BY_COMMAND: &str = "if some command runs them, give it with the name of a test for {test}: \
     `--test-command './run-test {test}' --test first --test second`, or in perturb.toml \
     `[tests] command = \"./run-test {test}\", names = [\"first\", \"second\"]`";

pub(super) fn no_tests(shadow: &Shadow, project: &Project) -> HostError {
    let folder = shadow.build_folder();
    let (looked_for, options) = match shadow.builder() {
        Builder::CMake => ("ctest's tests (add_test) and programs that look like tests", cmake_options(&folder)),
        Builder::Meson => ("Meson's tests and programs that look like tests", meson_options(&folder)),
        Builder::Command(_) => {
            ("ctest's tests, automake's TESTS, `make check` or `make test`, programs that look like tests", Vec::new())
        }
    };
    let hint = match options.as_slice() {
        [] => BY_COMMAND.to_string(),
        [first, rest @ ..] => {
            let others = rest.iter().map(|option| format!(" or {option}")).collect::<String>();
            format!(
                "its option {}{others} is off: write `configure = [\"{first}\"]` under [project] in perturb.toml; \
                 {BY_COMMAND}",
                first.trim_start_matches("-D").split('=').next().unwrap_or(first)
            )
        }
    };
    HostError::NoTests { root: project.root.clone(), looked_for: looked_for.to_string(), hint }
}

/// Options of the project that speak of tests and are off, as arguments that switch them on; CMake's usual one first. A
/// cache that cannot be read gives no hint.
fn cmake_options(build: &Path) -> Vec<String> {
    let is_wanted = |entry: &CacheEntry| {
        let is_own = !entry.name.starts_with("CMAKE_") && is_about_tests(&entry.name);
        entry.kind == "BOOL" && is_own && is_off(&entry.value)
    };
    let mut names: Vec<String> =
        cmake_cache::read(build).unwrap_or_default().into_iter().filter(is_wanted).map(|entry| entry.name).collect();
    names.sort_by_key(|name| (name != "BUILD_TESTING", name.len()));
    names.truncate(3);
    names.into_iter().map(|name| format!("-D{name}=ON")).collect()
}

#[derive(Deserialize)]
struct MesonOption {
    name: String,
    value: serde_json::Value,
    section: String,
}

fn meson_options(build: &Path) -> Vec<String> {
    let Some(meson) = find_program("meson") else { return Vec::new() };
    let options: Vec<MesonOption> = introspect(&meson, "--buildoptions", build).unwrap_or_default();
    let options = options.iter().filter(|option| option.section == "user" && is_about_tests(&option.name));
    let on = |option: &MesonOption| match &option.value {
        serde_json::Value::Bool(false) => Some(format!("-D{}=true", option.name)),
        serde_json::Value::String(text) if text == "disabled" || text == "auto" => {
            Some(format!("-D{}=enabled", option.name))
        }
        _ => None,
    };
    options.filter_map(on).take(3).collect()
}

/// `BUILD_TESTING`, `ENABLE_CJSON_TEST`, `unittests`; not `USE_LATEST`.
fn is_about_tests(name: &str) -> bool {
    let name = name.to_uppercase();
    name.split(['_', '-', '.']).any(|part| part.starts_with("TEST") || part.starts_with("UNITTEST"))
}

fn is_off(value: &str) -> bool {
    matches!(value.to_uppercase().as_str(), "OFF" | "0" | "NO" | "FALSE" | "N" | "")
}
