//! Compile databases, compilers and sources.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use super::{Machine, Project, Row, GOOD, SUM};
use crate::scene::{Scene, FINE, NOTHING, UNUSABLE, USAGE};

const DATABASE: &str = "compile_commands.json";

const fn unusable(name: &'static str, spoil: fn(&Scene), told: &'static [&'static str]) -> Row {
    Row { name, spoil, code: UNUSABLE, told, ..GOOD }
}

/// The others go on.
const fn told(name: &'static str, spoil: fn(&Scene), told: &'static [&'static str]) -> Row {
    Row { code: FINE, ..unusable(name, spoil, told) }
}

fn database(scene: &Scene, text: &str) {
    scene.write(DATABASE, text);
}

/// Another source that is good, and one that is compiled with it.
fn beside(scene: &Scene, name: &str, text: impl AsRef<[u8]>) {
    scene.write(name, text);
    let entry = |file: &str| serde_json::json!({"directory": ".", "file": file, "arguments": ["cc", "-c", file]});
    scene.write(DATABASE, serde_json::Value::from(vec![entry("a.c"), entry(name)]).to_string());
}

fn compiler(scene: &Scene, script: &str) {
    scene.write("tools/my-cc", format!("#!/bin/sh\n{script}\n"));
    database(scene, r#"[{"directory":".","file":"a.c","command":"tools/my-cc -c a.c"}]"#);
}

pub const ROWS: &[Row] = &[
    unusable("an empty database", |s| database(s, ""), &[DATABASE, "not a compile database", "generate it again"]),
    unusable("a database that is no JSON", |s| database(s, "[{\"file\":"), &[DATABASE, "not a compile database"]),
    unusable("a database of another shape", |s| database(s, "{\"a\": 1}"), &[DATABASE, "not a compile database"]),
    unusable("a database without entries", |s| database(s, "[]"), &[DATABASE, "is empty"]),
    unusable("entries without a file", |s| database(s, "[{\"directory\": \"/\"}]"), &[DATABASE, "entry 1", "`file`"]),
    unusable("entries without a command", |s| database(s, "[{\"file\": \"a.c\"}]"), &[DATABASE, "a.c", "no command"]),
    unusable(
        "an entry whose command is only variables",
        |s| database(s, r#"[{"directory":".","file":"a.c","command":"env CC=gcc"}]"#),
        &[DATABASE, "a.c", "no command"],
    ),
    unusable(
        "a command with an open quote",
        |s| database(s, r#"[{"directory":".","file":"a.c","command":"cc -DX='oops -c a.c"}]"#),
        &[DATABASE, "a.c", "open quote"],
    ),
    unusable(
        "a database of files that are gone",
        |s| database(s, r#"[{"directory":"/nowhere","file":"gone.c","command":"cc -c gone.c"}]"#),
        &["/nowhere/gone.c", "generate it again"],
    ),
    unusable(
        "a database of another language",
        |s| database(s, r#"[{"directory":".","file":"a.f90","command":"gfortran -c a.f90"}]"#),
        &["none of the 1 entries", "a.f90"],
    ),
    Row {
        command: &["mutants", "--compile-commands", "gone.json"],
        ..unusable("a named database that is not there", |_| {}, &["gone.json does not exist", "generate"])
    },
    Row {
        command: &["mutants", "--compile-commands", "."],
        ..unusable("a folder without a database", |s| s.remove(DATABASE), &["directory"])
    },
    unusable(
        "a compiler that is not installed",
        |s| database(s, r#"[{"directory":".","file":"a.c","command":"sparc-none-gcc -c a.c"}]"#),
        &["sparc-none-gcc", "not installed", "install it"],
    ),
    told("a compiler that says nothing we know", |s| compiler(s, "echo hello; exit 1"), &["tools/my-cc"]),
    told("a compiler that crashes", |s| compiler(s, "kill -SEGV $$"), &["tools/my-cc"]),
    told(
        "a compiler that prints garbage",
        |s| compiler(s, "head -c 4000 /bin/sh; head -c 4000 /bin/sh >&2"),
        &["my-cc"],
    ),
    Row {
        project: Project::Empty,
        command: &["mutants", "a.c"],
        machine: Machine::Variable("PATH", ""),
        ..unusable("a machine without a compiler", |s| s.write("a.c", SUM), &["cc", "not installed", "apt-get install"])
    },
    told(
        "a flag that no compiler knows",
        |s| database(s, r#"[{"directory":".","file":"a.c","command":"cc -fno-such-pass -c a.c"}]"#),
        &["-fno-such-pass"],
    ),
    told("a binary file", |s| beside(s, "b.c", b"\x7fELF\x00\x01\x02"), &["b.c:1:1"]),
    told("a header that is missing", |s| beside(s, "b.c", format!("#include \"gone.h\"\n{SUM}")), &["b.c", "gone.h"]),
    told("code that is broken", |s| beside(s, "b.c", "int f(int a) { return a +; }\n"), &["b.c:1"]),
    told("a comment that never ends", |s| beside(s, "b.c", format!("{SUM}/* never")), &["b.c:5", "comment"]),
    told("a source that includes itself", |s| beside(s, "b.c", format!("#include \"b.c\"\n{SUM}")), &["b.c"]),
    told(
        "a folder in place of a source",
        |s| {
            beside(s, "b.c", "");
            s.remove("b.c");
            fs::create_dir(s.root().join("b.c")).unwrap();
        },
        &["b.c"],
    ),
    told(
        "a link that leads nowhere in place of a source",
        |s| {
            beside(s, "b.c", "");
            s.remove("b.c");
            symlink("gone.c", s.root().join("b.c")).unwrap();
        },
        &["b.c"],
    ),
    Row {
        code: NOTHING,
        ..unusable("an empty source", |s| s.write("a.c", ""), &["nothing to mutate", "no operator applies"])
    },
    Row { project: Project::Make, command: &["mutants", "--quiet"], ..told("a name that is no text", odd_name, &[]) },
    Row {
        project: Project::Make,
        command: &["mutants", "--quiet"],
        ..told("links that lead in circles", circles, &[])
    },
    Row {
        machine: Machine::Unprivileged("chmod 000 b.c; \"$@\"; code=$?; chmod 644 b.c; exit $code"),
        ..told("a source that may not be read", |s| beside(s, "b.c", SUM), &["b.c"])
    },
    Row {
        machine: Machine::Unprivileged("chmod 000 \"$PWD\"; \"$@\"; code=$?; chmod 755 \"$PWD\"; exit $code"),
        code: USAGE,
        command: &["mutants", "-C", "../project"],
        ..told("a project that may not be read", |_| {}, &["project", "Permission denied"])
    },
    told(
        "a source in an old encoding",
        |s| s.write("a.c", [b"/* caf\xe9 */ ".as_slice(), SUM.as_bytes()].concat()),
        &[],
    ),
];

fn odd_name(scene: &Scene) {
    let name = std::ffi::OsStr::from_bytes(b"src/caf\xe9.c");
    fs::write(scene.root().join(name), SUM).unwrap();
}

fn circles(scene: &Scene) {
    symlink("..", scene.root().join("src/up")).unwrap();
    symlink("self", scene.root().join("self")).unwrap();
}
