//! Where tests cannot be made, or not all of them: a clear word, the right exit code, and the rest goes on.

use super::{count, files, generate, run};
use crate::run::running::{assert_nothing_runs, Running};
use crate::scene::{has, text, Ran, Scene, FINE, INTERRUPTED, NOTHING, UNUSABLE, USAGE};
use serde_json::Value;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const HALF: &str = "int half(int a)\n{\n    return a / 2;\n}\n";
const LESS: &str = "int less(int a)\n{\n    return a - 3;\n}\n";
const TEST: &str = "int half(int), less(int);\nint main(void)\n{\n    half(1);\n    less(1);\n    return 0;\n}\n";
const MAKEFILE: &str = "check: t\n\t./t\nt: half.c less.c t.c\n\tcc -o $@ $^\n";
const SELECTION: [&str; 4] = ["--operators", "AOR", "--tiers", "native"];

/// A project without any run. None without make.
fn fresh() -> Option<Scene> {
    let files = [("half.c", HALF), ("less.c", LESS), ("t.c", TEST), ("Makefile", MAKEFILE)];
    has("make").then(|| Scene::new(&files))
}

/// One whose mutants all live.
fn project() -> Option<Scene> {
    let scene = fresh()?;
    run(&scene, &SELECTION[..2]);
    Some(scene)
}

fn testgen(scene: &Scene, arguments: &[&str]) -> Ran {
    scene.run(&[&["testgen"], &SELECTION[..], arguments].concat())
}

#[test]
fn without_a_run_it_says_what_to_do() {
    let Some(scene) = fresh() else { return };
    testgen(&scene, &[]).expect_error(UNUSABLE, &["`perturb run` first"]);
    assert!(!scene.outside("work/tests").exists());
}

#[test]
fn where_nothing_lives_there_is_nothing_to_do() {
    let Some(scene) = fresh() else { return };
    scene.write("t.c", TEST.replace("half(1);", "if (half(5) != 2 || half(4) != 2) return 1;").replace("less(1);", ""));
    run(&scene, &SELECTION[..2]);
    let ran = testgen(&scene, &["half.c"]).expect(FINE);
    assert!(ran.stderr.contains("left none of these mutants alive: there is nothing to do"), "{}", ran.stderr);
}

#[test]
fn what_changed_since_the_run_is_warned_of_and_the_rest_goes_on() {
    let Some(scene) = project() else { return };
    scene.write("half.c", HALF.replace("a / 2", "a * 5"));
    let out = scene.outside("tests");
    let ran = testgen(&scene, &["--out", out.to_str().unwrap()]).expect(FINE);
    let ran = ran.told(&[
        "warning: 4 of the 8 mutants are not in the last run: it was for others, or the sources have changed since",
        "`perturb run`",
    ]);
    assert!(ran.stdout.contains("for 4 of 4 mutants"), "{}", ran.stdout);
    assert_eq!(files(&out).into_keys().collect::<Vec<_>>(), ["CMakeLists.txt", "Makefile", "test_less.c"]);
}

#[test]
fn a_file_that_no_longer_compiles_is_told_and_the_others_get_tests() {
    let Some(scene) = project() else { return };
    scene.write("half.c", HALF.replace("a / 2;", "a / ;"));
    let out = scene.outside("tests");
    testgen(&scene, &["--out", out.to_str().unwrap()]).expect(FINE).told(&["half.c:3:16"]);
    assert!(files(&out).contains_key("test_less.c") && !files(&out).contains_key("test_half.c"));
}

#[test]
fn a_project_that_can_no_longer_be_built_is_told() {
    let Some(scene) = project() else { return };
    scene.write("Makefile", "check:\n\tnonsense\n");
    let ran = testgen(&scene, &[]).expect(UNUSABLE);
    assert!(ran.stderr.contains("error: "), "{}", ran.stderr);
    assert!(!scene.outside("work/tests").exists());
}

#[test]
fn a_framework_that_is_not_there_is_warned_of_and_the_tests_are_plain() {
    let Some(scene) = project() else { return };
    let (told, out) = generate(&scene, "tests", &[&SELECTION[..], &["--framework", "unity"]].concat());
    assert_eq!(count(&told, "killed"), 8);
    assert!(files(&out)["test_half.c"].contains("CHECK("));
    testgen(&scene, &["--framework", "unity"]).expect(FINE).told(&[
        "warning: unity cannot be used here, and the tests are plain C instead: ",
        "unity.h",
        "the project has no unity.c among the files that it compiles",
    ]);
    testgen(&scene, &["--framework", "junit"])
        .expect(USAGE)
        .told(&["invalid value 'junit'", "plain, cmocka, unity, check, gtest"]);
}

#[test]
fn nothing_is_written_over_a_file_of_somebody_else() {
    let Some(scene) = project() else { return };
    let out = scene.outside("tests");
    for foreign in ["Makefile", "test_less.c"] {
        std::fs::create_dir(&out).unwrap();
        std::fs::write(out.join(foreign), "all:\n").unwrap();
        testgen(&scene, &["--out", out.to_str().unwrap()])
            .expect_error(USAGE, &[foreign, "was not written by perturb: name another folder"]);
        assert_eq!(files(&out).into_iter().collect::<Vec<_>>(), [(foreign.to_string(), "all:\n".to_string())]);
        std::fs::remove_dir_all(&out).unwrap();
    }
    // In the project, its own build files are in the way: that is told before anything is looked for.
    testgen(&scene, &["--out", "."]).expect_error(USAGE, &["Makefile is there and was not written by perturb"]);
    // Its own are replaced.
    for _ in 0..2 {
        testgen(&scene, &["--out", out.to_str().unwrap()]).expect(FINE);
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_told_before_anything_is_looked_for() {
    let Some(scene) = project() else { return };
    scene.write("file", "");
    testgen(&scene, &["--out", "file/below"]).expect_error(UNUSABLE, &["cannot create file/below"]);
    testgen(&scene, &["--out", "file"]).expect_error(UNUSABLE, &["cannot create file"]);
    testgen(&scene, &["--out", "/proc/self"]).expect_error(UNUSABLE, &["cannot write to /proc/self"]);
}

#[test]
fn an_unknown_function_or_mutant_is_told() {
    let Some(scene) = project() else { return };
    testgen(&scene, &["--function", "quarter"]).expect_error(NOTHING, &["quarter"]);
    testgen(&scene, &["--mutant", "0123456789abcdef"]).expect_error(NOTHING, &["0123456789abcdef"]);
    testgen(&scene, &["--mutant", "xyz"]).expect(USAGE).told(&["xyz"]);
}

#[test]
fn when_the_time_is_up_the_rest_is_told_to_be_pending() {
    let Some(scene) = project() else { return };
    let (told, out) = generate(&scene, "tests", &[&SELECTION[..], &["--budget", "1ms"]].concat());
    assert_eq!(count(&told, "pending"), 8, "{told:#}");
    let is_pending = |mutant: &Value| text(mutant, "result") == "pending";
    assert!(told["mutants"].as_array().unwrap().iter().all(is_pending));
    assert_eq!(files(&out).len(), 0);
    let said = testgen(&scene, &["--budget", "1ms"]).expect(FINE).stdout;
    assert!(said.contains("pending                 8   the time was up before"), "{said}");
}

#[test]
fn a_mutant_in_a_header_is_told_to_be_there() {
    let Some(scene) = fresh() else { return };
    scene.write("part.h", "static inline int part(int a)\n{\n    return a / 3;\n}\n");
    scene.write("half.c", format!("#include \"part.h\"\n{}", HALF.replace("a / 2", "part(a)")));
    run(&scene, &SELECTION[..2]);
    let (told, _) = generate(&scene, "tests", &[&SELECTION[..], &["--function", "part"]].concat());
    let mutants = told["mutants"].as_array().unwrap();
    assert!(!mutants.is_empty() && count(&told, "unknown") == mutants.len() as u64, "{told:#}");
    assert!(mutants.iter().all(|mutant| text(mutant, "why").starts_with("it is in a header")), "{told:#}");
}

#[test]
fn where_time_is_short_what_kills_most_for_its_cost_comes_first_and_is_confirmed() {
    // In the order of files it would come last: the first would take all the time.
    let slow =
        "unsigned slow(unsigned n)\n{\n    unsigned i, sum = 1;\n    for (i = 0; i < 10000 + (n & 7); i++)\n        \
                sum = sum * 31 + n;\n    return sum == 0x12345678u && n == 77;\n}\n";
    let quick = "int quick(int a, int b)\n{\n    return (a < b) + (a > 3) + (b > 5) + (a == 7);\n}\n";
    let test = "int quick(int, int);\nunsigned slow(unsigned);\nint main(void)\n\
                {\n    slow(1);\n    quick(1, 2);\n    return 0;\n}\n";
    let makefile = "check: t\n\t./t\nt: a.c b.c t.c\n\tcc -o $@ $^\n";
    if !has("make") {
        return;
    }
    let scene = Scene::new(&[("a.c", slow), ("b.c", quick), ("t.c", test), ("Makefile", makefile)]);
    run(&scene, &["--operators", "ROR,UOI", "--function", "slow", "--function", "quick"]);
    let arguments = ["--operators", "ROR,UOI", "--function", "slow", "--function", "quick", "--tiers", "native"];
    let more = ["--seed-inputs", "none", "--jobs", "1", "--budget", "20s"];
    let start = Instant::now();
    let (told, out) = generate(&scene, "tests", &[&arguments[..], &more].concat());
    assert!(start.elapsed() < Duration::from_secs(60), "the budget is kept: {:?}", start.elapsed());
    assert!(files(&out).contains_key("test_b.c"), "{told:#}");
    assert!(count(&told, "killed") > 10 && count(&told, "pending") > 0, "{told:#}");
}

/// The folder of a search that goes on.
fn search(scene: &Scene) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(scene.outside("work")).unwrap().flatten();
    entries.find(|entry| entry.file_name().to_string_lossy().starts_with("equivalence-")).map(|entry| entry.path())
}

#[track_caller]
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "it is never so that {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Ends it as Ctrl-C does; what it said.
#[track_caller]
fn interrupted(scene: &Scene, mut running: Running) -> String {
    running.signal("-INT");
    let ended = running.end();
    assert_eq!(ended.status.code(), Some(INTERRUPTED), "{}", ended.stderr);
    let last = ended.stderr.lines().last().unwrap_or_default();
    assert!(
        last.starts_with("error: interrupted: ") && last.ends_with("`perturb testgen` goes on from here"),
        "{last}"
    );
    assert!(ended.stdout.contains("  pending "), "{}", ended.stdout);
    assert_nothing_runs(scene);
    assert_eq!(search(scene), None, "its folder is gone");
    ended.stdout
}

#[test]
fn an_interrupt_ends_it_and_leaves_nothing_half_written() {
    let Some(scene) = super::scene(&["src/strings.c"]) else { return };
    let out = scene.outside("tests");
    let arguments = ["testgen", "--operators", super::OPERATORS, "--jobs", "1", "--out", out.to_str().unwrap()];
    let running = Running::spawn(scene.command(&arguments));
    wait_until("something is searched for", || search(&scene).is_some());
    interrupted(&scene, running);
    assert_eq!(files(&out).len(), 0);
}

#[test]
fn after_an_interrupt_what_was_confirmed_is_written_and_what_was_found_is_known() {
    let paths = ["src/scalars.c", "src/choices.c", "src/arrays.c"];
    let options = ["--operators", super::OPERATORS, "--tiers", "native", "--sanitizers", "off"];
    let selection = [&paths[..], &options].concat();
    let Some(scene) = super::scene(&paths) else { return };
    let out = scene.outside("tests");
    let fixed = ["testgen", "--jobs", "1", "--seed-inputs", "none", "--out", out.to_str().unwrap()];
    let running = Running::spawn(scene.command(&[&fixed, &selection[..]].concat()));
    // Once the second file is tried, the first one is confirmed.
    let tried = || {
        let suite = search(&scene).map(|search| files(&search.join("0/program/suite"))).unwrap_or_default();
        suite.into_keys().filter(|name| name.ends_with(".c")).count()
    };
    wait_until("a second file is tried", || tried() >= 2);
    let said = interrupted(&scene, running);
    let written: Vec<String> = files(&out).into_keys().filter(|name| name.ends_with(".c")).collect();
    assert!(!written.is_empty() && written.len() < 3, "{written:?}");
    assert!(said.contains(" killed ") && said.contains(&written[0]), "{said}");
    let (told, again) = generate(&scene, "tests", &[&["--seed-inputs", "none"], &selection[..]].concat());
    let all = told["mutants"].as_array().unwrap().len() as u64;
    assert_eq!(told["known"].as_u64(), Some(all), "nothing is looked for again");
    assert_eq!(count(&told, "pending"), 0, "{told:#}");
    assert_eq!(files(&again).into_keys().filter(|name| name.ends_with(".c")).count(), 3);
}
