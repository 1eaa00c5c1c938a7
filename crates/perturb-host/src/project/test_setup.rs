//! How a project's tests are run and which framework they use: `init` and `doctor` report it.
//!
//! Reads build files and `#include` lines; runs nothing.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::project::description::{BuildSystem, Project};
use crate::project::roles::Role;

/// What runs the tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestRunner {
    CTest,
    Meson,
    /// `make <target>`.
    MakeTarget(String),
}

/// What the tests are written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TestFramework {
    GoogleTest,
    Catch2,
    Doctest,
    Unity,
    Check,
    Cmocka,
    CppUTest,
    BoostTest,
}

/// The test runner and framework of a project, as far as its files show them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestSetup {
    pub runner: Option<TestRunner>,
    /// Sorted.
    pub frameworks: Vec<TestFramework>,
}

impl fmt::Display for TestRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestRunner::CTest => write!(f, "ctest"),
            TestRunner::Meson => write!(f, "meson test"),
            TestRunner::MakeTarget(target) => write!(f, "make {target}"),
        }
    }
}

impl fmt::Display for TestFramework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TestFramework::GoogleTest => "GoogleTest",
            TestFramework::Catch2 => "Catch2",
            TestFramework::Doctest => "doctest",
            TestFramework::Unity => "Unity",
            TestFramework::Check => "Check",
            TestFramework::Cmocka => "cmocka",
            TestFramework::CppUTest => "CppUTest",
            TestFramework::BoostTest => "Boost.Test",
        })
    }
}

impl TestSetup {
    /// Reads the build files at the root and the tests that [`discover`](crate::discover) found.
    pub fn find(project: &Project) -> TestSetup {
        let tests = project.units.iter().filter(|unit| matches!(unit.role, Role::Test(_)));
        let frameworks: BTreeSet<TestFramework> = tests.filter_map(|unit| framework_of(&unit.command.file)).collect();
        TestSetup { runner: runner(&project.root, &project.build_system), frameworks: frameworks.into_iter().collect() }
    }
}

fn runner(root: &Path, build_system: &BuildSystem) -> Option<TestRunner> {
    let text = |name: &str| fs::read(root.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).ok();
    let meson = || text("meson.build").map(|_| TestRunner::Meson);
    let cmake = || text("CMakeLists.txt").filter(|file| enables_tests(file)).map(|_| TestRunner::CTest);
    let make = || {
        let makefile =
            ["GNUmakefile", "makefile", "Makefile", "Makefile.in", "Makefile.am"].into_iter().find_map(text)?;
        let targets = ["check", "test", "tests", "unittest", "unit-test"];
        let target = targets.into_iter().find(|target| has_target(&makefile, target))?;
        Some(TestRunner::MakeTarget(target.to_string()))
    };
    match build_system {
        BuildSystem::SingleFile => None,
        BuildSystem::Meson => meson(),
        BuildSystem::CMake => cmake(),
        BuildSystem::Command(_) => make().or_else(cmake),
        BuildSystem::CompileDatabase(_) => cmake().or_else(meson).or_else(make),
    }
}

fn enables_tests(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["enable_testing", "include(ctest", "include (ctest", "add_test"].iter().any(|word| lower.contains(word))
}

fn has_target(makefile: &str, target: &str) -> bool {
    makefile.lines().any(|line| {
        let Some((names, rest)) = line.split_once(':') else { return false };
        // `x := y` is a variable, an indented line a command.
        !line.starts_with(['\t', ' ', '#'])
            && !rest.starts_with('=')
            && names.split_whitespace().any(|name| name == target)
    })
}

fn framework_of(source: &Path) -> Option<TestFramework> {
    // Includes stand at the top; a huge generated test need not be read to its end.
    const BYTES: u64 = 64 * 1024;
    let mut bytes = Vec::new();
    File::open(source).ok()?.take(BYTES).read_to_end(&mut bytes).ok()?;
    String::from_utf8_lossy(&bytes).lines().find_map(framework_of_line)
}

fn framework_of_line(line: &str) -> Option<TestFramework> {
    let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim();
    let name = name.trim_start_matches(['<', '"']).split(['>', '"']).next()?;
    let last = name.rsplit('/').next()?;
    match last {
        _ if name.starts_with("boost/test/") => Some(TestFramework::BoostTest),
        _ if name.starts_with("CppUTest") => Some(TestFramework::CppUTest),
        "gtest.h" | "gmock.h" => Some(TestFramework::GoogleTest),
        "catch.hpp" | "catch_test_macros.hpp" | "catch_all.hpp" | "catch_amalgamated.hpp" => {
            Some(TestFramework::Catch2)
        }
        "doctest.h" => Some(TestFramework::Doctest),
        "unity.h" | "unity_fixture.h" => Some(TestFramework::Unity),
        "check.h" => Some(TestFramework::Check),
        "cmocka.h" => Some(TestFramework::Cmocka),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn frameworks_are_known_by_their_header() {
        for (line, expected) in [
            ("#include <gtest/gtest.h>", Some(TestFramework::GoogleTest)),
            ("  #  include \"catch2/catch_test_macros.hpp\" // x", Some(TestFramework::Catch2)),
            ("#include \"../unity/unity.h\"", Some(TestFramework::Unity)),
            ("#include <boost/test/unit_test.hpp>", Some(TestFramework::BoostTest)),
            ("#include <check.h>", Some(TestFramework::Check)),
            ("#include <CppUTest/TestHarness.h>", Some(TestFramework::CppUTest)),
            ("#include \"checker.h\"", None),
            ("// unity.h", None),
        ] {
            assert_eq!(framework_of_line(line), expected, "{line}");
        }
    }

    #[test]
    fn a_make_target_is_told_from_a_variable_and_a_command() {
        assert!(has_target("all: x\ncheck test: all\n", "test"));
        assert!(!has_target("test := 1\n\ttest: x\n# test: x\ntests:\n", "test"));
    }

    #[test]
    fn fuzzed_build_files_and_includes_are_read() {
        let examples = ["#include <gtest/gtest.h>\n", "all: x\ncheck test: all\n\ttest := 1\n", "ENABLE_TESTING()\n"];
        perturb_fuzz::survives("build files", Share::All, &examples, |text| {
            let text = String::from_utf8_lossy(text);
            assert!(text.lines().filter_map(framework_of_line).count() <= text.lines().count());
            has_target(&text, "test");
            enables_tests(&text);
        });
    }
}
