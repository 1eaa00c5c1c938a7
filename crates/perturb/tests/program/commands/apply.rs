//! `perturb apply`: the mutated file below another folder, and never in the user's tree.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;

use super::{small, SOURCE};
use crate::scene::{assert_unchanged, snapshot, text, Scene, FINE, USAGE};

fn relational(scene: &Scene) -> String {
    let mutants = scene.mutants(&["src/clamp.c"]);
    let found = mutants.iter().find(|m| text(m, "original") == "<" && text(m, "replacement") == "<=");
    text(found.unwrap(), "id").to_string()
}

fn apply(scene: &Scene, id: &str, to: &Path) -> crate::scene::Ran {
    scene.run(&["apply", id, "--to", to.to_str().unwrap()])
}

#[test]
fn the_file_keeps_its_path_below_the_folder_and_nothing_else_is_written() {
    let scene = small();
    let to = scene.outside("out");
    let ran = apply(&scene, &relational(&scene), &to).expect(FINE);
    assert_eq!(ran.stdout.trim_end(), to.join("src/clamp.c").to_str().unwrap());
    let written = fs::read_to_string(to.join("src/clamp.c")).unwrap();
    assert_eq!(written, SOURCE.replacen("v < low", "v <= low", 1));
    assert_eq!(snapshot(&to).values().filter(|(mode, ..)| mode & 0o170_000 == 0o100_000).count(), 1);
}

#[test]
fn a_mutant_may_be_applied_twice_and_over_another_one() {
    let scene = small();
    let to = scene.outside("out");
    let mutants = scene.mutants(&["src/clamp.c"]);
    for mutant in [&mutants[0], &mutants[1], &mutants[1]] {
        apply(&scene, text(mutant, "id"), &to).expect(FINE);
    }
    let written = fs::read_to_string(to.join("src/clamp.c")).unwrap();
    assert_eq!(written, mutated(&scene, &mutants[1]));
}

/// The mutant's file with the stated range replaced.
fn mutated(scene: &Scene, mutant: &Value) -> String {
    let source = scene.read(text(mutant, "file"));
    let starts: Vec<usize> = [0].into_iter().chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let number = |field: &str| usize::try_from(mutant[field].as_u64().unwrap()).unwrap();
    let place = |line: &str, column: &str| starts[number(line) - 1] + number(column) - 1;
    let (start, end) = (place("line", "column"), place("end_line", "end_column"));
    [&source[..start], text(mutant, "replacement"), &source[end..]].concat()
}

#[test]
fn all_mutants_get_a_folder_each_and_differ_in_the_stated_range_only() {
    let scene = small();
    let to = scene.outside("out");
    let mutants = scene.mutants(&[]);
    let ran = scene.run(&["apply", "--all", "--to", to.to_str().unwrap()]).expect(FINE);
    assert!(ran.stdout.contains(&format!("{} mutants", mutants.len())), "{}", ran.stdout);
    assert_eq!(fs::read_dir(&to).unwrap().count(), mutants.len());
    for mutant in &mutants {
        let file = to.join(text(mutant, "id")).join(text(mutant, "file"));
        assert_eq!(fs::read_to_string(&file).unwrap(), mutated(&scene, mutant), "{mutant}");
    }
}

#[test]
fn all_mutants_can_be_narrowed_down() {
    let scene = small();
    let to = scene.outside("out");
    let to_text = to.to_str().unwrap();
    scene.run(&["apply", "--all", "--to", to_text, "--function", "other", "--operators", "AOR"]).expect(FINE);
    assert_eq!(fs::read_dir(&to).unwrap().count(), scene.mutants(&["--function", "other", "--operators", "AOR"]).len());
}

#[test]
fn nothing_is_ever_written_in_place() {
    let scene = small();
    let id = relational(&scene);
    let link = scene.outside("link");
    symlink(scene.root(), &link).unwrap();
    for to in [scene.root(), ".".into(), "src/..".into(), link, scene.root().join("../project")] {
        apply(&scene, &id, &to).expect_error(USAGE, &["never writes in place"]);
    }
}

#[test]
fn a_link_below_the_folder_does_not_lead_back_into_the_project() {
    let scene = small();
    let id = relational(&scene);
    let to = scene.outside("out");
    fs::create_dir(&to).unwrap();
    symlink(scene.root().join("src"), to.join("src")).unwrap();
    apply(&scene, &id, &to).expect_error(USAGE, &["never writes in place"]);
}

#[test]
fn a_copy_made_of_hard_links_is_not_written_through() {
    // `cp -al project copy` is the cheap way to get a tree to build mutants in.
    let scene = small();
    let id = relational(&scene);
    let to = scene.outside("copy");
    fs::create_dir_all(to.join("src")).unwrap();
    fs::hard_link(scene.root().join("src/clamp.c"), to.join("src/clamp.c")).unwrap();
    let ran = apply(&scene, &id, &to);
    assert_eq!(scene.read("src/clamp.c"), SOURCE);
    assert!(matches!(ran.code, FINE | USAGE), "{}", ran.stderr);
}

#[test]
fn a_new_folder_in_the_project_is_refused_as_well() {
    // The README: perturb never writes in your source tree.
    let scene = small();
    let id = relational(&scene);
    let before = snapshot(&scene.root());
    let mut command = scene.command(&["apply", &id, "--to", "mutated"]);
    command.current_dir(scene.root());
    let ran = crate::scene::run_in_time(command);
    assert_unchanged(&before, &snapshot(&scene.root()));
    ran.expect_error(USAGE, &["never writes"]);
}

#[test]
fn the_work_folder_in_the_project_may_be_written_again_and_again() {
    let scene = small();
    let id = relational(&scene);
    let run = || {
        let arguments = ["apply", id.as_str(), "--to", ".perturb/applied", "--work", ".perturb"];
        crate::scene::run_in_time(scene.command(&arguments))
    };
    run().expect(FINE);
    run().expect(FINE);
}

#[test]
fn apply_wants_an_id_or_all_and_a_folder() {
    let scene = small();
    let id = relational(&scene);
    scene.run(&["apply", id.as_str()]).expect(USAGE).told(&["--to"]);
    scene.run(&["apply", "--to", "x"]).expect(USAGE);
    scene.run(&["apply", id.as_str(), "--all", "--to", "x"]).expect(USAGE);
    scene.run(&["apply", "0000000000000000", "--to", "x"]).expect_error(USAGE, &["no mutant"]);
}

#[test]
fn a_folder_that_cannot_be_made_is_told() {
    let scene = small();
    let id = relational(&scene);
    fs::write(scene.outside("file"), "").unwrap();
    apply(&scene, &id, &scene.outside("file")).expect_error(crate::scene::UNUSABLE, &["cannot create"]);
}
