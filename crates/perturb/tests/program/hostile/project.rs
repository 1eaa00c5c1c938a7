//! Every command on a project in which all that others could write is hostile.

use super::{expect_harmless, ODD, SHOWN};
use crate::run::subject::subject;
use crate::scene::{run_in_time, Ran, Scene, BROKEN, FINE, UNUSABLE, USAGE};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// A file name: all of it but what ends a name in a makefile or a folder.
const NAME: &str = "a\x1b[31m\u{9b}\u{202e}\nb::error::x.c";
const NAME_SHOWN: &str = "a\\x1b[31m\\u{9b}\\u{202e}\\nb::error::x.c";

const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";

/// As people read it.
#[track_caller]
fn expect_shown(text: &str, shown: &str) {
    expect_harmless(text, &['\t']);
    assert!(text.contains(shown), "`{shown}` is not shown:\n{text}");
}

#[test]
fn a_file_of_any_name_is_named_as_it_is() {
    let scene = Scene::compiled(&[(NAME, SUM)]);
    expect_shown(&scene.run(&["mutants"]).expect(FINE).stdout, NAME_SHOWN);
    expect_shown(&scene.run(&["mutants", "--stats"]).expect(FINE).stdout, NAME_SHOWN);
    let doctor = scene.run(&["doctor"]);
    expect_shown(&doctor.stdout, &format!("    {NAME_SHOWN}\n"));
    let mutants = scene.mutants(&[]);
    assert_eq!(mutants[0]["file"], NAME, "programs get it as it is");
    let show = scene.run(&["show", mutants[0]["id"].as_str().unwrap()]).expect(FINE).stdout;
    expect_shown(&show, &format!("--- a/{NAME_SHOWN}\n"));
    let out = scene.outside("out");
    let applied = ["apply", mutants[0]["id"].as_str().unwrap(), "--to", out.to_str().unwrap()];
    expect_shown(&scene.run(&applied).expect(FINE).stdout, &format!("out/{NAME_SHOWN}\n"));
    for format in ["json", "jsonl", "csv"] {
        expect_harmless(&scene.run(&["mutants", "--format", format]).expect(FINE).stdout, &[]);
    }
}

#[test]
fn what_is_typed_is_quoted_as_it_is() {
    let scene = Scene::compiled(&[("a.c", SUM)]);
    let option = format!("--{ODD}");
    for (arguments, shown) in [
        (vec!["mutants", NAME], NAME_SHOWN),
        (vec!["mutants", "-C", NAME], NAME_SHOWN),
        (vec!["mutants", "--function", NAME], NAME_SHOWN),
        (vec!["mutants", "--operators", NAME], "a\\x1b[31m"),
        (vec!["mutants", "--lines", NAME], "a\\x1b[31m"),
        (vec!["show", NAME], "a\\x1b[31m"),
        (vec!["mutants", &option], SHOWN),
        (vec!["mutants", "--format", ODD], SHOWN),
        (vec!["run", "--test-memory", ODD], SHOWN),
        (vec![ODD], SHOWN),
    ] {
        let ran = scene.run(&arguments);
        assert!(ran.code != FINE, "{arguments:?}");
        expect_shown(&ran.stderr, shown);
        let mut coloured = scene.command(&arguments);
        coloured.args(["--color", "always"]).env("CLICOLOR_FORCE", "1");
        let coloured = run_in_time(coloured).stderr;
        assert!(!coloured.contains(['\r', '\x08', '\u{9b}', '\u{202e}', '\x7f']), "{coloured:?}");
    }
    let mut command = scene.command(&["mutants"]);
    command.arg(OsStr::from_bytes(b"caf\xe9\x1b.c"));
    expect_shown(&run_in_time(command).expect(USAGE).stderr, "caf\\xe9\\x1b.c: ");
    let mut command = scene.command(&["mutants"]);
    command.arg("--function").arg(OsStr::from_bytes(b"\xe9\x1b"));
    expect_shown(&run_in_time(command).expect(USAGE).stderr, "invalid UTF-8");
}

#[test]
fn configurations_reviews_and_compilers_are_quoted_as_they_are() {
    let spoiled = |spoil: &dyn Fn(&Scene), arguments: &[&str]| -> Ran {
        let scene = Scene::compiled(&[("a.c", SUM)]);
        spoil(&scene);
        scene.run(arguments)
    };
    let configuration = |text: String| spoiled(&|scene| scene.write("perturb.toml", &text), &["mutants"]);
    for text in
        [format!("[mutants]\nx\u{202e}\x1b = 1 # {ODD}\n"), "[mutants]\n\"::error::x\u{9b}\u{202e}\" = 1\n".to_string()]
    {
        expect_shown(&configuration(text).expect(USAGE).stderr, "\\u{202e}");
    }
    let operators = configuration("[mutants]\noperators = \"\\u001b[2J\\u202E\"\n".to_string()).expect(USAGE);
    expect_shown(&operators.stderr, "\\x1b[2J\\u{202e}");
    let source = format!("#error \"{}\"\n{SUM}", ODD.replace(['\r', '\u{2028}'], ""));
    let parsed = spoiled(&|scene| scene.write("a.c", &source), &["mutants"]);
    expect_shown(&parsed.stderr, "\\u{202e}");
    let comment = format!("{SUM}// perturb: ignor\x1b[31m\u{202e}\n");
    let misread = spoiled(&|scene| scene.write("a.c", &comment), &["mutants"]);
    expect_shown(&misread.stderr, "ignor\\x1b[31m\\u{202e}");
}

#[test]
fn a_build_that_fails_is_told_as_it_is() {
    let Some(scene) = subject() else { return };
    let failing =
        "all:\n\t@printf 'x\\033[31m\\r\\010\\302\\233\\n::error::x\\n##[error]y\\n\\342\\200\\256\\377'; exit 1\n";
    scene.write("Makefile", scene.read("Makefile").replacen("all: test_gauge test_alarm\n", failing, 1));
    let ran = scene.run(&["run"]);
    assert!([BROKEN, UNUSABLE].contains(&ran.code), "{}", ran.stderr);
    expect_shown(&ran.stderr, "\\x1b[31m\\r\\x08\\u{9b}");
}

#[test]
fn a_run_and_what_it_left_are_told_as_they_are() {
    let Some(scene) = subject() else { return };
    // The output of tests, of one that is left out too, and a source with what could act.
    let write = "fputs(\"out\\033[31m\\r\\010\\302\\233\\342\\200\\256\\n::error::x\\n  ##[error]y\\n\", stdout);";
    for test in ["tests/test_gauge.c", "tests/test_alarm.c"] {
        let text = scene.read(test).replace("int main(void)\n{\n", &format!("int main(void)\n{{\n    {write}\n"));
        scene.write(test, format!("#include <stdio.h>\n{text}"));
    }
    scene.write(
        "tests/test_flaw.c",
        format!("#include <stdio.h>\nint main(void)\n{{\n    {write}\n    return 1;\n}}\n"),
    );
    let makefile = scene
        .read("Makefile")
        .replace("all: ", "all: test_flaw ")
        .replace("check: all\n", "check: all\n\t./test_flaw\n");
    scene.write("Makefile", format!("{makefile}test_flaw: tests/test_flaw.o\n\t$(CC) -o $@ $^\n"));
    let source = scene.read("src/gauge.c").replace("    for (i", "    /* \x1b[31m\u{202e} */ for (i");
    scene.write("src/gauge.c", source);
    let few =
        ["run", "--operators", "ROR", "--tce", "off", "--discard", "off", "--equivalence", "off", "--survivors", "all"];
    let ran = scene.run(&few).expect(FINE);
    expect_harmless(&ran.stdout, &[]);
    expect_shown(&ran.stderr, "  | out\\x1b[31m\\r\\x08\\u{9b}\\u{202e}\n  | ::error::x\n  |   ##\\x5berror]y\n");
    expect_shown(&ran.stderr, "/* \\x1b[31m\\u{202e} */ for");
    let report = scene.run(&["report"]).expect(FINE).stdout;
    expect_harmless(&report, &[]);
    let table = scene.run(&["report", "--format", "csv"]).expect(FINE).stdout;
    let show = |is: fn(&&str) -> bool| {
        let id = table.lines().find(is).and_then(|line| line.split(',').next()).unwrap();
        scene.run(&["show", id]).expect(FINE).stdout
    };
    let killed = show(|line| line.contains(",killed,") && line.contains(",clamp,"));
    expect_shown(&killed, "output      | out\\x1b[31m\\r\\x08\\u{9b}\\u{202e}\n            | ::error::x\n");
    expect_shown(&show(|line| line.contains(",live,")), "/* \\x1b[31m\\u{202e} */ for");
}
