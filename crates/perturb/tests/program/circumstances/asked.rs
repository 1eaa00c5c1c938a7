//! What is typed: commands, options and their values, names of mutants, files and folders.

use std::fs;
use std::process::Command;

use super::{Project, Row, GOOD, SUM};
use crate::scene::{Scene, NOTHING, UNUSABLE, USAGE};

const fn usage(name: &'static str, command: &'static [&'static str], told: &'static [&'static str]) -> Row {
    Row { name, command, code: USAGE, told, ..GOOD }
}

/// A repository with one commit.
fn with_git(scene: &Scene) {
    let git = |arguments: &[&str]| {
        let settings = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
        Command::new("git").args(settings).args(arguments).current_dir(scene.root()).output()
    };
    for arguments in [&["init"][..], &["add", "."], &["commit", "-m", "all"]] {
        let _ = git(arguments);
    }
}

pub const ROWS: &[Row] = &[
    usage("no command", &[], &["Usage: perturb", "<COMMAND>"]),
    usage("an unknown command", &["mutate"], &["'mutate'", "similar", "--help"]),
    usage("an unknown option", &["mutants", "--frobnicate"], &["'--frobnicate'", "Usage"]),
    usage("an option without its value", &["mutants", "--jobs"], &["a value is required", "--jobs <N>"]),
    usage("no jobs at all", &["mutants", "--jobs", "0"], &["invalid value '0'", "--jobs", "1..="]),
    usage("jobs that are no number", &["mutants", "--jobs", "many"], &["invalid value 'many'", "--jobs"]),
    usage("an unknown format", &["mutants", "--format", "xml"], &["'xml'", "possible values", "jsonl"]),
    usage("options that exclude each other", &["mutants", "--stats", "--format", "json"], &["cannot be used with"]),
    usage("a unit of time that is none", &["run", "--budget", "10parsecs"], &["`parsecs`", "90s, 10m or 2h"]),
    usage("a budget of nothing", &["run", "--budget", "0s"], &["--budget", "more than nothing"]),
    usage("a factor that gives a test too little", &["run", "--timeout-factor", "0.5"], &["'0.5'", "write 1 or more"]),
    usage("memory that is no amount", &["run", "--test-memory", "lots"], &["`lots`", "512M, 4G or unlimited"]),
    usage("an unknown level of optimisation", &["run", "--tce-levels", "O9"], &["O9", "--tce-levels"]),
    usage("an unknown engine", &["run", "--engine", "warp"], &["'warp'", "possible values", "rebuild"]),
    usage("a negative seed", &["run", "--seed=-1"], &["'-1'", "--seed"]),
    usage("an unknown step", &["run", "--until", "tomorrow"], &["'tomorrow'", "possible values", "baseline"]),
    usage(
        "coverage from a folder that is not there",
        &["run", "--coverage", "gone"],
        &["gone", "own, gcov, or a folder"],
    ),
    usage("a project that is not there", &["mutants", "-C", "gone"], &["gone", "No such file"]),
    usage("a file in place of a project", &["mutants", "-C", "a.c"], &["a.c", "is a file", "folder"]),
    usage("a path that is not there", &["mutants", "gone.c"], &["gone.c", "No such file"]),
    Row {
        spoil: |scene| fs::write(scene.outside("out/b.txt"), "hello\n").unwrap(),
        command: &["mutants", "a.c", "OUT/b.txt"],
        ..usage("a path outside of the project", &[], &["b.txt", "is not in the project at"])
    },
    usage(
        "flags of a compiler for a whole project",
        &["mutants", "--", "-DX"],
        &["flags after `--`", "one source file"],
    ),
    usage("an unknown operator", &["mutants", "--operators", "ROR,XYZ"], &["XYZ", "ROR"]),
    usage("no operator at all", &["mutants", "--operators", ""], &["operator", "ROR"]),
    usage("lines without a range", &["mutants", "--lines", "a.c"], &["`a.c`", "FILE:FIRST-LAST"]),
    usage("lines that end before they begin", &["mutants", "--lines", "a.c:9-3"], &["`a.c:9-3`", "FILE:FIRST-LAST"]),
    usage("lines of a file that is not there", &["mutants", "--lines", "gone.c:1-2"], &["gone.c", "No such file"]),
    usage("an id that is none", &["show", "xyz"], &["`xyz`", "16 hexadecimal digits"]),
    usage("an id of no mutant", &["show", "ffffffffffffffff"], &["no mutant `ffffffffffffffff`", "perturb mutants"]),
    Row {
        // So many that each digit begins several ids.
        spoil: |scene| scene.write("a.c", SUM.replace("a + b", &format!("a{}", " + b".repeat(60)))),
        ..usage("an id that fits several mutants", &["show", "0"], &["`0` fits several", "give more digits", "AOR"])
    },
    usage("no mutant to apply", &["apply", "--to", "OUT/x"], &["which mutant", "--all"]),
    usage("a mutant applied in place", &["apply", "--all", "--to", "."], &["never writes in place", "outside"]),
    Row {
        spoil: |scene| fs::write(scene.outside("out/file"), "").unwrap(),
        code: UNUSABLE,
        ..usage(
            "a mutant applied below a file",
            &["apply", "--all", "--to", "OUT/file"],
            &["cannot create", "out/file"],
        )
    },
    usage("a change where there is no repository", &["mutants", "--diff", "main"], &["`main`", "git", "repository"]),
    Row {
        spoil: with_git,
        ..usage("an unknown revision", &["mutants", "--diff", "no-such"], &["`no-such`", "git says"])
    },
    usage("a revision that is an option", &["mutants", "--diff=--output=x"], &["--output=x", "no revision"]),
    usage("a report in an unknown format", &["report", "--format", "pdf"], &["'pdf'", "possible values"]),
    Row {
        code: NOTHING,
        ..usage("a function that is not there", &["mutants", "--function", "sun"], &["no function sun"])
    },
    Row {
        code: NOTHING,
        ..usage("lines without a mutant", &["mutants", "--lines", "a.c:1-2"], &["nothing to mutate"])
    },
    Row {
        code: UNUSABLE,
        ..usage("a libclang that is not there", &["mutants", "--libclang", "3"], &["`3`", "version"])
    },
    Row {
        spoil: |scene| fs::write(scene.outside("out/libclang.so"), "no library").unwrap(),
        code: UNUSABLE,
        ..usage(
            "a libclang that is none",
            &["mutants", "--libclang", "OUT/libclang.so"],
            &["cannot be used as libclang"],
        )
    },
    Row {
        project: Project::Empty,
        code: UNUSABLE,
        ..usage("a folder without sources", &["mutants"], &["no C or C++ source file", "give the folder"])
    },
    Row {
        spoil: |scene| scene.write("notes.txt", "hello\n"),
        project: Project::Empty,
        code: UNUSABLE,
        ..usage("a text in place of a source", &["mutants", "notes.txt"], &["notes.txt", "not a C or C++ source file"])
    },
    Row {
        spoil: |scene| scene.write("perturb.toml", ""),
        ..usage("a configuration that is already there", &["init"], &["perturb.toml is already there", "move it away"])
    },
];
