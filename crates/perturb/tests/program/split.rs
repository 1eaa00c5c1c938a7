//! The split-stream engine against the switched one: on small programs, each with one thing in it that copying a
//! process would change, every mutant comes to the same end with both, and the run tells which pairs were not split and
//! why.
//!
//! The programs are made so that a verdict is wrong where the danger is not seen. Either a copy lacks something that
//! the original has, and a mutant that lives would seem to be killed; or it leaves a trace that others see, and of the
//! mutants that are killed all but the first would seem to live.

mod attacks;
mod ends;
mod engines;
mod lacking;
mod later;
mod processes;
mod traces;
mod values;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::run::{fine, Told};
use crate::scene::{has, text, Scene};

/// What the fixtures start with. Some mutants of `mix` are executed and live: those that count a variable after its
/// last use. Nobody can know that nobody reads it again, since its address is taken.
const START: &str = r#"#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int mix(int a, int b)
{
    (void)&a, (void)&b;
    return a * b + 3;
}

"#;

const MAKEFILE: &str = "all: t\nt: src/p.c\n\t$(CC) -w -pthread -o $@ $<\ncheck: all\n\t./t\n";

/// A program that is its own test; `rest` has `main`.
fn program(rest: &str) -> Option<Scene> {
    let scene = Scene::new(&[("Makefile", MAKEFILE)]);
    scene.write("src/p.c", format!("{START}{rest}"));
    has("make").then_some(scene)
}

/// What the fastest engines say of the mutants chosen; the switched engine says the same of every one of them, with all
/// tests that reach it.
#[track_caller]
fn agreed(scene: &Scene, chosen: &[&str]) -> Told {
    let fastest = fine(scene, &[&["--tce", "off", "--audit", "0"], chosen].concat());
    let alone = ["--tce", "off", "--audit", "0", "--engine", "switched", "--run-tests", "covering"];
    // In the same work folder, which saves compiling the runtime once more; but nothing is known from before.
    for file in ["store.sqlite", "store.sqlite.seal", "verdicts.log"] {
        std::fs::remove_file(scene.outside("work").join(file)).unwrap();
    }
    let switched = fine(scene, &[&alone[..], chosen].concat());
    assert_eq!(switched.work().1, 0, "what the fastest engines found is not asked");
    let (one, other) = (verdicts(&fastest), verdicts(&switched));
    let differ: Vec<String> = other
        .iter()
        .filter(|(id, verdict)| one.get(*id) != Some(verdict))
        .map(|(id, verdict)| format!("{}: {:?}, switched {verdict:?}", switched.mutants()[id]["name"], one.get(id)))
        .collect();
    assert!(differ.is_empty(), "{}\n{:?}", differ.join("\n"), pairs(&fastest));
    // What has no switch the switched engine says nothing of.
    let rebuilt = fastest.one("instrumented")["rebuilt"].as_u64().unwrap() as usize;
    assert_eq!(one.len(), other.len() + rebuilt);
    assert!(one.len() > 4, "too few mutants to show anything: {one:?}");
    fastest
}

/// What became of each mutant, by which test, and how. What no test infects lives.
fn verdicts(told: &Told) -> BTreeMap<&str, [&str; 3]> {
    let word = |value, key| Some(text(value, key)).filter(|word| *word != "not infected").unwrap_or("live");
    told.mutants().into_iter().map(|(id, value)| (id, ["outcome", "test", "how"].map(|key| word(value, key)))).collect()
}

/// How many pairs each engine executed, and for which reasons others were not split.
fn pairs(told: &Told) -> BTreeMap<&str, u64> {
    let name = |count| Some(text(count, "why_not")).filter(|why| !why.is_empty()).unwrap_or(text(count, "engine"));
    let counts = told.one("execute finished")["pairs"].as_array().unwrap();
    counts.iter().map(|count: &Value| (name(count), count["pairs"].as_u64().unwrap())).collect()
}

const SPLIT: &str = "split-stream";
const SWITCHED: &str = "switched";
const CALLED_OUT: &str = "it goes on to what a copy may not do: change files, start processes, ask for its own time";

/// A program that passes if `mix` is right, or if `mark` says that it is not the first to have been here. Only killed
/// mutants come to the mark.
fn marking(before: &str, mark: &str) -> String {
    format!(
        "int main(void)\n{{\n    int r;\n{before}\n    r = mix(4, 5);\n    if (r == 23)\n        return 0;\n{mark}\n\
         }}\n"
    )
}

/// The engines agree on a program whose `mix` is mutated, and no pair was split, for this reason alone.
#[track_caller]
fn never_split(rest: &str, why: &str) {
    check(rest, &[SWITCHED, why]);
}

/// The same, but some pairs could be split.
#[track_caller]
fn partly_split(rest: &str, why: &str) {
    check(rest, &[SPLIT, SWITCHED, why]);
}

/// The same, and all of them could.
#[track_caller]
fn all_split(rest: &str) {
    check(rest, &[SPLIT]);
}

/// Pairs were counted under these words, and no others.
#[track_caller]
fn check(rest: &str, words: &[&str]) {
    let Some(scene) = program(rest) else { return };
    let told = agreed(&scene, &["--function", "mix"]);
    assert_counted(&told, words);
    assert!(told.count("live") > 0 && told.count("killed") > 0, "{:?}", told.outcomes());
}

#[track_caller]
fn assert_counted(told: &Told, words: &[&str]) {
    let counted = pairs(told);
    let is_as_expected = counted.len() == words.len() && words.iter().all(|word| counted.contains_key(word));
    assert!(is_as_expected, "{counted:?} instead of {words:?}");
}
