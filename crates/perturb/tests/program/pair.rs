//! `perturb equiv --pair`: what is said of two versions of a function is true.

use crate::scene::{has, text, Scene, FINE, NOTHING, UNDER_GATE, UNUSABLE, USAGE};
use serde_json::Value;
use std::collections::BTreeMap;

/// The exit code if something is unknown, and nothing is different.
const UNDECIDED: i32 = 7;

/// What is said of each function of two files.
#[track_caller]
fn pair(first: &str, second: &str, code: i32) -> BTreeMap<String, Value> {
    let scene = Scene::new(&[("old.c", first), ("new.c", second)]);
    let ran = scene.run(&["equiv", "--format", "jsonl", "--pair", "old.c", "new.c"]).expect(code);
    let parsed = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.map(|value| (text(&value, "function").to_string(), value)).collect()
}

/// The verdict on `f`, and why it is unknown.
#[track_caller]
fn of_f(first: &str, second: &str, code: i32) -> String {
    let found = pair(first, second, code);
    let f = &found["f"];
    let why = f["why"].as_str().map(|why| format!(": {why}")).unwrap_or_default();
    format!("{}{why}", text(f, "verdict"))
}

fn has_clang() -> bool {
    (14..=30).any(|version| has(&format!("clang-{version}")))
}

#[test]
fn a_formula_does_what_a_loop_did() {
    let first = "unsigned char f(unsigned char n)\n{\n    unsigned total = 0;\n    \
                 for (unsigned i = 1; i <= n; i++)\n        total += i;\n    return total & 0xff;\n}\n";
    let second = "unsigned char f(unsigned char count)\n{\n    return count * (count + 1u) / 2u;\n}\n";
    let found = pair(first, second, FINE);
    assert_eq!((text(&found["f"], "verdict"), text(&found["f"], "tier")), ("equivalent", "exhaustive"), "{found:#?}");
}

#[test]
fn obfuscated_arithmetic_is_proved_equal_or_refuted() {
    if !has_clang() {
        return;
    }
    let first = "unsigned f(unsigned x, unsigned y) { return x + y; }\n";
    let mixed = "unsigned f(unsigned x, unsigned y) { return (x ^ y) + 2 * (x & y); }\n";
    let found = pair(first, mixed, FINE);
    assert_eq!((text(&found["f"], "verdict"), text(&found["f"], "tier")), ("equivalent", "proof"), "{found:#?}");
    assert_eq!(of_f(first, &mixed.replace("2 *", "3 *"), UNDER_GATE), "different");
}

#[test]
fn a_wrong_refactoring_is_told_with_an_input() {
    let first = "#define LIMIT 10\nint f(int x)\n{\n    if (x > LIMIT)\n        return LIMIT;\n    return x;\n}\n";
    let second =
        "enum { LIMIT = 10 };\nint f(int value)\n{\n    return value < LIMIT ? value : LIMIT + (value == 4711);\n}\n";
    let found = pair(first, second, UNDER_GATE);
    let f = &found["f"];
    assert_eq!((text(f, "verdict"), text(f, "kind")), ("different", "output"), "{f:#}");
    let [input, one, other] = ["input", "first", "second"].map(|key| f["witness"][key][0].as_str().unwrap());
    assert_eq!([input, one, other], ["x = 4711", "the result = 10", "the result = 11"]);
    let scene = Scene::new(&[("old.c", first), ("new.c", second)]);
    let ran =
        scene.run(&["equiv", "--pair", "old.c", "new.c"]).expect_error(UNDER_GATE, &["1 of 1 function is different"]);
    assert_eq!(ran.stdout, "different: f()\n    with x = 4711\n    the result is 10 in old.c, 11 in new.c\n");
}

#[test]
fn each_function_calls_what_its_own_file_has() {
    let with = |helper: &str, f: &str| {
        format!("static int helper(int x) {{ return {helper}; }}\nint f(signed char x) {{ return {f}; }}\n")
    };
    assert_eq!(of_f(&with("x * 2", "helper(x)"), &with("x * 3", "helper(x)"), UNDER_GATE), "different");
    let found = pair(&with("x / 4", "helper(x * 3)"), &with("(x * 3) / 4", "helper(x)"), UNDER_GATE);
    assert_eq!((text(&found["f"], "verdict"), text(&found["helper"], "verdict")), ("equivalent", "different"));
    // Called by a macro, and by itself.
    let first = "#define CALL(x) helper(x)\nint helper(int x) { return x + 1; }\n\
                 int f(unsigned char x) { return x ? f(x - 1) + 1 : CALL(x); }\n";
    assert_eq!(of_f(first, &first.replace("x + 1; }", "x + 2; }"), UNDER_GATE), "different");
    let flat = "int g(int x) { return x + 1; }\nint f(unsigned char x) { return g(x); }\n";
    assert_eq!(of_f(first, flat, FINE), "equivalent");
}

#[test]
fn what_only_the_second_has_is_brought_along() {
    let first = "unsigned f(unsigned char n) { unsigned char a[4] = { 0, 1, 4, 9 }; return a[n & 3]; }\n";
    let second = "#include <string.h>\n#include <limits.h>\ntypedef struct { unsigned value; } box;\n\
                  static const unsigned SQUARES[] = { 0, 1, 4, 9 };\n\
                  static box boxed(unsigned n) { box b; memset(&b, 0, sizeof b); b.value = SQUARES[n % 4]; \
                  return b; }\n\
                  unsigned f(unsigned char n) { return boxed(n).value * (UCHAR_MAX == 255); }\n";
    assert_eq!(of_f(first, second, FINE), "equivalent");
    let cached = "static unsigned last;\nunsigned f(unsigned char n) { last = (n & 3u) * (n & 3u); return last; }\n";
    assert_eq!(of_f(first, cached, UNDECIDED), "unknown: only one of the files has the variable last, which it uses");
}

#[test]
fn what_is_outside_of_functions_must_be_the_same() {
    let with = |before: &str| format!("{before}\nint f(signed char x) {{ return x + LIMIT; }}\n");
    // By its meaning: how it is written makes no difference, and what a macro is does.
    let [macro_ten, macro_eleven] = ["#define LIMIT 10", "#define LIMIT 11"].map(with);
    assert_eq!(of_f(&macro_ten, &with("#define LIMIT (5 * 2) /* ten */"), FINE), "equivalent");
    assert_eq!(of_f(&macro_ten, &macro_eleven, UNDER_GATE), "different");
    let differs = "unknown: the files differ outside of functions: ";
    assert_eq!(
        of_f(&with("static const int LIMIT = 10;"), &with("static const int LIMIT = 11;"), UNDECIDED),
        format!("{differs}`static const int LIMIT = 11 ;` is only in the second")
    );
    assert_eq!(
        of_f(&with("int LIMIT;"), &with("int LIMIT = 10;"), UNDECIDED),
        format!("{differs}`int LIMIT = 10 ;` is only in the second")
    );
    let of_struct = |field: &str| {
        format!("struct s {{ {field} a; }};\nint f(signed char x) {{ struct s v = {{ x }}; return v.a; }}\n")
    };
    let said = of_f(&of_struct("int"), &of_struct("char"), UNDECIDED);
    assert!(said.starts_with("unknown: the files cannot be compiled together: redefinition of"), "{said}");
    // A name that is a macro in one file only.
    let renamed = "#define two three\nint f(signed char x) { int three = x, four = 1; return two + four - 1; }\n";
    let plain = "int f(signed char x) { int three = 5, two = x; return two + 0 * three; }\n";
    assert_eq!(of_f(renamed, plain, FINE), "equivalent");
    assert_eq!(of_f(plain, renamed, FINE), "equivalent");
}

#[test]
fn places_and_headers_are_those_of_each_file() {
    let line = "int f(void) { return __LINE__; }\n";
    assert_eq!(of_f(line, &format!("\n{line}"), UNDER_GATE), "different");
    assert_eq!(of_f(line, &format!("{line}\n"), FINE), "equivalent");
    let source = "#include \"limit.h\"\nint f(signed char x) { return x + LIMIT; }\n";
    let files =
        [("a/f.c", source), ("b/f.c", source), ("a/limit.h", "#define LIMIT 1\n"), ("b/limit.h", "#define LIMIT 2\n")];
    let scene = Scene::new(&files);
    let ran = scene.run(&["equiv", "--pair", "a/f.c", "b/f.c"]).expect(UNDER_GATE);
    assert!(ran.stdout.contains("different: f()") && ran.stdout.contains("a/f.c, "), "{}", ran.stdout);
    scene.write("b/limit.h", "enum { LIMIT = 1 };\n");
    scene.run(&["equiv", "--pair", "a/f.c", "b/f.c"]).expect(FINE);
    // Flags are for both, and paths in them are seen from here.
    let scene = Scene::new(&[("a/f.c", source), ("b/f.c", source), ("include/limit.h", "#define LIMIT SIZE\n")]);
    scene.run(&["equiv", "--pair", "a/f.c", "b/f.c", "--", "-Iinclude", "-DSIZE=3"]).expect(FINE);
}

#[test]
fn orders_by_other_signs_are_other_orders() {
    if !has_clang() {
        return;
    }
    let head = "// @perturb(sym[4], 4)\nvoid f(int *v, int n)\n{\n";
    let swap = "{ int t = v[j]; v[j] = v[j - 1]; v[j - 1] = t; }\n}\n";
    let bubble =
        format!("{head}for (int i = 0; i < n; i++) for (int j = n - 1; j > i; j--) if (v[j] < v[j - 1]) {swap}");
    let insertion = format!("{head}for (int i = 1; i < n; i++) for (int j = i; j > 0 && v[j] < v[j - 1]; j--) {swap}");
    let found = pair(&bubble, &insertion, FINE);
    assert_eq!((text(&found["f"], "verdict"), text(&found["f"], "tier")), ("equivalent", "order"), "{found:#?}");
    let unsigned = insertion.replace("v[j] < v[j - 1]", "(unsigned)v[j] < (unsigned)v[j - 1]");
    let scene = Scene::new(&[("old.c", &bubble), ("new.c", &unsigned)]);
    // Even where no input was tried.
    let ran = scene.run(&["equiv", "--pair", "old.c", "new.c", "--tiers", "proof"]);
    assert!(ran.code == UNDER_GATE || ran.code == UNDECIDED, "{ran:?}");
}

#[test]
fn what_cannot_be_compared_is_told() {
    let source = "int f(int x) { return x + 1; }\nint g(int x) { return x; }\n";
    let scene =
        Scene::new(&[("old.c", source), ("new.c", "int f(int x) { return 1 + x; }\nlong g(long x) { return x; }\n")]);
    let compare = |arguments: &[&str]| scene.run(&[&["equiv", "--pair"], arguments].concat());
    let ran =
        compare(&["old.c", "new.c"]).expect_error(UNDECIDED, &["1 of 2 functions is neither different nor equivalent"]);
    let ran = ran.told(&["g() is not compared: its signatures differ: int (int) and long (long)"]);
    assert!(ran.stdout.starts_with("equivalent: f()\n"), "{}", ran.stdout);
    compare(&["old.c", "new.c", "--function", "f"]).expect(FINE);
    let parts = ["g is not the same kind of function in both: int (int) in ", "old.c, long (long) in "];
    compare(&["old.c", "new.c", "--function", "g"]).expect_error(USAGE, &parts);
    compare(&["old.c", "new.c", "--function", "h"]).expect_error(USAGE, &["there is no function h in ", "old.c"]);
    compare(&["old.c", "gone.c"]).expect_error(USAGE, &["gone.c: No such file"]);
    compare(&["old.c", "new.c", "--cc", "no-such-cc"]).expect_error(UNUSABLE, &["no-such-cc"]);
    compare(&["old.c", "new.c", "--operators", "AOR"]).expect(USAGE);
    scene.write("bad.c", "int f(int x) { return x + ; }\n");
    compare(&["old.c", "bad.c"]).expect_error(UNUSABLE, &["bad.c:1: expected expression before"]);
    scene.write("none.c", "int other(void) { return 1; }\n");
    compare(&["old.c", "none.c"]).expect_error(NOTHING, &["have no function in common"]);
    scene.write("calls.c", "long double elsewhere(int);\nint f(int x) { return elsewhere(x) > 0; }\n");
    let ran = compare(&["old.c", "calls.c"]).expect(UNDECIDED);
    assert!(ran.stdout.contains("it calls elsewhere, which no stub can replace"), "{}", ran.stdout);
    scene.write("part.c", "int g(int);\nint f(int x) { return g(x) + 1; }\n");
    let ran = compare(&["old.c", "part.c"]).expect(UNDECIDED);
    assert!(ran.stdout.contains("it calls g, which only the first file defines"), "{}", ran.stdout);
    scene.write("a.cpp", "int f(int x) { return x + 1; }\n");
    compare(&["a.cpp", "a.cpp"]).expect_error(UNUSABLE, &["a.cpp cannot be compared: it is no C"]);
    compare(&["old.c"]).expect(USAGE);
}

#[test]
fn a_mutated_file_gets_the_verdict_that_its_mutant_gets() {
    const SOURCE: &str = "\
static int doubled(int x)
{
    return 2 * x;
}

int f(signed char a, signed char b)
{
    int sum = doubled(a) + b;
    if (sum > 100)
        sum = 100;
    while (sum < -50)
        sum += 7;
    return sum;
}
";
    let scene = Scene::new(&[("f.c", SOURCE)]);
    let arguments = ["f.c", "--function", "f", "--operators", "ROR"];
    let found = crate::equiv::verdicts(&scene, &arguments);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (id, mutant) in &found {
        let count = seen.entry(text(mutant, "verdict").to_string()).or_default();
        *count += 1;
        if *count > 4 {
            continue;
        }
        let folder = scene.outside(id);
        scene.run(&[&["apply", "--to", folder.to_str().unwrap(), id], &arguments[..]].concat()).expect(FINE);
        let file = folder.join("f.c");
        let ran =
            scene.run(&["equiv", "--format", "jsonl", "--function", "f", "--pair", "f.c", file.to_str().unwrap()]);
        let said: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&said["verdict"], &said["kind"]), (&mutant["verdict"], &mutant["kind"]), "{mutant:#} {said:#}");
    }
    assert!(seen["different"] > 2 && seen["equivalent"] > 0, "{seen:?}");
}
