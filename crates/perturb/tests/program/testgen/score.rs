//! The score that is told is the score that a run with the new tests has.

use super::{run, scene, OPERATORS};
use crate::scene::{copy, FINE};

/// All kinds of what may become of a mutant, but for what is undefined and may be noticed by chance.
const SELECTION: [&str; 6] =
    ["--operators", OPERATORS, "src/scalars.c", "src/state.c", "src/linked.c", "src/unsupported.c"];

/// What a text says behind a word at the start of a line.
#[track_caller]
fn told<'t>(text: &'t str, word: &str) -> &'t str {
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    line.unwrap_or_else(|| panic!("{word}: {text}")).trim()
}

#[test]
fn a_run_with_the_new_tests_has_the_score_that_was_told() {
    let Some(scene) = scene(&SELECTION[2..]) else { return };
    let before = scene.run(&["report"]).expect(FINE).stdout;
    let out = scene.outside("generated");
    let options = ["testgen", "--quiet", "--framework", "plain", "--tiers", "native", "--out", out.to_str().unwrap()];
    let said = scene.run(&[&options, &SELECTION[..]].concat()).expect(FINE).stdout;
    let (was, is) = told(&said, "score, all").split_once(" -> ").unwrap();
    assert!(told(&before, "score, all code").starts_with(was.trim()), "{before}\n{said}");
    assert!(is != was && is != "100.0 %", "{said}");
    copy(&out, &scene.root().join("generated"));
    let cmake = scene.read("CMakeLists.txt");
    scene.write("CMakeLists.txt", format!("{cmake}add_subdirectory(generated)\n"));
    run(&scene, &SELECTION);
    let after = scene.run(&["report"]).expect(FINE).stdout;
    assert!(told(&after, "score, all code").starts_with(is), "{said}\n{after}");
}
