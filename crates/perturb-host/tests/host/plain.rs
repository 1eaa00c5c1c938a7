//! Single files and compile databases.

use std::fs;

use perturb_host::{BuildSystem, DiscoverOptions, ExcludedBecause, Role};
use perturb_model::Notice;

use crate::support::{sets, Scene};

#[test]
fn a_bare_file_is_a_project_of_one_file() {
    let scene = Scene::new(&[("test_a.c", "int a;\n")]);
    let options = DiscoverOptions { single_file_flags: vec!["-DX".to_string()], ..DiscoverOptions::default() };
    let project = scene.discover_at(&scene.root().join("test_a.c"), &options).unwrap();
    assert_eq!(project.build_system, BuildSystem::SingleFile);
    assert_eq!(sets(&project).0, ["test_a.c"]);
    let file = scene.root().join("test_a.c").display().to_string();
    assert_eq!(project.units[0].command.arguments[1..], ["-DX".to_string(), "-c".to_string(), file]);
}

#[test]
fn what_is_no_source_file_is_refused_with_the_reason() {
    let scene = Scene::new(&[("a.txt", "x"), ("b.c", "int\0a;")]);
    for (name, expected) in [("a.txt", "does not end like one"), ("b.c", "binary"), ("none.c", "does not exist")] {
        let error = scene.discover_at(&scene.root().join(name), &DiscoverOptions::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(name), "{error}");
    }
}

#[test]
fn a_one_line_file_of_ten_megabytes_is_accepted() {
    let scene = Scene::new(&[("big.c", &"int f(void);".repeat(10 * 1024 * 1024 / 12))]);
    let project = scene.discover_at(&scene.root().join("big.c"), &DiscoverOptions::default()).unwrap();
    assert_eq!(project.units.len(), 1);
}

#[test]
fn an_empty_folder_and_a_folder_without_a_build_are_told_apart() {
    let empty = Scene::new(&[]).discover().unwrap_err().to_string();
    assert!(empty.contains("no C or C++ source file"), "{empty}");
    let unknown = Scene::new(&[("a.c", "")]).discover().unwrap_err().to_string();
    assert!(unknown.contains("`--build 'COMMAND'`") && unknown.contains("`--compile-commands FILE`"), "{unknown}");
}

#[test]
fn a_database_in_the_build_folder_is_used_and_what_lies_beside_it_is_generated() {
    let scene = Scene::new(&[("src/a.c", ""), ("tests/t.c", ""), ("build/gen.c", ""), ("vendor/v.c", "")]);
    let entry = |file: &str| format!(r#"{{"directory":".","file":"{file}","command":"cc -c {file}"}}"#);
    let files = ["../src/a.c", "../tests/t.c", "gen.c", "../vendor/v.c", "../gone.c"];
    scene.write("build/compile_commands.json", &format!("[{}]", files.map(entry).join(",")));
    let options = DiscoverOptions { exclude: vec!["vendor".to_string()], ..DiscoverOptions::default() };
    let project = scene.discover_with(&options).unwrap();
    assert_eq!(project.source_root, project.root);
    assert_eq!(sets(&project), (vec!["src/a.c".to_string()], vec!["tests/t.c".to_string()]));
    let roles: Vec<&Role> = project.units.iter().map(|unit| &unit.role).collect();
    assert!(roles.contains(&&Role::Excluded(ExcludedBecause::Generated)));
    assert!(matches!(project.notices[..], [Notice::DeadEntries { count: 1, .. }]), "{:?}", project.notices);
}

#[test]
fn a_stale_database_gives_way_to_the_build_files_and_one_that_was_named_is_an_error() {
    let scene = Scene::new(&[("a.c", "int main(void){return 0;}\n"), ("Makefile", "a: a.c\n\tcc -o a a.c\n")]);
    scene.write("compile_commands.json", r#"[{"directory":"/nowhere","file":"a.c","command":"cc -c a.c"}]"#);
    let project = scene.discover().unwrap();
    assert!(project.notices.iter().any(|notice| matches!(notice, Notice::StaleDatabase { .. })));
    assert_eq!(sets(&project).0, ["a.c"]);
    let named = Some(scene.root().join("compile_commands.json"));
    let error =
        scene.discover_with(&DiscoverOptions { compile_database: named, ..DiscoverOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("/nowhere/a.c"), "{error}");
}

#[test]
fn a_tree_reached_through_a_link_keeps_its_relative_paths() {
    let scene = Scene::new(&[("a.c", "")]);
    let link = scene.root().with_file_name("link");
    std::os::unix::fs::symlink(scene.root(), &link).unwrap();
    let directory = link.display();
    scene.write(
        "compile_commands.json",
        &format!(r#"[{{"directory":"{directory}","file":"a.c","command":"cc -c a.c"}}]"#),
    );
    let project = scene.discover_at(&link, &DiscoverOptions::default()).unwrap();
    assert_eq!(sets(&project).0, ["a.c"]);
    assert!(fs::metadata(&project.units[0].command.file).is_ok());
}

#[test]
fn what_is_no_project_gets_no_work_folder() {
    let scene = Scene::new(&[("a.c", "")]);
    scene.discover().unwrap_err();
    scene.write("compile_commands.json", "[");
    scene.discover().unwrap_err();
    let bad = DiscoverOptions { exclude: vec!["[".to_string()], ..DiscoverOptions::default() };
    scene.discover_with(&bad).unwrap_err();
    assert!(!scene.work().exists());
}

#[test]
fn a_pattern_that_cannot_be_understood_is_named_with_its_place() {
    let scene = Scene::new(&[("a.c", "")]);
    let patterns = || vec!["src/[".to_string()];
    let include = DiscoverOptions { include: patterns(), ..DiscoverOptions::default() };
    let exclude = DiscoverOptions { exclude: patterns(), ..DiscoverOptions::default() };
    for (options, place) in [(include, "`include`"), (exclude, "`exclude`")] {
        let error = scene.discover_with(&options).unwrap_err().to_string();
        assert!(error.contains("`src/[`") && error.contains(place), "{error}");
    }
}

#[test]
fn an_error_of_the_system_is_said_once() {
    let scene = Scene::new(&[("Makefile", "")]);
    fs::write(scene.work(), "a file").unwrap();
    let error = scene.discover().unwrap_err();
    assert!(error.to_string().starts_with("cannot create ") && error.to_string().contains("File exists"), "{error}");
    assert!(std::error::Error::source(&error).is_none(), "said again by whoever prints the causes");
}

#[test]
fn files_are_counted_once_for_all_their_compilations() {
    let scene = Scene::new(&[("a.c", ""), ("b.c", "")]);
    let entry = |line: &str| format!(r#"{{"directory":".","file":"{}","command":"{line}"}}"#, &line[line.len() - 3..]);
    let lines = ["cc -DX -c a.c", "cc -DY -c a.c", "cc -c b.c"];
    scene.write("compile_commands.json", &format!("[{}]", lines.map(entry).join(",")));
    let project = scene.discover().unwrap();
    assert_eq!((project.units.len(), project.files()), (3, 2));
}
