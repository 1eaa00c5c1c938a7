//! What can be wrong with what is compared, or odd about it: each ends in time, with a reason or an error that says
//! what to do.

use super::{has_clang, verdicts};
use crate::scene::{has, text, Scene, FINE, NOTHING, UNUSABLE, USAGE};
use serde_json::Value;

/// Functions that are odd, each with what is said of its mutants: all are unknown for this reason, or one is different.
const ODD: &[(&str, &str, Result<(), &str>)] = &[
    (
        "backwards",
        "// @perturb(3..1)\nint backwards(int a) { return a + 1; }",
        Err("the contract of backwards: 3..1 holds no value"),
    ),
    (
        "outside",
        "// @perturb(0..300)\nint outside(unsigned char a) { return a + 1; }",
        Err("its contract says that a is from 0 to 300, which its type does not hold"),
    ),
    (
        "below",
        "// @perturb(-1..3[2])\nint below(unsigned *a) { return a[1] + 1; }",
        Err("its contract says that a[0] is from -1 to 3, which its type does not hold"),
    ),
    (
        "three",
        "// @perturb(sym, sym, sym)\nint three(int a) { return a + 1; }",
        Err("its contract speaks of 3 parameters, and it has 1"),
    ),
    (
        "given",
        "int given(int a[1 << 28]) { return a[3] + 1; }",
        Err("*a has 1073741824 bytes, and 65536 is the most that can be made up"),
    ),
    (
        "by_value",
        "struct all { int of[1 << 20]; }; int by_value(struct all a) { return a.of[3] + 1; }",
        Err("a has 4194304 bytes, and 65536 is the most that can be made up"),
    ),
    (
        "outer",
        "static int table[1 << 20]; int outer(unsigned char i) { return table[i] + 1; }",
        Err("table has 4194304 bytes, and 65536 is the most that can be made up"),
    ),
    (
        "kept",
        "int kept(unsigned char i) { static int all[200] = {1}; return all[i % 200]++ + 1; }",
        Err("all, in which it keeps values from one call to the next, cannot be set (line 1)"),
    ),
    ("local", "int local(unsigned char i) { int all[1 << 20] = {0}; all[i] = i; return all[i] + 1; }", Ok(())),
    (
        "assembled",
        "int assembled(int a)\n{\n    __asm__(\"nop\");\n    return a + 1;\n}",
        Err("it has assembly in it (line 3)"),
    ),
    ("varies", "int varies(int a, ...) { return a + 1; }", Err("it takes a variable number of arguments")),
    ("asks", "int asks(int (*f)(int), int a) { return f(a) + 1; }", Ok(())),
    ("endless", "int endless(int a) { return endless(a) + 1; }", Err("no difference was found with 0 inputs")),
    ("older", "int older(a, b) int a; char b; { return a + b; }", Err("(K&R style): give it a prototype")),
    ("main", "int main(int a, char **b) { return a + 1; }", Err("it is in main, which is no function like others")),
    ("sized", "int sized(unsigned char n) { int all[n + 1]; all[n] = n; return all[n]; }", Ok(())),
    (
        "wide",
        "long double wide(long double a) { return a + 1; }",
        Err("a is of a type that no value can be made up for: long double"),
    ),
    ("bits", "struct bits { unsigned low : 3, high : 5; }; int bits(struct bits b) { return b.low + b.high; }", Ok(())),
    ("register_", "#define return_ return\nint register_(int a) { return_ a + 1; }", Ok(())),
    ("unended", "int unended(int a) { return a + 1; } // the file ends here", Ok(())),
];

#[test]
fn odd_functions_are_compared_or_say_why_not() {
    for (function, source, expected) in ODD {
        let scene = Scene::new(&[("odd.c", source)]);
        let found = verdicts(&scene, &["odd.c", "--operators", "AOR", "--inputs", "500"]);
        assert!(!found.is_empty(), "{function}");
        match expected {
            Ok(()) => assert!(found.values().any(|value| value["verdict"] == "different"), "{function}: {found:#?}"),
            Err(why) => {
                let is_told = |value: &Value| value["verdict"] == "unknown" && text(value, "why").contains(why);
                assert!(found.values().all(is_told), "{function}: {found:#?}");
            }
        }
    }
}

/// What a program ends with can be seen from outside, and is not compared: so nothing is equivalent without that
/// condition.
#[test]
fn where_the_original_ends_the_program_nothing_is_proved() {
    let source = "\
#include <stdlib.h>
int leaves(int a) { if (a > 3) exit(a + 1); return a; }
int gives_up(int a) { if (a > 3) abort(); return a; }
";
    let scene = Scene::new(&[("ends.c", source)]);
    let found = verdicts(&scene, &["ends.c", "--operators", "AOR,ROR"]);
    let condition =
        |value: &Value| value["assumptions"].to_string().contains("the original does not end the program by");
    for value in found.values().filter(|value| value["verdict"] == "equivalent") {
        assert!(condition(value), "{value:#}");
    }
    let says = |part: &str, verdict: &str| {
        found.values().any(|value| text(value, "name").contains(part) && value["verdict"] == verdict)
    };
    assert!(says("gives_up(): '>' -> '>='", "different"), "{found:#?}");
    assert!(!says("leaves(): '+' -> '-'", "different"), "{found:#?}");
}

#[test]
fn what_stands_in_for_others_is_fine_for_old_c() {
    let source = "void say(const char *);\nint talks(int a) { say(\"a\"); return a + 1; }\n";
    let scene = Scene::new(&[("old.c", source)]);
    let found = verdicts(&scene, &["old.c", "--operators", "AOR", "--tiers", "native", "--", "-std=c90"]);
    assert!(found.values().all(|value| value["verdict"] == "different"), "{found:#?}");
}

/// What the C library does is read in the language of the project.
#[test]
fn old_c_that_uses_the_library_is_reasoned_about() {
    if !has_clang() {
        return;
    }
    let source = "#include <string.h>\nint is_longer(const char *a) { return strlen(a) > 1; }\n";
    let scene = Scene::new(&[("old.c", source)]);
    let found = verdicts(&scene, &["old.c", "--operators", "ROR", "--tiers", "proof", "--", "-std=c89"]);
    assert!(!found.is_empty() && found.values().all(|value| value["verdict"] != "unknown"), "{found:#?}");
}

#[test]
fn what_clang_does_not_take_is_told_with_its_place() {
    if !has_clang() || !has("gcc") {
        return;
    }
    let source = "int f(int a) { return a + 1; }\nint outer(int a)\n\
                  {\n    int inner(int b) { return b; }\n    return inner(a);\n}\n";
    let scene = Scene::new(&[("nested.c", source)]);
    let found = verdicts(&scene, &["nested.c", "--function", "f", "--operators", "AOR", "--tiers", "proof"]);
    let told = "clang does not take it: nested.c:4: function definition is not allowed here";
    assert!(found.len() == 4 && found.values().all(|value| text(value, "why").contains(told)), "{found:#?}");
}

/// Every input would be waited for as long as there are steps, or a stack.
#[test]
fn an_endless_recursion_costs_little() {
    let scene = Scene::new(&[("deep.c", "int deep(int a) { return deep(a + 1) + 1; }\n")]);
    let found = verdicts(&scene, &["deep.c", "--operators", "AOR", "--tiers", "native,exhaustive"]);
    let cpu_ms: f64 = found.values().map(|value| value["cpu_ms"].as_f64().unwrap()).sum();
    assert!(found.values().all(|value| value["verdict"] == "unknown"), "{found:#?}");
    assert!(cpu_ms < 5_000.0, "{cpu_ms} ms");
}

#[test]
fn files_in_which_nothing_can_be_compared_are_errors() {
    for (source, code, parts) in [
        ("int f(int a) { return a + ; }\n", NOTHING, &["bad.c:1:27: expected expression", "nothing to mutate"][..]),
        ("", NOTHING, &["nothing to mutate"]),
        ("int f(int a);\nextern int g;\n", NOTHING, &["nothing to mutate"]),
        ("int f(int a) { return a + 1; }\0\n", UNUSABLE, &["bad.c is not a C or C++ source file: it is binary"]),
    ] {
        let scene = Scene::new(&[("bad.c", source)]);
        let ran = scene.run(&["equiv", "bad.c"]).expect_error(code, parts);
        for part in parts {
            assert_eq!(ran.stderr.matches(part).count(), 1, "told once: {}", ran.stderr);
        }
    }
    let scene = Scene::new(&[("fine.c", "int f(int a) { return a + 1; }\n"), ("folder.c/readme", "")]);
    for (arguments, code, part) in [
        (&["fine.c", "--function", "nope"][..], NOTHING, "no function nope has a mutant"),
        (&["gone.c"], USAGE, "gone.c: No such file or directory"),
        (&["folder.c"], UNUSABLE, "found no C or C++ source file in"),
    ] {
        scene.run(&[&["equiv"], arguments].concat()).expect_error(code, &[part]);
    }
}

#[test]
fn a_header_that_is_missing_is_the_reason() {
    let scene = Scene::new(&[("lost.c", "#include \"gone.h\"\nint f(int a) { return a + 1; }\n")]);
    let ran = scene.run(&["equiv", "lost.c", "--operators", "AOR"]).expect(FINE).told(&["'gone.h' file not found"]);
    assert!(
        ran.stdout.contains("unknown: lost.c:2:25") && ran.stdout.contains("gone.h: No such file"),
        "{}",
        ran.stdout
    );
}

/// Each function is built with all others around it.
#[test]
fn a_function_among_thousands_is_compared() {
    let source: String = (0..2000).map(|at| format!("int f{at}(int a) {{ return a + {at}; }}\n")).collect();
    let scene = Scene::new(&[("many.c", &source)]);
    let found = verdicts(&scene, &["many.c", "--function", "f1999", "--operators", "AOR", "--inputs", "500"]);
    assert!(found.len() == 4 && found.values().all(|value| value["verdict"] == "different"), "{found:#?}");
}
