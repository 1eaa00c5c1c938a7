//! No compiler, no libclang, no project.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::scene::{distinct, has, Scene, FINE, NOTHING, UNUSABLE, USAGE};

const SUM: &str = "#include <stddef.h>\nint sum(int a, int b)\n{\n    return a + b;\n}\n";

#[test]
fn a_compiler_that_does_not_exist_is_told_by_its_name() {
    let scene = Scene::new(&[("a.c", SUM)]);
    let entry = r#"[{"directory":".","file":"a.c","command":"no-such-gcc -c a.c"}]"#;
    scene.write("compile_commands.json", entry);
    // No file of the project can be used: that is not a project without mutants.
    scene.run(&["mutants"]).expect(UNUSABLE).told(&["no-such-gcc", "a.c"]);
    let ran = scene.run(&["doctor"]).expect_error(UNUSABLE, &["attention"]);
    assert!(ran.stdout.contains("!!  compiler") && ran.stdout.contains("no-such-gcc"), "{}", ran.stdout);
}

#[test]
fn a_missing_compiler_of_one_file_does_not_hide_the_others() {
    let scene = Scene::new(&[("a.c", SUM), ("b.c", "int b(int a) { return a * 2; }\n")]);
    let entries = r#"[{"directory":".","file":"a.c","command":"no-such-gcc -c a.c"},
                      {"directory":".","file":"b.c","command":"cc -c b.c"}]"#;
    scene.write("compile_commands.json", entries);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["no-such-gcc"]);
    assert_eq!(distinct(&ran.mutants(), "file"), ["b.c"]);
}

#[test]
fn an_empty_path_leaves_no_compiler_for_a_bare_file() {
    let scene = Scene::new(&[("a.c", SUM)]);
    let mut command = scene.command(&["mutants", "a.c"]);
    command.env("PATH", "");
    scene.finish(command).expect(UNUSABLE).told(&["cc"]);
}

#[test]
fn an_empty_path_leaves_no_cmake() {
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nadd_library(p a.c)\n";
    let scene = Scene::new(&[("a.c", SUM), ("CMakeLists.txt", cmake)]);
    let mut command = scene.command(&["mutants"]);
    command.env("PATH", "");
    scene.finish(command).expect_error(UNUSABLE, &["cmake is not installed"]);
}

#[test]
fn a_libclang_that_is_not_there_or_no_library_is_refused_with_its_name() {
    let scene = Scene::compiled(&[("a.c", SUM)]);
    fs::write(scene.outside("libclang.so"), "not a library").unwrap();
    let text = scene.outside("libclang.so").to_str().unwrap().to_string();
    for wrong in ["/nowhere/libclang.so", text.as_str(), "/usr/bin/env", "3", "newest", "/"] {
        scene.run(&["mutants", "--libclang", wrong]).expect_error(UNUSABLE, &[wrong, "libclang"]);
        let mut command = scene.command(&["mutants"]);
        command.env("PERTURB_LIBCLANG", wrong);
        scene.finish(command).expect_error(UNUSABLE, &[wrong]);
    }
}

#[test]
fn a_library_that_is_not_libclang_is_refused() {
    let libraries = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/lib64/libm.so.6"];
    let Some(library) = libraries.into_iter().find(|path| fs::exists(path).unwrap_or(false)) else {
        eprintln!("skipped: found no library to try");
        return;
    };
    let scene = Scene::compiled(&[("a.c", SUM)]);
    scene.run(&["mutants", "--libclang", library]).expect_error(UNUSABLE, &[library]);
}

#[test]
fn a_folder_without_sources_is_no_project() {
    let scene = Scene::new(&[]);
    scene.run(&["mutants"]).expect_error(UNUSABLE, &["no C or C++ source file"]);
    scene.run(&["init"]).expect_error(UNUSABLE, &["no C or C++ source file"]);
    scene.write("readme.txt", "hello\n");
    scene.run(&["mutants"]).expect_error(UNUSABLE, &["no C or C++ source file"]);
    scene.run(&["mutants", "readme.txt"]).expect_error(UNUSABLE, &["readme.txt", "not a C or C++ source file"]);
}

#[test]
fn a_folder_with_sources_and_no_build_gets_a_hint() {
    let scene = Scene::new(&[("a.c", SUM)]);
    scene.run(&["mutants"]).expect_error(UNUSABLE, &["do not know how", "--build"]);
}

#[test]
fn a_project_folder_that_does_not_exist_is_usage() {
    let scene = Scene::new(&[]);
    scene.run(&["mutants", "-C", "gone"]).expect_error(USAGE, &["gone"]);
    scene.run(&["mutants", "gone.c"]).expect_error(USAGE, &["gone.c"]);
    scene.run(&["mutants", "--compile-commands", "gone.json"]).expect(UNUSABLE).told(&["gone.json"]);
}

#[test]
fn a_work_folder_that_cannot_be_made_is_told() {
    let scene = Scene::compiled(&[("a.c", SUM)]);
    fs::write(scene.outside("file"), "").unwrap();
    let work = scene.outside("file").join("work");
    scene.run(&["mutants", "--work", work.to_str().unwrap()]).expect_error(UNUSABLE, &["cannot create"]);
}

#[test]
fn an_empty_cmake_project_has_nothing_to_mutate() {
    if !has("cmake") {
        return;
    }
    let scene = Scene::new(&[("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(p C)\n")]);
    let ran = scene.run(&["mutants"]);
    assert!(matches!(ran.code, NOTHING | UNUSABLE), "{}: {}", ran.code, ran.stderr);
    ran.told(&["no C or C++ source"]);
}

#[test]
fn a_project_of_tests_alone_has_nothing_to_mutate() {
    let scene = Scene::compiled(&[("tests/test_a.c", "int main(void) { return 1 + 1; }\n")]);
    scene.run(&["mutants"]).expect_error(NOTHING, &["none is under test", "perturb doctor"]);
    scene.run(&["apply", "--all", "--to", "../out"]).expect_error(NOTHING, &["no mutant"]);
}

#[test]
fn a_cmake_project_that_does_not_configure_shows_what_cmake_said() {
    if !has("cmake") {
        return;
    }
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nfind_package(NoSuchThing REQUIRED)\n";
    let scene = Scene::new(&[("CMakeLists.txt", cmake), ("a.c", SUM)]);
    scene.run(&["mutants"]).expect_error(UNUSABLE, &["NoSuchThing", "configure.log"]);
}

#[test]
fn a_build_that_fails_or_compiles_nothing_shows_its_last_lines() {
    let scene = Scene::new(&[("a.c", SUM)]);
    scene.run(&["mutants", "--build", "echo broken; exit 7"]).expect_error(UNUSABLE, &["broken", "7", "build.log"]);
    scene.run(&["mutants", "--build", "echo idle"]).expect_error(UNUSABLE, &["idle", "no compiler"]);
    scene.run(&["mutants", "--build", "no-such-command"]).expect_error(UNUSABLE, &["no-such-command"]);
}

#[test]
fn a_build_that_reads_standard_input_does_not_hang() {
    let scene = Scene::new(&[("a.c", SUM)]);
    let mut command = scene.command(&["mutants", "--build", "read answer; cc -c a.c"]);
    command.stdin(std::process::Stdio::null());
    scene.finish(command).expect(FINE);
}

#[test]
fn a_build_ends_with_the_program_that_was_told_to_end() {
    let scene = Scene::new(&[("a.c", SUM)]);
    let pipe = scene.outside("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The build holds the pipe open until it ends.
    let build = format!("exec 3>'{}'; echo $$ >&3; exec sleep 300", pipe.display());
    let mut command = scene.command(&["mutants", "--build", &build]);
    let mut perturb = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(fs::File::open(&pipe).unwrap());
    let mut build_id = String::new();
    lines.read_line(&mut build_id).unwrap();
    let kill = |signal: &str, id: &str| Command::new("kill").args([signal, id.trim()]).stderr(Stdio::null()).status();
    assert!(kill("-TERM", &perturb.id().to_string()).unwrap().success());
    assert!(!perturb.wait().unwrap().success());
    let (sender, ended) = mpsc::channel();
    let reader = std::thread::spawn(move || sender.send(lines.read_to_end(&mut Vec::new()).is_ok()));
    let in_time = ended.recv_timeout(Duration::from_secs(5));
    let _ = kill("-KILL", &build_id);
    let _ = reader.join();
    assert!(in_time.is_ok(), "the build goes on without us");
}

#[test]
fn a_loop_of_links_and_a_dangling_one_do_not_stop_the_copy() {
    if !has("make") {
        return;
    }
    let scene = Scene::new(&[("src/a.c", SUM), ("Makefile", "all:\n\t$(CC) -c src/a.c -o a.o\n")]);
    std::os::unix::fs::symlink("..", scene.root().join("src/loop")).unwrap();
    std::os::unix::fs::symlink("self", scene.root().join("self")).unwrap();
    std::os::unix::fs::symlink("nowhere", scene.root().join("dangling.c")).unwrap();
    assert_eq!(distinct(&scene.mutants(&[]), "file"), ["src/a.c"]);
    let bare = Scene::new(&[]);
    std::os::unix::fs::symlink("..", bare.root().join("loop")).unwrap();
    bare.run(&["mutants"]).expect_error(UNUSABLE, &["no C or C++ source file"]);
}
