//! A second run: what is known is not executed again, and what may have changed is.

use super::subject::{subject, ALARM, GAUGE};
use super::{fine, told};
use crate::scene::{text, USAGE};
use std::collections::BTreeSet;

#[test]
fn a_second_run_executes_nothing_and_says_the_same() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &[]);
    let (executions, reused) = first.work();
    assert!(executions > 50 && reused == 0, "{executions} {reused}");
    for arguments in [&[][..], &["--jobs", "1"], &["--jobs", "2"]] {
        let second = fine(&scene, arguments);
        assert_eq!(second.work().0, 0, "{arguments:?}");
        assert_eq!(second.mutants(), first.mutants());
    }
}

#[test]
fn an_edit_executes_only_what_it_can_change() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &[]);
    scene.write("src/alarm.c", ALARM.replace("value - limit", "value - limit + 0"));
    let second = fine(&scene, &[]);
    let (executions, reused) = second.work();
    // Verdicts of test_gauge, which is built without this file, still hold.
    assert!(reused > 20 && executions > 20, "{executions} {reused}");
    assert!(executions < first.work().0);
    scene.write("src/alarm.c", ALARM);
    assert_eq!(fine(&scene, &[]).work().0, 0, "what was true of this text is still known");
}

#[test]
fn a_macro_of_a_header_is_something_that_verdicts_depend_on() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &[]);
    scene.write("src/gauge.h", scene.read("src/gauge.h").replace("LEVEL_STEP 5", "LEVEL_STEP 6"));
    // With steps of 6, level 3 is no longer reached: the test fails on the original.
    let second = told(&scene, &[]);
    assert_eq!(text(second.one("test left out"), "test"), "test_alarm");
    assert_eq!(
        second.count("live") + second.count("killed") + second.count("not infected") + second.count("not covered"),
        first.mutants().len()
    );
}

#[test]
fn what_is_live_can_be_executed_again_alone() {
    let Some(scene) = subject() else { return };
    told(&scene, &["--again", "live"]).ran.expect_error(USAGE, &["needs an earlier run"]);
    let first = fine(&scene, &[]);
    let live: BTreeSet<&str> = first
        .outcomes()
        .into_iter()
        .filter(|(_, word)| matches!(*word, "live" | "not infected"))
        .map(|(id, _)| id)
        .collect();
    assert!(live.len() > 5);
    let second = fine(&scene, &["--again", "live"]);
    let again: BTreeSet<&str> = second.outcomes().into_keys().collect();
    assert_eq!(again, live);
    let (executions, reused) = second.work();
    assert!(executions > 0 && reused == 0, "{executions} {reused}");
    // A test that kills them is noticed.
    let better = scene
        .read("tests/test_gauge.c")
        .replace("clamp(5, 0, 3) != 3", "clamp(5, 0, 3) != 3 || clamp(0, 0, 3) != 0 || clamp(3, 0, 3) != 3");
    scene.write("tests/test_gauge.c", better);
    let third = fine(&scene, &["--again", "live"]);
    assert!(third.mutants().len() <= live.len());
    let _ = GAUGE;
}
