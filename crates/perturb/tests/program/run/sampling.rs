//! Samples: which mutants are drawn follows from the seed alone, and what they come to is what they come to among all.

use super::subject::subject;
use super::{fine, Told};
use crate::scene::{Scene, USAGE};
use std::collections::BTreeMap;

/// A run in a work folder of its own.
#[track_caller]
fn run(scene: &Scene, name: &str, arguments: &[&str]) -> Told {
    let work = scene.outside(name);
    fine(scene, &[&["--audit", "0", "--work", work.to_str().unwrap()], arguments].concat())
}

/// What became of those that were drawn.
fn drawn(told: &Told) -> BTreeMap<String, String> {
    let outcomes = told.outcomes().into_iter().filter(|(_, outcome)| !["skipped", "not covered"].contains(outcome));
    outcomes.map(|(id, outcome)| (id.to_string(), outcome.to_string())).collect()
}

const FSCI: &[&str] = &["--sample", "fsci", "--ci-width", "0.35"];

#[test]
fn a_sample_follows_from_the_seed_and_says_what_all_say() {
    let Some(scene) = subject() else { return };
    let all = drawn(&run(&scene, "all", &["--sample", "all"]));
    let first = run(&scene, "first", FSCI);
    let sample = drawn(&first);
    assert!(sample.len() > 15 && sample.len() < all.len() / 2, "{} of {}", sample.len(), all.len());
    assert!(sample.iter().all(|(id, outcome)| all[id] == *outcome), "{sample:?}");
    assert_eq!(first.count("skipped"), all.len() - sample.len());
    for (name, arguments) in [
        ("one", &["--jobs", "1"][..]),
        ("three", &["--jobs", "3"]),
        ("switched", &["--engine", "switched", "--run-tests", "covering"]),
        // Again, with all verdicts known.
        ("first", &[]),
    ] {
        let again = run(&scene, name, &[FSCI, arguments].concat());
        let infected = |outcomes: &BTreeMap<String, String>| -> BTreeMap<String, String> {
            let word = |outcome: &String| outcome.replace("not infected", "live");
            outcomes.iter().map(|(id, outcome)| (id.clone(), word(outcome))).collect()
        };
        assert_eq!(infected(&drawn(&again)), infected(&sample), "{name}");
        assert_eq!(again.all("sample").last().unwrap()["high"], first.all("sample").last().unwrap()["high"]);
    }
    assert_ne!(drawn(&run(&scene, "seed", &[FSCI, &["--seed", "2"]].concat())), sample);
}

#[test]
fn the_interval_of_a_sample_is_told_and_narrow_enough() {
    let Some(scene) = subject() else { return };
    let told = run(&scene, "work", FSCI);
    let last = told.all("sample").into_iter().next_back().unwrap();
    let [low, high] = ["low", "high"].map(|name| last[name].as_f64().unwrap());
    assert!(high - low < 0.35 && last["enough"].as_bool().unwrap(), "{last}");
    let killed = told.count("killed") as u64;
    assert_eq!((last["killed"].as_u64(), last["of"].as_u64()), (Some(killed), Some(drawn(&told).len() as u64)));
    let work = scene.outside("work");
    let report = scene.run(&["report", "--work", work.to_str().unwrap()]).stdout;
    let expected = format!("95 % sure: {:.1} to {:.1} %; {killed} of {} killed", 100.0 * low, 100.0 * high, last["of"]);
    assert!(report.contains(&expected) && report.contains("(fsci, seed 1)"), "{report}");
}

#[test]
fn a_part_is_as_large_as_is_asked_for() {
    let Some(scene) = subject() else { return };
    let all = run(&scene, "all", &[]).one("execute finished").clone();
    for (strategy, least, most) in [("fixed:20", 20, 20), ("uniform:25%", 10, 60), ("stratified:10%", 5, 60)] {
        let told = run(&scene, strategy, &["--sample", strategy]);
        let count = drawn(&told).len();
        assert!((least..=most).contains(&count), "{strategy}: {count}");
        assert!(told.one("execute finished")["executions"].as_u64() < all["executions"].as_u64());
    }
}

#[test]
fn reduced_suites_are_measured_before_they_are_trusted() {
    let Some(scene) = subject() else { return };
    for (name, arguments, told) in [
        // Too few mutants: whole suites are used, and that is told.
        ("few", &["src/alarm.c"][..], "could not be measured well enough"),
        ("many", &[], "that were executed with both; corrected by that"),
    ] {
        let work = scene.outside(name);
        let all = drawn(&run(&scene, "all", arguments));
        assert_eq!(drawn(&run(&scene, name, &[&["--reduce"], arguments].concat())), all, "these tests miss nothing");
        let report = scene.run(&["report", "--work", work.to_str().unwrap()]).stdout;
        assert!(report.contains(told), "{report}");
    }
}

#[test]
fn what_cannot_be_sampled_is_refused() {
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    for (arguments, told) in [
        (&["--sample", "some"][..], "`some` is no way to sample"),
        (&["--sample", "uniform:0%"], "uniform:10%"),
        (&["--ci-width", "0"], "0.10"),
        (&["--ci-level", "100%"], "95%"),
        (&["--distance", "far"], "`far` is no distance"),
    ] {
        let ran = scene.run(&[&["run"], arguments].concat());
        assert!(ran.code == USAGE && ran.stderr.contains(told), "{arguments:?}: {}", ran.stderr);
    }
}
