//! The runtime is compiled once, where that can be, and else in every file: whichever it is, the verdicts are the same.

use std::collections::BTreeMap;
use std::fs;

use super::{fine, Told};
use crate::scene::{has, Scene};

const HEADER: &str = "static inline int half(int n)\n{\n    return n > 1 ? n / 2 : 0;\n}\n";

const LIBRARY: &str = r#"#include "half.h"

int level(int value, unsigned char shift)
{
    if (value < 0 || shift > 7)
        return -1;
    return half(value) + (value >> shift);
}
"#;

const SCALE: &str = r#"extern "C" double scaled(double value, float factor)
{
    double result = value * factor;
    return result > 100.5 ? 100.5 : result - 1;
}
"#;

const ROOT: &str = r#"#include "half.h"

int root(int square)
{
    int n = half(3);
    while (n * n < square)
        n++;
    return n;
}
"#;

const TEST: &str = r#"#include "../src/root.c"
int level(int value, unsigned char shift);
double scaled(double value, float factor);

int main(void)
{
    int bad = level(-1, 1) != -1 || level(1, 8) != -1 || level(3, 0) != 4 || level(8, 1) != 8;
    bad |= scaled(2, 1.5f) != 2 || scaled(100, 2) != 100.5;
    return bad || root(9) != 3 || root(10) != 4;
}
"#;

/// A library and a program that both are instrumented, in C and C++; a source that is compiled and included; a header.
const MAKEFILE: &str = "all: test_all\n\
    liblevel.so: src/level.c src/root.c src/half.h\n\
    \t$(CC) $(FLAGS) $(OWN) -fPIC -c src/level.c -o level.o\n\t$(CC) $(FLAGS) -fPIC -c src/root.c -o root.o\n\
    \t$(CC) $(FLAGS) -shared -o $@ level.o root.o\n\
    test_all: tests/test_all.c src/scale.cpp liblevel.so src/half.h\n\t$(CXX) $(FLAGS) -c src/scale.cpp -o scale.o\n\
    \t$(CC) $(FLAGS) -c tests/test_all.c -o test.o\n\
    \t$(CXX) $(FLAGS) -o $@ test.o scale.o -L. -llevel -Wl,-rpath,'$$ORIGIN'\n\
    check: all\n\t./test_all\n";

/// Runs where nothing is known of the project, with these settings in its Makefile.
fn built(scene: &Scene, settings: &str, arguments: &[&str]) -> Told {
    scene.write("Makefile", format!("CC = gcc\nCXX = g++\n{settings}\n{MAKEFILE}"));
    let _ = fs::remove_dir_all(scene.outside("work"));
    let told = fine(scene, arguments);
    assert_eq!(told.one("instrumented")["rebuilt"], 0, "{settings}: all are switched");
    told
}

/// What becomes of each mutant.
fn outcomes(scene: &Scene, settings: &str) -> BTreeMap<String, String> {
    let told = built(scene, settings, &["--audit", "0"]);
    assert!(told.count("killed") > 50 && told.count("live") > 5, "{:?}", told.outcomes());
    told.outcomes().into_iter().map(|(id, outcome)| (id.to_string(), outcome.to_string())).collect()
}

/// Whether a file of the last build had the runtime as assembly.
fn is_assembled(scene: &Scene, name: &str) -> bool {
    let text = fs::read_to_string(scene.outside("work/shadow/instrumented/tree/src").join(name)).unwrap();
    let include = text.lines().find(|line| line.starts_with("#include ")).unwrap();
    include.contains("/runtime-")
}

const FILES: [&str; 4] = ["level.c.perturb", "root.c.perturb", "scale.cpp.perturb", "half.h"];

#[test]
fn assembled_or_compiled_in_every_file_it_comes_to_the_same_verdicts() {
    if !has("make") || !has("g++") {
        return;
    }
    let scene = Scene::new(&[
        ("src/half.h", HEADER),
        ("src/level.c", LIBRARY),
        ("src/scale.cpp", SCALE),
        ("src/root.c", ROOT),
        ("tests/test_all.c", TEST),
    ]);
    let assembled = outcomes(&scene, "");
    assert_eq!(FILES.map(|name| is_assembled(&scene, name)), [true; 4]);
    // What is optimised as one program has the runtime in every file.
    assert_eq!(outcomes(&scene, "FLAGS = -O2 -flto"), assembled);
    assert_eq!(FILES.map(|name| is_assembled(&scene, name)), [false; 4]);
    // One unit that cannot have it speaks for what it includes.
    built(&scene, "FLAGS = -O1\nOWN = -flto", &["--until", "instrument"]);
    assert_eq!(FILES.map(|name| is_assembled(&scene, name)), [false, true, true, false]);
    if has("clang-14") {
        assert_eq!(outcomes(&scene, "CC = clang-14\nCXX = clang++-14\nFLAGS = -O2 -g"), assembled);
        assert_eq!(FILES.map(|name| is_assembled(&scene, name)), [true; 4]);
    }
}

/// A build that looks at its own assembly, and wants none that a compiler would not write.
#[test]
fn where_the_build_does_not_bear_the_assembly_every_file_has_the_text() {
    if !has("make") {
        return;
    }
    const MAKEFILE: &str = "all: test_root\n\
        test_root: src/root.c src/half.h tests/test_root.c\n\
        \t$(CC) -S src/root.c -o root.s\n\tif grep -q popsection root.s; then exit 1; fi\n\
        \t$(CC) -o $@ root.s tests/test_root.c\ncheck: all\n\t./test_root\n";
    const TEST: &str = "int root(int square);\nint main(void)\n{\n    return root(9) != 3 || root(10) != 4;\n}\n";
    let scene = Scene::new(&[
        ("src/half.h", HEADER),
        ("src/root.c", ROOT),
        ("tests/test_root.c", TEST),
        ("Makefile", MAKEFILE),
    ]);
    let told = fine(&scene, &["--audit", "0"]);
    assert_eq!(told.one("instrumented")["rebuilt"], 0);
    assert!(told.count("killed") > 20);
    assert!(!is_assembled(&scene, "root.c.perturb"));
}
