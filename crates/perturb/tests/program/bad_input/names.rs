//! Names of files and folders that are no text, or have characters in them that formats give a meaning.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::fine;
use crate::run::subject::subject;
use crate::scene::{has, run_in_time, snapshot, text, Ran, Scene, FINE, STORE, UNUSABLE};

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

/// The test calls a function of each source.
fn with_sources(names: &[&str]) -> Scene {
    let scene = Scene::new(&[(
        "Makefile",
        "all: t\nt: tests/t.c src/*.c\n\t$(CC) -o t tests/t.c src/*.c\ncheck: all\n\t./t\n",
    )]);
    let (mut head, mut calls) = (String::new(), String::new());
    for (number, name) in names.iter().enumerate() {
        scene.write(&format!("src/{name}"), SUM.replace("sum", &format!("sum{number}")));
        head += &format!("int sum{number}(int a, int b);\n");
        calls += &format!(" && sum{number}(1, 2) == 3");
    }
    scene.write("tests/t.c", format!("{head}int main(void)\n{{\n    return 1{calls} ? 0 : 1;\n}}\n"));
    scene
}

#[test]
fn a_source_with_a_newline_in_its_name_is_in_the_build_with_all_mutants_as_others_are() {
    if !has("make") {
        return;
    }
    let names = ["sum.c", "a\nb.c", "a\"b\".c", "a\\b.c", "a'b $c.c", "#é.c", "a_b.c"];
    let scene = with_sources(&names);
    let told = fine(&scene, &[]);
    let files: BTreeSet<&str> = told.mutants().into_values().map(|mutant| text(mutant, "name")).collect();
    assert!(told.mutants().len() == 16 * names.len() && files.len() == told.mutants().len(), "{files:?}");
    assert_eq!(told.one("instrumented")["rebuilt"], 0, "{}", told.ran.stderr);
    assert_eq!((told.count("killed"), told.count("not infected")), (12 * names.len(), 4 * names.len()));
    assert!(!told.ran.stderr.contains("warning"), "{}", told.ran.stderr);
    for format in ["text", "json", "html", "markdown", "sarif", "junit", "github", "csv"] {
        scene.run(&["report", "--format", format]).expect(FINE);
    }
}

/// The errors of a file with such a name cannot be told apart from others.
#[test]
fn a_file_with_a_newline_in_its_name_that_cannot_have_its_mutants_in_it_costs_no_other_file() {
    const ODD: &str = "int sum1(int a, int b)\n{\n    void *caller = __builtin_return_address(0);\n    \
                       return caller ? a + b : 0;\n}\n";
    if !has("make") {
        return;
    }
    let scene = with_sources(&["sum.c", "a\nb.c"]);
    scene.write("src/a\nb.c", ODD);
    let few = ["--operators", "ICR,AOR"];
    let told = fine(&scene, &few);
    let odd = scene.mutants(&few).iter().filter(|mutant| text(mutant, "file").contains('\n')).count();
    assert!(odd > 0 && told.mutants().len() > odd);
    assert_eq!(told.one("instrumented")["rebuilt"], odd, "{}", told.ran.stderr);
    let report = scene.run(&["report"]).expect(FINE).stdout;
    assert!(report.contains("it does not compile with its mutants in it"), "{report}");
}
