//! Runs that end before all is done, because they were asked to, and how they go on.

use std::path::Path;
use std::process::Command;

use super::barrier::Barrier;
use super::running::{assert_nothing_runs, Running};
use super::subject::{subject, subject_with, subject_with_slow_tests};
use super::{fine, Told};
use crate::scene::{assert_unchanged, snapshot, text, Scene, FINE, INTERRUPTED};

/// Enough mutants for tests that take their time.
const CLAMP: [&str; 2] = ["--function", "clamp"];

#[test]
fn a_run_stops_after_the_step_that_was_asked_for_and_goes_on_later() {
    let Some(scene) = subject() else { return };
    let steps = [
        ("mutate", "mutants", "build started"),
        ("baseline", "baseline finished", "instrumented"),
        ("instrument", "instrumented", "record started"),
        ("record", "record finished", "execute started"),
    ];
    for (step, last, next) in steps {
        let told = fine(&scene, &["--until", step]);
        assert!(!told.all(last).is_empty() && told.all(next).is_empty(), "{step}: {:?}", told.events);
        let report = scene.run(&["report"]).expect(FINE).stdout;
        assert!(report.contains("it was asked to stop after a step"), "{report}");
        assert!(report.contains("not executed yet: run again to go on"), "{report}");
    }
    let all = fine(&scene, &[]);
    assert_eq!(all.count("pending"), 0);
    assert_eq!(all.mutants().len(), all.one("mutants")["count"]);
}

#[test]
fn a_budget_ends_a_run_with_what_it_has_and_the_next_goes_on() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let whole = scene
        .run(&["run", "--function", "clamp", "--budget", "1ms"])
        .expect(FINE)
        .told(&["the time was up before the first mutant"]);
    assert!(whole.stdout.contains("pending") && whole.stdout.contains("no mutant was decided"), "{}", whole.stdout);
    // The fastest engine is done with all of it in that time.
    let slowly = [&CLAMP[..], &["--engine", "switched"]].concat();
    let some = fine(&scene, &[&slowly[..], &["--budget", "1500ms"]].concat());
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains("its time was up"), "{report}");
    let rest = fine(&scene, &slowly);
    assert_eq!(rest.mutants().len(), rest.one("mutants")["count"]);
    let executed =
        |told: &Told| told.all("execute finished").iter().map(|end| end["executions"].as_u64().unwrap()).sum::<u64>();
    assert!(executed(&rest) > 0, "1.5 s are not enough for all");
    assert!(rest.work().1 >= executed(&some), "what was found in time is not executed again");
    some.mutants().iter().for_each(|(id, value)| assert_eq!(rest.mutants()[id], *value));
}

#[test]
fn an_interrupt_keeps_what_was_found_and_the_next_run_goes_on() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let before = snapshot(&scene.root());
    let mut running = Running::start(
        &scene,
        &[&CLAMP[..], &["--tce", "off", "--discard", "off", "--equivalence", "off", "--engine", "switched"]].concat(),
    );
    running.wait_for("execute started");
    running.wait_for("mutant");
    running.signal("-INT");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(INTERRUPTED), "{}", ended.stderr);
    assert!(ended.stderr.contains("interrupted") && ended.stderr.contains("perturb run"), "{}", ended.stderr);
    assert_unchanged(&before, &snapshot(&scene.root()));
    assert_nothing_runs(&scene);
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains("it was interrupted") && report.contains("run again to go on"), "{report}");
    let events = ended.events();
    let end = events.last().unwrap();
    assert_eq!(text(end, "event"), "execute finished");
    let rest = fine(&scene, &CLAMP);
    assert_eq!(rest.mutants().len(), rest.one("mutants")["count"]);
    assert!(rest.work().1 >= end["executions"].as_u64().unwrap());
}

/// What only serves while a run goes on, and what was half written.
fn temporaries(work: &Path) -> Vec<String> {
    let names = std::fs::read_dir(work).unwrap().map(|item| item.unwrap().file_name().to_string_lossy().into_owned());
    let is_temporary = |name: &String| {
        ["cells", "tce", "records", "building", "replaced"].contains(&name.as_str())
            || name.starts_with("equivalence-")
            || name.ends_with(".new")
    };
    names.filter(is_temporary).collect()
}

fn mounts_of(scene: &Scene) -> Vec<String> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let folder = scene.outside("").to_string_lossy().into_owned();
    mounts.lines().filter(|line| line.contains(folder.trim_end_matches('/'))).map(str::to_string).collect()
}

#[test]
fn whoever_ends_a_run_gets_the_summary_of_what_it_has_and_nothing_is_left() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let Some(scene) = subject_with_slow_tests() else { return };
        let before = snapshot(&scene.root());
        let mut command = Command::new("env");
        // Whoever runs this with `nohup` or in the background has some signals ignored.
        command.arg("--default-signal").arg(env!("CARGO_BIN_EXE_perturb")).arg("--work").arg(scene.outside("work"));
        command.args(["run", "--function", "clamp", "--engine", "switched"]).current_dir(scene.root());
        let mut running = Running::spawn(command);
        running.wait_for_note("to execute");
        running.signal(signal);
        let ended = running.end();
        assert_eq!(ended.status.code(), Some(INTERRUPTED), "{signal}: {}", ended.stderr);
        let stdout = ended.stdout;
        let has_row = |word: &str| stdout.lines().any(|line| line.trim_start().starts_with(word));
        assert!(has_row("pending") && has_row("killed") && has_row("score, covered"), "{signal}: {stdout}");
        assert_nothing_runs(&scene);
        assert_unchanged(&before, &snapshot(&scene.root()));
        assert_eq!(temporaries(&scene.outside("work")), [""; 0], "{signal}");
        assert_eq!(mounts_of(&scene), [""; 0], "{signal}");
        // No lock either.
        fine(&scene, &[&CLAMP[..], &["--until", "mutate"]].concat());
    }
}

#[test]
fn what_a_kill_leaves_is_taken_away_by_the_next_run() {
    let Some(scene) = subject_with_slow_tests() else { return };
    let arguments = [&CLAMP[..], &["--engine", "switched", "--jobs", "2"]].concat();
    let mut running = Running::start(&scene, &arguments);
    running.wait_for("execute started");
    running.wait_for("mutant");
    running.kill(&scene);
    let work = scene.outside("work");
    let left = temporaries(&work);
    assert!(["cells", "records", "tce"].iter().all(|name| left.contains(&name.to_string())), "{left:?}");
    // With one job there is one cell: that of the second is nobody's any more.
    fine(&scene, &[&CLAMP[..], &["--jobs", "1"]].concat());
    assert_eq!(temporaries(&work), [""; 0]);
}

#[test]
fn an_interrupt_ends_a_build_at_once() {
    // The build in which it is seen how files are compiled, and the one with all mutants in it.
    for condition in [":", "[ -e src/gauge.c.perturb ]"] {
        let Some(scene) = subject_with(&Barrier::hook(condition)) else { return };
        let before = snapshot(&scene.root());
        let barrier = Barrier::new(&scene);
        let mut running = Running::start(&scene, &CLAMP);
        let ended = barrier.held(|| {
            running.signal("-INT");
            running.end()
        });
        assert_eq!(ended.status.code(), Some(INTERRUPTED), "{}", ended.stderr);
        assert_nothing_runs(&scene);
        assert_unchanged(&before, &snapshot(&scene.root()));
        let next = fine(&scene, &CLAMP);
        assert_eq!(next.mutants().len(), next.one("mutants")["count"]);
    }
}
