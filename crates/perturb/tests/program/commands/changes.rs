//! `perturb mutants --diff`: only what a change touches, in a real git repository.

use std::process::Command;

use serde_json::Value;

use crate::scene::{distinct, text, Scene, FINE, USAGE};

const BASE: &str = "int one(int a)\n{\n    return a + 1;\n}\n\nint two(int a)\n{\n    return a + 2;\n}\n";

fn git(scene: &Scene, arguments: &[&str]) {
    let identity = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
    let mut command = Command::new("git");
    command.args(identity).args(arguments).current_dir(scene.root());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A repository on branch `main` with one commit.
fn repository() -> Scene {
    let scene = Scene::compiled(&[("src/a.c", BASE), ("src/b.c", "int b(int x) { return x - 1; }\n")]);
    git(&scene, &["init", "-q", "-b", "main"]);
    commit(&scene, "first");
    scene
}

fn commit(scene: &Scene, message: &str) {
    git(scene, &["add", "-A"]);
    git(scene, &["commit", "-q", "-m", message]);
}

fn lines(mutants: &[Value]) -> Vec<(&str, u64)> {
    let mut lines: Vec<_> = mutants.iter().map(|m| (text(m, "file"), m["line"].as_u64().unwrap())).collect();
    lines.dedup();
    lines
}

#[test]
fn nothing_changed_is_fine_and_an_empty_list() {
    let scene = repository();
    let ran =
        scene.run(&["mutants", "--diff", "main", "--format", "json"]).expect(FINE).told(&["nothing that changed"]);
    assert!(ran.mutants().is_empty());
    let text = scene.run(&["mutants", "--diff", "main"]).expect(FINE).stdout;
    assert!(text.contains("0 mutants"), "{text}");
}

#[test]
fn a_committed_change_is_taken_by_line() {
    let scene = repository();
    git(&scene, &["checkout", "-q", "-b", "work"]);
    scene.write("src/a.c", BASE.replace("a + 2", "a + 3"));
    commit(&scene, "change two");
    let changed = scene.mutants(&["--diff", "main"]);
    assert_eq!(lines(&changed), [("src/a.c", 8)]);
    let whole = scene.mutants(&[]);
    assert!(changed.iter().all(|mutant| whole.contains(mutant)), "ids are those of the whole list");
    assert_eq!(lines(&scene.mutants(&["--diff", "HEAD~1"])), [("src/a.c", 8)]);
    assert!(scene.mutants(&["--diff", "HEAD"]).is_empty());
}

#[test]
fn uncommitted_changes_and_untracked_files_count() {
    let scene = repository();
    scene.write("src/a.c", BASE.replace("a + 1", "a + 9"));
    assert_eq!(lines(&scene.mutants(&["--diff", "main"])), [("src/a.c", 3)]);
    git(&scene, &["add", "-A"]);
    assert_eq!(lines(&scene.mutants(&["--diff", "main"])), [("src/a.c", 3)]);
    scene.write("src/new.c", "int new_one(int x) { return x * 2; }\n");
    let entry = |file: &str| serde_json::json!({"directory": ".", "file": file, "arguments": ["cc", "-c", file]});
    let entries: Vec<Value> = ["src/a.c", "src/b.c", "src/new.c"].map(entry).to_vec();
    scene.write("compile_commands.json", Value::from(entries).to_string());
    assert_eq!(lines(&scene.mutants(&["--diff", "main"])), [("src/a.c", 3), ("src/new.c", 1)]);
}

#[test]
fn what_others_did_on_the_branch_meanwhile_does_not_count() {
    let scene = repository();
    git(&scene, &["checkout", "-q", "-b", "work"]);
    scene.write("src/a.c", BASE.replace("a + 2", "a + 3"));
    commit(&scene, "change two");
    git(&scene, &["checkout", "-q", "main"]);
    scene.write("src/b.c", "int b(int x) { return x - 77; }\n");
    commit(&scene, "meanwhile");
    git(&scene, &["checkout", "-q", "work"]);
    assert_eq!(lines(&scene.mutants(&["--diff", "main"])), [("src/a.c", 8)]);
}

#[test]
fn names_that_git_quotes_are_found() {
    let scene = Scene::compiled(&[("src/a b.c", BASE), ("src/größe \"x\".c", "int g(int x) { return x + 1; }\n")]);
    git(&scene, &["init", "-q", "-b", "main"]);
    commit(&scene, "first");
    scene.write("src/a b.c", BASE.replace("a + 1", "a + 9"));
    scene.write("src/größe \"x\".c", "int g(int x) { return x + 5; }\n");
    let changed = scene.mutants(&["--diff", "main"]);
    assert_eq!(distinct(&changed, "file"), ["src/a b.c", "src/größe \"x\".c"]);
}

#[test]
fn a_project_below_the_root_of_the_repository_works() {
    let scene = repository();
    git(&scene, &["checkout", "-q", "-b", "work"]);
    scene.write("src/a.c", BASE.replace("a + 2", "a + 3"));
    commit(&scene, "change two");
    let entry = serde_json::json!([{"directory": ".", "file": "a.c", "arguments": ["cc", "-c", "a.c"]}]);
    scene.write("src/compile_commands.json", entry.to_string());
    let mutants = scene.mutants(&["-C", "src", "--diff", "main"]);
    assert_eq!(lines(&mutants), [("a.c", 8)]);
}

#[test]
fn a_user_s_own_git_settings_change_nothing() {
    let scene = repository();
    scene.write("src/a.c", BASE.replace("a + 1", "a + 9"));
    for (name, value) in [("diff.mnemonicPrefix", "true"), ("diff.noprefix", "true"), ("color.ui", "always")] {
        git(&scene, &["config", name, value]);
        assert_eq!(lines(&scene.mutants(&["--diff", "main"])), [("src/a.c", 3)], "{name}");
    }
    git(&scene, &["config", "diff.external", "/bin/false"]);
    git(&scene, &["config", "core.pager", "cat"]);
    assert_eq!(lines(&scene.mutants(&["--diff", "main"])), [("src/a.c", 3)]);
}

#[test]
fn the_index_of_the_repository_is_not_written() {
    let scene = repository();
    // A file with another time and the same contents makes git want to refresh its index.
    scene.write("src/a.c", BASE);
    let index = scene.root().join(".git/index");
    let before = (std::fs::read(&index).unwrap(), index.metadata().unwrap().modified().unwrap());
    assert!(scene.mutants(&["--diff", "main"]).is_empty());
    let after = (std::fs::read(&index).unwrap(), index.metadata().unwrap().modified().unwrap());
    assert!(before == after, ".git/index was written");
}

#[test]
fn a_revision_that_does_not_exist_and_a_folder_without_git_are_refused() {
    let scene = repository();
    scene.run(&["mutants", "--diff", "gone"]).expect_error(USAGE, &["gone", "git says"]);
    scene.run(&["mutants", "--diff=--output=x"]).expect_error(USAGE, &["no revision"]);
    let plain = Scene::compiled(&[("a.c", BASE)]);
    plain.run(&["mutants", "--diff", "main"]).expect_error(USAGE, &["git"]);
}
