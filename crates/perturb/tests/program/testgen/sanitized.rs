//! Mutants that only do something undefined have tests of their own kind, which are compiled with sanitizers.

use super::kinds::{expect_golden, tests, ARGUMENTS};
use super::{count, files, generate, scene};
use crate::scene::text;

const PATHS: [&str; 1] = ["src/undefined.c"];

#[test]
fn what_is_only_undefined_has_golden_tests_apart_that_are_compiled_with_sanitizers() {
    let Some(scene) = scene(&PATHS) else { return };
    let (told, out) = generate(&scene, "tests", &[&ARGUMENTS[..6], &PATHS].concat());
    expect_golden(&tests(&out), "golden_sanitized");
    assert!(count(&told, "sanitized") > 0, "{told:#}");
    for suite in told["suites"].as_array().unwrap() {
        let is_named_so = suite["files"][0].as_str().unwrap().ends_with("__sanitized.c");
        assert_eq!(suite["sanitized"], is_named_so, "{suite}");
    }
    let all = files(&out);
    let makefile = all["Makefile"].lines().filter(|line| line.contains("-fsanitize=address,undefined"));
    assert!(makefile.clone().count() > 0 && makefile.clone().all(|line| line.contains("__sanitized.c")), "{all:#?}");
    // The linker has to know of it where it is not called by the compiler's command.
    let linked = all["CMakeLists.txt"].split("target_link_libraries(").skip(1);
    let is_told = |part: &str| part.split(')').next().unwrap().contains("-fsanitize=address");
    assert!(linked.clone().all(|part| is_told(part) == part.starts_with("test_src_undefined__clear__sanitized")));
}

#[test]
fn the_score_is_that_of_ordinary_tests_and_reports_tell_the_others_apart() {
    let Some(scene) = scene(&PATHS) else { return };
    let (told, _) = generate(&scene, "tests", &[&ARGUMENTS[..6], &PATHS].concat());
    let (ordinary, _) = generate(&scene, "ordinary", &[&ARGUMENTS[..], &PATHS].concat());
    assert_eq!((count(&ordinary, "sanitized"), &told["after"]), (0, &ordinary["after"]));
    assert_eq!(count(&ordinary, "undefined"), count(&told, "undefined") + count(&told, "sanitized"));
    let (told, _) = generate(&scene, "tests", &[&ARGUMENTS[..6], &PATHS].concat());
    let mutants = told["mutants"].as_array().unwrap();
    let one = mutants.iter().find(|mutant| text(mutant, "result") == "sanitized").unwrap();
    assert!(text(one, "judgement").contains("undefined"), "{one}");
    let shown = scene.run(&["show", text(one, "id")]);
    let expected = format!("killed, with sanitizers, by generated test {}", one["tests"][0].as_str().unwrap());
    assert!(shown.stdout.contains(&expected), "{}", shown.stdout);
}
