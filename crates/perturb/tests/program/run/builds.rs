//! Projects of every kind as a new user would try them: no configuration, and all mutants come to a verdict.

use std::collections::BTreeSet;
use std::path::Path;

use super::subject::subject;
use super::{fine, Told};
use crate::scene::{has, text, Scene};

/// All mutants are decided, some killed, and these tests are those that kill.
#[track_caller]
fn assert_killed_by(told: &Told, tests: &[&str]) {
    assert_eq!(told.mutants().len(), told.one("mutants")["count"], "{}", told.ran.stderr);
    assert!(told.count("pending") == 0 && told.count("unstable") == 0, "{:?}", told.outcomes());
    let killed = told.mutants().into_values().filter(|value| text(value, "outcome") == "killed");
    let killers: BTreeSet<&str> = killed.map(|value| text(value, "test")).collect();
    assert_eq!(killers, tests.iter().copied().collect());
}

#[test]
fn a_compiler_that_is_called_by_its_absolute_path() {
    let Some(scene) = subject() else { return };
    if !has("bear") {
        return;
    }
    let makefile = scene.read("Makefile");
    scene.write("Makefile", format!("CC = /usr/bin/gcc\n{makefile}"));
    let told = fine(&scene, &[]);
    assert_killed_by(&told, &["test_gauge", "test_alarm"]);
    assert_eq!(told.one("instrumented")["rebuilt"], 0);
    // The same mutants, with the same ends, as with a compiler that is found on the PATH.
    scene.write("Makefile", makefile);
    assert_eq!(fine(&scene, &["--work", scene.outside("other").to_str().unwrap()]).outcomes(), told.outcomes());
}

#[test]
fn the_example_says_the_same_through_its_makefile_as_through_cmake() {
    if !has("cmake") || !has("make") {
        return;
    }
    let scene = Scene::example();
    let by_cmake = fine(&scene, &["src/ring.c"]);
    scene.remove("CMakeLists.txt");
    let by_make = fine(&scene, &["src/ring.c", "--work", scene.outside("make").to_str().unwrap()]);
    assert_eq!(by_cmake.outcomes(), by_make.outcomes());
    assert!(by_make.count("killed") > 50);
}

#[test]
fn a_meson_project_whose_tests_are_a_status_and_a_protocol() {
    if !has("meson") || !has("ninja") {
        return;
    }
    let scene = Scene::fixture("meson-two-tests");
    let told = fine(&scene, &[]);
    assert_killed_by(&told, &["add", "scale"]);
    assert_eq!(told.one("baseline finished")["passed"], 2);
}

fn with_cases(test: &str, links: &str) -> Scene {
    const CORE: &str = "int twice(int n) { return n * 2; }\nint next(int n) { return n + 1; }\n";
    let cmake = format!(
        "cmake_minimum_required(VERSION 3.14)\nproject(demo CXX)\nset(CMAKE_CXX_STANDARD 17)\nenable_testing()\n\
         add_library(core core.cpp)\nadd_executable(cases tests/cases.cpp)\ntarget_link_libraries(cases core)\n{links}\
         add_test(NAME unit COMMAND cases)\n"
    );
    Scene::new(&[("CMakeLists.txt", &cmake), ("core.cpp", CORE), ("tests/cases.cpp", test)])
}

#[test]
fn each_case_of_a_google_test_program_kills_for_itself() {
    const TEST: &str = r#"#include <gtest/gtest.h>
int twice(int n);
int next(int n);
TEST(Core, Twice) { EXPECT_EQ(twice(3), 6); }
TEST(Core, Next) { EXPECT_EQ(next(3), 4); }
int main(int count, char **words) { testing::InitGoogleTest(&count, words); return RUN_ALL_TESTS(); }
"#;
    if !has("cmake") || !Path::new("/usr/include/gtest/gtest.h").is_file() {
        eprintln!("skipped: GoogleTest is not installed");
        return;
    }
    let scene = with_cases(TEST, "find_package(GTest REQUIRED)\ntarget_link_libraries(cases GTest::gtest)\n");
    let told = fine(&scene, &[]);
    assert_killed_by(&told, &["unit::Core.Twice", "unit::Core.Next"]);
    // No case is run on a mutant of a function that it does not call.
    assert!(told.work().0 <= told.mutants().len() as u64);
    assert_killed_by(&fine(&scene, &["--whole-programs"]), &["unit"]);
}

/// In place of Catch2, which takes longer to compile than all tests here together: a program that speaks as it does.
#[test]
fn each_case_of_a_catch2_program_kills_for_itself() {
    const TEST: &str = r#"#include <cstdio>
#include <cstring>
int twice(int n);
int next(int n);
const char *help = " is a Catch v2.13.10 host application";
int main(int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--list-test-names-only") == 0)
            return puts("twice it is\nthe next") < 0 ? 0 : 2;
    }
    bool all = count < 2;
    if ((all || strcmp(words[1], "twice it is") == 0) && twice(3) != 6)
        return 1;
    if ((all || strcmp(words[1], "the next") == 0) && next(3) != 4)
        return 1;
    return help[0] != ' ';
}
"#;
    if !has("cmake") {
        return;
    }
    let told = fine(&with_cases(TEST, ""), &[]);
    assert_killed_by(&told, &["unit::twice it is", "unit::the next"]);
}

#[test]
fn tests_that_only_a_command_of_the_user_can_run() {
    let Some(scene) = subject() else { return };
    let makefile = scene.read("Makefile");
    scene.write("Makefile", makefile.split("check:").next().unwrap());
    scene.write("run-test", "#!/bin/sh\nexec ./test_$1\n");
    let command = ["--test-command", "./run-test {test}"];
    let told = fine(&scene, &[&command[..], &["--test", "gauge", "--test", "alarm"]].concat());
    assert_killed_by(&told, &["gauge", "alarm"]);
    let listed = fine(&scene, &[&command[..], &["--list-tests", "echo gauge; echo alarm"]].concat());
    assert_eq!((listed.work().0, listed.outcomes()), (0, told.outcomes()));
    // The same, said once and for all.
    scene.write("perturb.toml", "[tests]\ncommand = \"./run-test {test}\"\nnames = [\"gauge\"]\n");
    assert_killed_by(&fine(&scene, &[]), &["gauge"]);
}

/// What a test starts without our variables cannot be told which mutant it is: such tests run on builds of single
/// mutants, the others do not, and no mutant is told to live before all of them have run.
#[test]
fn a_test_that_clears_the_environment_runs_on_builds_of_single_mutants() {
    let Some(scene) = subject() else { return };
    let makefile = scene.read("Makefile").replace("\t./test_alarm\n", "\tsh tests/alarm.sh\n");
    scene.write("Makefile", makefile);
    scene.write("tests/alarm.sh", "#!/bin/sh\nexec env -i ./test_alarm\n");
    let told = fine(&scene, &["--operators", "ROR,AOR"]);
    let not_instrumented = text(told.one("test not instrumented"), "test");
    assert!(not_instrumented.contains("alarm"), "{not_instrumented}");
    assert_killed_by(&told, &["test_gauge", not_instrumented]);
    assert_eq!(told.all("mutant").len(), told.mutants().len(), "each is told once");
    assert_eq!(fine(&scene, &["--operators", "ROR,AOR"]).work().0, 0);
}
