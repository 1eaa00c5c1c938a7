//! A second run: what is known is not executed again, and what may have changed is.

use super::subject::{subject, ALARM};
use super::{fine, told};
use crate::scene::{text, Scene, FINE, USAGE};
use std::collections::BTreeSet;

#[test]
fn a_second_run_executes_nothing_and_says_the_same() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &["--audit", "0"]);
    let (executions, reused) = first.work();
    assert!(executions > 50 && reused == 0, "{executions} {reused}");
    for arguments in [&[][..], &["--jobs", "1"], &["--jobs", "2"]] {
        let second = fine(&scene, &[&["--audit", "0"], arguments].concat());
        assert_eq!(second.work().0, 0, "{arguments:?}");
        assert_eq!(second.mutants(), first.mutants());
    }
    let rebuilt = fine(&scene, &["--engine", "rebuild", "--function", "clamp"]);
    assert_eq!(rebuilt.work().1, 0, "one engine does not vouch for the other");
    let again = fine(&scene, &["--engine", "rebuild", "--function", "clamp"]);
    assert_eq!((again.work().0, again.mutants()), (0, rebuilt.mutants()));
    assert!(again.all("build started").len() == 2, "nothing is built for what is known");
}

#[test]
fn an_edit_executes_only_what_it_can_change() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &[]);
    scene.write("src/alarm.c", ALARM.replace("value - limit", "value - limit + 0"));
    let (executions, reused) = fine(&scene, &[]).work();
    // Verdicts of test_gauge, which is built without this file, still hold.
    assert!(reused > 20 && executions > 20 && executions < first.work().0, "{executions} {reused}");
    scene.write("src/alarm.c", ALARM);
    assert_eq!(fine(&scene, &[]).work().0, 0, "what was true of this text is still known");
}

#[test]
fn what_changed_between_two_runs_is_told() {
    let Some(scene) = subject() else { return };
    let first = fine(&scene, &["--audit", "0"]);
    let compared = |old: &str, code| scene.run(&["report", "--compare", old]).expect(code);
    let told = compared("1", USAGE).stderr;
    assert!(told.contains("no such run") && told.contains("no other is kept"), "{told}");
    fine(&scene, &["--audit", "0"]);
    assert!(compared("1", FINE).stdout.contains("nothing that tests make of a mutant has changed"));
    let test = scene.read("tests/test_gauge.c");
    scene.write("tests/test_gauge.c", "int main(void) { return 0; }\n");
    let third = fine(&scene, &["--audit", "0"]);
    scene.write("tests/test_gauge.c", test);
    let text = compared("2", FINE).stdout;
    let lost = first.outcomes().into_iter().filter(|(_, word)| *word == "killed");
    let lost = lost.filter(|(id, _)| third.outcomes()[id] != "killed").count();
    assert!(lost > 10, "{lost}");
    let lines = text.lines().filter(|line| line.starts_with("  src/")).count();
    assert!(lines >= lost && text.contains("before") && text.contains("no longer killed"), "{text}");
    // The other way round, with the store of another folder.
    let work = scene.outside("other");
    fine(&scene, &["--audit", "0", "--work", work.to_str().unwrap()]);
    let [work, old] = [work, scene.outside("work")].map(|folder| folder.to_str().unwrap().to_string());
    let other = scene.run(&["report", "--work", &work, "--compare", &old]).expect(FINE).stdout;
    assert!(other.contains("killed now"), "{other}");
}

/// What is not asked about is not recorded either, even where it shares a point with what is.
#[test]
fn a_part_of_the_mutants_comes_to_what_it_comes_to_among_all() {
    let Some(scene) = subject() else { return };
    let run = |name: &str, ids: &[&str]| {
        let work = scene.outside(name);
        let chosen: Vec<&str> = ids.iter().flat_map(|id| ["--mutant", id]).collect();
        fine(&scene, &[&["--tce", "off", "--work", work.to_str().unwrap()], &chosen[..]].concat())
    };
    let all = run("all", &[]);
    let outcomes = all.outcomes();
    assert!(["killed", "live", "not infected", "not covered"].iter().all(|word| outcomes.values().any(|o| o == word)));
    let ids: Vec<&str> = outcomes.keys().copied().collect();
    for part in 0..3 {
        let chosen: Vec<&str> = ids.iter().skip(part).step_by(3).copied().collect();
        let told = run(&format!("part-{part}"), &chosen);
        let expected = chosen.iter().map(|id| (*id, outcomes[id])).collect();
        assert_eq!(told.outcomes(), expected);
    }
}

#[test]
fn what_the_user_grants_a_mutant_decides_too() {
    let Some(scene) = subject() else { return };
    let only = ["--function", "average"];
    let first = fine(&scene, &only);
    let patient = fine(&scene, &[&only[..], &["--timeout-factor", "20"]].concat());
    assert_eq!(patient.work(), first.work());
}

/// A library that is loaded, and a script that starts a program: in neither case does the test's own file change.
#[test]
fn a_header_without_mutants_is_something_that_verdicts_depend_on() {
    const LIBRARY: &str = "#include \"step.h\"\nint level(int value)\n{\n    return 1 + value / STEP;\n}\n";
    const TEST: &str = "int level(int value);\nint main(void)\n{\n    return level(4) == 1 ? 0 : 1;\n}\n";
    const MAKEFILE: &str = "all: libstep.so test_step tool\n\
        libstep.so: src/step.c src/step.h\n\t$(CC) -shared -fPIC -o $@ $<\n\
        test_step: tests/test_step.c libstep.so\n\t$(CC) -o $@ $< -L. -lstep -Wl,-rpath,'$$ORIGIN'\n\
        tool: src/tool.c src/step.h\n\t$(CC) -o $@ $<\n\
        check: all\n\t./test_step\n\tsh tests/tool.sh\n";
    const TOOL: &str = "#include \"step.h\"\nint main(int count, char **words)\n{\n    (void)words;\n    \
                        return count / STEP;\n}\n";
    let header = |step: u32| format!("#define STEP {step}\n");
    let scene = Scene::new(&[
        ("src/step.h", &header(5)),
        ("src/step.c", LIBRARY),
        ("src/tool.c", TOOL),
        ("tests/test_step.c", TEST),
        ("tests/tool.sh", "#!/bin/sh\n./tool 1 2\n"),
        ("Makefile", MAKEFILE),
    ]);
    if !crate::scene::has("make") {
        return;
    }
    let first = fine(&scene, &[]);
    let names: BTreeSet<&str> = first.mutants().values().map(|value| text(value, "test")).collect();
    assert!(names.contains("test_step"), "{names:?}");
    // The mutant `value % STEP` lives with 5 and not with 3.
    scene.write("src/step.h", header(7));
    let second = fine(&scene, &[]);
    assert_eq!(second.work().1, 0, "{:?}", second.events);
    assert!(second.work().0 > 10);
}

#[test]
fn a_test_that_a_header_breaks_is_left_out() {
    let Some(scene) = subject() else { return };
    scene.write("src/gauge.h", scene.read("src/gauge.h").replace("LEVEL_STEP 5", "LEVEL_STEP 6"));
    let told = fine(&scene, &[]);
    let left_out = told.one("test left out");
    assert_eq!((text(left_out, "test"), text(left_out, "why")), ("test_alarm", "failed: the test failed"));
    assert!(told.mutants().values().all(|value| text(value, "test") != "test_alarm"));
}

#[test]
fn what_is_live_can_be_executed_again_alone() {
    let Some(scene) = subject() else { return };
    told(&scene, &["--again", "live"]).ran.expect_error(USAGE, &["needs an earlier run"]);
    let first = fine(&scene, &[]);
    let second = fine(&scene, &["--again", "live"]);
    assert_eq!(second.one("execute started")["mutants"], first.count("live"));
    assert_eq!(second.mutants(), first.mutants(), "the others are as they were");
    // A better test: it is tried on what was live, and what is known of all else under the old one no longer counts.
    let better = "clamp(2, 0, 3) != 2 || clamp(0, 0, 3) != 0 || clamp(4, 0, 3) != 3";
    scene.write("tests/test_gauge.c", scene.read("tests/test_gauge.c").replace("clamp(2, 0, 3) != 2", better));
    let third = fine(&scene, &["--again", "live"]);
    assert!(third.count("killed") > 0, "{:?}", third.outcomes());
    assert!(third.mutants().len() < first.mutants().len(), "what is not asked for and not known is left pending");
}

#[test]
fn only_what_a_change_touches_is_executed() {
    let Some(scene) = subject() else { return };
    if !crate::scene::has("git") {
        return;
    }
    git(&scene, &["init", "--quiet"]);
    git(&scene, &["add", "."]);
    git(&scene, &["commit", "--quiet", "--message", "first"]);
    let ran = told(&scene, &["--diff", "HEAD"]);
    assert_eq!((ran.ran.code, &ran.one("mutants")["count"]), (0, &0.into()), "{:?}", ran.events);
    scene.write("src/alarm.c", ALARM.replace("return value * 2;", "return value * 2 + 1;"));
    let changed = fine(&scene, &["--diff", "HEAD"]);
    assert!(changed.mutants().len() > 5 && changed.count("not covered") == changed.mutants().len());
    told(&scene, &["--diff", "no-such-revision"]).ran.expect_error(USAGE, &["no-such-revision"]);
}

fn git(scene: &Scene, arguments: &[&str]) {
    let settings = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let mut command = std::process::Command::new("git");
    let status = command.arg("-C").arg(scene.root()).args(settings).args(arguments).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}
