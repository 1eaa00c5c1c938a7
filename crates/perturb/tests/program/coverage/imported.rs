//! `--coverage FOLDER`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{project, set, Covered};
use crate::scene::{copy, has, Scene, UNUSABLE, USAGE};

fn usable() -> bool {
    ["make", "cc"].iter().all(|tool| has(tool))
}

/// Files for the folder `data` beside the project.
fn data(scene: &Scene, files: &[(&str, &str)]) -> String {
    let folder = scene.outside("data");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder.to_str().unwrap().to_string()
}

/// A tracefile as lcov writes it.
fn trace(file: &str, lines: &[(u32, u64)]) -> String {
    let records: String = lines.iter().map(|(line, count)| format!("DA:{line},{count}\n")).collect();
    format!("TN:\nSF:{file}\n{records}end_of_record\n")
}

#[test]
fn each_test_has_data_under_its_name_and_what_is_amiss_is_told() {
    if !usable() {
        return;
    }
    let scene = project(&[
        ("first", "return first(1) != 2;"),
        ("second", "return second(1) != 3;"),
        ("both", "return first(1) + second(1) != 5;"),
        ("none", "return 0;"),
        ("broken", "return 0;"),
    ]);
    let library = scene.root().join("src/lib.c");
    let library = library.to_str().unwrap();
    let lines = r#"[{"line_number": 1, "count": 3}, {"line_number": 2, "count": 1}]"#;
    let json = format!(r#"{{"files": [{{"file": "{library}", "lines": {lines}}}]}}"#);
    let folder = data(
        &scene,
        &[
            ("tests%2Ffirst.info", &trace("/builds/7/src/lib.c", &[(1, 1), (2, 0), (6, 0)])),
            ("tests_second/part.info", &trace("src/lib.c", &[(2, 4)])),
            ("tests%2Fboth.json", &json),
            ("tests%2Fbroken.info", "SF:src/lib.c\nDA:1,1\n"),
            ("gone.info", &trace("src/lib.c", &[(1, 1)])),
            ("README", "how these were collected"),
        ],
    );
    let tests = ["first", "second", "both", "none", "broken"];
    let covered = Covered::of_project(&scene, &tests, &["--coverage", &folder, "--until", "record"]);
    let functions = |test: &str| covered.functions(&format!("tests/{test}"));
    assert_eq!(functions("first"), set(&["first"]));
    // Nothing is said of it in the test's own data, and something in another's: it is not executed.
    assert_eq!(functions("second"), set(&["second"]));
    assert_eq!(functions("both"), set(&["first", "second"]));
    let unknown = covered.unknown();
    assert!(unknown["tests/none"].contains("no data") && unknown["tests/broken"].contains("cut off"), "{unknown:?}");
    assert_eq!((functions("none"), functions("broken")), (None, None));
    let unmatched = &covered.events("coverage unmatched")[0]["names"];
    assert_eq!(unmatched, &serde_json::json!(["README", "gone.info"]));
    assert_eq!(covered.events("coverage stale"), Vec::<serde_json::Value>::new());
}

#[test]
fn lcov_data_give_the_verdicts_that_gcov_gives() {
    if !usable() || !has("gcov") {
        return;
    }
    let scene = project(&[("first", "return first(1) != 2;"), ("third", "return third(5) != 5;")]);
    let tests = ["first", "third"];
    let gcov = Covered::of_project(&scene, &tests, &["--coverage", "gcov"]);
    let lines = gcov.lines();
    let of_test = |test: &str| -> String {
        let own = lines.iter().filter(|((name, ..), _)| name.ends_with(test));
        trace("src/lib.c", &own.map(|((_, _, line), count)| (*line, *count)).collect::<Vec<_>>())
    };
    let folder = data(&scene, &[("tests_first.info", &of_test("first")), ("tests_third.info", &of_test("third"))]);
    let imported = Covered::of_project(&scene, &tests, &["--coverage", &folder]);
    assert_eq!(imported.lines(), lines);
    assert_eq!(imported.verdicts(), gcov.verdicts());
    assert_eq!(imported.reader.reach(&imported.run).unwrap(), gcov.reader.reach(&gcov.run).unwrap());
}

/// As a user would: a copy is built with `--coverage`, and each test is run with a folder of its own.
#[test]
fn data_that_gcov_left_for_each_test_are_read_with_the_notes_of_their_build() {
    if !usable() || !has("gcov") {
        return;
    }
    let scene = project(&[("first", "return first(1) != 2;"), ("second", "return second(1) != 3;")]);
    let (built, folder) = (scene.outside("elsewhere"), scene.outside("data"));
    copy(&scene.root(), &built);
    let run =
        |command: &mut Command| assert!(command.current_dir(&built).output().unwrap().status.success(), "{command:?}");
    run(Command::new("make").arg("CFLAGS=--coverage -O0"));
    for test in ["first", "second"] {
        let own = folder.join(format!("tests_{test}"));
        run(Command::new(Path::new("./tests").join(test)).env("GCOV_PREFIX", own));
    }
    let arguments = ["--coverage", "../data", "--until", "record"];
    let covered = Covered::of_project(&scene, &["first", "second"], &arguments);
    assert_eq!(covered.unknown(), Default::default());
    assert_eq!(covered.functions("tests/first"), set(&["first"]));
    assert_eq!(covered.functions("tests/second"), set(&["second"]));
    // Built anew, the notes are of another compilation: what was counted before says nothing.
    fs::write(built.join("src/lib.c"), scene.read("src/lib.c").replace("x + 1", "x + 1 + 0 * (x > 1)")).unwrap();
    run(Command::new("make").arg("CFLAGS=--coverage -O0"));
    let all = ["run", "--test-command", "./{test}", "--test", "tests/first", "--test", "tests/second"];
    let ran = scene.run(&[&all[..], &arguments].concat());
    ran.expect_error(UNUSABLE, &["it has no usable coverage data of any test", "another compilation"]);
}

#[test]
fn data_that_are_older_than_the_source_are_told_and_impossible_ones_are_not_used() {
    if !usable() {
        return;
    }
    let scene = project(&[("first", "return first(1) != 2;")]);
    scene.write("src/more.c", "int more(int x) { return x + 3; }\n");
    scene.write(
        "Makefile",
        scene
            .read("Makefile")
            .replace("lib.o\n", "lib.o more.o\n")
            .replace("lib.o: ", "more.o: src/more.c\n\t$(CC) -c -o $@ $<\nlib.o: "),
    );
    let text = trace("src/lib.c", &[(1, 1), (2, 0), (7, 0)]) + &trace("src/more.c", &[(1, 0), (99, 0)]);
    let folder = data(&scene, &[("tests_first.info", &text)]);
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let trace = fs::File::options().write(true).open(Path::new(&folder).join("tests_first.info")).unwrap();
    trace.set_modified(long_ago).unwrap();
    let covered = Covered::of_project(&scene, &["first"], &["--coverage", &folder, "--until", "record"]);
    let stale = covered.events("coverage stale");
    assert_eq!(stale[0]["file"], "src/more.c");
    assert_eq!((&stale[0]["used"], &stale[1]["used"]), (&false.into(), &true.into()), "{stale:?}");
    assert_eq!(covered.functions("tests/first"), set(&["first", "more"]));
}

#[test]
fn a_folder_that_is_not_there_or_speaks_of_something_else_is_an_error() {
    if !usable() {
        return;
    }
    let scene = project(&[("first", "return first(1) != 2;")]);
    scene.run(&["run", "--coverage", "lcov"]).expect_error(USAGE, &["--coverage lcov", "own, gcov, or a folder"]);
    let folder = data(&scene, &[("tests_first.info", &trace("/elsewhere/entirely.c", &[(1, 1)]))]);
    let arguments = ["run", "--test-command", "./{test}", "--test", "tests/first", "--coverage", &folder];
    scene.run(&arguments).expect_error(UNUSABLE, &["no file with mutants", "/elsewhere/entirely.c"]);
    let folder = data(&scene, &[]);
    let arguments = [&arguments[..6], &[folder.as_str()]].concat();
    scene.run(&arguments).expect_error(UNUSABLE, &["it has no usable coverage data of any test", "no data"]);
}
