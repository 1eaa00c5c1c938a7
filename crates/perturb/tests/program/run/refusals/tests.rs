//! Tests that tell nothing about mutants: missing, failing, flaky, hanging.

use crate::run::subject::subject;
use crate::run::{fine, told};
use crate::scene::{has, text, Scene, BROKEN, FINE, USAGE};

const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";

/// A CMake project with one program that is told by its argument what to do; each test with properties of its own.
fn with_tests(tests: &[(&str, &str)]) -> Option<Scene> {
    const TEST: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sum(int a, int b);

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "fails") == 0) {
        puts("expected 4");
        return 1;
    }
    if (strcmp(what, "crashes") == 0)
        abort();
    if (strcmp(what, "hangs") == 0)
        for (;;)
            pause();
    if (strcmp(what, "skips") == 0)
        return 77;
    if (strcmp(what, "coin") == 0) {
        unsigned char byte = 0;
        FILE *source = fopen("/dev/urandom", "rb");
        if (source == NULL || fread(&byte, 1, 1, source) != 1)
            return 0;
        return byte & 1;
    }
    return sum(1, 2) == 3 ? 0 : 1;
}
"#;
    let mut cmake = "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nenable_testing()\nadd_library(sum sum.c)\n\
                     add_executable(t tests/t.c)\ntarget_link_libraries(t sum)\n"
        .to_string();
    for (name, what) in tests {
        cmake += &format!("add_test(NAME {name} COMMAND t {what})\n");
        cmake += &format!("set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)\n");
    }
    has("cmake").then(|| Scene::new(&[("CMakeLists.txt", &cmake), ("sum.c", SUM), ("tests/t.c", TEST)]))
}

#[test]
fn a_project_without_tests_is_told_what_would_help() {
    let Some(scene) = subject() else { return };
    scene.write("Makefile", "all: src/gauge.o\n");
    scene.remove("tests/test_gauge.c");
    scene.remove("tests/test_alarm.c");
    scene.run(&["run"]).expect_error(BROKEN, &["found no tests", "--test-command"]);
    let Some(scene) = subject() else { return };
    scene.run(&["run", "--only-tests", "nothing*"]).expect_error(USAGE, &["none of the 2 tests", "patterns"]);
}

#[test]
fn a_baseline_in_which_no_test_passes_ends_the_run() {
    let Some(scene) = with_tests(&[("first", "fails"), ("second", "crashes")]) else { return };
    let parts = ["no test passes on the original", "2 tests failed", "`first`", "expected 4"];
    scene.run(&["run"]).expect_error(BROKEN, &parts).told(&["second", "crashed with SIGABRT"]);
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains("an error ended it") && report.contains("first left out"), "{report}");
}

#[test]
fn tests_that_do_not_pass_are_named_and_the_others_go_on() {
    let tests = [("good", ""), ("bad", "fails"), ("crash", "crashes"), ("hang", "hangs"), ("idle", "skips")];
    let Some(scene) = with_tests(&tests) else { return };
    let told = fine(&scene, &["--test-timeout", "1s"]);
    let left_out: Vec<(&str, &str)> =
        told.all("test left out").iter().map(|value| (text(value, "test"), text(value, "why"))).collect();
    let expected = [
        ("bad", "failed: the test failed"),
        ("crash", "failed: crashed with SIGABRT"),
        ("hang", "failed: timed out (wall clock)"),
        ("idle", "skipped: it says so itself"),
    ];
    assert_eq!(left_out, expected);
    assert_eq!(told.one("baseline finished")["passed"], 1);
    assert!(told.count("killed") > 5 && told.mutants().len() == told.one("mutants")["count"]);
    let said = &told.ran.stderr;
    assert!(said.contains("bad is left out") && said.contains("expected 4"), "{said}");
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains("1 passed · 3 failed · 1 skipped") && report.contains("hang left out"), "{report}");
}

/// A hundred tests toss a coin. One that fails only the second time, when memory is limited, is asked three times more
/// before that is taken for the reason: the chance that none of them is found to be flaky in this way is 1 in 10^10.
#[test]
fn a_flaky_test_is_named_and_left_out() {
    let names: Vec<String> = (0..100).map(|number| format!("coin{number}")).collect();
    let tests: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "coin")).chain([("good", "")]).collect();
    let Some(scene) = with_tests(&tests) else { return };
    let told = fine(&scene, &["--until", "baseline"]);
    let why: Vec<&str> = told.all("test left out").iter().map(|value| text(value, "why")).collect();
    assert!(why.iter().any(|why| why.starts_with("flaky: first passed, then ")), "{why:?}");
    assert!(why.iter().any(|why| why.starts_with("flaky: first ") && why.ends_with(", then passed")), "{why:?}");
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains(" flaky"), "{report}");
}

#[test]
fn a_test_command_that_cannot_be_run_is_told() {
    let Some(scene) = subject() else { return };
    let ran = told(&scene, &["--test-command", "./no-such-runner {test}", "--test", "a"]).ran;
    ran.expect_error(BROKEN, &["no test passes on the original"]);
    scene.run(&["run", "--test-command", "./t {test}"]).expect_error(USAGE, &["{test}", "--test NAME"]);
}
