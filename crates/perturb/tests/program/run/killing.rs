//! Runs that are killed: nothing of them is left running, the project is as it was, and the next run goes on to the
//! same verdicts.

use super::barrier::Barrier;
use super::running::{Ended, Running};
use super::subject::{subject_with, subject_with_slow_tests};
use super::{fine, Told};
use crate::scene::{assert_unchanged, snapshot, text, Scene};

/// What a run says that nothing disturbs, in a work folder of its own.
fn undisturbed(scene: &Scene, arguments: &[&str]) -> Told {
    let work = scene.outside("undisturbed");
    fine(scene, &[arguments, &["--work", work.to_str().unwrap()]].concat())
}

/// The next run comes to the same end, and executes nothing again of what was told before the kill.
#[track_caller]
fn assert_goes_on(scene: &Scene, arguments: &[&str], killed: &Ended) {
    let (expected, next) = (undisturbed(scene, arguments), fine(scene, arguments));
    assert_eq!(next.outcomes(), expected.outcomes());
    let events = killed.events();
    let is_executed =
        |event: &&serde_json::Value| matches!(text(event, "outcome"), "killed" | "live" | "compile error");
    let known = events.iter().filter(is_executed).count() as u64;
    let (executions, reused) = next.work();
    assert!(reused >= known, "{reused} of {known} are reused");
    assert_eq!(executions + reused, expected.work().0, "what was told is not executed again");
}

#[test]
fn a_kill_while_the_instrumented_project_is_built_leaves_no_trace() {
    let Some(scene) = subject_with(&Barrier::hook("[ -e src/gauge.c.perturb ]")) else { return };
    let before = snapshot(&scene.root());
    let barrier = Barrier::new(&scene);
    let mut running = Running::start(&scene, &[]);
    let killed = barrier.held(|| {
        running.wait_for("baseline finished");
        running.kill(&scene)
    });
    assert_unchanged(&before, &snapshot(&scene.root()));
    assert_goes_on(&scene, &[], &killed);
}

#[test]
fn a_kill_while_mutants_are_executed_leaves_no_trace_and_loses_nothing_that_was_told() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let before = snapshot(&scene.root());
    let arguments = ["--function", "clamp"];
    let mut running = Running::start(&scene, &arguments);
    running.wait_for("execute started");
    for _ in 0..6 {
        running.wait_for("mutant");
    }
    let killed = running.kill(&scene);
    assert_unchanged(&before, &snapshot(&scene.root()));
    assert_goes_on(&scene, &arguments, &killed);
}

#[test]
fn a_kill_while_a_mutant_is_in_the_copy_leaves_no_trace() {
    let hook = Barrier::hook("[ \"$${PWD#*rebuild-0}\" != \"$$PWD\" ] && ! cmp -s src/gauge.c gauge.orig");
    let Some(scene) = subject_with(&hook) else { return };
    scene.write("gauge.orig", scene.read("src/gauge.c"));
    let before = snapshot(&scene.root());
    let arguments = ["--engine", "rebuild", "--function", "clamp", "--operators", "ROR"];
    let barrier = Barrier::new(&scene);
    let mut running = Running::start(&scene, &arguments);
    let killed = barrier.held(|| {
        running.wait_for("record finished");
        running.kill(&scene)
    });
    let copy = scene.outside("work/shadow/rebuild-0/tree/src/gauge.c");
    assert_ne!(std::fs::read_to_string(copy).unwrap(), scene.read("src/gauge.c"), "the mutant was in the copy");
    assert_unchanged(&before, &snapshot(&scene.root()));
    assert_goes_on(&scene, &arguments, &killed);
}
