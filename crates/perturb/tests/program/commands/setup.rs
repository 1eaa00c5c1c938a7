//! `perturb init`, help and version.

use std::fs;

use super::small;
use crate::scene::{run_in_time, snapshot, Scene, FINE, USAGE};

/// `init` is the one command that writes in the project: one file.
fn init(scene: &Scene, arguments: &[&str]) -> String {
    let before = snapshot(&scene.root());
    let ran = run_in_time(scene.command(&[&["init"], arguments].concat())).expect(FINE);
    assert!(ran.stdout.contains("perturb.toml"), "{}", ran.stdout);
    let new: Vec<_> = snapshot(&scene.root()).into_keys().filter(|path| !before.contains_key(path)).collect();
    assert_eq!(new, [scene.root().join("perturb.toml")]);
    scene.read("perturb.toml")
}

#[test]
fn init_writes_a_commented_configuration_that_the_program_accepts() {
    let scene = small();
    let before = scene.mutants(&[]);
    let text = init(&scene, &[]);
    assert!(text.lines().filter(|line| line.starts_with('#')).count() > 5, "{text}");
    assert_eq!(scene.mutants(&[]), before, "a fresh configuration changes nothing");
}

#[test]
fn every_commented_line_of_the_configuration_is_accepted_too() {
    let scene = small();
    let text = init(&scene, &[]);
    let is_setting = |line: &str| {
        let key = line.strip_prefix("# ").and_then(|rest| rest.split_once(" = ")).map(|(key, _)| key);
        line.starts_with("# [[") || key.is_some_and(|key| key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'))
    };
    let opened: String = text
        .lines()
        .map(|line| if is_setting(line) { line[2..].to_string() } else { line.to_string() } + "\n")
        .collect();
    assert!(opened.contains("\nnever_in = ") && opened.contains("\nbuild = "), "{opened}");
    fs::create_dir(scene.root().join("build")).unwrap();
    fs::rename(scene.root().join("compile_commands.json"), scene.root().join("build/compile_commands.json")).unwrap();
    let database = scene.read("build/compile_commands.json").replace("\"directory\":\".\"", "\"directory\":\"..\"");
    scene.write("build/compile_commands.json", database);
    scene.write("perturb.toml", opened);
    scene.run(&["mutants"]).expect(FINE);
}

#[test]
fn init_keeps_the_build_command_it_was_given() {
    let scene = Scene::new(&[("a.c", super::OTHER), ("build.sh", "#!/bin/sh\ncc -c \"a.c\"\n")]);
    let text = init(&scene, &["--build", "sh ./build.sh 'x \"y\"'"]);
    assert!(text.lines().any(|line| line.starts_with("build = ")), "{text}");
    assert!(!scene.mutants(&[]).is_empty(), "no --build is needed any more");
}

#[test]
fn init_refuses_to_overwrite() {
    let scene = small();
    init(&scene, &[]);
    scene.write("perturb.toml", "# mine\n");
    scene.run(&["init"]).expect_error(USAGE, &["already there"]);
    assert_eq!(scene.read("perturb.toml"), "# mine\n");
}

#[test]
fn init_finds_the_example_s_build_and_tests() {
    if !crate::scene::has("cmake") {
        return;
    }
    let scene = Scene::example();
    let text = init(&scene, &[]);
    assert!(text.contains("CMake; tests: ctest"), "{text}");
}

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
    ("testgen", &[("--seeds", "none"), COMPARING[0], COMPARING[1], COMPARING[2]]),
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
        let until: &[&str] = if command == "run" { &["--until", "mutants"] } else { &[] };
        let command: Vec<&str> = [command].into_iter().chain(words).chain(until.iter().copied()).collect();
        scene.run(&command).expect(FINE);
    }
    scene.run(&["run", "--distance", "far"]).expect_error(USAGE, &["`far` is no distance"]);
    scene.run(&["run", "--audit", "some"]).expect_error(USAGE, &["--audit"]);
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
    let book = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/commands.md")).unwrap();
    let written = exit_codes(book.split_once("## Exit codes").unwrap().1);
    assert_eq!(told.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 130, 70]);
    for ((code, meaning), (other, in_book)) in told.iter().zip(&written) {
        assert!(code == other && in_book.starts_with(meaning), "{code} {meaning} | {other} {in_book}");
    }
    assert_eq!(told.len(), written.len());
}

#[test]
fn what_is_typed_wrong_is_usage_on_standard_error() {
    let scene = small();
    for wrong in [&[][..], &["mutate"], &["mutants", "--format", "xml"], &["mutants", "--jobs", "0"], &["doctor", "x"]]
    {
        let ran = scene.run(wrong).expect(USAGE);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{wrong:?}");
    }
}
