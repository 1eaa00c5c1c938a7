//! Functions whose codes are the same or not, compiled by every compiler that is installed.

use super::*;
use crate::process::tools::find_program;
use std::process::Command;

const TAGS: Tags<'static> = Tags { mark: "__perturb_", length: 18 };
const A: &str = "__perturb_m0000001";
const B: &str = "__perturb_m0000002";

/// Compilers for x86-64 and ARM, with flags that choose a level.
fn compilers() -> Vec<(String, Vec<&'static str>)> {
    let names = ["gcc", "clang", "clang-14", "clang-16", "clang-19", "arm-none-eabi-gcc"];
    let found: Vec<&str> = names.into_iter().filter(|name| find_program(name).is_some()).collect();
    for missing in names.iter().filter(|name| !found.contains(name)) {
        eprintln!("{missing} is not installed: its assembly is not looked at");
    }
    let mut all = Vec::new();
    for name in found {
        for level in ["-O0", "-O1", "-O2", "-Os"] {
            let machine: &[&str] = if name.starts_with("arm") { &["-mcpu=cortex-m3", "-mthumb"] } else { &[] };
            all.push((name.to_string(), [&[level][..], machine].concat()));
        }
    }
    all
}

fn assembly(compiler: &str, flags: &[&str], text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (source, out) = (folder.path().join("a.c"), folder.path().join("a.s"));
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new(compiler);
    command.args(flags).args(["-S", "-w", "-ffreestanding", "-fno-asynchronous-unwind-tables", "-fno-verbose-asm"]);
    if !compiler.starts_with("clang") {
        command.args(["-fno-ipa-icf", "-fno-section-anchors"]);
    }
    let finished = crate::process::tools::run(command.arg("-o").arg(&out).arg(&source)).unwrap();
    assert!(finished.status.success(), "{compiler} {flags:?}: {}", finished.stderr);
    std::fs::read(&out).unwrap()
}

/// Whether two functions of one text are the same code. `@` in their texts is the name of the copy.
fn are_same(compiler: &str, flags: &[&str], around: &str, [a, b]: [&str; 2], statics: &[&str]) -> bool {
    let copy = |text: &str, tag: &str| {
        let text = text.replace('@', &format!("f{tag}"));
        format!("__attribute__((noipa,noinline,noclone,used)) {text}\n")
    };
    let text = format!("{around}\n{}{}", copy(a, A), copy(b, B));
    let text = assembly(compiler, flags, &text);
    let read = Assembly::read(&text, TAGS);
    let statics: BTreeSet<String> = statics.iter().map(ToString::to_string).collect();
    let [a, b] = [A, B].map(|tag| read.code(tag, &statics).expect("the copy is there"));
    a == b
}

#[track_caller]
fn check(around: &str, pair: [&str; 2], statics: &[&str], expected: bool) {
    for (compiler, flags) in compilers() {
        let same = are_same(&compiler, &flags, around, pair, statics);
        assert_eq!(same, expected, "{compiler} {flags:?}\n{pair:?}");
        assert!(
            are_same(&compiler, &flags, around, [pair[0]; 2], statics),
            "{compiler} {flags:?}: like itself\n{pair:?}"
        );
    }
}

#[test]
fn labels_have_no_names() {
    let f = "int @(int n) { int s = 0; for (int i = 0; i < n; i++) if (i & 1) s += g(i); else s -= g(s); return s; }";
    check("int g(int);", [f, &f.replace("i & 1", "i & 2")], &[], false);
}

#[test]
fn constants_are_what_they_hold() {
    let around = "int puts(const char *); double g(double);";
    check(around, ["int @(void) { return puts(\"one\"); }", "int @(void) { return puts(\"two\"); }"], &[], false);
    check(
        around,
        ["double @(double x) { return g(x) * 3.25; }", "double @(double x) { return g(x) * 3.5; }"],
        &[],
        false,
    );
}

#[test]
fn tables_of_a_switch_are_followed() {
    let values =
        "int @(int x) { switch (x) { case 0: return 5; case 1: return 17; case 2: return 99; case 3: return 4; \
                  case 4: return 70; case 5: return 31; } return -1; }";
    check("", [values, &values.replace("99", "98")], &[], false);
    let jumps =
        "void @(int x) { switch (x) { case 0: a(); break; case 1: b(); break; case 2: c(); break; case 3: d(); \
                 break; case 4: e(x); break; case 5: a(); b(); break; } }";
    let around = "void a(void), b(void), c(void), d(void), e(int);";
    check(
        around,
        [jumps, &jumps.replace("case 2: c()", "case 2: d()").replace("case 3: d()", "case 3: c()")],
        &[],
        false,
    );
}

#[test]
fn variables_of_its_own_are_followed_to_their_first_value() {
    let f = "int @(int x) { static int n = 3; static int m; n += x; m -= n; return m * n; }";
    check("", [f, &f.replace("n = 3", "n = 4")], &["n", "m"], false);
    let pointing = "int @(int x) { static int a[3]; static int *p = a; p[x]++; return *p; }";
    check("", [pointing, &pointing.replace("*p = a;", "*p = a + 1;")], &["a", "p"], false);
    let table = "int @(int x) { static const char *const names[] = {\"a\", \"b\"}; return names[x][0]; }";
    check("", [table, &table.replace("\"b\"", "\"c\"")], &["names"], false);
}

#[test]
fn variables_of_others_keep_their_names_however_alike_they_are() {
    // The two inline functions have a counter each: to skip one is not to skip the other.
    let around = "static inline __attribute__((always_inline)) void g(void) { static int count; count++; }\n\
                  static inline __attribute__((always_inline)) void h(void) { static int count; count++; }\n\
                  void both(void) { g(); h(); }";
    check(around, ["void @(void) { g(); }", "void @(void) { h(); }"], &[], false);
    check(around, ["void @(void) { static int count; count++; }", "void @(void) { g(); }"], &["count"], false);
}

#[test]
fn labels_that_are_values_are_followed() {
    let f = "int @(int x) { static void *const to[] = {&&a, &&b}; goto *to[x]; a: return g(); b: return h(); }";
    check("int g(void), h(void);", [f, &f.replace("&&a, &&b", "&&b, &&a")], &["to"], false);
}

#[test]
fn cold_parts_belong_to_the_function() {
    let f = "int @(int *p) { if (!p) { dead(1); return g(7); } return *p; }";
    check("__attribute__((cold)) void dead(int); int g(int);", [f, &f.replace("g(7)", "g(8)")], &[], false);
}

#[test]
fn inline_assembly_is_compared_to_the_letter() {
    let f = "void @(void) { __asm__ volatile (\"nop\\n\\tnop\"); }";
    check("", [f, &f.replace("\\tnop", "\\tnop; nop")], &[], false);
}

#[test]
fn names_of_others_count() {
    check("int g(void), h(void);", ["int @(void) { return g(); }", "int @(void) { return h(); }"], &[], false);
    check(
        "static int a, b; void set(void) { a++; b++; }",
        ["int @(void) { return a; }", "int @(void) { return b; }"],
        &[],
        false,
    );
}

#[test]
fn functions_within_functions_are_followed() {
    let f = "int @(int x) { int inner(int y) { return y + x; } return g(inner); }";
    for (compiler, flags) in compilers().into_iter().filter(|(compiler, _)| compiler == "gcc") {
        for (other, expected) in [(f.to_string(), true), (f.replace("y + x", "y - x"), false)] {
            assert_eq!(are_same(&compiler, &flags, "int g(int (*)(int));", [f, &other], &[]), expected, "{flags:?}");
        }
    }
}

#[test]
fn what_optimises_to_the_same_is_the_same() {
    for (compiler, flags) in compilers().into_iter().filter(|(_, flags)| flags[0] != "-O0") {
        for pair in [
            ["int @(unsigned x) { return x > 0; }", "int @(unsigned x) { return x != 0; }"],
            ["int @(int x) { return x * 2; }", "int @(int x) { return x + x; }"],
            ["int @(int x) { if (x < 5) return 7; return 7; }", "int @(int x) { return 7; }"],
        ] {
            assert!(are_same(&compiler, &flags, "int g(int);", pair, &[]), "{compiler} {flags:?} {pair:?}");
        }
    }
}

#[test]
fn a_whole_text_is_the_same_up_to_names_that_nobody_outside_can_know() {
    let text = "int g(int); static int h(int x) { static int n = 5; n += x; return g(n); }\n\
                int f(int x) { return x > 3 ? h(x * 2) : h(7); }\n";
    for (compiler, flags) in compilers() {
        let whole = |text: &str| {
            let text = assembly(&compiler, &flags, text);
            Assembly::read(&text, TAGS).whole()
        };
        assert_eq!(whole(text), whole(&text.replace("n = 5", "n = 4 + 1")), "{compiler} {flags:?}");
        for (from, to) in [("n = 5", "n = 6"), ("h(7)", "h(8)"), ("g(n)", "g(n + 1)"), ("int f", "static int f")] {
            assert_ne!(whole(text), whole(&text.replace(from, to)), "{compiler} {flags:?}: {to}");
        }
    }
}

#[test]
fn tables_of_exceptions_are_followed() {
    let text = "int g(int); struct E {}; struct D {};\n";
    let f = "int @(int x) { try { return g(x); } catch (E &) { return 3; } }\n";
    for compiler in ["g++", "clang++", "clang++-14"].into_iter().filter(|name| find_program(name).is_some()) {
        for level in ["-O1", "-O2", "-Os"] {
            let code = |b: &str| {
                let copy = |text: &str, tag: &str| {
                    format!("__attribute__((noinline,used)) {}", text.replace('@', &format!("f{tag}")))
                };
                let folder = tempfile::tempdir().unwrap();
                let (source, out) = (folder.path().join("a.cpp"), folder.path().join("a.s"));
                std::fs::write(&source, format!("{text}{}{}", copy(f, A), copy(b, B))).unwrap();
                let mut command = Command::new(compiler);
                command
                    .args([level, "-S", "-w", "-fno-asynchronous-unwind-tables", "-fno-verbose-asm", "-o"])
                    .arg(&out)
                    .arg(&source);
                assert!(crate::process::tools::run(&mut command).unwrap().status.success());
                let text = std::fs::read(&out).unwrap();
                let read = Assembly::read(&text, TAGS);
                [A, B].map(|tag| read.code(tag, &BTreeSet::new()).expect("the copy is there"))
            };
            let [a, b] = code(f);
            assert_eq!(a, b, "{compiler} {level}");
            let [a, b] = code(&f.replace("E &", "D &"));
            assert_ne!(a, b, "{compiler} {level}");
        }
    }
}

#[test]
fn fuzzed_assembly_is_read_and_like_itself() {
    let function = |tag: &str| {
        format!(
            "\t.section .rodata.str1.1\n.LC0{tag}:\n\t.string \"a\\\"b\"\n\t.text\n\t.globl f{tag}\n\t.type f{tag}, \
             @function\n\
             f{tag}:\n.LFB0:\n\tmovl $.LC0{tag}, %edi\n\tjmp *.L4(,%rax,8)\n\t.section .rodata\n.L4:\n\t.quad .L2\n\
             \t.text\n\
             .L2:\n\tret\n\t.size f{tag}, .-f{tag}\n\t.local count.1\n\t.comm count.1,4,4\n\t.set alias, f{tag}\n"
        )
    };
    let example = [A, B].map(function).concat();
    let statics = BTreeSet::from(["count".to_string()]);
    perturb_fuzz::survives("assembly", perturb_fuzz::Share::OneIn(4), &[example], |text| {
        let read = Assembly::read(text, TAGS);
        let codes = [A, B].map(|tag| read.code(tag, &statics));
        assert_eq!(codes, [A, B].map(|tag| Assembly::read(text, TAGS).code(tag, &statics)));
        read.whole();
    });
}
