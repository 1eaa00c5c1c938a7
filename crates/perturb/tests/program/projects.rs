//! Projects of every kind, found without being asked, and left exactly as they were.

use std::fs;

use serde_json::Value;

use crate::scene::{all, distinct, has, text, Scene, FINE, UNUSABLE};

const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";
const TEST: &str = "int sum(int a, int b);\nint main(void)\n{\n    return sum(1, 2) == 3 ? 0 : 1;\n}\n";

fn ids(mutants: &[Value]) -> Vec<&str> {
    all(mutants, "id")
}

#[test]
fn the_example_gives_the_same_mutants_through_cmake_and_through_its_makefile() {
    if !has("cmake") || !has("make") {
        return;
    }
    let scene = Scene::example();
    let by_cmake = scene.mutants(&[]);
    assert!(by_cmake.len() > 1000, "{}", by_cmake.len());
    let files = distinct(&by_cmake, "file");
    assert!(files.contains(&"src/ring.c") && files.iter().all(|file| !file.starts_with("tests/")), "{files:?}");
    scene.remove("CMakeLists.txt");
    let by_make = scene.mutants(&["--work", scene.outside("make").to_str().unwrap()]);
    assert_eq!(ids(&by_cmake), ids(&by_make));
    let script = scene.mutants(&["--build", "make lib", "--work", scene.outside("lib").to_str().unwrap()]);
    assert_eq!(ids(&by_cmake), ids(&script));
}

#[test]
fn a_second_run_is_the_same_and_follows_an_edit() {
    if !has("make") {
        return;
    }
    let scene = Scene::new(&[("sum.c", SUM), ("Makefile", "all: sum.o\n")]);
    let first = scene.mutants(&[]);
    assert_eq!(scene.mutants(&[]), first);
    scene.write("sum.c", SUM.replace("a + b", "a - b"));
    let second = scene.mutants(&[]);
    assert!(all(&second, "original").contains(&"-") && !all(&second, "original").contains(&"+"));
    scene.write("more.c", "int more(int a) { return a; }\n");
    scene.write("Makefile", "all: sum.o more.o\n");
    assert_eq!(distinct(&scene.mutants(&[]), "file"), ["more.c", "sum.c"]);
}

#[test]
fn ids_stay_when_another_function_is_edited_above() {
    let scene = Scene::compiled(&[("a.c", SUM)]);
    let before = scene.mutants(&[]);
    scene.write("a.c", format!("/* new */\nint above(int x)\n{{\n    return x * 3;\n}}\n\n{SUM}"));
    let after = scene.mutants(&["--function", "sum"]);
    assert_eq!(ids(&before), ids(&after));
}

#[test]
fn a_meson_project_is_configured_in_a_copy() {
    if !has("meson") || !has("ninja") {
        return;
    }
    let build = "project('sum', 'c')\nlib = static_library('sum', 'src/sum.c')\n\
                 t = executable('t', 'tests/t.c', link_with: lib)\ntest('t', t)\n";
    let scene = Scene::new(&[("meson.build", build), ("src/sum.c", SUM), ("tests/t.c", TEST)]);
    assert_eq!(distinct(&scene.mutants(&[]), "file"), ["src/sum.c"]);
    let report = scene.run(&["doctor"]).expect(FINE).stdout;
    assert!(report.contains("Meson") && report.contains("meson test"), "{report}");
}

#[test]
fn a_shell_script_is_a_build_and_runs_in_a_copy() {
    let script = "#!/bin/sh\nset -e\nmkdir -p obj\n${CC:-cc} -c src/sum.c -o obj/sum.o\n\
                  ${CC:-cc} tests/t.c obj/sum.o -o obj/t\n./obj/t\ntouch src/stamp\n";
    let scene = Scene::new(&[("compile", script), ("src/sum.c", SUM), ("tests/t.c", TEST)]);
    assert_eq!(distinct(&scene.mutants(&["--build", "./compile"]), "file"), ["src/sum.c"]);
}

#[test]
fn a_build_that_fails_half_way_still_gives_what_it_compiled() {
    let scene = Scene::new(&[("sum.c", SUM), ("build.sh", "#!/bin/sh\ncc -c sum.c\nexit 3\n")]);
    let ran = scene.run(&["mutants", "--format", "json", "--build", "./build.sh"]).expect(FINE);
    assert_eq!(distinct(&ran.mutants(), "file"), ["sum.c"]);
    ran.told(&["./build.sh", "3"]);
}

#[test]
fn a_compiler_called_by_its_absolute_path_is_seen_with_bear() {
    if !has("bear") {
        return;
    }
    let script = "#!/bin/sh\n/usr/bin/cc -c src/sum.c -o sum.o\n/usr/bin/cc tests/t.c sum.o -o t\n";
    let scene = Scene::new(&[("build.sh", script), ("src/sum.c", SUM), ("tests/t.c", TEST)]);
    let ran = scene.run(&["mutants", "--format", "json", "--build", "./build.sh"]).expect(FINE);
    assert_eq!(distinct(&ran.mutants(), "file"), ["src/sum.c"]);
    ran.told(&["bear"]);
}

#[test]
fn directories_of_a_compile_database_may_be_relative_to_it() {
    let entries = serde_json::json!([
        {"directory": "..", "file": "src/sum.c", "command": "cc -Iinclude -c src/sum.c -o build/sum.o"},
        {"directory": "../src", "file": "./deep/../more.c", "arguments": ["cc", "-I../include", "-c", "more.c"]},
    ]);
    let more = "#include \"h.h\"\nint more(int a) { return a - ONE; }\n";
    let scene = Scene::new(&[
        ("build/compile_commands.json", &entries.to_string()),
        ("src/sum.c", SUM),
        ("src/more.c", more),
        ("include/h.h", "#define ONE 1\n"),
    ]);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    assert_eq!(distinct(&ran.mutants(), "file"), ["src/more.c", "src/sum.c"]);
    assert_eq!(ran.stderr, "", "both files are understood whole");
}

#[test]
fn the_header_of_a_header_only_library_is_found_through_its_test() {
    let header = "#pragma once\nnamespace lib {\ntemplate <class T> T larger(T a, T b) { return a < b ? b : a; }\n\
                  inline int half(int x) { return x / 2; }\n}\n";
    let test = "#include <lib/lib.hpp>\nint main() { return lib::larger(1, 2) == 2 && lib::half(4) == 2 ? 0 : 1; }\n";
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(lib CXX)\nadd_library(lib INTERFACE)\n\
                 target_include_directories(lib INTERFACE include)\nenable_testing()\n\
                 add_executable(lib_test test/lib_test.cpp)\ntarget_link_libraries(lib_test lib)\n\
                 add_test(NAME lib_test COMMAND lib_test)\n";
    let files = [("CMakeLists.txt", cmake), ("include/lib/lib.hpp", header), ("test/lib_test.cpp", test)];
    let scene = Scene::new(&files);
    if !has("cmake") {
        return;
    }
    let mutants = scene.mutants(&[]);
    assert_eq!(distinct(&mutants, "file"), ["include/lib/lib.hpp"]);
    assert_eq!(distinct(&mutants, "function"), ["lib::half", "lib::larger"]);
    let report = scene.run(&["doctor"]).expect(FINE).stdout;
    assert!(report.contains("include/lib/lib.hpp"), "doctor names what is under test:\n{report}");
}

#[test]
fn a_header_of_three_files_is_listed_once() {
    let header = "static inline int twice(int x) { return x + x; }\n";
    let source = |n: u8| format!("#include \"h.h\"\nint f{n}(int a) {{ return twice(a); }}\n");
    let (a, b, c) = (source(1), source(2), source(3));
    let scene = Scene::compiled(&[("include/h.h", header), ("a.c", &a), ("b.c", &b), ("c.c", &c)]);
    let mutants = scene.mutants(&["include/h.h", "--operators", "AOR"]);
    assert_eq!(all(&mutants, "replacement"), ["-", "*", "/", "%"], "{mutants:?}");
}

#[test]
fn one_bad_file_among_good_ones_is_told_and_the_others_are_listed() {
    let bad = "#include \"generated.h\"\nint good_part(int a) { return a + 1; }\nint bad( { ] }\n";
    let scene = Scene::compiled(&[("bad.c", bad), ("sum.c", SUM), ("worse.c", "this is not C at all")]);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    let mutants = ran.mutants();
    assert!(distinct(&mutants, "file").contains(&"sum.c"));
    assert!(distinct(&mutants, "function").contains(&"good_part"), "as far as it is understood");
    let first_error = "bad.c:1:10: 'generated.h' file not found";
    ran.told(&["warning: bad.c", first_error, "warning: worse.c"]);
}

#[test]
fn our_own_folder_in_the_project_is_the_only_thing_written() {
    let scene = Scene::example();
    if !has("cmake") {
        return;
    }
    let before = crate::scene::snapshot(&scene.root());
    let mut command = scene.command(&["mutants", "--work", ".perturb"]);
    command.current_dir(scene.root());
    crate::scene::run_in_time(command).expect(FINE);
    let mut after = crate::scene::snapshot(&scene.root());
    let ours = scene.root().join(".perturb");
    after.retain(|path, _| !path.starts_with(&ours) && *path != scene.root());
    let mut before = before;
    before.retain(|path, _| *path != scene.root());
    crate::scene::assert_unchanged(&before, &after);
}

#[test]
fn our_own_folder_hides_itself_from_git() {
    if !has("make") {
        return;
    }
    let scene = Scene::new(&[("sum.c", SUM), ("Makefile", "all: sum.o\n")]);
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git").args(arguments).current_dir(scene.root()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    git(&["init", "-q"]);
    let before = git(&["status", "--porcelain"]);
    crate::scene::run_in_time(scene.command(&["mutants", "--work", ".perturb"])).expect(FINE);
    assert!(scene.root().join(".perturb").is_dir());
    assert_eq!(git(&["status", "--porcelain"]), before);
}

#[test]
fn several_runs_at_once_do_not_disturb_each_other() {
    if !has("cmake") {
        return;
    }
    let scene = Scene::example();
    let arguments = ["mutants", "--format", "json"];
    let runs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| scene.run(&arguments))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let alone = scene.run(&arguments).expect(FINE).stdout;
    for ran in runs {
        assert_eq!(ran.expect(FINE).stdout, alone);
    }
}

#[test]
fn a_source_named_from_inside_the_project_belongs_to_the_project() {
    if !has("cmake") {
        return;
    }
    // As with git, the folder one stands in must not change what a file is.
    let scene = Scene::example();
    let expected = scene.mutants(&["src/ring.c"]);
    let mut command = scene.command(&["mutants", "--format", "json", "ring.c"]);
    command.current_dir(scene.root().join("src"));
    let ran = scene.finish(command).expect(FINE);
    assert_eq!(ids(&ran.mutants()), ids(&expected), "{}", ran.stderr);
}

#[test]
fn a_folder_that_is_no_project_gets_no_folder_of_ours() {
    let scene = Scene::new(&[("readme.txt", "hello\n")]);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_perturb"));
    command.arg("mutants").current_dir(scene.root());
    scene.finish(command).expect(crate::scene::UNUSABLE);
}

#[test]
fn generated_sources_are_made_but_not_mutated() {
    if !has("make") {
        return;
    }
    let makefile = "all: prog\ntable.c:\n\techo 'int table(int a) { return a + 4; }' > table.c\n\
                    prog: main.o table.o\n\t$(CC) -o prog main.o table.o\n";
    let main = "int table(int);\nint main(int argc, char **argv)\n{\n    (void)argv;\n    return table(argc) - 5;\n}\n";
    let scene = Scene::new(&[("Makefile", makefile), ("main.c", main)]);
    assert_eq!(distinct(&scene.mutants(&[]), "file"), ["main.c"]);
    let report = scene.run(&["doctor"]).expect(FINE).stdout;
    assert!(report.contains("table.c") && report.contains("generated by the build"), "{report}");
}

#[test]
fn the_mutants_of_the_example_are_described_where_they_are() {
    let scene = Scene::example();
    let work = scene.outside("work").to_str().unwrap().to_string();
    let mutants = scene.mutants(&["src/ring.c"]);
    for mutant in &mutants {
        let line = usize::try_from(mutant["line"].as_u64().unwrap()).unwrap();
        let start = text(mutant, "original").lines().next().unwrap_or_default();
        let source = fs::read_to_string(scene.root().join("src/ring.c")).unwrap();
        assert!(source.lines().nth(line - 1).unwrap().contains(start), "{mutant}");
        assert!(!mutant.to_string().contains(&work), "paths are those of the user's tree: {mutant}");
    }
}

/// A source that includes each of these, with one function.
fn including(headers: &[&str]) -> String {
    headers.iter().map(|header| format!("#include <{header}>\n")).collect::<String>() + SUM
}

#[test]
fn the_system_s_headers_are_understood_by_every_libclang_as_the_compiler_does() {
    let c = [
        "assert.h",
        "complex.h",
        "ctype.h",
        "errno.h",
        "fenv.h",
        "immintrin.h",
        "inttypes.h",
        "limits.h",
        "math.h",
        "pthread.h",
        "setjmp.h",
        "signal.h",
        "stdarg.h",
        "stdatomic.h",
        "stdbool.h",
        "stdint.h",
        "stdio.h",
        "stdlib.h",
        "string.h",
        "sys/socket.h",
        "tgmath.h",
        "time.h",
        "unistd.h",
        "wchar.h",
    ];
    let cpp = [
        "algorithm",
        "atomic",
        "chrono",
        "cmath",
        "filesystem",
        "functional",
        "iostream",
        "map",
        "memory",
        "optional",
        "random",
        "regex",
        "string",
        "thread",
        "variant",
        "vector",
    ];
    let scene = Scene::compiled(&[("c.c", &including(&c)), ("cpp.cpp", &including(&cpp))]);
    for version in ["14", "16", "19"] {
        let ran = scene.run(&["mutants", "--format", "json", "--operators", "AOR", "--libclang", version]);
        if ran.code == UNUSABLE && ran.stderr.contains("no libclang") {
            eprintln!("skipped: libclang {version} is not installed");
            continue;
        }
        let ran = ran.expect(FINE);
        assert!(ran.stderr.is_empty(), "libclang {version}: {}", ran.stderr);
        assert_eq!(distinct(&ran.mutants(), "file"), ["c.c", "cpp.cpp"], "libclang {version}");
    }
}
