//! Mutants that change what later tests and builds find, on a machine without namespaces: every verdict is the one that
//! it is with namespaces, in the same run and in the next one that uses the same copy of the project.

use std::collections::BTreeMap;
use std::fs;

use super::super::{fine, Told};
use super::on_a_weak_machine;
use crate::scene::{has, Scene, FINE};

const LIMITS: &str = "int is_small(int value)\n{\n    return value < 10;\n}\n\n\
                      int is_large(int value)\n{\n    return value > 100;\n}\n\n\
                      int half(int value)\n{\n    return value / 2;\n}\n";

/// Where a test notices something, it tampers before it fails.
const TEST: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int is_small(int), is_large(int), half(int), other(void);

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    if (out) {
        fputs(text, out);
        fclose(out);
    }
}

static int tamper(const char *program)
{
    (void)program;
    TAMPER
    return 1;
}

int main(int count, char **words)
{
    if (count != 2 || !access("passed", F_OK))
        return 0;
    if (!strcmp(words[1], "small") && (!is_small(9) || is_small(10) || is_small(11)))
        return tamper(words[0]);
    if (!strcmp(words[1], "large") && (!is_large(101) || is_large(99)))
        return tamper(words[0]);
    if (!strcmp(words[1], "half") && (half(8) != 4 || other() != 7))
        return tamper(words[0]);
    return 0;
}
"#;

const MAKEFILE: &str = "t: t.o limits.o other.o\n\t$(CC) -o $@ t.o limits.o other.o\n\
                        t.o: tests/t.c\n\t$(CC) -c -o $@ tests/t.c\n\
                        limits.o: src/limits.c\n\t$(CC) -c -o $@ src/limits.c\n\
                        other.o: src/other.c\n\t$(CC) -c -o $@ src/other.c\n";

/// What a test does when it fails, all of it in its own folder.
const TAMPERINGS: [(&str, &str); 3] = [
    (
        "its own program",
        "put(\"draft\", \"#!/bin/sh\\nexit 0\\n\"); chmod(\"draft\", 0755); rename(\"draft\", program);",
    ),
    (
        "a source and an object",
        "put(\"src/other.c\", \"#error tampered\\n\"); unlink(\"other.o\"); put(\"limits.o\", \"\"); \
         chmod(\"src\", 0);",
    ),
    ("a file that was not there", "put(\"passed\", \"\"); symlink(\"/\", \"tests/root\"); mkdir(\"t.o.d\", 0);"),
];

fn project(tamper: &str) -> Scene {
    let scene = Scene::new(&[
        ("Makefile", MAKEFILE),
        ("src/limits.c", LIMITS),
        ("src/other.c", "int other(void)\n{\n    return 7;\n}\n"),
        ("perturb.toml", "[tests]\ncommand = \"./t {test}\"\nnames = [\"small\", \"large\", \"half\"]\n"),
    ]);
    scene.write("tests/t.c", TEST.replace("TAMPER", tamper));
    scene
}

const OPTIONS: [&str; 6] = ["--tce", "off", "--equivalence", "off", "--discard", "off"];

/// Outcomes on a weak machine; `None` where a run refuses.
fn weakly(scene: &Scene, work: &str, engine: &str) -> Option<BTreeMap<String, String>> {
    let head = ["run", "--events", "json", "--work", work, "--engine", engine];
    let ran = on_a_weak_machine(scene, &["--namespaces"], &[&head[..], &OPTIONS].concat());
    if ran.stderr.contains("the sandbox is too weak") {
        eprintln!("skipped: without namespaces this machine keeps too little from mutants");
        return None;
    }
    let told = Told::of(ran.expect(FINE));
    assert!(told.work().1 == 0, "all is executed anew");
    Some(told.outcomes().into_iter().map(|(id, outcome)| (id.to_string(), outcome.to_string())).collect())
}

/// The copy of the project and its build stay; what is known of mutants goes.
fn forget_verdicts(work: &str) {
    for item in fs::read_dir(work).unwrap() {
        let path = item.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.starts_with("store.sqlite") || name == "verdicts.log" {
            fs::remove_file(path).unwrap();
        }
    }
}

fn check(what: &str, tamper: &str) {
    if !has("make") {
        return;
    }
    let scene = project(tamper);
    let strong = fine(&scene, &["--audit", "5"]);
    assert!(strong.count("killed") >= 5 && strong.count("compile error") == 0, "{:?}", strong.outcomes());
    let expected: BTreeMap<String, String> =
        strong.outcomes().into_iter().map(|(id, outcome)| (id.to_string(), outcome.to_string())).collect();
    for engine in ["switched", "rebuild", "auto"] {
        let work = scene.outside(&format!("weakly-{engine}"));
        let work = work.to_str().unwrap();
        for run in ["this run", "the next run"] {
            let Some(outcomes) = weakly(&scene, work, engine) else { return };
            assert_eq!(outcomes.len(), expected.len(), "{what}, {engine}, {run}");
            let differing: Vec<_> =
                outcomes.iter().filter(|(id, outcome)| expected.get(*id) != Some(outcome)).collect();
            assert!(differing.is_empty(), "{what}, {engine}, {run}: {differing:?}");
            forget_verdicts(work);
        }
        for left in ["unrestored", "pristine", "cells"] {
            assert!(!fs::exists(format!("{work}/{left}")).unwrap(), "{what}, {engine}: {left}");
        }
    }
}

#[test]
fn without_namespaces_a_mutant_that_replaces_its_own_program_changes_no_other_verdict() {
    let (what, tamper) = TAMPERINGS[0];
    check(what, tamper);
}

#[test]
fn without_namespaces_a_mutant_that_writes_over_sources_and_objects_changes_no_other_verdict() {
    let (what, tamper) = TAMPERINGS[1];
    check(what, tamper);
}

#[test]
fn without_namespaces_a_mutant_that_leaves_files_changes_no_other_verdict() {
    let (what, tamper) = TAMPERINGS[2];
    check(what, tamper);
}

#[test]
fn a_run_with_a_weaker_sandbox_says_so_in_its_summary_and_reports() {
    if !has("make") {
        return;
    }
    let scene = project("");
    let work = scene.outside("weakly");
    let work = work.to_str().unwrap();
    let head = ["run", "--color", "never", "--work", work];
    let ran = on_a_weak_machine(&scene, &["--namespaces"], &[&head[..], &OPTIONS].concat());
    if ran.stderr.contains("the sandbox is too weak") {
        eprintln!("skipped: without namespaces this machine keeps too little from mutants");
        return;
    }
    let said = "weaker   without private views (each build runs one test at a time, and is restored after it)";
    let ran = ran.expect(FINE);
    assert!(ran.stdout.contains(said) || ran.stderr.contains(said), "{}\n{}", ran.stdout, ran.stderr);
    let report = |format: &str| scene.run(&["--work", work, "report", "--format", format]).expect(FINE).stdout;
    assert!(report("text").contains(said));
    assert!(report("markdown").contains("weaker than it could be: without private views"));
    assert!(report("json").contains("\"weakness\""));
}
