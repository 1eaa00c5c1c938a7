//! Help and version, and that the book agrees with the program's own words.

use std::fs;

use super::small;
use crate::scene::{Scene, FINE, USAGE};
use perturb_model::Step;

#[test]
fn help_and_version_go_to_standard_output() {
    let scene = Scene::new(&[]);
    for command in [&["--help"][..], &["mutants", "--help"], &["show", "--help"], &["apply", "-h"], &["--version"]] {
        let ran = scene.run(command).expect(FINE);
        assert!(!ran.stdout.is_empty() && ran.stderr.is_empty(), "{command:?}");
    }
    let help = scene.run(&["--help"]).expect(FINE).stdout;
    for part in ["doctor", "init", "mutants", "run", "show", "apply", "report", "Exit codes", "-C"] {
        assert!(help.contains(part), "`{part}`:\n{help}");
    }
    let help = scene.run(&["run", "--help"]).expect(FINE).stdout;
    for part in ["Examples:", "--budget 10m", "--again live", "--diff main", "perturb show ID"] {
        assert!(help.contains(part), "`{part}`:\n{help}");
    }
}

/// Options that only a study needs, and values that they take.
const EXPERT: [(&str, &[(&str, &str)]); 4] = [
    (
        "run",
        &[
            ("--ci-width", "0.2"),
            ("--ci-level", "90%"),
            ("--reduce", ""),
            ("--reduce-width", "0.05"),
            ("--distance", "ochiai"),
            ("--discard-threshold", "0.1"),
            ("--run-tests", "covering"),
            ("--audit", "5"),
            ("--tce-levels", "O2,Ofast"),
            ("--tce-fast-floats", ""),
        ],
    ),
    ("equiv", &COMPARING),
    ("confidence", &COMPARING),
    ("testgen", &[("--seed-inputs", "none"), COMPARING[0], COMPARING[1], COMPARING[2]]),
];
const COMPARING: [(&str, &str); 3] = [("--exhaust", "100"), ("--steps", "1000"), ("--tiers", "native")];

#[test]
fn options_of_studies_are_in_the_help_for_experts_only() {
    let scene = Scene::new(&[]);
    for (command, options) in EXPERT {
        let plain = scene.run(&[command, "--help"]).expect(FINE).stdout;
        let expert = scene.run(&[command, "--help-expert"]).expect(FINE);
        assert!(expert.stderr.is_empty() && !expert.stdout.contains("also shows the options"), "{}", expert.stdout);
        let hint = format!("`perturb {command} --help-expert` also shows the options that only a study needs.");
        assert_eq!(plain.lines().last(), Some(hint.as_str()));
        for (option, _) in options {
            let lists = |help: &str| help.lines().any(|line| line.trim_start().split(' ').next() == Some(*option));
            assert!(!lists(&plain), "{command} {option}:\n{plain}");
            assert!(lists(&expert.stdout), "{command} {option}:\n{}", expert.stdout);
        }
        let count = |help: &str| help.lines().filter(|line| line.trim_start().starts_with("--")).count();
        assert_eq!(count(&expert.stdout), count(&plain) + options.len(), "{}", expert.stdout);
    }
    let ran = scene.run(&["mutants", "--help-expert"]).expect(USAGE);
    assert!(ran.stderr.contains("--help-expert"), "{}", ran.stderr);
}

#[test]
fn options_of_studies_work_all_the_same() {
    let scene = small();
    for (command, options) in EXPERT.into_iter().filter(|(command, _)| *command != "testgen") {
        let words = options.iter().flat_map(|(option, value)| [*option, *value]).filter(|word| !word.is_empty());
        let until: &[&str] = if command == "run" { &["--until", "mutate"] } else { &[] };
        let command: Vec<&str> = [command].into_iter().chain(words).chain(until.iter().copied()).collect();
        scene.run(&command).expect(FINE);
    }
    scene.run(&["run", "--distance", "far"]).expect_error(USAGE, &["`far` is no distance"]);
    scene.run(&["run", "--audit", "some"]).expect_error(USAGE, &["--audit"]);
}

fn page_of_book(name: &str) -> String {
    fs::read_to_string(format!("{}/../../book/src/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Codes and what they mean, as a list has them.
fn exit_codes(text: &str) -> Vec<(i32, String)> {
    let line = |line: &str| {
        let (code, meaning) = line.trim_start_matches(['|', ' ']).split_once(|c: char| !c.is_ascii_digit())?;
        Some((code.parse().ok()?, meaning.trim_matches([' ', '|']).to_string()))
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn the_help_and_the_book_list_the_same_exit_codes() {
    let help = Scene::new(&[]).run(&["--help"]).expect(FINE).stdout;
    let told = exit_codes(help.split_once("Exit codes:").unwrap().1);
    let written = exit_codes(page_of_book("commands.md").split_once("## Exit codes").unwrap().1);
    assert_eq!(told.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 130, 70]);
    for ((code, meaning), (other, in_book)) in told.iter().zip(&written) {
        assert!(code == other && in_book.starts_with(meaning), "{code} {meaning} | {other} {in_book}");
    }
    assert_eq!(told.len(), written.len());
}

#[test]
fn the_book_has_a_table_of_all_steps_in_their_order() {
    let page = page_of_book("run.md");
    let rows = page.split_once("\n| step |").unwrap().1.lines().skip(2).take_while(|line| line.starts_with('|'));
    let names: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
    assert_eq!(names, Step::ALL.map(Step::word));
    let mass: Vec<u32> = page.lines().filter(|line| line.starts_with("| `")).flat_map(numbers_of_mass).collect();
    assert!((1..=8).all(|number| mass.contains(&number)), "{mass:?}");
}

/// `1` and `5` of `| `record` | ... | 1 Collect data, 5 Sample |`.
fn numbers_of_mass(row: &str) -> Vec<u32> {
    let cell = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap();
    cell.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn a_run_stops_only_after_steps_that_are_named_as_in_reports() {
    let help = Scene::new(&[]).run(&["run", "--help"]).expect(FINE).stdout;
    let choices = help.split_once("--until <STEP>").unwrap().1.split_once("--again").unwrap().0;
    let names = choices.lines().filter_map(|line| line.trim_start().strip_prefix("- ")?.split(':').next());
    let names: Vec<&str> = names.collect();
    assert_eq!(names, [Step::Mutate, Step::Baseline, Step::Tce, Step::Instrument, Step::Record].map(Step::word));
}
