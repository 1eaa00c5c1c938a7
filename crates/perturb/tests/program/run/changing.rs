//! A project that changes while it is analysed: what is told is of one text, and the user is told that it is not the
//! one that is there now.

use std::fs::{self, File};
use std::time::Duration;

use super::barrier::{find, wait_for, ARMED};
use super::running::{Ended, Running};
use super::subject::{subject, subject_with, ALARM, GAUGE};
use super::{fine, Told};
use crate::scene::{text, Ran, Scene, FINE, UNUSABLE};

const WHAT: [&str; 8] = ["--function", "alarm_level", "--tce", "off", "--discard", "off", "--equivalence", "off"];

/// Each compilation of the build with all mutants in it makes a file `held` in its copy, and waits until there is one
/// that lets all of them go on. Builds of single mutants, which follow, do not wait.
fn hold() -> String {
    let is_it = "[ -e src/alarm.c.perturb ] && [ \"$${PWD#*instrumented}\" != \"$$PWD\" ]";
    format!("if [ -n \"$${ARMED}\" ] && {is_it}; then : >held; while [ ! -e go-on ]; do sleep 0.02; done; fi")
}

/// Another level, of which the tests know nothing.
fn changed_alarm() -> String {
    ALARM.replace("1 + over", "1 + 0 * value + over")
}

fn told(ended: &Ended) -> Told {
    Told::of(Ran { code: ended.status.code().unwrap(), stdout: ended.stdout.clone(), stderr: ended.stderr.clone() })
}

/// A database beside the makefile: sources are then read in the user's own tree.
fn write_database(scene: &Scene) {
    let root = scene.root();
    let entry = |file: &str| {
        let object = file.replace(".c", ".o");
        serde_json::json!({"directory": root, "file": file, "arguments": ["cc", "-Isrc", "-c", "-o", object, file]})
    };
    let files = ["src/gauge.c", "src/alarm.c", "tests/test_gauge.c", "tests/test_alarm.c"];
    scene.write("compile_commands.json", serde_json::Value::from(files.map(entry).to_vec()).to_string());
}

/// The source and a test are saved while the instrumented project is built. The run goes on with what it has copied.
fn assert_told_of_the_text_as_it_was(scene: &Scene) {
    let expected = {
        let work = scene.outside("undisturbed");
        fine(scene, &[&WHAT[..], &["--work", work.to_str().unwrap()]].concat())
    };
    let running = Running::start(scene, &WHAT);
    let held = wait_for(Duration::from_secs(60), || find(&scene.outside("work"), "held"));
    let held = held.expect("the instrumented project is not built");
    scene.write("src/alarm.c", changed_alarm());
    scene.write("tests/test_alarm.c", "int main(void)\n{\n    return 1;\n}\n");
    fs::write(held.with_file_name("go-on"), "").unwrap();
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(FINE), "{}", ended.stderr);
    let told = told(&ended);
    assert_eq!(told.mutants(), expected.mutants(), "it is about the text that was copied");
    let files = &told.one("sources changed")["files"];
    assert_eq!(*files, serde_json::json!(["src/alarm.c", "tests/test_alarm.c"]));
    assert!(ended.stderr.contains("src/alarm.c") && ended.stderr.contains("run again"), "{}", ended.stderr);
    // Nothing of it is taken for what is there now.
    scene.write("tests/test_alarm.c", scene.read("tests/test_alarm.c").replace("return 1", "return 0"));
    let next = fine(scene, &WHAT);
    assert_eq!((next.work().1, next.all("sources changed").len()), (0, 0));
}

#[test]
fn sources_that_change_during_a_run_are_told_and_verdicts_are_of_the_text_that_was_copied() {
    let Some(scene) = subject_with(&hold()) else { return };
    assert_told_of_the_text_as_it_was(&scene);
}

#[test]
fn a_project_with_a_database_is_copied_once_for_all_builds() {
    let Some(scene) = subject_with(&hold()) else { return };
    write_database(&scene);
    assert_told_of_the_text_as_it_was(&scene);
}

#[test]
fn mutants_of_another_text_than_the_one_that_is_built_are_refused() {
    let Some(scene) = subject() else { return };
    write_database(&scene);
    let work = scene.outside("work");
    fs::create_dir(&work).unwrap();
    // Whoever has this lock keeps the run from copying the project, and not from listing its mutants.
    let lock = File::create(work.join("lock")).unwrap();
    lock.lock().unwrap();
    let mut running = Running::start(&scene, &["--tce", "off", "--discard", "off", "--equivalence", "off"]);
    running.wait_for("mutants");
    scene.write("src/gauge.c", GAUGE.replace("sum / count", "sum / (count)"));
    lock.unlock().unwrap();
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(UNUSABLE), "{}", ended.stderr);
    assert!(ended.stderr.contains("src/gauge.c changed") && ended.stderr.contains("run again"), "{}", ended.stderr);
    assert!(ended.events().iter().all(|event| text(event, "event") != "mutant"));
    let next = fine(&scene, &[]);
    assert_eq!(next.mutants().len(), next.one("mutants")["count"]);
}
