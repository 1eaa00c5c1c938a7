//! The engines check each other: on a sample of a project's mutants, split-stream and switched with the tests that
//! infect, and rebuild with all that execute the place, must come to the same verdicts. Not one may differ.
//!
//! A test may notice a mutant in another way (a wild pointer crashes here and reads there), but it must be noticed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{fine, Told};
use crate::scene::{copy, has, text, Scene};

/// How many mutants are drawn, and how many have to be compared at least: a few turn out to have no switch.
const SWITCHED: [usize; 2] = [320, 300];
const REBUILT: [usize; 2] = [64, 60];

/// Mutants that can be switched. Ids are hashes, so that their order is a draw; the seed makes it another one.
fn sample(scene: &Scene, seed: u64, [count, _]: [usize; 2]) -> Vec<String> {
    let mutants = scene.mutants(&[]);
    let switchable = mutants.iter().filter(|mutant| mutant["switchable"] == true && mutant["suppressed"] == false);
    let mut ids: Vec<&str> = switchable.map(|mutant| text(mutant, "id")).collect();
    let draw = |id: &&str| (u64::from_str_radix(id, 16).unwrap() ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ids.sort_by_key(draw);
    assert!(ids.len() > count, "{} mutants are too few", ids.len());
    ids[..count].iter().map(|id| id.to_string()).collect()
}

/// What counts: whether it is killed, and whether it compiles.
fn verdicts(told: &Told) -> BTreeMap<&str, &str> {
    let word = |word| match word {
        "killed" | "compile error" => word,
        "live" | "not infected" | "not covered" => "not killed",
        other => panic!("{other} is no verdict"),
    };
    told.outcomes().into_iter().map(|(id, outcome)| (id, word(outcome))).collect()
}

/// Executes mutants with these arguments, where nothing is known of them.
#[track_caller]
fn executed(scene: &Scene, ids: &[String], arguments: &[&str]) -> Told {
    let work = scene.outside(arguments[1]);
    let chosen: Vec<&str> = ids.iter().flat_map(|id| ["--mutant", id.as_str()]).collect();
    fine(scene, &[&["--tce", "off", "--audit", "0", "--work", work.to_str().unwrap()], arguments, &chosen[..]].concat())
}

/// Each verdict of `other` is that of `one`.
#[track_caller]
fn assert_agree(one: &Told, other: &Told, [_, least]: [usize; 2]) {
    let (known, asked) = (verdicts(one), verdicts(other));
    let count = asked.len();
    assert!(count >= least, "{count} are too few");
    let disagreements: Vec<String> = asked
        .iter()
        .filter(|(id, verdict)| known.get(*id) != Some(verdict))
        .map(|(id, _)| format!("{}\n    other: {}", one.mutants()[id], other.mutants()[id]))
        .collect();
    assert!(disagreements.is_empty(), "of {count}:\n{}", disagreements.join("\n"));
    let killed = asked.values().filter(|verdict| **verdict == "killed").count();
    eprintln!("{count} mutants agree, {killed} of them killed");
    assert!(killed > count / 4 && killed < count, "a sample that shows little: {killed} killed");
}

/// Executes a sample with three engines, and compares.
fn check(scene: &Scene, seed: u64) {
    let ids = sample(scene, seed, SWITCHED);
    let fastest = executed(scene, &ids, &["--engine", "auto"]);
    let pairs = fastest.one("execute finished")["pairs"].as_array().unwrap().clone();
    let split: u64 = pairs.iter().filter(|count| is_split(count)).map(|count| count["pairs"].as_u64().unwrap()).sum();
    assert!(split as usize > SWITCHED[0] / 2, "most are split: {pairs:?}");
    assert_agree(&fastest, &executed(scene, &ids, &["--engine", "switched"]), SWITCHED);
    let rebuilt = executed(scene, &ids[..REBUILT[0]], &["--engine", "rebuild", "--run-tests", "covering"]);
    assert_agree(&fastest, &rebuilt, REBUILT);
}

fn is_split(count: &serde_json::Value) -> bool {
    text(count, "engine") == "split-stream" && text(count, "why_not").is_empty()
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
        let scene = Scene::fixture("cpp-library");
        let ids = sample(&scene, 1, REBUILT);
        let fastest = executed(&scene, &ids, &["--engine", "auto"]);
        let switched = fastest.one("instrumented")["switched"].as_u64().unwrap() as usize;
        assert!(switched >= REBUILT[1], "only {switched} are switched: {}", fastest.ran.stderr);
        let rebuilt = executed(&scene, &ids, &["--engine", "rebuild", "--run-tests", "covering"]);
        assert_agree(&fastest, &rebuilt, REBUILT);
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
pub fn cjson() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")))?;
    let source = cache.join("perturb-bench/subjects/cjson/source");
    let is_there = has("cmake") && source.join("cJSON.c").is_file();
    if !is_there {
        eprintln!("skipped: cJSON is not in {}: `scripts/setup test` fetches it", source.display());
    }
    is_there.then_some(source)
}
