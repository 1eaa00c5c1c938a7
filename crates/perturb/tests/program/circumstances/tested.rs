//! Tests that tell nothing about mutants.

use super::{Project, Row, GOOD};
use crate::scene::{Scene, BROKEN, FINE, UNUSABLE, USAGE};

const fn run(
    name: &'static str,
    spoil: fn(&Scene),
    command: &'static [&'static str],
    told: &'static [&'static str],
) -> Row {
    Row { name, project: Project::Make, spoil, command, code: BROKEN, told, ..GOOD }
}

/// The test of the alarm does this instead.
fn alarm_does(scene: &Scene, body: &str) {
    scene.write(
        "tests/test_alarm.c",
        format!("#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(void)\n{{\n    {body}\n}}\n"),
    );
}

/// Only that test is left.
fn only_alarm_does(scene: &Scene, body: &str) {
    alarm_does(scene, body);
    scene.write("Makefile", scene.read("Makefile").replace("\t./test_gauge\n", ""));
}

/// Forty tests toss a coin twice: that none of them falls on both sides is less likely than 1 in 10^12.
fn coins(scene: &Scene) {
    alarm_does(
        scene,
        "char c = 0; FILE *f = fopen(\"/dev/urandom\", \"rb\"); return f == NULL || fread(&c, 1, 1, f) != 1 || c & 1;",
    );
    let tests: String = (0..40).map(|number| format!("\t./test_alarm {number}\n")).collect();
    scene.write("Makefile", scene.read("Makefile").replace("\t./test_alarm\n", &tests));
}

pub const ROWS: &[Row] = &[
    run(
        "no tests",
        |s| {
            s.write("Makefile", "all: src/gauge.o\n");
            s.remove("tests/test_gauge.c");
            s.remove("tests/test_alarm.c");
        },
        &["run"],
        &["found no tests", "--test-command"],
    ),
    run(
        "tests that all fail",
        |s| only_alarm_does(s, "puts(\"expected 4\"); return 1;"),
        &["run"],
        &["no test passes on the original", "`test_alarm`", "expected 4"],
    ),
    run(
        "tests that all crash",
        |s| only_alarm_does(s, "abort();"),
        &["run"],
        &["no test passes on the original", "SIGABRT"],
    ),
    run(
        "tests that all hang",
        |s| only_alarm_does(s, "for (;;) pause();"),
        &["run", "--test-timeout", "300ms"],
        &["no test passes on the original", "timed out"],
    ),
    run(
        "a test command that is not there",
        |_| {},
        &["run", "--test-command", "./no-such-runner"],
        &["no test passes on the original", "no-such-runner"],
    ),
    Row {
        code: FINE,
        ..run(
            "one test that fails",
            |s| alarm_does(s, "puts(\"expected 4\"); return 1;"),
            &["run", "--until", "baseline"],
            &["test_alarm is left out", "expected 4"],
        )
    },
    Row {
        code: FINE,
        ..run(
            "tests that fail now and then",
            coins,
            &["run", "--until", "baseline"],
            &["is left out: on the original: flaky: first "],
        )
    },
    run(
        "a test program that is not there",
        |s| s.write("Makefile", "all: src/gauge.o\nsrc/gauge.o: src/gauge.c\ncheck: all\n\t./no-such-test\n"),
        &["run"],
        &["no test passes on the original", "`make check`", "no-such-test"],
    ),
    Row {
        code: USAGE,
        ..run(
            "patterns that leave no test",
            |_| {},
            &["run", "--only-tests", "nothing*"],
            &["none of the 2 tests", "patterns"],
        )
    },
    Row {
        code: USAGE,
        ..run("a pattern of tests that is none", |_| {}, &["run", "--without-tests", "a["], &["`a[`", "exclude"])
    },
    Row {
        code: USAGE,
        ..run(
            "a test command without names",
            |_| {},
            &["run", "--test-command", "./t {test}"],
            &["{test}", "--test NAME"],
        )
    },
    Row {
        code: UNUSABLE,
        ..run(
            "a list of tests that fails",
            |_| {},
            &["run", "--test-command", "./t {test}", "--list-tests", "echo oops >&2; exit 3"],
            &["exit 3", "oops"],
        )
    },
    Row {
        code: USAGE,
        ..run(
            "a list of tests that is empty",
            |_| {},
            &["run", "--test-command", "./t {test}", "--list-tests", "true"],
            &["no name", "--test NAME"],
        )
    },
];
