//! One function that cannot be tested takes nothing from others, and what is written may be moved.

use crate::scene::{has, text, Scene, FINE};
use serde_json::Value;

/// A project whose test calls nothing of `work.c`.
pub(super) fn untested(source: &str) -> Scene {
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(work C)\nenable_testing()\n\
                 add_executable(nothing tests/nothing.c work.c)\nadd_test(NAME nothing COMMAND nothing)\n";
    let scene = Scene::new(&[
        ("CMakeLists.txt", cmake),
        ("work.c", source),
        ("tests/nothing.c", "int main(void) { return 0; }\n"),
    ]);
    scene.run(&["run", "--quiet", "--tce", "off", "--equivalence", "off"]).expect(FINE);
    scene
}

/// What is told of the mutants of a function.
fn results<'m>(told: &'m Value, function: &str) -> Vec<&'m Value> {
    let is_in = |mutant: &&Value| text(mutant, "name").contains(&format!(" {function}(): "));
    told["mutants"].as_array().unwrap().iter().filter(is_in).collect()
}

#[test]
fn a_function_whose_tests_do_not_compile_takes_nothing_from_others_in_its_file() {
    if !has("cmake") {
        return;
    }
    // Only tests with callbacks have such a variable.
    let scene = untested(
        "int twice(int x) { return x > 10 ? 2 * x : x; }\n\
         int asked(int (*ask)(int), int x) { return ask(x) + 1; }\n\
         #define stub_turns 3\n",
    );
    let told: Value = serde_json::from_str(&scene.run(&["testgen", "--format", "json"]).expect(FINE).stdout).unwrap();
    let killed = |function: &str| results(&told, function).iter().filter(|mutant| mutant["result"] == "killed").count();
    assert!(killed("twice") > 10, "{told:#}");
    assert_eq!(killed("asked"), 0, "{told:#}");
    let reasons = results(&told, "asked").into_iter().filter_map(|mutant| mutant["why"].as_str());
    let reasons: Vec<&str> = reasons.collect();
    assert!(!reasons.is_empty(), "{told:#}");
    for reason in reasons {
        assert!(reason.starts_with("no program can be made of its test: work.c:3: "), "{reason}");
    }
}

#[test]
fn a_folder_in_the_project_may_be_moved_with_it() {
    if !has("cmake") {
        return;
    }
    let scene = untested("int twice(int x) { return x > 10 ? 2 * x : x; }\n");
    let ran = crate::scene::run_in_time(scene.command(&["testgen", "--out", "tests/new"])).expect(FINE);
    assert!(ran.stdout.contains("tests/new/test_work.c\n"), "{}", ran.stdout);
    let makefile = scene.read("tests/new/Makefile");
    assert!(makefile.contains("\nROOT = ../..\n"), "{makefile}");
}
