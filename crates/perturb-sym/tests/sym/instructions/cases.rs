//! The operations, each in a function of its own that writes what comes of its two arguments to where the third points.

use std::fmt::Write;

/// A type of C, and of the code that clang makes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    pub c: &'static str,
    pub code: &'static str,
    pub width: u32,
    pub is_float: bool,
    pub is_signed: bool,
}

const fn integer(c: &'static str, code: &'static str, width: u32, is_signed: bool) -> Kind {
    Kind { c, code, width, is_float: false, is_signed }
}

const fn float(c: &'static str, width: u32) -> Kind {
    Kind { c, code: c, width, is_float: true, is_signed: true }
}

const KINDS: [Kind; 10] = [
    integer("int8_t", "i8", 8, true),
    integer("uint8_t", "i8", 8, false),
    integer("int16_t", "i16", 16, true),
    integer("uint16_t", "i16", 16, false),
    integer("int32_t", "i32", 32, true),
    integer("uint32_t", "i32", 32, false),
    integer("int64_t", "i64", 64, true),
    integer("uint64_t", "i64", 64, false),
    float("float", 32),
    float("double", 64),
];

impl Kind {
    fn named(name: &str) -> Self {
        KINDS.into_iter().find(|kind| kind.c == name).expect("a kind of ours")
    }

    /// All that are no numbers are one.
    pub fn canonical(self, bits: u64) -> u64 {
        match (self.is_float, self.width) {
            (true, 32) if f32::from_bits(bits as u32).is_nan() => 0x7fc0_0000,
            (true, 64) if f64::from_bits(bits).is_nan() => 0x7ff8_0000_0000_0000,
            _ => bits,
        }
    }
}

#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub parameters: [Kind; 2],
    pub result: Kind,
    /// What C computes of `a` and `b`.
    pub expression: String,
    /// The instructions that make `%r` of `%a` and `%b`; empty where clang makes them.
    code: String,
}

impl Case {
    pub fn new(name: &str, parameters: [&str; 2], result: &str, expression: &str, code: &str) -> Self {
        Self {
            name: name.to_string(),
            parameters: parameters.map(Kind::named),
            result: Kind::named(result),
            expression: expression.to_string(),
            code: code.to_string(),
        }
    }
}

fn integers() -> impl Iterator<Item = Kind> {
    KINDS.into_iter().filter(|kind| !kind.is_float)
}

fn unsigned() -> impl Iterator<Item = Kind> {
    integers().filter(|kind| !kind.is_signed)
}

fn floats() -> impl Iterator<Item = Kind> {
    KINDS.into_iter().filter(|kind| kind.is_float)
}

/// As C writes operations, of all types: with its promotions and conversions, and with what is undefined in it.
pub fn of_c() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, [a, b, r]: [Kind; 3], text: &str| {
        let name = format!("{name}_{}_{}", a.c, r.c);
        cases.push(Case::new(&name, [a.c, b.c], r.c, text, ""));
    };
    let truth = Kind::named("uint8_t");
    let arithmetic = [("add", "a + b"), ("sub", "a - b"), ("mul", "a * b"), ("div", "a / b")];
    let of_integers = [
        ("rem", "a % b"),
        ("shl", "a << b"),
        ("shr", "a >> b"),
        ("and", "a & b"),
        ("or", "a | b"),
        ("xor", "a ^ b"),
        ("not", "~a"),
        ("logic", "(a && b) + 2 * (a || b) + 4 * !a"),
    ];
    let comparisons =
        [("lt", "a < b"), ("le", "a <= b"), ("gt", "a > b"), ("ge", "a >= b"), ("eq", "a == b"), ("ne", "a != b")];
    for kind in KINDS {
        arithmetic.iter().for_each(|(name, text)| add(name, [kind; 3], text));
        comparisons.iter().for_each(|(name, text)| add(name, [kind, kind, truth], text));
        add("neg", [kind; 3], "-a");
        add("choose", [kind; 3], "a < b ? a : b");
        if !kind.is_float {
            of_integers.iter().for_each(|(name, text)| add(name, [kind; 3], text));
        }
        for to in KINDS.into_iter().filter(|to| *to != kind) {
            add("convert", [kind, kind, to], "a");
        }
    }
    cases
}

/// Instructions as they are, of all widths; whatever is undefined in C is no input of theirs.
pub fn of_code() -> Vec<Case> {
    let mut cases = of_integers();
    cases.extend(comparisons());
    cases.extend(conversions());
    cases.extend(of_floats());
    cases
}

fn of_integers() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in unsigned() {
        let Kind { c, code, width, .. } = kind;
        let wide = |operator: &str| format!("(uint64_t)a {operator} b");
        let signed = |operator: &str| format!("(int{width}_t)a {operator} (int{width}_t)b");
        let shift = |text: &str| format!("b < {width} ? {text} : (__builtin_trap(), 0)");
        let list = [
            ("add", wide("+")),
            ("sub", wide("-")),
            ("mul", wide("*")),
            ("and", wide("&")),
            ("or", wide("|")),
            ("xor", wide("^")),
            ("udiv", wide("/")),
            ("urem", wide("%")),
            ("sdiv", signed("/")),
            ("srem", signed("%")),
            ("shl", shift("(uint64_t)a << b")),
            ("lshr", shift("(uint64_t)a >> b")),
            ("ashr", shift(&format!("(int{width}_t)a >> b"))),
        ];
        for (name, text) in list {
            let line = format!("%r = {name} {code} %a, %b");
            cases.push(Case::new(&format!("{name}_{code}"), [c, c], c, &text, &line));
        }
        let line = format!("%c = icmp ult {code} %a, %b\n  %r = select i1 %c, {code} %a, {code} %b");
        cases.push(Case::new(&format!("select_{code}"), [c, c], c, "a < b ? a : b", &line));
    }
    cases
}

fn comparisons() -> Vec<Case> {
    let mut cases = Vec::new();
    let predicates = ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"];
    let operators = ["==", "!=", ">", ">=", "<", "<=", ">", ">=", "<", "<="];
    for Kind { c, code, width, .. } in unsigned() {
        for (predicate, operator) in predicates.into_iter().zip(operators) {
            let sign = if predicate.starts_with('s') { "" } else { "u" };
            let text = format!("({sign}int{width}_t)a {operator} ({sign}int{width}_t)b");
            let line = format!("%c = icmp {predicate} {code} %a, %b\n  %r = zext i1 %c to i8");
            cases.push(Case::new(&format!("icmp_{predicate}_{code}"), [c, c], "uint8_t", &text, &line));
        }
    }
    let predicates = [
        ("false", "0"),
        ("oeq", "a == b"),
        ("ogt", "a > b"),
        ("oge", "a >= b"),
        ("olt", "a < b"),
        ("ole", "a <= b"),
        ("one", "a < b || a > b"),
        ("ord", "a == a && b == b"),
        ("ueq", "!(a < b || a > b)"),
        ("ugt", "!(a <= b)"),
        ("uge", "!(a < b)"),
        ("ult", "!(a >= b)"),
        ("ule", "!(a > b)"),
        ("une", "a != b"),
        ("uno", "a != a || b != b"),
        ("true", "1"),
    ];
    for Kind { c, code, .. } in floats() {
        for (predicate, text) in predicates {
            let line = format!("%c = fcmp {predicate} {code} %a, %b\n  %r = zext i1 %c to i8");
            cases.push(Case::new(&format!("fcmp_{predicate}_{code}"), [c, c], "uint8_t", text, &line));
        }
    }
    cases
}

fn conversions() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: &str, from: Kind, to: Kind, text: &str| {
        let line = format!("%r = {name} {} %a to {}", from.code, to.code);
        let name = format!("{name}_{}_{}", from.code, to.code);
        cases.push(Case::new(&name, [from.c, from.c], to.c, text, &line));
    };
    for from in unsigned() {
        for to in unsigned().filter(|to| to.width != from.width) {
            if to.width < from.width {
                add("trunc", from, to, "a");
            } else {
                add("zext", from, to, "a");
                add("sext", from, to, &format!("(int{}_t)a", from.width));
            }
        }
        for to in floats() {
            add("uitofp", from, to, "a");
            add("sitofp", from, to, &format!("(int{}_t)a", from.width));
            add("fptoui", to, from, "a");
            add("fptosi", to, from, &format!("(int{}_t)a", from.width));
            if to.width == from.width {
                add("bitcast", from, to, &format!("{}_of(a)", to.c));
                add("bitcast", to, from, &format!("bits_of_{}(a)", to.c));
            }
        }
    }
    let [single, double] = [Kind::named("float"), Kind::named("double")];
    add("fpext", single, double, "a");
    add("fptrunc", double, single, "a");
    cases
}

fn of_floats() -> Vec<Case> {
    let mut cases = Vec::new();
    for Kind { c, code, .. } in floats() {
        for (name, operator) in [("fadd", '+'), ("fsub", '-'), ("fmul", '*'), ("fdiv", '/')] {
            let (text, line) = (format!("a {operator} b"), format!("%r = {name} {code} %a, %b"));
            cases.push(Case::new(&format!("{name}_{code}"), [c, c], c, &text, &line));
        }
        cases.push(Case::new(&format!("fneg_{code}"), [c, c], c, "-a", &format!("%r = fneg {code} %a")));
    }
    cases
}

/// What the expressions use.
const PRELUDE: &str = "#include <stdint.h>
#include <string.h>
static inline float float_of(uint32_t bits) { float value; memcpy(&value, &bits, 4); return value; }
static inline double double_of(uint64_t bits) { double value; memcpy(&value, &bits, 8); return value; }
static inline uint32_t bits_of_float(float value) { uint32_t bits; memcpy(&bits, &value, 4); return bits; }
static inline uint64_t bits_of_double(double value) { uint64_t bits; memcpy(&bits, &value, 8); return bits; }
";

/// The functions in C. GCC computes what is narrowed at once in the narrow type, and does not see what is undefined in
/// the wide one: so each has its value first.
pub fn program(cases: &[Case]) -> String {
    let mut text = PRELUDE.to_string();
    for Case { name, parameters: [a, b], result, expression, .. } in cases {
        let _ = writeln!(
            text,
            "void {name}({} a, {} b, {} *out) {{ __typeof__({expression}) value = {expression}; *out = value; }}",
            a.c, b.c, result.c
        );
    }
    text
}

/// The functions as clang would write them.
pub fn module(cases: &[Case]) -> String {
    let mut text =
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128\"\n".to_string();
    for Case { name, parameters: [a, b], result, code, .. } in cases {
        let _ = writeln!(
            text,
            "define void @{name}({} %a, {} %b, ptr %out) {{\n  {code}\n  store {} %r, ptr %out\n  ret void\n}}",
            a.code, b.code, result.code
        );
    }
    text
}
