//! `perturb report`, from a store that was filled by hand: no project, no engine, every outcome once.

mod elements;
pub mod schema;
mod synthetic;

use crate::scene::{run_in_time, Ran, FINE, STORE, UNUSABLE};
use std::fs;
use std::path::Path;
use std::process::Command;

const UPDATE: &str = "PERTURB_BLESS=1 cargo test -p perturb --test program report";

/// The program in a folder without a project.
fn report(work: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
    command.arg("report").args(arguments).arg("--work").arg(work).current_dir(work);
    command.env_remove("CLICOLOR_FORCE");
    run_in_time(command)
}

#[test]
fn the_text_report_is_as_its_golden_file_says() {
    let work = synthetic::store();
    let found = report(work.path(), &[]).expect(FINE).stdout.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/report.txt");
    if std::env::var_os("PERTURB_BLESS").is_some_and(|value| value == "1") {
        fs::write(&file, &found).unwrap();
    }
    let expected = fs::read_to_string(&file).unwrap_or_default();
    assert!(found == expected, "\n{}\nIf this is meant: {UPDATE}", crate::golden::difference(&expected, &found));
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
    assert!(found.contains("no mutant was decided"), "{found}");
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
