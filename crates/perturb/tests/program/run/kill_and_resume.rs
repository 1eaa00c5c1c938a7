//! A run that is killed at thirty moments, all over its course, and goes on each time: it comes to the verdicts of one
//! that nothing disturbed, the user's tree is as it was, and nothing is left of those that were killed.
//!
//! Runs are killed in turn after each thing that they tell, a part of the way to the next; in a work folder that has
//! seen nothing yet, and again when they go on. Only perturb itself is killed: all that it has started must end by
//! itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use super::running::{assert_nothing_runs, Running};
use super::subject::subject;
use super::Told;
use crate::scene::{assert_unchanged, snapshot, text, Scene, FINE};

const KILLS: usize = 30;
const SEED: u64 = 6;
/// So often a run is killed before it may come to its end, and the next starts from nothing.
const KILLS_BEFORE_AN_END: usize = 5;
/// From one moment to the next, so that early and late ones take turns.
const STRIDE: usize = 7;

/// Labels cannot be switched: their mutants are built one by one.
const GRADE: &str = r#"#include "gauge.h"

int grade(int value)
{
    switch (value) {
    case 7:
        return 1;
    default:
        return value > 9;
    }
}
"#;

const TEST_GRADE: &str =
    "int grade(int value);\nint main(void)\n{\n    return grade(7) == 1 && grade(1) == 0 ? 0 : 1;\n}\n";

fn scene() -> Option<Scene> {
    let scene = subject()?;
    scene.write("src/grade.c", GRADE);
    scene.write("tests/test_grade.c", TEST_GRADE);
    let makefile = scene.read("Makefile").replace("all: ", "all: test_grade ").replace(
        "check: all\n",
        "test_grade: tests/test_grade.o src/grade.o\n\t$(CC) -o $@ $^\ncheck: all\n\t./test_grade\n",
    );
    scene.write("Makefile", makefile);
    Some(scene)
}

/// Parts of a whole, the same for the same seed.
struct Seeded(u64);

impl Seeded {
    fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What a run tells first of each kind, and how long it takes from there to the next.
struct Course(Vec<(String, Duration)>);

impl Course {
    /// Follows a run that nothing disturbs.
    fn of(scene: &Scene) -> (Course, BTreeMap<String, String>) {
        let (start, mut moments): (_, Vec<(String, Instant)>) = (Instant::now(), Vec::new());
        let mut running = start_run(scene);
        while let Some(event) = running.next_event() {
            let kind = text(&event, "event").to_string();
            if !moments.iter().any(|(known, _)| *known == kind) {
                moments.push((kind, Instant::now()));
            }
        }
        let ended = running.end();
        assert_eq!(ended.status.code(), Some(FINE), "{}", ended.stderr);
        let starts = std::iter::once((String::new(), start)).chain(moments.iter().cloned());
        let ends = moments.iter().map(|(_, at)| *at).chain([Instant::now()]);
        let course = starts.zip(ends).map(|((kind, at), next)| (kind, next - at)).collect();
        (Course(course), verdicts(&ended.events()))
    }
}

fn start_run(scene: &Scene) -> Running {
    Running::start(scene, &["--quiet", "--audit", "3"])
}

/// What became of each mutant, and by which test.
fn verdicts(events: &[serde_json::Value]) -> BTreeMap<String, String> {
    let mutants = events.iter().filter(|event| text(event, "event") == "mutant");
    mutants
        .map(|event| (text(event, "id").into(), format!("{} {}", text(event, "outcome"), text(event, "test"))))
        .collect()
}

/// What reports say of mutants and scores; not what took how long.
fn reports(scene: &Scene) -> [String; 2] {
    let text = scene.run(&["report"]).expect(FINE).stdout;
    let scores: Vec<&str> = text.lines().filter(|line| line.starts_with("score")).collect();
    [scene.run(&["report", "--format", "csv"]).expect(FINE).stdout, scores.join("\n")]
}

/// What is in a work folder besides logs, two levels deep. Copies for mutants of their own are made where they are
/// needed.
fn contents(work: &Path) -> BTreeSet<String> {
    let names = |folder: &Path| -> Vec<String> {
        let items = std::fs::read_dir(folder).into_iter().flatten().flatten();
        items.map(|item| item.file_name().to_string_lossy().into_owned()).collect()
    };
    let below = |name: &String| names(&work.join(name)).into_iter().map(|inner| format!("{name}/{inner}")).collect();
    let all = names(work);
    let inner: Vec<Vec<String>> = all.iter().filter(|name| *name != "logs").map(below).collect();
    all.into_iter().chain(inner.concat()).filter(|path| !path.starts_with("shadow/rebuild")).collect()
}

#[test]
fn a_run_that_is_killed_thirty_times_comes_to_the_verdicts_of_one_that_was_left_alone() {
    let Some(scene) = scene() else { return };
    let before = snapshot(&scene.root());
    let (Course(course), expected) = Course::of(&scene);
    let work = scene.outside("work");
    let (usual, expected_reports) = (contents(&work), reports(&scene));
    assert!(expected.len() > 100 && course.len() > 10, "{} {}", expected.len(), course.len());
    std::fs::remove_dir_all(&work).unwrap();
    let (mut seeded, mut kills) = (Seeded(SEED), BTreeMap::<&str, usize>::new());
    let mut kinds = (0..).map(|turn| &course[turn * STRIDE % course.len()]);
    while kills.values().sum::<usize>() < KILLS {
        for (kind, until_next) in kinds.by_ref().take(KILLS_BEFORE_AN_END) {
            let mut running = start_run(&scene);
            if kind.is_empty() || running.comes_to(kind) {
                std::thread::sleep(until_next.mul_f64(seeded.part()));
            }
            let (ended, is_killed) = running.kill_or_end();
            assert_nothing_runs(&scene);
            match is_killed {
                true => *kills.entry(kind).or_default() += 1,
                false => assert_eq!(verdicts(&ended.events()), expected, "{}", ended.stderr),
            }
        }
        let last = Told::of(scene.run(&["run", "--events", "json", "--quiet", "--audit", "3"]).expect(FINE));
        assert_eq!(verdicts(&last.events), expected, "after {kills:?}");
        assert_eq!(contents(&work), usual, "nothing is left of those that were killed");
        assert_eq!(reports(&scene), expected_reports, "after {kills:?}");
        std::fs::remove_dir_all(&work).unwrap();
    }
    assert_unchanged(&before, &snapshot(&scene.root()));
    assert!(kills.len() >= course.len() / 2, "{kills:?}");
    eprintln!("killed after: {kills:?}");
}
