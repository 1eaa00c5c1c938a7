//! Projects and work folders that were renamed, moved or copied: what was configured for another place is made anew.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::subject::subject;
use super::{fine, Told};
use crate::scene::{has, run_in_time, snapshot, Scene, FINE};

const MOVED: &str = "it is made and built anew";

fn cmake() -> Option<Scene> {
    const CMAKE: &str =
        "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nenable_testing()\nadd_library(sum sum.c)\n\
                         add_executable(t tests/t.c)\ntarget_link_libraries(t sum)\nadd_test(NAME t COMMAND t)\n";
    const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";
    const TEST: &str = "int sum(int a, int b);\nint main(void)\n{\n    return sum(1, 2) == 3 ? 0 : 1;\n}\n";
    has("cmake").then(|| Scene::new(&[("CMakeLists.txt", CMAKE), ("sum.c", SUM), ("tests/t.c", TEST)]))
}

fn meson() -> Option<Scene> {
    (has("meson") && has("ninja")).then(|| Scene::fixture("meson-two-tests"))
}

#[track_caller]
fn at(scene: &Scene, place: &str) -> Told {
    let work = scene.outside(place).join("work");
    let arguments = ["--audit", "0", "--work", work.to_str().unwrap()];
    let told = fine(scene, &arguments);
    assert_eq!(told.count("pending"), 0);
    told
}

fn copy_exactly(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

#[test]
fn a_work_folder_that_was_moved_or_copied_is_of_use_in_its_new_place() {
    for scene in [subject(), cmake(), meson()].into_iter().flatten() {
        let first = at(&scene, "first");
        fs::rename(scene.outside("first"), scene.outside("second")).unwrap();
        let moved = at(&scene, "second");
        assert_eq!(moved.outcomes(), first.outcomes());
        // Meson has debug information made, which holds the place: those programs are others.
        let is_same = !scene.root().join("meson.build").exists();
        assert!(!is_same || moved.work().0 == 0, "all is known");
        // The first is there still: nothing of the copy may lead to it.
        copy_exactly(&scene.outside("second"), &scene.outside("third"));
        let before = snapshot(&scene.outside("second"));
        let copied = at(&scene, "third");
        assert_eq!(copied.outcomes(), first.outcomes());
        assert!(snapshot(&scene.outside("second")) == before, "the other work folder was written");
    }
}

#[test]
fn a_renamed_project_is_analysed_with_its_work_folder_and_keeps_its_verdicts() {
    for scene in [subject(), cmake(), meson()].into_iter().flatten() {
        let run = |folder: &Path, arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
            let fixed =
                ["--tce", "off", "--equivalence", "off", "--discard", "off", "--audit", "0", "--work", ".perturb"];
            command.arg("run").args(fixed).args(arguments).current_dir(folder);
            run_in_time(command).expect(FINE)
        };
        run(&scene.root(), &[]);
        let renamed = scene.outside("re named");
        fs::rename(scene.root(), &renamed).unwrap();
        let told = run(&renamed, &[]).told(&[MOVED]);
        assert_eq!(told.stderr.matches(MOVED).count(), 1, "{}", told.stderr);
        let again = Told::of(run(&renamed, &["--events", "json"]));
        assert!(!again.ran.stderr.contains(MOVED), "{}", again.ran.stderr);
        assert_eq!(again.work().0, 0, "all is known");
    }
}
