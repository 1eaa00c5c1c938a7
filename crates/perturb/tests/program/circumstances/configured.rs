//! What is written down: the configuration, the review file, comments in the code.

use std::fs;

use super::{Row, GOOD, SUM};
use crate::scene::{Scene, FINE, UNUSABLE, USAGE};

const fn wrong(name: &'static str, spoil: fn(&Scene), told: &'static [&'static str]) -> Row {
    Row { name, spoil, code: USAGE, told, ..GOOD }
}

const fn odd(name: &'static str, spoil: fn(&Scene), told: &'static [&'static str]) -> Row {
    Row { code: FINE, ..wrong(name, spoil, told) }
}

fn configured(scene: &Scene, text: &str) {
    scene.write("perturb.toml", text);
}

fn reviewed(scene: &Scene, text: &str) {
    scene.write("perturb.review.toml", text);
}

const DECISION: &str = "[[mutant]]\nid = \"0123\"\ndisposition = \"accepted\"\nreason = \"x\"\n";

pub const ROWS: &[Row] = &[
    wrong("a configuration that is no TOML", |s| configured(s, "[project\nbuild = 1\n"), &["perturb.toml", "line 1"]),
    wrong(
        "an unknown setting",
        |s| configured(s, "[mutants]\noperator = \"ROR\"\n"),
        &["perturb.toml", "`operator`", "expected"],
    ),
    wrong("an unknown section", |s| configured(s, "[mutant]\n"), &["perturb.toml", "`mutant`", "expected"]),
    wrong(
        "a setting of the wrong type",
        |s| configured(s, "[tests]\nnames = 3\n"),
        &["perturb.toml", "line 2", "expected"],
    ),
    wrong("a time of nothing", |s| configured(s, "[tests]\ntimeout = 0\n"), &["perturb.toml", "more than nothing"]),
    wrong(
        "memory without a unit",
        |s| configured(s, "[tests]\nmemory = \"7\"\n"),
        &["perturb.toml", "512M, 4G or unlimited"],
    ),
    wrong(
        "an operator that nobody knows",
        |s| configured(s, "[mutants]\noperators = \"XYZ\"\n"),
        &["perturb.toml", "XYZ"],
    ),
    wrong(
        "a pattern of files that is none",
        |s| configured(s, "[project]\nexclude = [\"a[\"]\n"),
        &["`a[`", "`exclude`"],
    ),
    wrong(
        "a pattern of names that is none",
        |s| configured(s, "[mutants]\nnever_in = [\"a[\"]\n"),
        &["`a[`", "never_in"],
    ),
    wrong("a configuration that is no text", |s| s.write("perturb.toml", b"\xff\xfe\x00"), &["perturb.toml", "UTF-8"]),
    wrong(
        "a folder in place of a configuration",
        |s| fs::create_dir(s.root().join("perturb.toml")).unwrap(),
        &["cannot read", "perturb.toml", "directory"],
    ),
    Row {
        command: &["mutants", "--config", "gone.toml"],
        ..wrong("a configuration that is not there", |_| {}, &["cannot read gone.toml", "No such file"])
    },
    Row {
        code: UNUSABLE,
        ..wrong(
            "a configured database that is not there",
            |s| configured(s, "[project]\ncompile_commands = \"gone.json\"\n"),
            &["gone.json does not exist", "--compile-commands"],
        )
    },
    wrong("a review file that is no TOML", |s| reviewed(s, "[[mutant]\n"), &["perturb.review.toml", "line 1"]),
    wrong(
        "a decision that is none",
        |s| reviewed(s, &DECISION.replace("accepted", "maybe")),
        &["perturb.review.toml", "`maybe`", "equivalent"],
    ),
    wrong(
        "a decision without a reason",
        |s| reviewed(s, &DECISION.replace("reason", "why")),
        &["perturb.review.toml", "`why`"],
    ),
    wrong(
        "two decisions on one mutant",
        |s| reviewed(s, &DECISION.repeat(2)),
        &["perturb.review.toml", "0123", "twice"],
    ),
    odd("a decision on no mutant", |s| reviewed(s, DECISION), &["perturb.review.toml", "0123"]),
    odd(
        "a comment that says nothing we know",
        |s| s.write("a.c", SUM.replace("b;", "b; // perturb: igonre[ROR] typo")),
        &["a.c:3", "igonre"],
    ),
    odd(
        "a comment about an unknown operator",
        |s| s.write("a.c", SUM.replace("b;", "b; // perturb: ignore[XYZ] typo")),
        &["a.c:3", "ignore[XYZ]"],
    ),
    odd(
        "a comment that does not say why",
        |s| s.write("a.c", SUM.replace("b;", "b; // perturb: ignore[ROR]")),
        &["a.c:3", "reason"],
    ),
    odd(
        "a region that never ends",
        |s| s.write("a.c", format!("int x;\n/* perturb: off here */\n{SUM}")),
        &["a.c:2", "perturb: on"],
    ),
];
