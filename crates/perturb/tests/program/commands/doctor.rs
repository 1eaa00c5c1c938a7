//! `perturb doctor`: each thing that perturb needs, with ok or what to do.

use std::fs;

use perturb_store::Store;

use super::small;
use crate::run::subject::subject;
use crate::scene::{Scene, FINE, UNUSABLE};

/// The lines that say how things are, without the lists of files.
fn lines(report: &str) -> Vec<&str> {
    report.lines().take_while(|line| !line.is_empty()).collect()
}

#[test]
fn doctor_says_ok_for_each_thing_and_lists_both_sets_of_files() {
    let scene = small();
    scene.write("tests/test_clamp.c", "int main(void) { return 0; }\n");
    let entry =
        |file: &str| serde_json::json!({"directory": ".", "file": file, "arguments": ["cc", "-Iinclude", "-c", file]});
    let entries: Vec<_> = ["src/clamp.c", "src/other.c", "tests/test_clamp.c"].map(entry).to_vec();
    scene.write("compile_commands.json", serde_json::Value::from(entries).to_string());
    let report = scene.run(&["doctor"]).expect(FINE).stdout;
    for part in ["ok  libclang", "ok  project", "ok  compiler", "ok  parsing", "--  build", "ok  space", "ok  work"] {
        assert!(report.contains(part), "`{part}`:\n{report}");
    }
    let (under_test, rest) = report.split_once("not under test (1)").unwrap();
    assert!(under_test.contains("\n    src/clamp.c\n    src/other.c\n"), "{report}");
    assert!(rest.contains("tests/test_clamp.c") && rest.contains("test: in a folder named tests"), "{report}");
}

#[test]
fn doctor_tells_what_is_wrong_and_ends_with_5() {
    let scene = small();
    scene.write("src/other.c", "#include \"generated.h\"\nint other(int a) { return a; }\n");
    let ran = scene.run(&["doctor"]).expect_error(UNUSABLE, &["attention"]);
    assert!(ran.stdout.contains("!!  parsing") && ran.stdout.contains("generated.h"), "{}", ran.stdout);
    let ran = scene.run(&["doctor", "--libclang", "/nowhere/libclang.so"]).expect_error(UNUSABLE, &["attention"]);
    assert!(ran.stdout.contains("!!  libclang"), "{}", ran.stdout);
    let empty = Scene::new(&[]);
    let ran = empty.run(&["doctor"]).expect_error(UNUSABLE, &["attention"]);
    assert!(ran.stdout.contains("!!  project"), "{}", ran.stdout);
}

#[test]
fn doctor_names_the_clang_that_proofs_need() {
    let scene = small();
    let line =
        |report: &str| lines(report).into_iter().find(|line| line[4..].starts_with("clang ")).unwrap().to_string();
    // A folder with the compiler and no clang.
    let bin = scene.outside("bin");
    fs::create_dir(&bin).unwrap();
    let program = |name: &str| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap())
            .map(|folder| folder.join(name))
            .find(|file| file.is_file())
    };
    for name in ["cc", "as", "ld"] {
        std::os::unix::fs::symlink(program(name).unwrap(), bin.join(name)).unwrap();
    }
    let with_bin = || {
        let mut command = scene.command(&["doctor"]);
        command.env("PATH", &bin);
        scene.finish(command).stdout
    };
    let none = line(&with_bin());
    assert!(none.starts_with("--  clang      none found") && none.ends_with("apt-get install clang"), "{none}");
    let old =
        "#!/bin/sh\necho '#define __clang__ 1'\necho '#define __clang_major__ 9'\necho 'clang version 9.0.1' >&2\n";
    scene.write("clang", old);
    fs::rename(scene.root().join("clang"), bin.join("clang")).unwrap();
    let old = line(&with_bin());
    assert!(old.starts_with("--  clang ") && old.contains("clang version 9.0.1: proofs need 14 or later"), "{old}");
    let newest = (14..=30).rev().find_map(|version| program(&format!("clang-{version}")));
    if let Some(newest) = newest {
        let found = line(&scene.run(&["doctor"]).stdout);
        assert!(found.starts_with(&format!("ok  clang      {}, ", newest.display())), "{found}");
    }
}

#[test]
fn doctor_tells_that_nothing_is_under_test() {
    let scene = Scene::compiled(&[("tests/test_a.c", "int main(void) { return 1 + 1; }\n")]);
    let ran = scene.run(&["doctor"]);
    assert!(ran.stdout.contains("under test (0)"), "{}", ran.stdout);
    assert_ne!(ran.code, FINE, "nothing to mutate is not fine:\n{}", ran.stdout);
}

#[test]
fn doctor_looks_at_build_tests_sandbox_space_and_store_without_building() {
    let Some(scene) = subject() else { return };
    let report = scene.run(&["doctor"]).expect(FINE).stdout;
    let parts = [
        "??  build      not tried: in a copy, with `(cd tree && make",
        "??  tests      not tried: run by make check",
        "doctor --tests",
    ];
    for part in parts.into_iter().chain(["sandbox ", "ok  space ", "ok  work "]) {
        assert!(report.contains(part), "`{part}`:\n{report}");
    }
    assert!(!scene.outside("work/store.sqlite").exists(), "a look makes no store");
}

#[test]
fn doctor_runs_the_tests_twice_when_asked_to() {
    let Some(scene) = subject() else { return };
    let report = scene.run(&["doctor", "--tests"]).expect(FINE).stdout;
    let tests = lines(&report).into_iter().find(|line| line.contains("tests ")).unwrap();
    assert!(tests.starts_with("ok  tests      2 tests, run by make check, passing twice; one round takes"), "{report}");
    assert!(report.contains("ok  build      took"), "{report}");
    assert!(!scene.outside("work/store.sqlite").exists(), "what is tried is not kept as a run");
}

#[test]
fn doctor_names_tests_that_fail_and_ends_with_5_where_none_passes() {
    let Some(scene) = subject() else { return };
    let gauge = scene.read("tests/test_gauge.c");
    scene.write(
        "tests/test_gauge.c",
        gauge.replace(
            "int main(void)\n{",
            "#include <stdio.h>\nint main(void)\n{\n    puts(\"dead battery\");\n    return 1;",
        ),
    );
    let report = scene.run(&["doctor", "--tests"]).expect(FINE).stdout;
    assert!(report.contains("--  tests      1 of 2 tests") && report.contains("test_gauge: failed"), "{report}");
    assert!(report.contains("dead battery"), "what it says is shown:\n{report}");
    scene.write("tests/test_alarm.c", "int main(void)\n{\n    return 1;\n}\n");
    let report = scene.run(&["doctor", "--tests"]).expect_error(UNUSABLE, &["attention"]).stdout;
    assert!(report.contains("!!  tests      2 tests") && report.contains("none passes twice"), "{report}");
}

#[test]
fn doctor_tells_of_a_build_that_fails() {
    let Some(scene) = subject() else { return };
    scene.write("tests/test_gauge.c", "int main(void)\n{\n    return no_such_function();\n}\n");
    let report = scene.run(&["doctor", "--tests"]).expect_error(UNUSABLE, &["attention"]).stdout;
    assert!(report.contains("!!  build ") && report.contains("no_such_function"), "{report}");
}

#[test]
fn doctor_tells_of_a_store_that_is_in_use_or_of_another_version() {
    let scene = small();
    let work = scene.outside("work");
    let store = Store::open(&work).unwrap();
    let report = scene.run(&["doctor"]).expect_error(UNUSABLE, &["attention"]).stdout;
    let holder = format!("another run (process {}) is using", std::process::id());
    assert!(report.contains("!!  work ") && report.contains(&holder), "{report}");
    drop(store);
    scene.run(&["doctor"]).expect(FINE);
    let file = work.join(Store::FILE_NAME);
    let mut bytes = fs::read(&file).unwrap();
    // The version stands at byte 60 of an SQLite file.
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&file, &bytes).unwrap();
    let report = scene.run(&["doctor"]).expect_error(UNUSABLE, &["attention"]).stdout;
    assert!(report.contains("!!  work ") && report.contains("newer perturb"), "{report}");
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn doctor_remembers_what_the_last_run_made_of_the_tests() {
    let Some(scene) = subject() else { return };
    scene.run(&["run", "--until", "baseline"]).expect(FINE);
    let report = scene.run(&["doctor"]).expect(FINE).stdout;
    assert!(report.contains("2 of 2 tests passed in the run of 20"), "{report}");
}
