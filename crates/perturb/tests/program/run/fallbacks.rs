//! Code that does not bear its mutants beside it: what cannot be in the instrumented build is built by itself, with the
//! reason, and all else stays switched.

use std::os::unix::fs::PermissionsExt;

use super::{fine, Told};
use crate::scene::{has, text, Scene, FINE};

const SOURCE: &str = r#"#include <stddef.h>

/* The compiler wants a number here, and nothing that is computed. */
int called(int n)
{
    void *caller = __builtin_return_address(0);
    return caller != NULL && n > 0 ? n + 1 : n - 1;
}

int before(int n)
{
    return n > 2 ? n - 2 : 0;
}

/* How much code it has is what it computes. */
int code_bytes(int n)
{
    int result = n;
start:
    result = result * 3 + 1;
end:
    if (result < 0)
        goto start;
    return (int)((char *)&&end - (char *)&&start);
}

int after(int n)
{
    return n < 7 ? n * 2 : n;
}
"#;

const TEST: &str = r#"int called(int n);
int before(int n);
int code_bytes(int n);
int after(int n);

int main(int count, char **words)
{
    (void)words;
    if (before(5) != 3 || before(1) != 0 || after(3) != 6 || after(8) != 8)
        return 1;
    return count > 1 ? called(1) != 2 || called(-1) != -2 : code_bytes(2) >= 60;
}
"#;

const MAKEFILE: &str = "all: test_odd\ntest_odd: tests/test_odd.c src/odd.c\n\t$(CC) -c src/odd.c -o odd.o\n\
                        \t$(CC) -o $@ tests/test_odd.c odd.o\ncheck: all\n\t./test_odd\n\t./test_odd called\n";

fn project() -> Option<Scene> {
    let files = [("Makefile", MAKEFILE), ("src/odd.c", SOURCE), ("tests/test_odd.c", TEST)];
    has("make").then(|| Scene::new(&files))
}

const FEW: [&str; 2] = ["--operators", "ICR,ROR"];

#[test]
fn what_does_not_compile_beside_its_mutants_is_cut_down_to_the_offending_ones() {
    let Some(scene) = project() else { return };
    let told = fine(&scene, &FEW);
    let mutants = scene.mutants(&FEW);
    let is_offending = |line: &str| line.contains("__builtin_return_address(0)");
    let lines: Vec<&str> = SOURCE.lines().collect();
    let offending = |mutant: &&serde_json::Value| {
        is_offending(lines[mutant["line"].as_u64().unwrap() as usize - 1]) && text(mutant, "original") == "0"
    };
    let count = mutants.iter().filter(offending).count();
    assert!(count > 0 && count < 5, "{count}");
    assert_eq!(told.one("instrumented")["rebuilt"], count, "the others stay");
    let report = scene.run(&["report"]).expect(FINE).stdout;
    let row = report.lines().find(|line| line.contains("it does not compile beside the others")).unwrap_or_default();
    assert!(row.contains(&format!(" {count} ")) && row.contains("__builtin_return_address"), "{report}");
}

#[test]
fn a_function_with_which_a_test_does_not_pass_is_found_by_halving() {
    let Some(scene) = project() else { return };
    let told = fine(&scene, &FEW);
    let left_out = told.one("function left out");
    assert_eq!((text(left_out, "function"), text(left_out, "test")), ("src/odd.c: int code_bytes(int n)", "test_odd"));
    assert!(told.all("test not instrumented").is_empty(), "the test runs switched, without that function");
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains("test_odd does not pass with its function instrumented"), "{report}");
    let quiet = scene.run(&["run", "--quiet"]).expect(FINE);
    quiet.told(&["test_odd does not pass with this function instrumented", "int code_bytes(int n)"]);
}

/// The test fails the first time that it is recorded, as on a machine that is too busy.
#[test]
fn a_test_that_fails_once_while_it_is_recorded_accuses_no_function() {
    let Some(scene) = project() else { return };
    let notes = scene.outside("notes");
    std::fs::create_dir(&notes).unwrap();
    std::fs::set_permissions(&notes, std::fs::Permissions::from_mode(0o777)).unwrap();
    let note = notes.join("failed");
    let fails_once = "if [ -n \"$PERTURB_RECORD\" ] && [ ! -e NOTE ]; then : > NOTE; exit 1; fi";
    let script = format!("#!/bin/sh\n{fails_once}\nexec ./test_odd \"$1\"\n").replace("NOTE", note.to_str().unwrap());
    scene.write("flaky.sh", &script);
    let tests = "[tests]\ncommand = \"./flaky.sh {test}\"\nnames = [\"called\"]\n";
    scene.write("perturb.toml", format!("{tests}\n[sandbox]\nwrite = [\"{}\"]\n", notes.display()));
    let told = fine(&scene, &FEW);
    assert!(note.exists(), "it has failed while it was recorded");
    let functions: Vec<&str> = told.all("function left out").iter().map(|event| text(event, "function")).collect();
    assert!(functions.is_empty() && told.all("test not instrumented").is_empty(), "{functions:?}");
}

#[test]
fn what_falls_back_comes_to_the_same_end_as_what_is_rebuilt() {
    let Some(scene) = project() else { return };
    let words = |told: &Told| -> Vec<(String, bool)> {
        let is_killed = |(id, word): (&str, &str)| (id.to_string(), word == "killed");
        told.outcomes().into_iter().map(is_killed).collect()
    };
    let fastest = words(&fine(&scene, &FEW));
    let rebuilt = words(&fine(&scene, &[&FEW[..], &["--engine", "rebuild", "--run-tests", "covering"]].concat()));
    assert_eq!(fastest, rebuilt);
}
