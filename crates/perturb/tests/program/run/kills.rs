//! How a test notices a mutant: it fails, crashes, takes too long, or prints something else. Both engines say the same.

use super::fine;
use crate::scene::{has, text, Scene, FINE, USAGE};

const SOURCE: &str = r#"#include <stdio.h>

int nap(void);

int half(int n)
{
    return n / 2;
}

int first(const int *values)
{
    if (values == NULL)
        return -1;
    return values[0];
}

int ratio(int a, int b)
{
    if (b == 0)
        return 0;
    return a / b;
}

int steps(int n)
{
    int count = 0;
    while (n > 0) {
        n -= 1;
        count++;
    }
    return count;
}

void waits(int n)
{
    while (n > 0) {
        nap();
        n -= 1;
    }
}

void greet(int n)
{
    printf("%d apples\n", n + 1);
}
"#;

const TEST: &str = r#"#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int half(int n);
int first(const int *values);
int ratio(int a, int b);
int steps(int n);
void waits(int n);
void greet(int n);

int nap(void)
{
    return usleep(20000);
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "half") == 0)
        return half(9) == 4 ? 0 : 3;
    if (strcmp(what, "first") == 0)
        return first(0) == -1 ? 0 : 1;
    if (strcmp(what, "ratio") == 0)
        return ratio(1, 0) == 0 ? 0 : 1;
    if (strcmp(what, "steps") == 0 && steps(3) != 3)
        abort();
    if (strcmp(what, "waits") == 0)
        waits(2);
    if (strcmp(what, "greet") == 0)
        greet(2);
    return 0;
}
"#;

/// Every function has a test of its own.
fn project() -> Option<Scene> {
    let mut cmake =
        "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nenable_testing()\nadd_library(work src/work.c)\n\
                     add_executable(t tests/t.c)\ntarget_link_libraries(t work)\n"
            .to_string();
    for name in ["half", "first", "ratio", "steps", "waits", "greet"] {
        cmake += &format!("add_test(NAME {name} COMMAND t {name})\n");
    }
    cmake += "set_tests_properties(greet PROPERTIES PASS_REGULAR_EXPRESSION \"3 apples\")\n";
    has("cmake").then(|| Scene::new(&[("CMakeLists.txt", &cmake), ("src/work.c", SOURCE), ("tests/t.c", TEST)]))
}

/// The mutant of an operator that replaces one text by another, in a function.
fn mutant<'m>(all: &'m [serde_json::Value], function: &str, original: &str, replacement: &str) -> &'m str {
    let is_it = |mutant: &&serde_json::Value| {
        let is = |field: &str, value: &str| text(mutant, field) == value;
        is("function", function) && is("original", original) && is("replacement", replacement)
    };
    text(all.iter().find(is_it).unwrap_or_else(|| panic!("no {function}: {original} -> {replacement}")), "id")
}

/// What kills each mutant, and how.
fn check(engine: &str, expected: &[(&str, &str, &str, &str)]) {
    let Some(scene) = project() else { return };
    let all = scene.mutants(&[]);
    let ids: Vec<&str> = expected.iter().map(|(function, from, to, _)| mutant(&all, function, from, to)).collect();
    let chosen: Vec<&str> = ids.iter().flat_map(|id| ["--mutant", id]).collect();
    let told = fine(&scene, &[&["--engine", engine], &chosen[..]].concat());
    for (id, (function, from, to, how)) in ids.iter().zip(expected) {
        let found = told.mutants()[id];
        assert_eq!((text(found, "test"), text(found, "how")), (*function, *how), "{function}: {from} -> {to}");
    }
}

const AT_ONCE: [(&str, &str, &str, &str); 6] = [
    ("half", "/", "*", "the test failed"),
    ("first", "==", "!=", "crashed with SIGSEGV"),
    ("ratio", "return 0;", ";", "crashed with SIGFPE"),
    ("steps", ">", "<", "crashed with SIGABRT"),
    ("steps", "n -= 1;", ";", "timed out (CPU time)"),
    ("greet", "+", "-", "the output differs"),
];

const WAITING: [(&str, &str, &str, &str); 1] = [("waits", "n -= 1;", ";", "timed out (wall clock)")];

#[test]
fn the_switched_engine_tells_how_each_mutant_was_noticed() {
    check("switched", &AT_ONCE);
}

#[test]
fn the_rebuild_engine_tells_how_each_mutant_was_noticed() {
    check("rebuild", &AT_ONCE);
}

#[test]
fn a_switched_mutant_that_waits_for_ever_is_ended_by_the_clock_on_the_wall() {
    check("switched", &WAITING);
}

#[test]
fn a_rebuilt_mutant_that_waits_for_ever_is_ended_by_the_clock_on_the_wall() {
    check("rebuild", &WAITING);
}

const FEATURE: &str = "int has_feature(int version)\n{\n    return version > 2;\n}\n";

/// Says that it cannot run where the feature is not there.
const FEATURE_TEST: &str = r#"#include <stdio.h>

int has_feature(int version);

int main(int count, char **words)
{
    if (has_feature(3))
        return 0;
    printf("SKIP: no feature\n");
    return count > 1 ? 0 : 77;
}
"#;

const FEATURE_CMAKE: &str = "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nenable_testing()\n\
    add_library(work src/work.c)\nadd_executable(t tests/t.c)\ntarget_link_libraries(t work)\n\
    add_test(NAME feature COMMAND t WORDS)\nset_tests_properties(feature PROPERTIES RULE)\n\
    add_test(NAME never COMMAND sh -c \"exit 77\")\nset_tests_properties(never PROPERTIES SKIP_RETURN_CODE 77)\n";

const FEATURE_MESON: &str = "project('p', 'c')\ntest('feature', executable('t', 'tests/t.c', 'src/work.c'))\n";

fn skipping(file: &str, text: &str) -> Scene {
    Scene::new(&[(file, text), ("src/work.c", FEATURE), ("tests/t.c", FEATURE_TEST)])
}

/// The mutant without the feature is killed with every engine, and the audit agrees.
#[track_caller]
fn check_skipping(scene: &Scene, engines: &[&str]) {
    let all = scene.mutants(&[]);
    let id = mutant(&all, "has_feature", ">", "<");
    for engine in engines {
        let told = fine(scene, &["--engine", engine, "--mutant", id]);
        let found = told.mutants()[id];
        let expected = ("killed", "feature", "the test was skipped: it says that it cannot run");
        assert_eq!((text(found, "outcome"), text(found, "test"), text(found, "how")), expected, "{engine}");
    }
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains("killed                  1   1 test skipped"), "{report}");
    let json = scene.run(&["report", "--format", "json"]).expect(FINE).stdout;
    assert!(json.contains("\"Killed\"") && json.contains("the test was skipped"), "{json}");
    for format in ["html", "csv"] {
        let shown = scene.run(&["report", "--format", format]).expect(FINE).stdout;
        assert!(shown.contains("the test was skipped"), "{format}: {shown}");
    }
    // No format takes it for one that lives.
    for (format, word) in [("sarif", "perturb show"), ("github", "::warning"), ("junit", "<failure")] {
        let shown = scene.run(&["report", "--format", format]).expect(FINE).stdout;
        assert!(!shown.contains(word), "{format}: {shown}");
    }
    scene.run(&["show", id]).expect(FINE);
}

#[test]
fn a_mutant_that_makes_a_test_skip_is_killed() {
    let by_code = FEATURE_CMAKE.replace("WORDS", "").replace("RULE", "SKIP_RETURN_CODE 77");
    let by_text = FEATURE_CMAKE.replace("WORDS", "quiet").replace("RULE", "SKIP_REGULAR_EXPRESSION SKIP:");
    if has("cmake") {
        check_skipping(&skipping("CMakeLists.txt", &by_code), &["split", "switched", "rebuild", "auto"]);
        check_skipping(&skipping("CMakeLists.txt", &by_text), &["switched", "rebuild"]);
    }
    if has("meson") {
        check_skipping(&skipping("meson.build", FEATURE_MESON), &["split", "switched", "rebuild"]);
    }
}

const ROOM: &str = r#"#include <stdlib.h>

int has_room(int megabytes)
{
    void *room = malloc((size_t)megabytes << 20);
    free(room);
    return room != 0;
}

int main(void)
{
    return has_room(16) ? 0 : 1;
}
"#;

/// A program that asks for 16 MiB, and its mutant that asks for 32.
fn roomy() -> Option<Scene> {
    let scene =
        Scene::new(&[("Makefile", "all: t\nt: src/p.c\n\t$(CC) -w -o $@ $<\ncheck: all\n\t./t\n"), ("src/p.c", ROOM)]);
    has("make").then_some(scene)
}

#[test]
fn a_mutant_that_takes_more_memory_than_it_may_is_killed() {
    let Some(scene) = roomy() else { return };
    for (limit, expected) in [("24M", "killed"), ("2G", "live")] {
        for engine in ["split", "switched", "rebuild"] {
            let chosen =
                ["--test-memory", limit, "--engine", engine, "--tce", "off", "--audit", "0", "--operators", "ICR"];
            let told = fine(&scene, &chosen);
            let doubled = told.mutants().into_values().find(|mutant| text(mutant, "name").contains("'20' -> '21'"));
            assert_eq!(text(doubled.expect("it is there"), "outcome"), expected, "{limit} {engine}");
            assert!(told.all("memory not limited").is_empty());
        }
    }
}

#[test]
fn where_a_test_needs_more_memory_than_it_may_use_none_is_limited_and_that_is_said() {
    let Some(scene) = roomy() else { return };
    let told = fine(&scene, &["--test-memory", "8M", "--tce", "off", "--audit", "0", "--operators", "ICR"]);
    assert_eq!(told.one("baseline finished")["passed"], 1);
    assert_eq!(text(told.one("memory not limited"), "test"), "t");
    let doubled = told.mutants().into_values().find(|mutant| text(mutant, "name").contains("'20' -> '21'"));
    assert_eq!(text(doubled.expect("it is there"), "outcome"), "live");
    scene.run(&["run", "--test-memory", "much"]).expect(USAGE).told(&["512M, 4G or unlimited"]);
}
