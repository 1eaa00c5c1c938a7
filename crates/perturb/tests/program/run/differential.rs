//! The engines check each other: on a sample of a project's mutants, the fastest engine with the tests that infect and
//! the rebuild engine with all that execute the place must come to the same verdicts. Not one may differ.
//!
//! A test may notice a mutant in another way (a wild pointer crashes here and reads there), but it must be noticed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{fine, Told};
use crate::scene::{copy, has, text, Scene};

const SAMPLE: usize = 64;

/// Mutants that can be switched, as many as wanted. Ids are hashes, so that their order is a draw; the seed makes it another one.
fn sample(scene: &Scene, seed: u64) -> Vec<String> {
    let mutants = scene.mutants(&[]);
    let switchable = mutants.iter().filter(|mutant| mutant["switchable"] == true && mutant["suppressed"] == false);
    let mut ids: Vec<&str> = switchable.map(|mutant| text(mutant, "id")).collect();
    let draw = |id: &&str| (u64::from_str_radix(id, 16).unwrap() ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ids.sort_by_key(draw);
    assert!(ids.len() > SAMPLE, "{} mutants are too few", ids.len());
    ids[..SAMPLE].iter().map(|id| id.to_string()).collect()
}

/// What counts: whether it is killed, and whether it compiles.
fn verdicts(told: &Told) -> BTreeMap<String, &str> {
    let word = |word| match word {
        "killed" | "compile error" => word,
        "live" | "not infected" | "not covered" => "not killed",
        other => panic!("{other} is no verdict"),
    };
    told.outcomes().into_iter().map(|(id, outcome)| (id.to_string(), word(outcome))).collect()
}

/// Executes a sample with both engines, and compares.
fn check(scene: &Scene, seed: u64) {
    let ids = sample(scene, seed);
    let chosen: Vec<&str> = ids.iter().flat_map(|id| ["--mutant", id.as_str()]).collect();
    let fastest = fine(scene, &chosen);
    let switched = fastest.one("instrumented")["switched"].as_u64().unwrap();
    assert!(switched >= 60, "only {switched} of {SAMPLE} are switched: {}", fastest.ran.stderr);
    let rebuilt = fine(scene, &[&["--engine", "rebuild", "--run-tests", "covering"], &chosen[..]].concat());
    let (one, other) = (verdicts(&fastest), verdicts(&rebuilt));
    assert_eq!(one.len(), SAMPLE);
    let disagreements: Vec<String> = one
        .iter()
        .filter(|(id, verdict)| other.get(*id) != Some(verdict))
        .map(|(id, _)| format!("{}\n    rebuilt: {}", fastest.mutants()[id.as_str()], rebuilt.mutants()[id.as_str()]))
        .collect();
    assert!(disagreements.is_empty(), "of {SAMPLE}:\n{}", disagreements.join("\n"));
    let killed = one.values().filter(|verdict| **verdict == "killed").count();
    eprintln!("{SAMPLE} mutants agree, {switched} of them switched, {killed} killed");
    assert!(killed > SAMPLE / 4 && killed < SAMPLE, "a sample that shows little: {killed} killed");
}

#[test]
fn the_engines_agree_on_the_example() {
    if has("cmake") {
        check(&Scene::example(), 1);
    }
}

#[test]
fn the_engines_agree_on_a_library_in_cpp() {
    if has("cmake") {
        check(&Scene::fixture("cpp-library"), 1);
    }
}

/// Its tests include the source under test, so that one file is in many units. A few of its eighteen tests: a mutant is
/// compiled once for each.
#[test]
fn the_engines_agree_on_cjson() {
    const TESTS: [&str; 5] = ["parse_number", "parse_string", "print_value", "misc_tests", "compare_tests"];
    let Some(source) = cjson() else { return };
    let scene = Scene::new(&[]);
    copy(&source, &scene.root());
    let cmake = scene.read("tests/CMakeLists.txt");
    let (before, rest) = cmake.split_once("set(unity_tests").unwrap();
    let (_, after) = rest.split_once(')').unwrap();
    scene.write("tests/CMakeLists.txt", format!("{before}set(unity_tests {}){after}", TESTS.join(" ")));
    check(&scene, 1);
}

/// Where `bench/fetch` has put Debian's source; `scripts/setup test` calls it.
fn cjson() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")))?;
    let source = cache.join("perturb-bench/subjects/cjson/source");
    let is_there = has("cmake") && source.join("cJSON.c").is_file();
    if !is_there {
        eprintln!("skipped: cJSON is not in {}: `scripts/setup test` fetches it", source.display());
    }
    is_there.then_some(source)
}
