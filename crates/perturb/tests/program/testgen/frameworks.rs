//! The same tests for every framework: each is compiled and run by the Makefile that comes with it.

use super::{claims, files, generate, scene, OPERATORS};
use crate::run::differential::cjson;
use crate::scene::{copy, has, Scene};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Something that stands in for others, state, and fractions.
const SELECTION: [&str; 6] = ["--function", "regulate", "--function", "reserve", "--function", "scaled"];

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SELECTION[..], &["--operators", OPERATORS, "--tiers", "native"], more].concat()
}

/// Makes tests for a framework and checks what they claim; then all are built and run as people do it.
#[track_caller]
fn check(scene: &Scene, framework: &str, parts: &[&str]) -> (Value, PathBuf) {
    let (told, out) = generate(scene, "tests", &arguments(&["--framework", framework]));
    let kills = claims::check(scene, &told, &out, &["--operators", OPERATORS]);
    assert!(kills >= 20, "{kills}");
    let test = &files(&out)["test_src_state.c"];
    assert!(parts.iter().all(|part| test.contains(part)), "{parts:?}: {test}");
    let made = Command::new("make").arg("-C").arg(&out).arg("check").env_remove("MAKEFLAGS").output().unwrap();
    let said = String::from_utf8_lossy(&made.stdout).into_owned() + &String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success() && !said.contains("warning:"), "{said}");
    (told, out)
}

/// Whether a header of the system is there; says so when it is not.
fn has_header(name: &str) -> bool {
    let is_there = Path::new("/usr/include").join(name).is_file();
    if !is_there {
        eprintln!("skipped: {name} is not installed: `scripts/setup test` sees to it");
    }
    is_there
}

#[test]
fn plain_tests_are_a_program_of_their_own() {
    let Some(scene) = scene(&SELECTION) else { return };
    check(&scene, "plain", &["static void test_reserve_", "    CHECK(", "int main(int argc, char **argv)"]);
}

#[test]
fn tests_for_cmocka_run() {
    let Some(scene) = has_header("cmocka.h").then(|| scene(&SELECTION)).flatten() else { return };
    check(&scene, "cmocka", &["#include <cmocka.h>", "(void **state)", "    assert_true(", "cmocka_unit_test("]);
}

#[test]
fn tests_for_check_run() {
    let Some(scene) = has_header("check.h").then(|| scene(&SELECTION)).flatten() else { return };
    check(&scene, "check", &["#include <check.h>", "START_TEST(", "    ck_assert(", "tcase_add_test("]);
}

#[test]
fn tests_for_googletest_run() {
    let Some(scene) = (has_header("gtest/gtest.h") && has("g++")).then(|| scene(&SELECTION)).flatten() else { return };
    let (_, out) = check(&scene, "gtest", &["#define CHECK(", "const char *test_reserve_"]);
    let cases = &files(&out)["test_src_state_cases.cpp"];
    assert!(cases.contains("TEST(src_state, test_reserve_"), "{cases}");
    // The project itself is of C alone.
    copy(&out, &scene.root().join("generated"));
    scene.write("CMakeLists.txt", scene.read("CMakeLists.txt") + "add_subdirectory(generated)\n");
    let script = "cmake -S . -B ../build && cmake --build ../build && cd ../build && ctest --output-on-failure";
    let built = Command::new("sh").args(["-c", script]).current_dir(scene.root()).output().unwrap();
    let said = String::from_utf8_lossy(&built.stdout).into_owned() + &String::from_utf8_lossy(&built.stderr);
    assert!(built.status.success() && said.contains("100% tests passed") && !said.contains("warning:"), "{said}");
}

/// It is a file that projects have a copy of, as cJSON does; that its tests include it is how it is found to be theirs.
#[test]
fn tests_for_unity_run_with_the_project_s_own_copy_and_without_being_asked_for() {
    let (Some(source), true) = (cjson(), has("cmake")) else { return };
    let scene = Scene::fixture("testgen");
    copy(&source.join("tests/unity"), &scene.root().join("tests/unity"));
    let cmake = scene.read("CMakeLists.txt").replace("tests/board.c", "tests/board.c tests/unity/src/unity.c");
    scene.write("CMakeLists.txt", cmake);
    let own = scene.read("tests/weak.c").replace(
        "int main",
        "#include \"unity/src/unity.h\"\n\nvoid setUp(void) {}\nvoid tearDown(void) {}\n\nint main",
    );
    scene.write("tests/weak.c", own);
    super::run(&scene, &[&["--operators", OPERATORS], &SELECTION[..]].concat());
    check(&scene, "unity", &["#include \"unity.h\"", "    TEST_ASSERT(", "RUN_TEST("]);
    let (_, chosen) = generate(&scene, "chosen", &arguments(&[]));
    assert!(files(&chosen)["test_src_state.c"].contains("TEST_ASSERT("));
}
