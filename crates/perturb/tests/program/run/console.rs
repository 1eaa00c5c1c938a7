//! What a run says, to people and to programs, and what can be read of it later.

use std::collections::BTreeMap;

use super::running::Running;
use super::subject::subject;
use super::{fine, Told};
use crate::scene::{text, FINE};

#[test]
fn people_are_told_what_was_found_and_only_survivors_as_they_appear() {
    let Some(scene) = subject() else { return };
    let told = fine(&scene, &[]);
    let ran = scene
        .run(&[
            "run",
            "--tce",
            "off",
            "--discard",
            "off",
            "--equivalence",
            "off",
            "--survivors",
            "all",
            "--work",
            scene.outside("other").to_str().unwrap(),
        ])
        .expect(FINE);
    let parts = ["2 tests pass on the original, twice", "in that one build", "to execute", "runs of tests"];
    let ran = ran.told(&parts);
    let survivors: Vec<&str> = ran.stderr.lines().filter(|line| line.contains(": live: ")).collect();
    assert_eq!(survivors.len(), told.count("live"));
    assert!(survivors.iter().all(|line| line.starts_with("src/")), "{survivors:?}");
    let row = |word: &str| {
        let line = ran.stdout.lines().find(|line| line.trim_start().starts_with(word)).unwrap_or_default();
        line.trim_start().trim_start_matches(word).split_whitespace().next().unwrap_or_default().parse().unwrap_or(0)
    };
    assert_eq!((row("killed"), row("live")), (told.count("killed"), told.count("live")));
    assert_eq!(row("mutants"), told.mutants().len());
    for word in ["killed", "live", "not infected", "not covered", "equivalent", "duplicate", "compile error", "pending"]
    {
        assert!(ran.stdout.contains(word), "{}", ran.stdout);
    }
    for step in ["discover", "mutate", "build", "baseline", "instrument", "record", "execute", "score, covered"] {
        assert!(ran.stdout.contains(step), "{step}: {}", ran.stdout);
    }
}

#[test]
fn a_quiet_run_tells_problems_only() {
    let Some(scene) = subject() else { return };
    let ran = scene.run(&["run", "--quiet"]).expect(FINE);
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.contains("score, covered"));
    assert_eq!(fine(&scene, &[]).ran.stderr, "");
    scene.write("src/gauge.h", scene.read("src/gauge.h").replace("LEVEL_STEP 5", "LEVEL_STEP 6"));
    scene.run(&["run", "--quiet"]).expect(FINE).told(&["test_alarm is left out: on the original: failed"]);
}

/// Each line of standard output is one object that says what it is; a reader that goes away stops nothing.
#[test]
fn programs_are_told_events_in_their_order() {
    let Some(scene) = subject() else { return };
    let ran = scene
        .run(&[
            "run",
            "--events",
            "json",
            "--tce",
            "off",
            "--discard",
            "off",
            "--equivalence",
            "off",
            "--function",
            "average",
        ])
        .expect(FINE);
    let told = Told::of(ran);
    let mut names: Vec<&str> = told.events.iter().map(|event| text(event, "event")).collect();
    names.dedup();
    let expected = [
        "mutants",
        "sandbox",
        "build started",
        "build finished",
        "tests",
        "baseline started",
        "baseline finished",
        "build started",
        "build finished",
        "instrumented",
        "record started",
        "record finished",
        // What needs no execution.
        "mutant",
        "execute started",
        "engine started",
        "mutant",
        "execute finished",
        "audit started",
        "build started",
        "build finished",
        "audited",
    ];
    assert_eq!(names, expected);
    let killed = told.mutants().into_values().find(|value| text(value, "outcome") == "killed").unwrap();
    for field in ["id", "name", "detail", "test", "how"] {
        assert!(!text(killed, field).is_empty(), "{field}: {killed}");
    }
    let mut running = Running::start(&scene, &["--function", "clamp"]);
    running.wait_for("mutants");
    running.stop_listening();
    assert_eq!(running.end().status.code(), Some(FINE));
    assert_eq!(fine(&scene, &["--function", "clamp"]).work().0, 0);
}

#[test]
fn reports_tell_what_the_run_found() {
    let Some(scene) = subject() else { return };
    let told = fine(&scene, &["--kill-matrix"]);
    let text_report = scene.run(&["report"]).expect(FINE).stdout;
    for (id, outcome) in told.outcomes() {
        let is_listed = matches!(outcome, "live" | "not infected");
        assert_eq!(text_report.contains(id), is_listed, "{outcome}: {text_report}");
    }
    let json = scene.run(&["report", "--format", "json"]).expect(FINE).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    crate::report::schema::check(&json);
    let files = json["files"].as_object().unwrap().values();
    let mutants = files.flat_map(|file| file["mutants"].as_array().unwrap());
    let statuses: BTreeMap<&str, &serde_json::Value> = mutants.map(|mutant| (text(mutant, "id"), mutant)).collect();
    assert_eq!(statuses.len(), told.mutants().len());
    for (id, outcome) in told.outcomes() {
        let expected = match outcome {
            "killed" if text(told.mutants()[id], "how").starts_with("timed out") => "Timeout",
            "killed" => "Killed",
            "live" | "not infected" => "Survived",
            "not covered" => "NoCoverage",
            other => panic!("{other}"),
        };
        assert_eq!(text(statuses[id], "status"), expected, "{}", statuses[id]);
    }
}

#[test]
fn a_kill_matrix_runs_every_test_that_may_kill() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &["--function", "clamp"]);
    let matrix = fine(&scene, &["--function", "clamp", "--kill-matrix"]);
    assert_eq!(matrix.outcomes(), first.outcomes());
    let (executions, reused) = matrix.work();
    assert!(executions > 0 && reused == first.work().0, "only what is missing is executed: {executions} {reused}");
    assert_eq!(fine(&scene, &["--function", "clamp", "--kill-matrix"]).work().0, 0);
    assert_eq!(fine(&scene, &["--function", "clamp"]).work().0, 0);
}
