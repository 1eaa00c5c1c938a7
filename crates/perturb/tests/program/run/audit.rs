//! The audit: verdicts that the rebuild engine does not find again, and what becomes of others that rest on the same.

use super::running::Running;
use super::{fine, told, Told};
use crate::scene::{has, text, Scene, INTERRUPTED, IN_DOUBT};

const MAKEFILE: &str = "all: t\nt: src/p.c tests/t.c\n\t$(CC) -w -o $@ src/p.c tests/t.c\ncheck: all\n\t./t\n";

const SOURCE: &str = r#"int mix(int a, int b)
{
    return a * b + 3;
}

int blend(int a, int b)
{
    (void)&a;
    return a - b * 2;
}
"#;

/// A project whose test may lie about what it sees: it has `lie` to say where it would fail.
fn project(lie: &str) -> Option<Scene> {
    let test = r#"#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int mix(int a, int b);
int blend(int a, int b);

int main(void)
{
    char path[4096] = "";
    int r = mix(4, 5), s = blend(7, 2);
    if (r == 23 && s == 3)
        return 0;
    readlink("/proc/self/exe", path, sizeof path - 1);
    LIE
    return 1;
}
"#;
    let scene = Scene::new(&[("Makefile", MAKEFILE), ("src/p.c", SOURCE), ("tests/t.c", &test.replace("LIE", lie))]);
    has("make").then_some(scene)
}

/// How it ends where the split-stream engine runs it.
const LIES_SPLIT: &str = "if (getenv(\"PERTURB_SPLIT\")) return 0;";
/// The same, and the switched engine takes its time.
const LIES_AND_DAWDLES: &str = "if (getenv(\"PERTURB_SPLIT\")) return 0; if (getenv(\"PERTURB_MUTANT\")) sleep(4);";

const OPERATORS: [&str; 2] = ["--operators", "AOR,AOD,ICR,UOI"];

fn count(told: &Told, what: &str) -> u64 {
    told.one("audited")[what].as_u64().unwrap()
}

fn disagreements(told: &Told) -> usize {
    told.one("audited")["disagreements"].as_array().unwrap().len()
}

/// As one does that does something undefined: it is otherwise in the instrumented build, whichever engine asks.
#[test]
fn one_mutant_that_is_otherwise_when_it_is_built_by_itself_brings_no_other_into_doubt() {
    let Some(scene) = project("if (r == 4 + 5 + 3 && strstr(path, \"/instrumented/\")) return 0;") else { return };
    let told = fine(&scene, &[&["--audit", "60"], &OPERATORS[..]].concat());
    assert_eq!((disagreements(&told), told.count("unstable")), (1, 1), "{:?}", told.outcomes());
    // All of them were looked at.
    assert_eq!((count(&told, "confirmed"), count(&told, "changed"), count(&told, "in_doubt")), (0, 0, 0));

    let unstable = told.mutants().into_values().find(|mutant| text(mutant, "outcome") == "unstable").unwrap().clone();
    let work = scene.outside("few");
    let few = [&["--audit", "12", "--work", work.to_str().unwrap()], &OPERATORS[..]].concat();
    let found = (0..40).map(|seed| seed.to_string()).find_map(|seed| {
        let told = fine(&scene, &[&few[..], &["--seed", &seed]].concat());
        (disagreements(&told) == 1).then_some(told)
    });
    let told = found.expect("some sample has the one");
    assert_eq!(told.outcomes()[text(&unstable, "id")], "unstable");
    assert_eq!((told.count("unstable"), count(&told, "changed"), count(&told, "in_doubt")), (1, 0, 0));
    assert!(count(&told, "confirmed") > 0, "{}", told.one("audited"));
    assert_eq!(told.one("find again started")["engine"], "switched");
}

#[test]
fn what_an_engine_gets_wrong_the_next_one_puts_right() {
    let Some(scene) = project(LIES_SPLIT) else { return };
    let told = fine(&scene, &[&["--audit", "12"], &OPERATORS[..]].concat());
    let work = scene.outside("switched");
    let alone = ["--engine", "switched", "--work", work.to_str().unwrap()];
    let switched = fine(&scene, &[&alone[..], &OPERATORS[..]].concat());
    let (outcomes, expected) = (told.outcomes(), switched.outcomes());
    let wrong: Vec<_> = expected.iter().filter(|(id, outcome)| outcomes[*id] != **outcome).collect();
    assert!(wrong.iter().all(|(id, _)| outcomes[*id] == "unstable"), "{wrong:?}");
    assert_eq!(wrong.len(), disagreements(&told), "only what the audit looked at is unstable");
    assert!(disagreements(&told) > 0 && count(&told, "changed") > 10, "{}", told.one("audited"));
    assert_eq!(count(&told, "in_doubt"), 0);

    // The next run believes what was found again, and finds nothing else.
    let next = fine(&scene, &[&["--audit", "12"], &OPERATORS[..]].concat());
    assert_eq!(next.outcomes(), outcomes);
    assert_eq!(count(&next, "changed"), 0, "{}", next.one("audited"));
}

/// What the summary and the reports of the last run say of its audit.
fn said(scene: &Scene) -> String {
    ["text", "markdown"].map(|format| scene.run(&["report", "--format", format]).stdout).concat()
}

#[test]
fn verdicts_that_are_not_found_again_for_lack_of_time_are_in_doubt() {
    let Some(scene) = project(LIES_AND_DAWDLES) else { return };
    let arguments = [&["--audit", "12", "--jobs", "1", "--budget", "25s"], &OPERATORS[..]].concat();
    let told = told(&scene, &arguments);
    assert_eq!(told.ran.code, IN_DOUBT, "{}", told.ran.stderr);
    assert!(count(&told, "in_doubt") > 0, "{}", told.one("audited"));
    assert!(told.ran.stderr.contains("in doubt"), "{}", told.ran.stderr);
    let said = said(&scene);
    assert!(said.contains("in doubt") && said.contains("In doubt: "), "{said}");
}

#[test]
fn an_interrupt_leaves_verdicts_in_doubt_that_the_next_run_finds_again() {
    let Some(scene) = project(&LIES_AND_DAWDLES.replace("sleep(4)", "usleep(700000)")) else { return };
    let arguments =
        [&["--tce", "off", "--equivalence", "off", "--discard", "off", "--audit", "12"], &OPERATORS[..]].concat();
    let mut running = Running::start(&scene, &arguments);
    running.wait_for("find again started");
    running.signal("-INT");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(INTERRUPTED), "{}", ended.stderr);
    let audited = ended.events().into_iter().find(|event| text(event, "event") == "audited").unwrap();
    assert!(audited["in_doubt"].as_u64().unwrap() > 0, "{audited}");
    let next = fine(&scene, &[&["--audit", "12"], &OPERATORS[..]].concat());
    assert!(count(&next, "in_doubt") == 0 && count(&next, "changed") > 10, "{}", next.one("audited"));
}
