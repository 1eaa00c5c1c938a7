//! `perturb report`, from a store that was filled by hand: no project, no engine, every outcome once.

mod browser;
mod elements;
mod html;
mod published;
pub mod schema;
pub mod synthetic;
mod testgen;

use crate::scene::{run_in_time, Ran, FINE, NO_SCORE, STORE, UNDER_GATE, UNUSABLE, USAGE};
use perturb_fuzz::golden::{is_blessing, HINT};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The program in a folder without a project.
fn report(work: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
    command.arg("report").args(arguments).arg("--work").arg(work).current_dir(work);
    command.env_remove("CLICOLOR_FORCE");
    run_in_time(command)
}

#[test]
fn reports_are_as_their_golden_files_say() {
    let work = synthetic::store();
    for (format, name) in [
        ("text", "report.txt"),
        ("sarif", "report.sarif"),
        ("junit", "report.xml"),
        ("github", "report.github.txt"),
        ("markdown", "report.md"),
    ] {
        check_golden(&report(work.path(), &["--format", format]).expect(FINE).stdout, name);
    }
}

#[track_caller]
fn check_golden(found: &str, name: &str) {
    let found = found.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if is_blessing() {
        fs::write(&file, &found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "\n{}\n{HINT}", crate::golden::difference(&expected, &found));
}

#[test]
fn a_build_server_finds_a_case_for_each_mutant() {
    let work = synthetic::store();
    let text = report(work.path(), &["--format", "junit"]).expect(FINE).stdout;
    let document = roxmltree::Document::parse(&text).unwrap();
    let suites = document.root_element();
    let count = |node: roxmltree::Node<'_, '_>, name: &str| node.descendants().filter(|n| n.has_tag_name(name)).count();
    let told = |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<usize>().unwrap();
    for suite in suites.children().filter(|node| node.is_element()).chain([suites]) {
        assert_eq!(told(suite, "tests"), count(suite, "testcase"));
        assert_eq!(told(suite, "failures"), count(suite, "failure"));
        assert_eq!(told(suite, "skipped"), count(suite, "skipped"));
    }
    assert_eq!((count(suites, "testcase"), count(suites, "failure"), count(suites, "testsuite")), (16, 2, 2));
}

#[test]
fn an_editor_finds_what_lives_where_it_stands() {
    let work = synthetic::store();
    let log = elements::parsed(&report(work.path(), &["--format", "sarif"]).expect(FINE).stdout);
    let results = log["runs"][0]["results"].as_array().unwrap();
    let warnings: Vec<_> = results.iter().filter(|result| result["level"] == "warning").collect();
    assert_eq!((results.len(), warnings.len()), (5, 2));
    let region = &warnings[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((region["startLine"].as_u64(), region["startColumn"].as_u64()), (Some(5), Some(15)));
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(results.iter().all(|result| rules.iter().any(|rule| rule["id"] == result["ruleId"])));
}

#[test]
fn a_score_below_the_gate_has_an_exit_code_of_its_own() {
    let work = synthetic::store();
    // Four of seven.
    for (least, code) in [("57", FINE), ("57.14", FINE), ("57.15", UNDER_GATE), ("100%", UNDER_GATE)] {
        let ran = report(work.path(), &["--fail-under", least]).expect(code);
        assert!(!ran.stdout.is_empty() && ran.stderr.contains("less than") == (code == UNDER_GATE), "{}", ran.stderr);
    }
    report(synthetic::unfinished().path(), &["--fail-under", "0"]).expect_error(NO_SCORE, &["no mutant was executed"]);
    report(work.path(), &["--fail-under", "101"]).expect_error(USAGE, &["from 0 to 100"]);
}

#[test]
fn live_mutants_are_lines_that_editors_understand() {
    let work = synthetic::store();
    let found = report(work.path(), &[]).expect(FINE).stdout;
    let live: Vec<_> = found.lines().filter(|line| line.contains(": live: ")).collect();
    assert_eq!(live, ["src/ring.c:5:15: live: ROR push(): '<' -> '<=' [0000000000000004]"]);
}

#[test]
fn a_run_that_was_killed_is_reported_with_what_it_found() {
    let work = synthetic::unfinished();
    let found = report(work.path(), &[]).expect(FINE).stdout;
    assert!(found.contains("not finished: it goes on, or it was killed"), "{found}");
    assert!(found.contains("pending") && found.contains("run again to go on"), "{found}");
    assert!(found.contains("no mutant was executed"), "{found}");
    let json = elements::parsed(&report(work.path(), &["--format", "json"]).expect(FINE).stdout);
    schema::check(&json);
    assert_eq!(json["files"]["src/ring.c"]["mutants"][0]["status"], "Pending");
}

#[test]
fn without_a_store_the_report_says_what_makes_one() {
    let work = tempfile::tempdir().unwrap();
    report(work.path(), &[]).expect_error(STORE, &["no analysis in", "perturb run"]);
    assert_eq!(fs::read_dir(work.path()).unwrap().count(), 0, "reading makes nothing");
}

#[test]
fn a_damaged_store_is_told_and_left_as_it_is() {
    let work = synthetic::store();
    let file = work.path().join("store.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0x5a);
    fs::write(&file, &bytes).unwrap();
    report(work.path(), &[]).expect_error(STORE, &["damaged", "the next `perturb run` sets it aside"]);
    assert_eq!(fs::read(&file).unwrap(), bytes);
}

#[test]
fn a_report_goes_to_a_file_whole_and_without_colours() {
    let work = synthetic::store();
    let folder = tempfile::tempdir().unwrap();
    for format in ["text", "json"] {
        let file = folder.path().join(format);
        let arguments = ["--format", format, "--color", "always", "--out", file.to_str().unwrap()];
        let ran = report(work.path(), &arguments).expect(FINE);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
        let expected = report(work.path(), &["--format", format]).stdout;
        assert_eq!(fs::read_to_string(&file).unwrap(), expected);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left there");
    let nowhere = folder.path().join("no/such/folder");
    let arguments = ["--out", nowhere.to_str().unwrap()];
    report(work.path(), &arguments).expect_error(UNUSABLE, &["cannot write", "no/such/folder"]);
}

#[test]
fn the_store_is_found_in_the_project_that_one_is_in() {
    let project = tempfile::tempdir().unwrap();
    fs::write(project.path().join("CMakeLists.txt"), "project(p C)\n").unwrap();
    fs::create_dir(project.path().join("src")).unwrap();
    synthetic::fill(&project.path().join(".perturb"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
    command.arg("report").current_dir(project.path().join("src"));
    assert!(run_in_time(command).expect(FINE).stdout.contains("[0000000000000004]"));
}
