//! The cases of GoogleTest and Catch2 programs, by the frameworks themselves.

use std::path::Path;

use perturb_host::{find_tests, TestList, TestOptions, TestResult, TestSource};

use crate::finding::{built, found, names, verdict};
use crate::support::Scene;

fn has_header(header: &str) -> bool {
    let found = Path::new("/usr/include").join(header).is_file();
    if !found {
        eprintln!("skipped: {header} is not installed");
    }
    found
}

fn scene(test: &str, links: &str, tests: &str) -> Scene {
    let cmake = format!(
        "cmake_minimum_required(VERSION 3.14)\nproject(demo CXX)\nset(CMAKE_CXX_STANDARD 17)\nenable_testing()\n\
         add_library(core core.cpp)\nadd_executable(cases cases.cpp)\ntarget_link_libraries(cases core {links})\n\
         {tests}"
    );
    Scene::new(&[("CMakeLists.txt", &cmake), ("core.cpp", "int core() { return 1; }\n"), ("cases.cpp", test)])
}

fn verdicts(list: &TestList) -> Vec<TestResult> {
    list.tests.iter().map(verdict).collect()
}

const GOOGLE_TEST: &str = r#"#include <gtest/gtest.h>
int core();
TEST(Core, Works) { EXPECT_EQ(core(), 1); }
TEST(Core, Fails) { EXPECT_EQ(core(), 2); }
TEST(Core, DISABLED_Old) { FAIL(); }
template <typename T> struct Typed : testing::Test {};
using Types = testing::Types<int, unsigned>;
TYPED_TEST_SUITE(Typed, Types);
TYPED_TEST(Typed, Adds) { EXPECT_EQ(TypeParam(core()) + TypeParam(1), TypeParam(2)); }
struct Values : testing::TestWithParam<int> {};
TEST_P(Values, IsOne) { EXPECT_EQ(core(), GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, Values, testing::Values(1, 2));
int main(int count, char **words) { testing::InitGoogleTest(&count, words); return RUN_ALL_TESTS(); }
"#;

#[test]
fn each_case_of_a_google_test_program_is_a_test() {
    if !has_header("gtest/gtest.h") {
        return;
    }
    let tests = "find_package(GTest REQUIRED)\ntarget_link_libraries(cases GTest::gtest)\n\
                 add_test(NAME unit COMMAND cases)\nadd_test(NAME shuffled COMMAND cases --gtest_shuffle)\n";
    let scene = scene(GOOGLE_TEST, "", tests).with_plain_work();
    let project = scene.discover().unwrap();
    let shadow = built(&scene, &project, None);
    let found_with = |options: &TestOptions| find_tests(&shadow, &project, options).unwrap();
    let list = found_with(&TestOptions::default());
    let expected = [
        ("unit::Core.Works", TestResult::Passed),
        ("unit::Core.Fails", TestResult::Failed),
        ("unit::Typed/0.Adds", TestResult::Passed),
        ("unit::Typed/1.Adds", TestResult::Passed),
        ("unit::All/Values.IsOne/0", TestResult::Passed),
        ("unit::All/Values.IsOne/1", TestResult::Failed),
        // It has arguments of its own.
        ("shuffled", TestResult::Failed),
    ];
    assert_eq!(names(&list), expected.map(|(name, _)| name));
    assert_eq!(verdicts(&list), expected.map(|(_, verdict)| verdict));
    assert_eq!((list.tests[0].source, list.tests[6].source), (TestSource::GoogleTest, TestSource::CTest));
    let only = TestOptions { only: vec!["unit".to_string()], ..TestOptions::default() };
    assert_eq!(found_with(&only).tests.len(), 6);
    let whole = TestOptions { split_cases: false, ..TestOptions::default() };
    assert_eq!(names(&found_with(&whole)), ["unit", "shuffled"]);
    drop(shadow);
    // A build that makes one test of each case itself is left as it is.
    scene.write(
        "CMakeLists.txt",
        &std::fs::read_to_string(scene.root().join("CMakeLists.txt"))
            .unwrap()
            .replace("add_test(NAME unit COMMAND cases)", "include(GoogleTest)\ngtest_discover_tests(cases)")
            .replace("add_test(NAME shuffled COMMAND cases --gtest_shuffle)\n", ""),
    );
    let list = found(&scene, &TestOptions::default()).unwrap();
    assert_eq!(list.tests.len(), 6, "{:?}", names(&list));
    assert!(list.tests.iter().all(|test| test.source == TestSource::CTest), "{list:?}");
    assert_eq!(verdicts(&list), expected.map(|(_, verdict)| verdict)[..6]);
}

const CATCH2: &str = r##"#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_FAST_COMPILE
#define CATCH_CONFIG_DISABLE_MATCHERS
#include <catch2/catch.hpp>
int core();
TEST_CASE("works") { CHECK(core() == 1); }
TEST_CASE("fails, [though] it \\ is \"odd\"", "[x]") { CHECK(core() == 2); }
TEST_CASE("-dash") { CHECK(core() == 1); }
TEST_CASE("#hash") { CHECK(core() == 1); }
TEST_CASE("~tilde") { CHECK(core() == 1); }
TEST_CASE("exclude:nothing") { CHECK(core() == 1); }
TEST_CASE("hidden", "[.]") { CHECK(core() == 2); }
"##;

#[test]
fn each_case_of_a_catch2_program_is_a_test() {
    if !has_header("catch2/catch.hpp") {
        return;
    }
    let scene = scene(CATCH2, "", "add_test(NAME unit COMMAND cases)\n");
    let list = found(&scene, &TestOptions::default()).unwrap();
    let cases = ["works", r#"fails, [though] it \ is "odd""#, "-dash", "#hash", "~tilde", "exclude:nothing"];
    assert_eq!(names(&list), cases.map(|case| format!("unit::{case}")));
    let failed = list.tests.iter().filter(|test| verdict(test) == TestResult::Failed);
    assert_eq!(failed.map(|test| test.name.as_str()).collect::<Vec<_>>(), [names(&list)[1]]);
}

/// Version 3 answers otherwise, and is in no Debian that we test on.
const CATCH2_OF_VERSION_3: &str = r##"#include <stdio.h>
#include <string.h>
int core();
const char *help = " is a Catch2 v3.7.1 host application";
int main(int count, char **words) {
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--list-test-names-only") == 0) {
            fprintf(stderr, "Error(s) in input:\n  Unrecognised token: %s\n", words[i]);
            return 1;
        }
    }
    if (count == 5 && strcmp(words[2], "--list-tests") == 0 && strcmp(words[4], "quiet") == 0) {
        return puts("works\n\"#hash\"\na, b") < 0;
    }
    return strcmp(words[1], "a\\, b") == 0 ? 0 : core() + (help[0] != ' ');
}
"##;

#[test]
fn a_program_of_catch2_version_3_is_asked_in_its_own_way() {
    let scene = scene(CATCH2_OF_VERSION_3, "", "add_test(NAME unit COMMAND cases)\n");
    let list = found(&scene, &TestOptions::default()).unwrap();
    assert_eq!(names(&list), ["unit::works", "unit::#hash", "unit::a, b"]);
    assert_eq!(verdicts(&list), [TestResult::Failed, TestResult::Failed, TestResult::Passed]);
}

/// It says what GoogleTest would say, and yet is none.
const NO_FRAMEWORK: &str = r#"#include <stdio.h>
int core();
int main(int, char **) { puts("gtest_list_tests: 1 check.\n  passed"); return core() - 1; }
"#;

#[test]
fn a_program_that_only_looks_like_a_framework_is_one_test() {
    let scene = scene(NO_FRAMEWORK, "", "add_test(NAME unit COMMAND cases)\n");
    let list = found(&scene, &TestOptions::default()).unwrap();
    assert_eq!((names(&list), list.tests[0].source), (vec!["unit"], TestSource::CTest));
}
