//! Engines side by side: each can be chosen alone, however many workers there are and however often a run is broken
//! off, they come to the same end.

use std::collections::BTreeMap;

use super::{assert_counted, pairs, verdicts, SPLIT, SWITCHED};
use crate::run::running::{Ended, Running};
use crate::run::subject::{subject, subject_with_slow_tests};
use crate::run::{fine, Told};
use crate::scene::{text, Scene, FINE, INTERRUPTED};

/// A run without TCE in a work folder of its own, so that nothing is known.
#[track_caller]
fn anew(scene: &Scene, name: &str, arguments: &[&str]) -> Told {
    let work = scene.outside(name);
    fine(
        scene,
        &[&["--tce", "off", "--discard", "off", "--audit", "0", "--work", work.to_str().unwrap()], arguments].concat(),
    )
}

#[test]
fn each_engine_can_be_chosen_and_all_come_to_the_same_end() {
    let Some(scene) = subject() else { return };
    let auto = anew(&scene, "auto", &["--engine", "auto"]);
    assert_counted(&auto, &[SPLIT]);
    for engine in ["split", "switched"] {
        let alone = anew(&scene, engine, &["--engine", engine]);
        assert_eq!(verdicts(&alone), verdicts(&auto), "{engine}");
        let name = if engine == "split" { SPLIT } else { SWITCHED };
        assert_counted(&alone, &[name]);
    }
    let few = ["--function", "clamp", "--operators", "ROR"];
    let rebuilt = anew(&scene, "rebuild", &[&["--engine", "rebuild"], &few[..]].concat());
    assert_counted(&rebuilt, &["rebuild"]);
    let expected = verdicts(&auto);
    assert!(rebuilt.mutants().len() > 5);
    for (id, verdict) in verdicts(&rebuilt) {
        assert_eq!(verdict, expected[id], "{}", auto.mutants()[id]);
    }
}

/// What it cannot answer is switched, and never built by itself.
#[test]
fn the_split_stream_engine_leaves_what_it_cannot_answer_to_the_switched_one() {
    let Some(scene) = super::program(
        r#"int mixed[3 + 1];

int main(void)
{
    int ends[2], r = mix(4, 5);
    if (r != 23)
        return 1;
    pipe(ends);
    return mix(r, 1) == 26 ? 0 : 1;
}
"#,
    ) else {
        return;
    };
    let split = anew(&scene, "split", &["--engine", "split", "--operators", "ICR,UOI"]);
    let open = "a pipe, a socket or a device is open";
    assert_counted(&split, &[SPLIT, SWITCHED, open, super::CALLED_OUT]);
    let all = anew(&scene, "auto", &["--operators", "ICR,UOI"]);
    assert_eq!(
        all.one("instrumented")["rebuilt"].as_u64().unwrap() as usize,
        all.mutants().len() - split.mutants().len()
    );
    for (id, verdict) in verdicts(&split) {
        assert_eq!(verdict, verdicts(&all)[id]);
    }
}

/// Every pair of a mutant and a test, and what came of it.
fn matrix(scene: &Scene, work: &str) -> BTreeMap<(String, String), bool> {
    let work = scene.outside(work);
    let arguments = ["report", "--format", "json", "--work", work.to_str().unwrap()];
    let report: serde_json::Value = serde_json::from_str(&scene.run(&arguments).expect(FINE).stdout).unwrap();
    let mut found = BTreeMap::new();
    for file in report["files"].as_object().unwrap().values() {
        for mutant in file["mutants"].as_array().unwrap() {
            for test in mutant["killedBy"].as_array().into_iter().flatten() {
                found.insert((text(mutant, "id").to_string(), test.as_str().unwrap().to_string()), true);
            }
        }
    }
    found
}

#[test]
fn a_kill_matrix_is_the_same_with_both_engines() {
    let Some(scene) = subject() else { return };
    let split = anew(&scene, "split", &["--kill-matrix"]);
    let switched = anew(&scene, "switched", &["--kill-matrix", "--engine", "switched"]);
    assert_eq!(verdicts(&split), verdicts(&switched));
    assert_eq!(pairs(&split)[SPLIT], pairs(&switched)[SWITCHED], "every pair is executed");
    let (one, other) = (matrix(&scene, "split"), matrix(&scene, "switched"));
    assert!(one.len() > 60, "{}", one.len());
    assert_eq!(one, other);
    let early = anew(&scene, "early", &[]);
    assert!(pairs(&early)[SPLIT] < pairs(&split)[SPLIT], "without it a killed mutant is dropped");
}

#[test]
fn as_many_workers_as_one_likes_find_the_same() {
    let Some(scene) = subject() else { return };
    let one = anew(&scene, "one", &["--jobs", "1"]);
    for jobs in ["2", "3"] {
        let more = anew(&scene, jobs, &["--jobs", jobs]);
        assert_eq!((verdicts(&more), pairs(&more)), (verdicts(&one), pairs(&one)), "{jobs} workers");
    }
}

/// Ended mutants are kept: the next run comes to what an undisturbed one says, and executes none of them again.
#[track_caller]
fn assert_goes_on(scene: &Scene, ended: &Ended) {
    let (whole, next) = (anew(scene, "whole", &[]), fine(scene, &["--tce", "off", "--discard", "off", "--audit", "0"]));
    assert_eq!(verdicts(&next), verdicts(&whole));
    let events = ended.events();
    let is_executed = |event: &&serde_json::Value| matches!(text(event, "outcome"), "killed" | "live");
    let known = events.iter().filter(is_executed).count() as u64;
    assert!(next.work().1 >= known, "{} of {known} are reused", next.work().1);
    assert_eq!(next.work().0 + next.work().1, whole.work().0, "what was told is not executed again");
}

#[test]
fn an_interrupt_in_the_middle_of_a_split_run_loses_nothing() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let mut running = Running::start(
        &scene,
        &["--tce", "off", "--discard", "off", "--equivalence", "off", "--audit", "0", "--jobs", "1"],
    );
    running.wait_for_outcome("killed");
    running.signal("-INT");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(INTERRUPTED), "{}", ended.stderr);
    assert_goes_on(&scene, &ended);
}

#[test]
fn a_kill_in_the_middle_of_a_split_run_loses_nothing() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let mut running = Running::start(
        &scene,
        &["--tce", "off", "--discard", "off", "--equivalence", "off", "--audit", "0", "--jobs", "1"],
    );
    running.wait_for_outcome("killed");
    let killed = running.kill(&scene);
    assert_goes_on(&scene, &killed);
}

#[test]
fn a_budget_that_is_too_small_for_a_split_run_keeps_what_it_has() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let some = fine(&scene, &["--tce", "off", "--discard", "off", "--audit", "0", "--jobs", "1", "--budget", "4s"]);
    let next = fine(&scene, &["--tce", "off", "--discard", "off", "--audit", "0"]);
    let whole = anew(&scene, "whole", &[]);
    assert_eq!(verdicts(&next), verdicts(&whole));
    for (id, verdict) in verdicts(&some) {
        assert_eq!(verdict, verdicts(&whole)[id]);
    }
}
