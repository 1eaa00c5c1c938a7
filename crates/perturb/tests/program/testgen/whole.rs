//! One function that cannot be tested takes nothing from others, and what is written may be moved.

use crate::scene::{has, text, Scene, FINE};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A project whose test calls nothing of `work.c`.
pub(super) fn untested(source: &str) -> Scene {
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(work C)\nenable_testing()\n\
                 add_executable(nothing tests/nothing.c work.c)\nadd_test(NAME nothing COMMAND nothing)\n";
    let scene = Scene::new(&[
        ("CMakeLists.txt", cmake),
        ("work.c", source),
        ("tests/nothing.c", "int main(void) { return 0; }\n"),
    ]);
    scene.run(&["run", "--quiet", "--tce", "off", "--equivalence", "off"]).expect(FINE);
    scene
}

/// What is told of the mutants of a function.
fn results<'m>(told: &'m Value, function: &str) -> Vec<&'m Value> {
    let is_in = |mutant: &&Value| text(mutant, "name").contains(&format!(" {function}(): "));
    told["mutants"].as_array().unwrap().iter().filter(is_in).collect()
}

#[test]
fn a_function_whose_tests_do_not_compile_takes_nothing_from_others_in_its_file() {
    if !has("cmake") {
        return;
    }
    // Only tests with callbacks have such a variable.
    let scene = untested(
        "int twice(int x) { return x > 10 ? 2 * x : x; }\n\
         int asked(int (*ask)(int), int x) { return ask(x) + 1; }\n\
         #define stub_turns 3\n",
    );
    let told: Value = serde_json::from_str(&scene.run(&["testgen", "--format", "json"]).expect(FINE).stdout).unwrap();
    let killed = |function: &str| results(&told, function).iter().filter(|mutant| mutant["result"] == "killed").count();
    assert!(killed("twice") > 10, "{told:#}");
    assert_eq!(killed("asked"), 0, "{told:#}");
    let reasons = results(&told, "asked").into_iter().filter_map(|mutant| mutant["why"].as_str());
    let reasons: Vec<&str> = reasons.collect();
    assert!(!reasons.is_empty(), "{told:#}");
    for reason in reasons {
        assert!(reason.starts_with("no program can be made of its test: work.c:3: "), "{reason}");
    }
}

#[test]
fn a_folder_in_the_project_may_be_moved_with_it() {
    if !has("cmake") {
        return;
    }
    let scene = untested("int twice(int x) { return x > 10 ? 2 * x : x; }\n");
    let ran = crate::scene::run_in_time(scene.command(&["testgen", "--out", "tests/new"])).expect(FINE);
    assert!(ran.stdout.contains("tests/new/test_work.c\n"), "{}", ran.stdout);
    let makefile = scene.read("tests/new/Makefile");
    assert!(makefile.contains("\nROOT = ../..\n"), "{makefile}");
}

/// Builds and runs all that is written, as people do it.
#[track_caller]
fn built(script: &str, folder: &Path) -> String {
    let mut shell = Command::new("sh");
    let ran = shell.args(["-c", script]).current_dir(folder).env_remove("MAKEFLAGS").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && !said.contains("warning:"), "{script}: {said}");
    said
}

#[test]
fn what_is_written_can_be_built_in_a_path_with_spaces_and_knows_nothing_of_our_folder() {
    if !has("cmake") || !has("make") {
        return;
    }
    let scene = Scene::new(&[]);
    let project = scene.outside("my project, 2 (new)");
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(work C)\nenable_testing()\n\
                 configure_file(limit.h.in limit.h)\ninclude_directories(include ${CMAKE_BINARY_DIR})\n\
                 add_definitions(-DNAME=\"a b\")\n\
                 add_executable(nothing tests/nothing.c \"src/the work.c\" src/other.c)\n\
                 add_test(NAME nothing COMMAND nothing)\n";
    let source = "#include \"other.h\"\n#include \"limit.h\"\n#include <string.h>\n\
                  int twice(int x) { return x > LIMIT ? 2 * x : other(x) + (int)strlen(NAME); }\n";
    for (path, text) in [
        ("CMakeLists.txt", cmake),
        ("limit.h.in", "#define LIMIT 10\n"),
        ("include/other.h", "int other(int);\n"),
        ("src/the work.c", source),
        ("src/other.c", "#include \"other.h\"\nint other(int x) { return x - 1; }\n"),
        ("tests/nothing.c", "int main(void) { return 0; }\n"),
    ] {
        std::fs::create_dir_all(project.join(path).parent().unwrap()).unwrap();
        std::fs::write(project.join(path), text).unwrap();
    }
    let perturb = |arguments: &[&str]| {
        let mut command = scene.command(arguments);
        command.current_dir(&project);
        crate::scene::run_in_time(command).expect(FINE)
    };
    perturb(&["run", "--quiet", "--tce", "off", "--equivalence", "off"]);
    let (beside, within) = (scene.outside("new tests"), project.join("new tests"));
    for out in [&beside, &within] {
        let ran = perturb(&["testgen", "--tiers", "native", "--out", out.to_str().unwrap()]);
        assert!(ran.stdout.contains("test_src_the_work.c\n"), "{}", ran.stdout);
        let files = super::files(out);
        assert!(["CMakeLists.txt", "Makefile"].iter().all(|name| files.contains_key(*name)), "{files:?}");
        for (name, text) in files {
            assert!(!text.contains(scene.outside("work").to_str().unwrap()), "{name}: {text}");
        }
    }
    std::fs::write(project.join("CMakeLists.txt"), format!("{cmake}add_subdirectory(\"new tests\")\n")).unwrap();
    let said = built("cmake -S . -B build && cmake --build build && cd build && ctest --output-on-failure", &project);
    assert!(said.contains("100% tests passed") && said.contains("test_src_the_work"), "{said}");
    for out in [&beside, &within] {
        let said = built("make check", out);
        assert!(said.contains("pass: test_twice_") && said.contains("pass: test_other_"), "{said}");
    }
}

#[test]
fn folders_of_headers_that_the_build_names_from_where_it_stands_are_found_from_elsewhere() {
    if !has("make") {
        return;
    }
    let scene = Scene::new(&[
        ("Makefile", "check: t\n\t./t\nt: work.c t.c\n\tcc -Iinclude -include limit.h -o $@ $^\n"),
        ("include/add.h", "#define ADD 3\n"),
        ("limit.h", "#define LIMIT 10\n"),
        ("work.c", "#include \"add.h\"\nint more(int x) { return x > LIMIT ? x + ADD : x; }\n"),
        ("t.c", "int main(void) { return 0; }\n"),
    ]);
    super::run(&scene, &["--operators", "ROR"]);
    let (_, out) = super::generate(&scene, "tests", &["--operators", "ROR", "--tiers", "native"]);
    let said = built("make check", &out);
    assert!(said.contains("pass: test_more_"), "{said}");
}

/// What is behind a check that nobody passes by chance.
const GUARDED: &str = "\
unsigned mixed(unsigned a, unsigned b);
int accepted(unsigned a, unsigned b);

unsigned mixed(unsigned a, unsigned b)
{
    unsigned sum = a * 2654435761u ^ b * 2246822519u;
    return (sum ^ sum >> 15) * 3266489917u;
}

int accepted(unsigned a, unsigned b)
{
    if (mixed(a, b) != 0x72758365u)
        return -1;
    return a > 1000 ? 2 : 1;
}
";

/// The same where a list of variable arguments delivers it.
const LISTED: &str = "\
#include <stdarg.h>
unsigned mixed(const char *text, unsigned number, double part);
int accepted(int count, va_list words);
int passed(int count, ...);

unsigned mixed(const char *text, unsigned number, double part)
{
    unsigned sum = number * 2246822519u ^ (unsigned)(part * 8) * 3266489917u;
    while (*text != 0)
        sum = (sum ^ (unsigned char)*text++) * 2654435761u;
    return sum ^ sum >> 15;
}

int accepted(int count, va_list words)
{
    const char *text = va_arg(words, const char *);
    unsigned number = va_arg(words, unsigned);
    if (mixed(text, number, va_arg(words, double)) != 0x39db9887u)
        return -1;
    return count > 1000 ? 2 : 1;
}

int passed(int count, ...)
{
    int result;
    va_list words;
    va_start(words, count);
    result = accepted(count, words);
    va_end(words);
    return result;
}
";

/// Whether a mutant of what comes behind a check is killed, without seeds and with them.
fn killed_blind_and_seeded(source: &str, test: &str, mutant: &str) -> [bool; 2] {
    let flags = "-std=c89 -pedantic -Wall -Wextra -Werror -Wmissing-prototypes -Wdeclaration-after-statement";
    let makefile = format!(
        "all: t\ncheck: t\n\t./t\nt: guarded.o t.c\n\tcc -o $@ t.c guarded.o\nguarded.o: guarded.c\n\
         \tcc {flags} -c -o $@ guarded.c\n"
    );
    let scene = Scene::new(&[("guarded.c", source), ("t.c", test), ("Makefile", &makefile)]);
    let selection = ["--operators", "ICR", "--function", "accepted"];
    super::run(&scene, &selection);
    let native = [&selection[..], &["--tiers", "native", "--fresh"]].concat();
    [["--seeds", "none"], ["--seeds", "tests"]].map(|seeds| {
        let (told, _) = super::generate(&scene, seeds[1], &[&native[..], &seeds].concat());
        let is_it = |found: &&Value| {
            let name = text(found, "name");
            name.starts_with(mutant) && name.ends_with("'1' -> '0'")
        };
        let behind = told["mutants"].as_array().unwrap().iter().find(is_it);
        text(behind.unwrap_or_else(|| panic!("{told:#}")), "result") == "killed"
    })
}

#[test]
fn what_the_projects_tests_call_functions_with_comes_first_also_where_warnings_are_errors() {
    if !has("make") {
        return;
    }
    let test = "int accepted(unsigned, unsigned);\nint main(void) { accepted(77u, 1234567u); return 0; }\n";
    assert_eq!(killed_blind_and_seeded(GUARDED, test, "guarded.c:14:"), [false, true]);
}

#[test]
fn what_lists_of_variable_arguments_deliver_in_the_projects_tests_comes_first_too() {
    if !has("make") {
        return;
    }
    let test = "int passed(int, ...);\nint main(void) { passed(3, \"sesame\", 1234567u, 2.125); return 0; }\n";
    assert_eq!(killed_blind_and_seeded(LISTED, test, "guarded.c:20:"), [false, true]);
}
