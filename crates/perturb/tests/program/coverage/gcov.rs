//! `--coverage gcov`.

use super::{program, project, set, Covered, LIBRARY};
use crate::scene::{has, Scene, UNUSABLE};
use perturb_model::{Engine, MutantIdx};

const UNTIL: [&str; 4] = ["--coverage", "gcov", "--until", "record"];

fn usable() -> bool {
    ["make", "gcov", "cc"].iter().all(|tool| has(tool))
}

/// Statements that call `call` in another process, which then ends so.
fn in_child(call: &str, end: &str) -> String {
    format!("if (!fork()) {{ {call}; {end}; }}\n    return wait(0) == -1;")
}

#[test]
fn each_test_counts_what_all_its_processes_execute_and_nothing_else() {
    if !usable() {
        return;
    }
    let elsewhere = "return chdir(\"/\") != 0 || first(1) != 2;".to_string();
    let children = in_child("first(1)", "exit(0)");
    let program_after = in_child("second(1)", "execv(\"/bin/true\", argv)");
    let scene = project(&[
        ("plain", "return second(1) != 3;"),
        ("chdir", &elsewhere),
        ("fork", &children),
        ("exec", &program_after),
        ("loop", "return third(5) != 5;"),
        ("nothing", "return 0;"),
    ]);
    let tests = ["plain", "chdir", "fork", "exec", "loop", "nothing"];
    let covered = Covered::of_project(&scene, &tests, &UNTIL);
    assert_eq!(covered.unknown(), Default::default());
    let functions = |test: &str| covered.functions(&format!("tests/{test}"));
    assert_eq!(functions("plain"), set(&["second"]));
    assert_eq!(functions("chdir"), set(&["first"]));
    assert_eq!(functions("fork"), set(&["first"]));
    assert_eq!(functions("exec"), set(&["second"]));
    assert_eq!(functions("nothing"), set(&[]));
    // The head of the loop has nothing to compute, and is executed all the same: `while (0)` is a mutant.
    let line = |line: u32| covered.lines()[&("tests/loop".to_string(), "src/lib.c".into(), line)];
    assert_eq!((line(5), line(6)), (0, 1), "this is what gcov makes of it");
    assert!(functions("loop") == set(&["third"]));
    let of_head = |mutant: &MutantIdx| covered.run.mutants[*mutant].mutant.start().line == 5;
    let heads: Vec<MutantIdx> = MutantIdx::all(covered.run.mutants.len()).filter(of_head).collect();
    let reach = covered.reader.reach(&covered.run).unwrap();
    let of_loop = reach.iter().find(|reach| reach.test.as_str() == "tests/loop").unwrap();
    assert!(!heads.is_empty() && heads.iter().all(|mutant| of_loop.reached.contains(*mutant)));
}

#[test]
fn a_test_whose_counts_may_not_be_whole_counts_as_executing_everything_and_is_told() {
    if !usable() {
        return;
    }
    let (quiet, aborted) = (in_child("first(1)", "_exit(0)"), in_child("first(1)", "abort()"));
    let scene = project(&[("plain", "return first(1) != 2;"), ("quiet", &quiet), ("aborted", &aborted)]);
    scene.write("tests/script", "#!/bin/sh\nexit 0\n");
    let fails = "const char *counts = getenv(\"GCOV_PREFIX\");\n    return counts != 0 && strlen(counts) > 0;";
    scene.write("tests/fails.c", program(fails));
    let tests = ["plain", "quiet", "aborted", "script", "fails"];
    let covered = Covered::of_project(&scene, &tests, &UNTIL);
    let unknown = covered.unknown();
    for (test, why) in [
        ("quiet", "without writing"),
        ("aborted", "without writing"),
        ("script", "no data"),
        ("fails", "does not pass"),
    ] {
        let name = format!("tests/{test}");
        assert!(unknown[&name].contains(why), "{test}: {unknown:?}");
        assert_eq!(covered.functions(&name), None);
    }
    assert_eq!(covered.functions("tests/plain"), set(&["first"]));
    assert_eq!(covered.events("coverage unknown").len(), 3, "each reason is told once");
}

#[test]
fn a_test_that_clears_its_environment_is_counted_when_it_runs_alone() {
    if !usable() {
        return;
    }
    let cleared =
        "char *none[] = {0}, *again[] = {argv[0], \"again\", 0};\n    if (argc > 1) return first(1) != 2;\n    \
                   execve(argv[0], again, none);\n    return 1;";
    let scene = project(&[("plain", "return second(1) != 3;"), ("cleared", cleared)]);
    let covered = Covered::of_project(&scene, &["plain", "cleared"], &UNTIL);
    assert_eq!(covered.unknown(), Default::default());
    assert_eq!(covered.functions("tests/plain"), set(&["second"]));
    assert_eq!(covered.functions("tests/cleared"), set(&["first"]));
}

#[test]
fn a_second_run_counts_anew() {
    if !usable() {
        return;
    }
    let scene = project(&[("plain", "return first(1) != 2;"), ("other", "return second(1) != 3;")]);
    let tests = ["plain", "other"];
    let covered = Covered::of_project(&scene, &tests, &UNTIL);
    assert_eq!(covered.functions("tests/plain"), set(&["first"]));
    // The test calls something else, and the library has other lines.
    scene.write("tests/plain.c", program("return second(1) != 3;"));
    scene.write("src/lib.c", format!("/* one more line */\n{LIBRARY}"));
    let covered = Covered::of_project(&scene, &tests, &UNTIL);
    assert_eq!(covered.functions("tests/plain"), set(&["second"]));
    assert_eq!(covered.functions("tests/other"), set(&["second"]));
    let lines = covered.lines();
    let count = |line: u32| lines.get(&("tests/plain".to_string(), "src/lib.c".into(), line)).copied();
    assert_eq!([count(1), count(2), count(3)], [None, Some(0), Some(1)]);
    // What an earlier run has left in the folders counts for nothing.
    for left in ["common/x.gcda", "common/processes", "0/x.gcda"] {
        std::fs::write(scene.outside("work/gcov").join(left), "+").unwrap();
    }
    let again = Covered::of_project(&scene, &tests, &UNTIL);
    assert_eq!((again.unknown(), again.lines()), (Default::default(), lines));
}

#[test]
fn on_the_example_gcov_and_our_own_recording_agree_on_every_statement() {
    if !usable() || !has("cmake") {
        return;
    }
    let scene = Scene::example();
    let own = Covered::of(&scene, &["run", "--until", "record", "--quiet"]);
    let gcov = Covered::of(&scene, &["run", "--until", "record", "--quiet", "--coverage", "gcov"]);
    let (own_lines, gcov_lines) = (own.lines(), gcov.lines());
    let both: Vec<_> = own_lines.iter().filter_map(|(line, own)| Some((line, *own, *gcov_lines.get(line)?))).collect();
    let differ: Vec<_> = both.iter().filter(|(_, own, gcov)| (*own > 0) != (*gcov > 0)).collect();
    assert!(differ.is_empty(), "{differ:?}");
    assert!(both.len() > 500 && both.iter().any(|(_, count, _)| *count == 0), "{} lines", both.len());
    let reached = |covered: &Covered| -> Vec<_> {
        let reach = covered.reader.reach(&covered.run).unwrap();
        reach.into_iter().map(|reach| (reach.test, reach.reached)).collect()
    };
    assert_eq!(reached(&own), reached(&gcov));
}

#[test]
fn verdicts_are_the_same_whoever_counts_and_whichever_engine_runs() {
    if !usable() {
        return;
    }
    let scene = project(&[("first", "return first(1) != 2;"), ("third", "return third(5) != 5;")]);
    let tests = ["first", "third"];
    let own = Covered::of_project(&scene, &tests, &[]);
    let gcov = Covered::of_project(&scene, &tests, &["--coverage", "gcov"]);
    assert_eq!(own.verdicts(), gcov.verdicts());
    // gcov does not count infections, on which split-stream relies, and no mutant is said to be split.
    let assigned = |covered: &Covered, engine: Engine| {
        let plans = covered.run.mutants.iter().filter_map(|state| state.plan.as_ref());
        plans.filter(|plan| plan.engine == engine).count()
    };
    assert!(assigned(&own, Engine::Split) > 0 && assigned(&gcov, Engine::Switched) > 0);
    assert_eq!(assigned(&gcov, Engine::Split), 0);
    let rebuilt = ["--coverage", "gcov", "--engine", "rebuild", "--operators", "AOR,ICR"];
    let rebuilt = Covered::of_project(&scene, &tests, &rebuilt);
    let of_own = own.verdicts();
    assert!(rebuilt.verdicts().iter().all(|(id, verdict)| of_own[id] == *verdict), "{:?}", rebuilt.verdicts());
    assert!(rebuilt.events("instrumented").is_empty(), "nothing that is not needed is built");
    let words: std::collections::BTreeSet<&str> =
        rebuilt.run.mutants.iter().map(|state| state.outcome.word()).collect();
    assert!(["killed", "live", "not covered"].iter().all(|word| words.contains(word)), "{words:?}");
}

#[test]
fn where_the_instrumented_build_cannot_be_made_gcov_stands_in_for_it() {
    if !usable() {
        return;
    }
    let scene = project(&[("first", "return first(1) != 2;")]);
    // A build that looks at its sources.
    let makefile = scene.read("Makefile").replace("lib.o: src/lib.c\n", "lib.o: src/lib.c\n\t! grep perturb $<\n");
    scene.write("Makefile", makefile);
    let covered = Covered::of_project(&scene, &["first"], &["--until", "record"]);
    assert_eq!(covered.events("not instrumented").len(), 1);
    assert!(covered.ran.stderr.contains("--coverage gcov"), "{}", covered.ran.stderr);
    assert_eq!(covered.functions("tests/first"), set(&["first"]));
    // Neither can be had: all tests run on all mutants, and the run goes on.
    scene.write("src/lib.c", format!("#ifndef __OPTIMIZE__\n#error not without\n#endif\n{LIBRARY}"));
    let covered = Covered::of_project(&scene, &["first"], &["--until", "record"]);
    assert!(covered.events("gcov unusable")[0]["reason"].as_str().unwrap().contains("not without"));
    assert_eq!(covered.functions("tests/first"), None);
}

#[test]
fn gcov_that_was_asked_for_and_cannot_be_had_is_an_error() {
    if !usable() {
        return;
    }
    let scene = project(&[("first", "return first(1) != 2;")]);
    scene.write("src/lib.c", format!("#ifndef __OPTIMIZE__\n#error not without\n#endif\n{LIBRARY}"));
    let arguments = ["run", "--test-command", "./{test}", "--test", "tests/first", "--coverage", "gcov"];
    scene.run(&arguments).expect_error(UNUSABLE, &["does not build for gcov", "not without", "gcov-build.log"]);
    if has("bear") {
        scene.write("src/lib.c", LIBRARY);
        scene.write("Makefile", scene.read("Makefile").replace("$(CC)", "/usr/bin/cc"));
        scene.run(&arguments).expect_error(UNUSABLE, &["absolute path", "--coverage FOLDER"]);
    }
}
