//! What `perturb show` tells of a mutant after a run: what became of it, by which tests, and how to see that for
//! oneself.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::run::subject::{subject, GAUGE};
use crate::scene::{run_in_time, text, Scene, FINE};

/// One mutant of each status in the report, by its word there.
fn one_of_each(scene: &Scene) -> BTreeMap<String, String> {
    let report: Value = serde_json::from_str(&scene.run(&["report", "--format", "json"]).expect(FINE).stdout).unwrap();
    let files = report["files"].as_object().unwrap().values();
    let mutants = files.flat_map(|file| file["mutants"].as_array().unwrap());
    mutants.map(|mutant| (text(mutant, "status").to_string(), text(mutant, "id").to_string())).collect()
}

/// The first mutant in the report with such an outcome.
fn first_that_is(scene: &Scene, outcome: &str) -> String {
    let report = scene.run(&["report"]).expect(FINE).stdout;
    let word = format!(": {outcome}: ");
    let line = report.lines().find(|line| line.contains(&word)).unwrap_or_else(|| panic!("{word}:\n{report}"));
    line.rsplit(['[', ']']).nth(1).unwrap().to_string()
}

/// A project with a run behind it: of three functions, one of which no test calls.
fn analysed() -> Option<(Scene, BTreeMap<String, String>)> {
    let scene = subject()?;
    let few =
        ["--operators", "ROR,UOI,AOR", "--function", "clamp", "--function", "alarm_level", "--function", "unused"];
    scene.run(&[&["run", "--tce", "off", "--discard", "off", "--equivalence", "off"], &few[..]].concat()).expect(FINE);
    let ids = one_of_each(&scene);
    Some((scene, ids))
}

#[track_caller]
fn shown(scene: &Scene, id: &str, parts: &[&str]) -> String {
    let shown = scene.run(&["show", id]).expect(FINE).stdout;
    for part in parts {
        assert!(shown.contains(part), "`{part}` is not shown:\n{shown}");
    }
    shown
}

#[test]
fn a_mutant_is_shown_with_what_the_tests_made_of_it_and_why_it_lives() {
    let Some((scene, ids)) = analysed() else { return };
    let shown_killed = shown(
        &scene,
        &ids["Killed"],
        &[
            "\noutcome     killed by test_",
            "\nreached by  ",
            "\ninfected in ",
            "\nkilled by   1 test: test_",
            "\nas of       run 1, 20",
        ],
    );
    assert!(shown_killed.contains("engine      split-stream"), "{shown_killed}");
    assert!(!shown_killed.contains("stale"), "{shown_killed}");
    shown(
        &scene,
        &ids["NoCoverage"],
        &[
            "outcome     not covered",
            "no test executes the mutated statement",
            "reached by  no test",
            "--run-tests all",
        ],
    );
    let id = first_that_is(&scene, "live");
    let live = shown(&scene, &id, &["outcome     live", "although it makes a difference where it stands"]);
    assert!(live.contains("killed by   no test, of "), "{live}");
    let id = first_that_is(&scene, "not infected");
    shown(&scene, &id, &["never with values for which it differs from the original", "infected in no test"]);
}

/// The lines that `show` says to type, after a heading.
fn to_type(shown: &str, heading: &str) -> Vec<String> {
    let after = shown.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    after.take_while(|line| line.starts_with("    ")).map(|line| line.trim().to_string()).collect()
}

/// Types lines into a shell that knows the program.
fn typed(scene: &Scene, lines: &[String]) -> std::process::Output {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_perturb")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = Command::new("sh");
    shell.arg("-ec").arg(lines.join("\n")).current_dir(scene.root()).env("PATH", path.unwrap());
    shell.env("TMPDIR", scene.outside(""));
    shell.output().unwrap()
}

#[test]
fn what_show_says_to_type_does_what_it_says() {
    let Some((scene, ids)) = analysed() else { return };
    let live = first_that_is(&scene, "live");
    for (id, fails) in [(&ids["Killed"], true), (&live, false)] {
        let shown = shown(&scene, id, &["To see it for yourself"]);
        let by_hand = to_type(&shown, "or by hand");
        assert_eq!(by_hand.len(), 4, "{shown}");
        let (test, before) = by_hand.split_last().unwrap();
        let all = [before, &[format!("if {test}; then echo passes; else echo fails; fi")]].concat();
        let output = typed(&scene, &all);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{shown}\n{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(said.lines().last(), Some(if fails { "fails" } else { "passes" }), "{shown}\n{said}");
        let again = to_type(&shown, "To see it for yourself");
        assert!(
            again[0].starts_with("perturb run --work")
                && again[0].ends_with("--engine rebuild --tce off --equivalence off"),
            "{again:?}"
        );
        let output = typed(&scene, &again);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let word = if fails { "killed" } else { "live" };
        let counts = said.lines().any(|line| line.split_whitespace().take(2).eq([word, "1"]));
        assert!(output.status.success() && counts, "{said}");
    }
}

#[test]
fn a_run_of_one_mutant_leaves_what_is_known_of_the_others() {
    let Some((scene, ids)) = analysed() else { return };
    scene
        .run(&[
            "run",
            "--tce",
            "off",
            "--discard",
            "off",
            "--equivalence",
            "off",
            "--mutant",
            &ids["Killed"],
            "--engine",
            "rebuild",
        ])
        .expect(FINE);
    shown(&scene, &ids["Killed"], &["run 2, ", "engine      rebuild, it is built by itself: asked for"]);
    shown(&scene, &ids["NoCoverage"], &["run 1, ", "outcome     not covered"]);
}

#[test]
fn what_has_changed_since_makes_it_stale() {
    let Some((scene, ids)) = analysed() else { return };
    let id = &ids["Killed"];
    scene.write("src/gauge.c", format!("{GAUGE}/* more */\n"));
    shown(&scene, id, &["stale       src/gauge.c has changed since", "outcome     "]);
    scene.write("src/gauge.c", GAUGE);
    scene.write("src/alarm.c", scene.read("src/alarm.c") + "/* more */\n");
    shown(&scene, id, &["stale       src/alarm.c has changed since"]);
    // Its code is gone, and the store remembers it.
    scene.write("src/gauge.c", GAUGE.replace("clamp", "clip"));
    scene.write("src/gauge.h", scene.read("src/gauge.h") + "int clip(int value, int low, int high);\n");
    let ran = scene.run(&["show", id]).expect(FINE).told(&["not in the code any more"]);
    assert!(ran.stdout.contains("stale       src/gauge.c and 1 other file have changed since"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("To see it for yourself"), "{}", ran.stdout);
}

#[test]
fn a_store_that_cannot_be_read_is_told_and_done_without() {
    let Some((scene, ids)) = analysed() else { return };
    fs::write(scene.outside("work/store.sqlite"), "no database\n".repeat(100)).unwrap();
    let ran = scene.run(&["show", &ids["Killed"]]).expect(FINE).told(&["warning: ", "no store of perturb"]);
    assert!(ran.stdout.contains("To try it by hand: perturb apply"), "{}", ran.stdout);
}

#[test]
fn many_tests_are_counted_and_named_when_asked_for() {
    let Some(scene) = subject() else { return };
    let names: Vec<String> = (0..9).map(|number| format!("case_{number}")).collect();
    let mut arguments = vec![
        "run",
        "--tce",
        "off",
        "--discard",
        "off",
        "--equivalence",
        "off",
        "--function",
        "clamp",
        "--test-command",
        "sh -c './test_gauge # {test}'",
    ];
    names.iter().for_each(|name| arguments.extend(["--test", name]));
    scene.run(&arguments).expect(FINE);
    let ids = one_of_each(&scene);
    let few =
        shown(&scene, &ids["Killed"], &["9 tests: case_0, case_1, case_2, case_3, case_4 and 4 more (--all-tests"]);
    assert!(few.contains("8 more were not run, as one kill is enough"), "{few}");
    assert!(few.contains("--test-command \"sh -c './test_gauge") && few.contains("--test case_8"), "{few}");
    let all = scene.run(&["show", &ids["Killed"], "--all-tests"]).expect(FINE).stdout;
    assert!(all.contains("case_7, case_8\n"), "{all}");
}

#[test]
fn a_mutant_that_the_compiler_refuses_shows_what_it_says() {
    let Some(scene) = subject() else { return };
    // An array cannot have less than no elements.
    scene.write(
        "src/alarm.c",
        "#include \"gauge.h\"\nenum { LIMIT = 4, SIZE = LIMIT - 3 };\nextern int table[SIZE];\n\
         int alarm_level(int value, int limit)\n{\n    return value > limit ? (value > 10 ? 3 : 1) : 0;\n}\n",
    );
    scene.run(&["run", "src/alarm.c", "--lines", "src/alarm.c:2"]).expect(FINE);
    shown(&scene, &one_of_each(&scene)["CompileError"], &["outcome     compile error", "\ncompiler    ", "error"]);
}

#[test]
fn show_is_the_same_as_ever_without_a_store() {
    let Some(scene) = subject() else { return };
    let id = scene.mutants(&[])[0]["id"].as_str().unwrap().to_string();
    let shown = run_in_time(scene.command(&["show", &id])).expect(FINE).stdout;
    assert!(!shown.contains("outcome") && shown.contains("To try it by hand: perturb apply"), "{shown}");
}
