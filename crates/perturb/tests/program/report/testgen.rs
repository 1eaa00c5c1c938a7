//! What generated tests add to a run, in every report: which live mutants they kill, and what the score would be.

use super::{check_golden, elements, report, synthetic};
use crate::scene::FINE;
use std::fs;

/// What is said of the mutant that a generated test kills.
const KILL: &str = "killed by generated test test_push_00000000 in test_src_ring.c";
const NOT_YET: &str = "not part of the project yet";

#[test]
fn every_report_says_which_live_mutant_a_generated_test_kills() {
    let (before, after) = (synthetic::store(), synthetic::with_generated_tests());
    for format in ["text", "sarif", "junit", "github", "markdown", "json", "csv", "html"] {
        let told = |work: &tempfile::TempDir| report(work.path(), &["--format", format]).expect(FINE).stdout;
        assert!(!told(&before).contains("test_push"), "{format}");
        let text = told(&after).replace('\\', "");
        assert!(text.contains(KILL), "{format}: {text}");
        assert!(text.contains(NOT_YET) || format == "csv", "{format}: {text}");
    }
}

#[test]
fn the_score_with_generated_tests_stands_beside_that_of_the_run() {
    let (before, after) = (synthetic::store(), synthetic::with_generated_tests());
    let told = |work: &tempfile::TempDir| report(work.path(), &[]).expect(FINE).stdout;
    let text = told(&after);
    assert!(text.contains("with them the score would be ~72 % of covered code, ~64 % of all code"), "{text}");
    assert!(text.contains("they are in /projects/ring/.perturb/tests"), "{text}");
    let scores =
        |text: &str| text.lines().filter(|line| line.starts_with("score,")).map(String::from).collect::<Vec<_>>();
    assert_eq!(scores(&told(&before)), scores(&text));
    let json = elements::parsed(&report(after.path(), &["--format", "json"]).expect(FINE).stdout);
    assert_eq!(json["config"]["generatedTests"]["killed"], 1);
    assert_eq!(json["config"]["generatedTests"]["scores"][0], "~72 %");
    report(after.path(), &["--fail-under", "57.15"]).expect(crate::scene::UNDER_GATE);
}

#[test]
fn a_report_with_generated_tests_is_as_its_golden_file_says() {
    let work = synthetic::with_generated_tests();
    for (format, name) in [("text", "generated.txt"), ("markdown", "generated.md"), ("github", "generated.github.txt")]
    {
        check_golden(&report(work.path(), &["--format", format]).expect(FINE).stdout, name);
    }
}

#[test]
fn the_tables_say_of_each_mutant_what_came_of_it() {
    let (work, out) = (synthetic::with_generated_tests(), tempfile::tempdir().unwrap());
    let folder = out.path().join("tables");
    report(work.path(), &["--format", "csv", "--out", folder.to_str().unwrap()]).expect(FINE);
    for name in ["mutants.csv", "live.csv"] {
        let table = fs::read_to_string(folder.join(name)).unwrap();
        let rows: Vec<&str> =
            table.lines().filter(|line| line.contains("generated test") || line.contains("no test")).collect();
        assert!(table.lines().next().unwrap().ends_with(",compared,generated"), "{table}");
        assert_eq!(rows.len(), 3, "{table}");
        assert!(rows.iter().any(|row| row.ends_with("nothing is known\",no test: unknown: it may not end")), "{table}");
    }
}
