//! Which way each mutant goes into the instrumented text, and that the text is C that compiles.

use perturb_csrc::schemata::{assemble, FileNames, Instrumented, LeftOut, SchemaFunction, Version};
use perturb_csrc::{mutate_unit, Libclang, OperatorSet, ParseInput, Rules, SourceFile};
use std::path::Path;
use std::process::Command;

const KEY: &str = "0123abcd";

struct Parsed {
    source: SourceFile,
    functions: Vec<SchemaFunction>,
}

fn parse(name: &str, text: &str) -> Parsed {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().canonicalize().expect("the folder is there").join(name);
    std::fs::write(&file, text).expect("the source can be written");
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let rules = Rules {
        operators: &OperatorSet::mass(),
        never_in: &globset::GlobSet::empty(),
        mutate_macros: false,
        instrument: true,
        wanted: &|path: &Path| path == file,
    };
    let directory = file.parent().expect("it has a folder").to_path_buf();
    let input = ParseInput { directory, file: file.clone(), arguments: vec!["-w".to_string()] };
    let mut found = mutate_unit(&libclang, &input, &rules).expect("the source can be parsed");
    assert_eq!(found.first_error, None, "{text}");
    let found = found.files.pop().expect("the file has mutants");
    Parsed { source: found.source, functions: found.functions }
}

impl Parsed {
    fn assemble(&self, left_out: &LeftOut) -> Instrumented {
        let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/../perturb-rt/c/perturb.h");
        let names = FileNames { key: KEY, shown: Some("input.c"), runtime, lost: None, probe: false };
        assemble(&self.source, &self.functions, left_out, &names)
    }

    /// What becomes of the mutants of `original`: `replacement: how`.
    fn ways(&self, original: &str) -> Vec<String> {
        let file = self.assemble(&LeftOut::default());
        let mut ways = Vec::new();
        for (index, function) in self.functions.iter().enumerate() {
            for (at, mutation) in function.mutations.iter().enumerate() {
                if self.source.lossy(mutation.edit.range) != original {
                    continue;
                }
                let switch = file.switches.iter().find(|switch| (switch.function, switch.mutation) == (index, at));
                let why = function.schema.unswitchable.iter().find(|(mutation, _)| *mutation == at);
                let how = match (switch, why) {
                    (Some(switch), None) => {
                        let point = switch.point - file.first_point[index];
                        let is_variant = function.schema.is_variant(point);
                        if is_variant {
                            "variant".to_string()
                        } else {
                            "value".to_string()
                        }
                    }
                    (None, Some((_, why))) => format!("{why:?}"),
                    other => panic!("{original}: neither switched nor explained: {other:?}"),
                };
                ways.push(format!("{}: {how}", String::from_utf8_lossy(&mutation.edit.replacement)));
            }
        }
        ways
    }
}

/// The ways of all mutants of `original` are the same.
fn check(text: &str, original: &str, expected: &str) {
    let ways = parse("input.c", text).ways(original);
    assert!(!ways.is_empty(), "no mutant of `{original}` in {text}");
    for way in ways {
        assert!(way.ends_with(&format!(": {expected}")), "`{original}` -> `{way}` in {text}");
    }
}

#[test]
fn plain_values_are_decided_by_the_runtime() {
    for (text, original) in [
        ("int f(int a, int b) { return a + b; }", "+"),
        ("int f(int a, int b) { return a + b; }", "a + b"),
        ("int f(int a, int b) { return a < b; }", "<"),
        ("int f(int *p, int *q) { return p == q; }", "=="),
        ("int f(int a) { return a; }", "a"),
        ("int f(void) { return 5; }", "5"),
        ("double f(double d) { return d * 2.5; }", "*"),
        ("double f(void) { return 2.5; }", "2.5"),
        ("int f(int a, int b) { if (a && b) return 1; return 2; }", "&&"),
        ("void f(int *p, int b) { *p = b; }", "*p = b;"),
        ("unsigned f(unsigned a) { a |= 4u; return 1; }", "|="),
        ("int f(char c) { return -c; }", "c"),
    ] {
        check(text, original, "value");
    }
}

#[test]
fn what_has_another_type_or_order_stands_there_as_a_text_of_its_own() {
    for (text, original) in [
        // The operand left has another type than the whole.
        ("long f(long a, int b) { return a + b; }", "a + b"),
        // Whether the first `a` is counted before the second is read, only the compiler knows.
        ("int f(int a) { return a * a; }", "a"),
        // The mutant does not call `g`.
        ("int g(void); int f(int a) { return a + g(); }", "a + g()"),
        // Nor does it follow the pointer.
        ("int f(int a, int *p) { return a + *p; }", "a + *p"),
        ("int f(volatile int v) { return v; }", "v"),
        ("int *f(int *p, int i) { return p + i; }", "+"),
        ("struct s { int b : 3; }; int f(struct s s) { return s.b; }", "s.b"),
    ] {
        let ways = parse("input.c", text).ways(original);
        assert!(ways.iter().any(|way| way.ends_with(": variant")), "`{original}`: {ways:?}");
        assert!(
            ways.iter().all(|way| way.ends_with(": variant") || way.ends_with(": value")),
            "`{original}`: {ways:?}"
        );
    }
}

/// The points of a function that wait for what a decision comes to, as the text has them: one mask for each decision.
fn decisions(text: &str) -> Vec<String> {
    let file = parse("input.c", text).assemble(&LeftOut::default());
    let written = String::from_utf8(file.text).unwrap();
    let masks = written.split("__perturb_d={").skip(1).map(|rest| rest.split([',', '}']).nth(2).unwrap().to_string());
    masks.collect()
}

#[test]
fn what_is_inside_a_decision_waits_for_what_it_comes_to() {
    // The literal and the variable; the relation itself is what it comes to.
    assert_eq!(decisions("int f(int a) { return a > 10; }").len(), 1);
    assert_eq!(decisions("int f(int a) { if (a & 3) return 1; return 2; }").len(), 1);
    assert_eq!(decisions("int f(int a, int b) { if (a > 1 && !(b < 2 || a == b + 3)) return 1; return 2; }").len(), 1);
    // Each side by itself: what follows a pointer is only evaluated where the left side says so.
    assert_eq!(decisions("int f(int *p, int n) { while (n != 3 && *p > 4) n--; return n; }").len(), 2);
}

#[test]
fn what_cannot_be_evaluated_again_unnoticed_is_no_decision() {
    for text in [
        "int g(void); int f(void) { return g() > 10; }",
        "int f(int a) { return a++ > 10; }",
        "int f(volatile int *a) { return *a > 10; }",
        "_Atomic int a; int f(void) { return a > 10; }",
        // Another value would follow another pointer, or divide by another number.
        "int f(int *p, int i) { return p[i + 1]; }",
        "int f(int a, int b) { return 7 / (b + 1); }",
        // All that it comes to is used.
        "int f(int a) { return a + 10; }",
    ] {
        assert!(decisions(text).is_empty(), "{text}: {:?}", decisions(text));
    }
    // The index is no part of it, what it is compared with is.
    let waiting = decisions("int f(int *p, int i) { return p[i + 1] > 10; }");
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        u64::from_str_radix(waiting[0].trim_start_matches("0x").trim_end_matches('u'), 16).unwrap().count_ones(),
        1
    );
}

/// The variables that the text of a function reads for the last time.
fn last_uses(text: &str) -> Vec<String> {
    let file = parse("input.c", text).assemble(&LeftOut::default());
    let written = String::from_utf8(file.text).unwrap();
    let names = written.split("__perturb_last(&").skip(1).map(|rest| {
        let call = rest.split(')').next().unwrap();
        call.rsplit(',').next().unwrap().to_string()
    });
    names.collect()
}

#[test]
fn counting_a_variable_that_nobody_reads_again_makes_no_difference() {
    assert_eq!(
        last_uses("int g(int); int f(int a, int b) { int c = g(a); if (b) return 1; return c + 2; }"),
        ["a", "b", "c"]
    );
    assert_eq!(last_uses("int g(int); int f(int a) { int b; g(a); b = a; { int c = b; return c; } }"), ["a", "b", "c"]);
    let macros = "#define TWICE(x) ((x) + 1)\n#define AND_B(x) ((x) + b)\n";
    assert_eq!(
        last_uses(&format!("{macros}int f(int a, int b) {{ int c = TWICE(b); return TWICE(a) + c; }}")),
        ["b", "a", "c"]
    );
}

#[test]
fn a_variable_that_may_be_read_again_is_counted() {
    for text in [
        // By name, in another turn, by its address, after another return, by somebody else, by a macro.
        "int g(int); int f(int a) { g(a); return a * a; }",
        "int g(int); int f(int n) { int i, all = 0; for (i = 9; g(2); ) all |= g(n); return all = 0; }",
        "int g(int *); int f(int a) { int *p = &a; g(p); a ? g(p) : 0; return *p; }",
        "int g(int *); int f(int a) { int *p = &(a); g(p); a ? g(p) : 0; return *p; }",
        "int g(int); int f(int a) { again: if (g(2)) goto again; if (a) goto again; return 1; }",
        "int setjmp(long *); int g(int); int f(int a, long *b) { if (setjmp(b)) return 1; return g(a); }",
        "int g(int); int f(void) { static int s; return g(s); }",
        "int s; int g(int); int f(void) { return g(s); }",
        "struct p { int x; }; int g(int); int f(struct p *p) { return g(p->x); }",
        "void end(int *); int g(int); int f(void) { __attribute__((cleanup(end))) int a = g(1); return g(a); }",
        "#define RETURN return g(a)\nint g(int); int f(int a) { if (a) RETURN; return 1; }",
        "#define WITH_A(x) g((x), a)\nint g(int, int); int f(int a) { return WITH_A(a); }",
    ] {
        assert!(last_uses(text).is_empty(), "{text}: {:?}", last_uses(text));
    }
    // Where it counts.
    assert!(parse("a.cc", "int g(int &); int f(int a) { int &b = a; return a ? g(b) : 1; }")
        .assemble(&LeftOut::default())
        .text
        .windows(14)
        .all(|window| window != b"__perturb_last"));
}

#[test]
fn constants_are_built_by_themselves() {
    check("int f(int a) { switch (a) { case 3: return 1; } return 2; }", "3", "Constant(CaseLabel { switch: 0 })");
    check("int f(void) { static int n = 4; return n++; }", "4", "Constant(StaticInitialiser)");
}

#[test]
fn state_is_never_there_twice() {
    let version = |text: &str| parse("input.c", text).functions[0].schema.version.clone();
    assert!(matches!(version("int f(int a) { return a + 1; }"), Version::Outlined(_)));
    assert!(matches!(version("int f(int a) { static const int t = 1; return a + t; }"), Version::Outlined(_)));
    assert_eq!(version("int f(int a) { static int n; n += a; return n; }"), Version::Alone);
    assert_eq!(version("int f(int a, ...) { return a + 1; }"), Version::Inside);
    assert_eq!(version("int f(int a, ...) { again: if (a++ < 3) goto again; return a; }"), Version::Alone);
    assert_eq!(version("int main(void) { int a = 1; return a; }"), Version::Inside);
    assert_eq!(version("int f(a) int a; { return a + 1; }"), Version::Inside);
    assert_eq!(version("const char *f(int a) { return a ? __func__ : 0; }"), Version::Inside);
}

#[test]
fn plain_text_calls_the_plain_twins_of_small_functions_but_in_macros_and_not_by_their_address() {
    let text = "#define SHOW(x) (#x, (x))\n\
                static int half(int a) { return a / 2; }\n\
                #ifdef OTHER\n\
                int third(int a) { return a / 3; }\n\
                #else\n\
                int third(int a) { return a - 3; }\n\
                #endif\n\
                int loop(int a) { while (a > 9) a -= 2; return a; }\n\
                int (*get(void))(int);\n\
                int all(int a) { int (*f)(int) = half; return f(a) + half(a) + SHOW(half(a)) + third(a) + loop(a); }\n";
    let file = parse("input.c", text).assemble(&LeftOut::default());
    let written = String::from_utf8(file.text.clone()).expect("it is text");
    let twin = format!("__perturb_p{KEY}_half(a)");
    assert_eq!(written.matches(&twin).count(), 1, "{written}");
    assert!(written.contains(&format!("return f(a) + {twin} + SHOW(half(a)) + third(a) + loop(a);")), "{written}");
    // Its entry asks for the mutants of both.
    assert!(written.contains(&format!("if(__builtin_expect(__perturb_o{KEY}[3]|__perturb_o{KEY}[0],0))")), "{written}");
    compiles("input.c", &file.text, "gcc", &["-Wall", "-Wextra", "-Werror"]);
}

const RICH: &str = r#"
#include <stddef.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CHECK(x) do { if (!(x)) return -1; } while (0)
struct node { int value; struct node *next; unsigned small : 3; };
static int depth;
static int
split(int a,
      int b) // two lines
{
    int r = a + /* why */
        b * 2;
    if (a
        && b) r--;
    else if (r > 3) r += MAX(a, b);
    CHECK(r != 7);
    for (int i = 0; i < a; i++) { if (i == b) continue; r ^= i; }
    do r -= 2; while (r > 100);
    switch (r & 3) { case 0: r = 1; break; default: r = -r; }
    return r ? r : (a, b);
}
unsigned long sum(struct node *n, unsigned char c)
{
    unsigned long s = 0;
    while (n != NULL && n->value) { s += n->value + n->small; n->small = c; n = n->next; }
    depth++;
    return s << (c % 5) | 1UL;
}
double mean(const double *d, size_t n)
{
    double s = 0.0;
    for (size_t i = 0; i < n; ++i) s += d[i];
    return n ? s / (double)n : -1.0;
}
int line = __LINE__;
int main(void)
{
    return split(1, 2) + (int)sum(0, 'x') > 100 && mean(0, 0) < 0.0;
}
"#;

fn compiles(name: &str, text: &[u8], compiler: &str, flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // As it is in a project: the source only includes the text.
    std::fs::write(folder.path().join(format!("{name}.perturb")), text).expect("it can be written");
    let source = folder.path().join(name);
    std::fs::write(&source, format!("#include \"{name}.perturb\"\n")).expect("it can be written");
    let made = Command::new(compiler).args(flags).args(["-c", "-o", "/dev/null"]).arg(&source).output();
    let made = made.expect("the compiler can be started");
    assert!(made.status.success(), "{compiler} {flags:?}: {}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn the_text_compiles_without_a_word_under_every_standard() {
    let parsed = parse("input.c", RICH);
    let file = parsed.assemble(&LeftOut::default());
    for standard in ["-std=c99", "-std=gnu11", "-std=c17"] {
        compiles("input.c", &file.text, "gcc", &[standard, "-Wall", "-Wextra", "-Werror", "-pedantic-errors"]);
    }
    compiles("input.c", &file.text, "gcc", &["-O2", "-fPIC", "-Wconversion", "-Werror"]);
    let old = parse("input.c", "int f(int a) { int b; b = a + 1; if (b > 2) b = 0; return b; }");
    let old = old.assemble(&LeftOut::default());
    compiles("input.c", &old.text, "gcc", &["-std=c89", "-Wall", "-Werror", "-pedantic-errors"]);
    let cpp = "struct A { int n; int f(int a) const { return a < n && a ? a + n : 2; } };\n\
               template <class T> T g(T t) { return t * 2; }\nint h(int a) { A x{a}; return x.f(1) + g(a); }";
    let cpp = parse("input.cpp", cpp);
    let cpp = cpp.assemble(&LeftOut::default());
    for standard in ["-std=c++11", "-std=c++20"] {
        compiles("input.cpp", &cpp.text, "g++", &[standard, "-Wall", "-Wextra", "-Werror", "-pedantic-errors"]);
    }
}

#[test]
fn a_header_that_is_included_twice_has_its_tables_once() {
    let guarded = "#ifndef GUARD\n#define GUARD\nstatic inline int f(int a) { return a + 1; }\n#endif\n";
    let text = parse("input.c", guarded).assemble(&LeftOut::default()).text;
    compiles("input.c", &[&text[..], &text[..]].concat(), "gcc", &["-Wall", "-Wextra", "-Werror"]);
}

#[test]
fn every_token_of_the_plain_version_stays_on_its_line() {
    let parsed = parse("input.c", RICH);
    let file = parsed.assemble(&LeftOut::default());
    let text = String::from_utf8(file.text).expect("it is ASCII");
    // Follow the lines as the compiler counts them, from where the file itself starts.
    let (mut line, mut started) = (0u32, false);
    let mut seen = Vec::new();
    for physical in text.lines() {
        if let Some(rest) = physical.strip_prefix("#line ") {
            line = rest.split(' ').next().and_then(|number| number.parse().ok()).expect("a line number");
            started = true;
            continue;
        }
        if started {
            seen.push((line, physical.to_string()));
            line += 1;
        }
    }
    for (number, original) in RICH.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let word = original.trim();
        let is_there = seen.iter().any(|(at, text)| *at == number as u32 + 1 && text.contains(word));
        assert!(is_there, "line {} is not where it was: {word}", number + 1);
    }
}

#[test]
fn what_is_left_out_is_as_it_was() {
    let parsed = parse("input.c", "int f(int a) { return a + 1; }\nint g(int a) { return a - 1; }\n");
    let mut left_out = LeftOut::default();
    left_out.functions.insert(0);
    let file = parsed.assemble(&left_out);
    let text = String::from_utf8(file.text).expect("it is ASCII");
    assert!(text.contains("\nint f(int a) { return a + 1; }\n"), "{text}");
    assert!(file.switches.iter().all(|switch| switch.function == 1) && !file.switches.is_empty());
    let mut left_out = LeftOut::default();
    left_out.points.extend((0..9).map(|point| (0, point)));
    let file = parsed.assemble(&left_out);
    assert!(file.switches.iter().all(|switch| switch.function == 1));
    compiles("input.c", &file.text, "gcc", &["-Wall"]);
}
