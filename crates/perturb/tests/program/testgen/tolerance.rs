//! Numbers with fractions that only have to be near.

use super::kinds::{expect_golden, tests, ARGUMENTS};
use super::whole::untested;
use super::{claims, count, generate, scene, OPERATORS};
use crate::scene::{has, text, USAGE};
use serde_json::Value;

const SOURCE: &str = "double nudged(double x) { return x + 1e-12; }\n";

/// What comes of the mutant that leaves out what is next to nothing.
#[track_caller]
fn unnudged(told: &Value) -> &Value {
    let mutants = told["mutants"].as_array().unwrap();
    mutants.iter().find(|mutant| text(mutant, "name").ends_with("'x + 1e-12' -> 'x'")).unwrap()
}

#[test]
fn tests_with_a_tolerance_are_golden_and_kill_what_they_claim() {
    let Some(scene) = scene(&["src/floats.c"]) else { return };
    let arguments = [&ARGUMENTS[..], &["src/floats.c", "--float-tolerance", "1e-6"]].concat();
    let (told, out) = generate(&scene, "tests", &arguments);
    expect_golden(&tests(&out), "golden_tolerance");
    assert_eq!(count(&told, "killed"), told["mutants"].as_array().unwrap().len() as u64, "{told:#}");
    assert!(claims::check(&scene, &told, &out, &["--operators", OPERATORS]) >= 7);
}

#[test]
fn what_the_tolerance_hides_is_told_and_is_killed_without_it() {
    if !has("cmake") {
        return;
    }
    let scene = untested(SOURCE);
    let arguments = |more: &[&'static str]| [&["--operators", "AOD", "--tiers", "native"], more].concat();
    let (exact, _) = generate(&scene, "exact", &arguments(&[]));
    assert_eq!(text(unnudged(&exact), "result"), "killed");
    let (near, out) = generate(&scene, "near", &arguments(&["--float-tolerance", "1e-9"]));
    assert_eq!(text(unnudged(&near), "result"), "unconfirmed");
    assert_eq!(text(unnudged(&near), "why"), "it differs by no more than the tolerance, 1e-9, as far as was found");
    assert_eq!(count(&near, "killed"), 1, "{near:#}");
    assert!(super::files(&out)["test_work.c"].contains("CHECK(near_double(result, "));
    // What is known from before is known with its tolerance.
    let (again, _) = generate(&scene, "near", &arguments(&["--float-tolerance", "1e-9"]));
    assert_eq!((&again["mutants"], again["known"].as_u64()), (&near["mutants"], Some(2)));
    scene.write("perturb.toml", "[testgen]\nfloat_tolerance = 1e-9\n");
    let (configured, _) = generate(&scene, "near", &arguments(&[]));
    assert_eq!(configured["mutants"], near["mutants"]);
    let (overruled, _) = generate(&scene, "exact", &arguments(&["--float-tolerance", "0"]));
    assert_eq!(text(unnudged(&overruled), "result"), "killed");
}

#[test]
fn what_is_no_tolerance_is_refused() {
    let scene = crate::scene::Scene::compiled(&[("a.c", SOURCE)]);
    for wrong in ["-1", "near", "inf"] {
        scene.run(&["testgen", "--float-tolerance", wrong]).expect(USAGE).told(&[wrong, "is no tolerance", "1e-9"]);
    }
    scene.write("perturb.toml", "[testgen]\nfloat_tolerance = -2.0\n");
    scene.run(&["mutants"]).expect(USAGE).told(&["perturb.toml", "float_tolerance", "`-2` is no tolerance"]);
}
