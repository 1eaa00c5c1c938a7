//! `perturb init`, and what is typed wrong.

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
fn what_is_typed_wrong_is_usage_on_standard_error() {
    let scene = small();
    for wrong in [&[][..], &["mutate"], &["mutants", "--format", "xml"], &["mutants", "--jobs", "0"], &["doctor", "x"]]
    {
        let ran = scene.run(wrong).expect(USAGE);
        assert!(ran.stdout.is_empty() && !ran.stderr.is_empty(), "{wrong:?}");
    }
}
