//! What a run says on the way, and that the settings `perturb init` writes mean what they say.

use serde_json::Value;

use crate::run::subject::subject;
use crate::scene::{run_in_time, text, Scene, FINE, USAGE};

/// The settings that `perturb init` proposes, with these lines opened.
fn configured(scene: &Scene, settings: &[&str]) {
    if scene.root().join("perturb.toml").exists() {
        scene.remove("perturb.toml");
    }
    run_in_time(scene.command(&["init"])).expect(FINE);
    let mut text = scene.read("perturb.toml");
    for setting in settings {
        let key = setting.split_once(" = ").unwrap().0;
        let (before, after) = text.split_once("\n[tests]\n").unwrap();
        let old = after.lines().find(|line| line.starts_with(&format!("# {key} = "))).unwrap();
        text = format!("{before}\n[tests]\n{}", after.replace(old, setting));
    }
    scene.write("perturb.toml", text);
}

/// The tests that take part, and those that are left out.
fn tests(scene: &Scene) -> (u64, Vec<String>) {
    let told = scene.run(&["run", "--until", "baseline", "--events", "json"]).expect(FINE).stdout;
    let events: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &'static str| events.iter().filter(move |event| text(event, "event") == kind);
    let passed = of("baseline finished").next().unwrap()["passed"].as_u64().unwrap();
    (passed, of("test left out").map(|event| text(event, "test").to_string()).collect())
}

#[test]
fn what_init_proposes_for_the_tests_means_what_it_says() {
    let Some(scene) = subject() else { return };
    for (settings, passed, left_out) in [
        (&[][..], 2, &[][..]),
        (&["only = [\"*gauge\"]"], 1, &[]),
        (&["exclude = [\"test_*\"]", "only = [\"*\"]"], 0, &[]),
        (&["exclude = [\"*alarm\"]"], 1, &[]),
        (&["command = \"./{test}\"", "names = [\"test_gauge\", \"test_alarm\"]"], 2, &[]),
        (&["command = \"./{test}\"", "list = \"ls test_gauge\""], 1, &[]),
        (&["command = \"sh -c 'test {test} = a || sleep 5'\"", "names = [\"a\", \"b\"]", "timeout = 0.3"], 1, &["b"]),
    ] {
        configured(&scene, settings);
        if passed == 0 {
            let ran = scene.run(&["run", "--until", "baseline"]);
            assert_ne!(ran.code, FINE, "{settings:?}: {}", ran.stderr);
            continue;
        }
        let found = tests(&scene);
        assert_eq!(
            (found.0, found.1.as_slice()),
            (passed, &left_out.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
            "{settings:?}"
        );
    }
    scene.write("perturb.toml", "[tests]\ntimeout = -1\n");
    scene.run(&["run"]).expect_error(USAGE, &["perturb.toml", "seconds"]);
}

#[test]
fn a_mutant_that_only_warns_counts_as_the_configuration_says() {
    let Some(scene) = subject() else { return };
    scene.write("Makefile", scene.read("Makefile").replace("CFLAGS = -Isrc", "CFLAGS = -Isrc -Wall -Wextra -Werror"));
    // Without its addend the parameter is not used any more: gcc and clang warn of that.
    scene.write(
        "src/alarm.c",
        "#include \"gauge.h\"\n\nint alarm_level(int value, int limit)\n\
         {\n    return value > limit ? (value > 10 ? 3 : 1) : 0;\n}\n",
    );
    let of = |settings: &[&str]| {
        configured(&scene, settings);
        let arguments = ["run", "--function", "alarm_level", "--operators", "ROD", "--engine", "rebuild"];
        let summary = scene.run(&arguments).expect(FINE).stdout;
        let row = summary.lines().find(|line| line.trim_start().starts_with("compile error")).unwrap().to_string();
        row.split_whitespace().nth(2).unwrap().parse::<usize>().unwrap()
    };
    assert_eq!(of(&[]), 0);
    assert!(of(&["warnings = \"errors\""]) > 0);
}

#[test]
fn a_run_says_what_it_found_and_what_it_will_take() {
    let Some(scene) = subject() else { return };
    let ran = scene.run(&["run", "--function", "clamp"]).expect(FINE);
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("note: ")).collect();
    let parts = [
        "mutants in 1 file; the project is built with `make",
        "all 2 tests pass on the original, twice; one round takes",
        "built the project with all mutants in it in",
        "all of them are in that one build",
        "mutants to execute: about ",
    ];
    for part in parts {
        assert!(told.iter().any(|line| line.contains(part)), "`{part}`: {told:#?}");
    }
    let ran = scene.run(&["run", "--function", "clamp"]).expect(FINE);
    ran.told(&["no mutant has to be executed: earlier runs know all of it"]);
    let ran = scene.run(&["run", "--function", "average", "--only-tests", "test_alarm"]).expect(FINE);
    ran.told(&["the one test passes on", "no mutant has to be executed: these tests can kill none"]);
}

#[test]
fn survivors_are_shown_with_their_line_as_many_as_are_asked_for() {
    let Some(scene) = subject() else { return };
    let live = |arguments: &[&str]| {
        let ran = scene.run(&[&["run"], arguments].concat()).expect(FINE);
        let lines: Vec<String> = ran.stderr.lines().map(str::to_string).collect();
        let count = lines.iter().filter(|line| line.contains(": live: ")).count();
        (count, lines)
    };
    let (all, lines) = live(&["--survivors", "all"]);
    let first = lines.iter().position(|line| line.contains(": live: ")).unwrap();
    let place = lines[first].split(':').collect::<Vec<_>>();
    assert!(place[0].starts_with("src/") && place[1].parse::<u32>().is_ok() && place[2].parse::<u32>().is_ok());
    assert!(lines[first + 1].contains(" | ") && lines[first + 2].contains('^'), "{lines:#?}");
    let (few, lines) = live(&[]);
    assert!(few > 0 && few < all, "{few} of {all}");
    assert!(lines.iter().any(|line| line.contains("of them shown (one a line") && line.contains("perturb report")));
    assert_eq!(live(&["--survivors", "none"]).0, 0);
    let quiet = scene.run(&["run", "--quiet"]).expect(FINE);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn colours_are_for_terminals_or_for_those_who_ask() {
    let Some(scene) = subject() else { return };
    let plain = scene.run(&["run", "--function", "clamp"]).expect(FINE);
    assert!(!plain.stderr.contains('\u{1b}') && !plain.stdout.contains('\u{1b}'), "{}", plain.stderr);
    let coloured = scene.run(&["run", "--function", "clamp", "--color", "always"]).expect(FINE);
    assert!(coloured.stderr.contains('\u{1b}') && coloured.stdout.contains('\u{1b}'), "{}", coloured.stderr);
}

#[test]
fn time_that_is_not_enough_for_the_first_mutant_is_told() {
    let Some(scene) = subject() else { return };
    let ran = scene.run(&["run", "--budget", "1ms"]).expect(FINE);
    ran.told(&["the time was up before the first mutant"]);
}
