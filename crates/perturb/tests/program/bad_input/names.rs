//! Names of files and folders that are no text, or have characters in them that formats give a meaning.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::subject::subject;
use crate::scene::{has, run_in_time, snapshot, Ran, Scene, FINE, STORE, UNUSABLE};

const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";
const TEST: &str = "int sum(int a, int b);\nint main(void)\n{\n    return sum(1, 2) == 3 ? 0 : 1;\n}\n";
const CMAKE: &str = "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nenable_testing()\nadd_library(sum sum.c)\n\
                     add_executable(t tests/t.c)\ntarget_link_libraries(t sum)\nadd_test(NAME t COMMAND t)\n";

fn name(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// The scene's project, moved below a folder whose name is no text.
fn moved(scene: &Scene) -> PathBuf {
    let folder = scene.outside("x").join(name(b"y\xff z"));
    fs::create_dir_all(&folder).unwrap();
    let project = folder.join("project");
    fs::rename(scene.root(), &project).unwrap();
    project
}

fn run_in(project: &Path, arguments: &[&OsStr]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_perturb"));
    command.args(arguments).current_dir(project);
    run_in_time(command)
}

fn run(project: &Path, arguments: &[&str]) -> Ran {
    run_in(project, &arguments.iter().map(|word| OsStr::new(*word)).collect::<Vec<_>>())
}

/// What is told: the name with its byte, and what to do.
const TOLD: [&str; 2] = [r"y\xFF z", "not UTF-8"];

#[test]
fn a_project_in_a_place_whose_path_is_no_text_works_with_another_work_folder_and_is_told_so() {
    let cmake = has("cmake").then(|| Scene::new(&[("CMakeLists.txt", CMAKE), ("sum.c", SUM), ("tests/t.c", TEST)]));
    for scene in [subject(), cmake].into_iter().flatten() {
        let project = moved(&scene);
        let before = snapshot(&project);
        for (command, code) in [("mutants", UNUSABLE), ("run", STORE)] {
            run(&project, &[command]).expect_error(code, &[&TOLD[..], &["--work DIR"]].concat());
        }
        let doctor = run(&project, &["doctor"]).expect(UNUSABLE);
        assert!(TOLD.iter().all(|part| doctor.stdout.contains(part)), "{}", doctor.stdout);
        let work = scene.outside("work");
        let with = |command: &[&str]| run(&project, &[command, &["--work", work.to_str().unwrap()]].concat());
        with(&["run", "--tce", "off", "--equivalence", "off"]).expect(FINE);
        let report = with(&["report"]).expect(FINE).stdout;
        assert!(report.contains(".c:") && report.contains("score, covered"), "{report}");
        // The folder by its name, in place of the current one.
        let words = ["run", "--tce", "off", "--equivalence", "off", "--work"].map(OsStr::new);
        let named = [&words[..], &[work.as_os_str(), OsStr::new("-C"), project.as_os_str()]].concat();
        run_in(Path::new("/"), &named).expect(FINE);
        with(&["testgen"]).expect_error(UNUSABLE, &TOLD);
        assert!(snapshot(&project) == before, "the project was written");
    }
}

#[test]
fn what_is_compiled_in_a_place_whose_path_is_no_text_is_refused() {
    let scene = Scene::compiled(&[("a.c", SUM), ("b.c", SUM)]);
    let project = moved(&scene);
    for arguments in [&["mutants"][..], &["mutants", "a.c", "--", "-O1"], &["equiv", "--pair", "a.c", "b.c"]] {
        run(&project, arguments).expect_error(UNUSABLE, &TOLD);
        let work = scene.outside("work");
        let with_work = [&["--work", work.to_str().unwrap()], arguments].concat();
        run(&project, &with_work).expect_error(UNUSABLE, &TOLD);
    }
    run(&project, &["run"]).expect_error(STORE, &TOLD);
    // A work folder in such a place, of a project in a good one.
    let scene = Scene::compiled(&[("a.c", SUM)]);
    let work = scene.outside("x").join(name(b"y\xff z"));
    let arguments = [OsStr::new("mutants"), OsStr::new("--work"), work.as_os_str()];
    run_in(&scene.root(), &arguments).expect_error(UNUSABLE, &[&TOLD[..], &["--work DIR"]].concat());
    assert!(!scene.outside("x").exists(), "nothing is made there");
}
