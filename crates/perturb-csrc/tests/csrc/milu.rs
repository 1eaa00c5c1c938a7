//! The operators of Milu, where they differ from those of MASS.

use super::{check, check_cpp};

#[test]
fn break_and_continue_are_exchanged_where_there_is_a_loop() {
    let body = "int f(int n) { while (n) { if (n < 3) break; switch (n) { case 7: break; } continue; } \
                switch (n) { case 1: break; } return n; }";
    check(body, "SBRC", &["break => continue", "break => continue", "continue => break"]);
    check_cpp(
        "int f(int n) { while (n) { auto g = [](int i) { switch (i) { case 1: break; } }; g(n); } return n; }",
        "SBRC",
        &[],
    );
}

#[test]
fn absolute_values_are_those_of_the_type() {
    check(
        "long f(int a, long b, unsigned c, double d, short s[]) { d = d * 2; return a - s[0] + b + c; }",
        "milu:ABS",
        &[
            "d => __builtin_fabs(d)",
            "d * 2 => __builtin_fabs(d * 2)",
            "a => __builtin_abs(a)",
            "a - s[0] => __builtin_abs(a - s[0])",
            "a - s[0] + b => __builtin_labs(a - s[0] + b)",
            "a - s[0] + b + c => __builtin_labs(a - s[0] + b + c)",
            "s[0] => __builtin_abs(s[0])",
            "b => __builtin_labs(b)",
        ],
    );
}

#[test]
fn constants_have_one_random_value_besides_the_six() {
    let values = ["1", "(-1)", "0", "6", "4", "(-5)"].map(|value| format!("5 => {value}"));
    let found = super::mutations("input.c", "int f(int a) { return a + 5; }", "CRCR");
    assert_eq!(found[..6], values);
    assert_eq!(found.len(), 7);
    let floats = super::mutations("input.c", "float f(float a) { return a + 0.5f; }", "CRCR");
    let expected =
        ["0.0f", "1.0f", "(-1.0f)", "(0.5f + 1)", "(0.5f - 1)", "(-0.5f)"].map(|value| format!("0.5f => {value}"));
    assert_eq!((&floats[..6], floats.len()), (&expected[..], 7));
}

#[test]
fn assignments_and_operators_are_told_apart() {
    let source = "int f(int a, int b) { a += b; a |= b; return a * b & a; }";
    check(source, "OAAA", &["+= => -=", "+= => *=", "+= => /=", "+= => %="]);
    check(source, "OBBA", &["|= => &=", "|= => ^="]);
    check(source, "OBBN", &["& => |", "& => ^"]);
    assert_eq!(super::mutations("input.c", source, "OAAN").len(), 4);
}

#[test]
fn operands_of_connectors_and_conditions_are_negated() {
    let source = "int f(int a, int b) { if (a && b < 3) return 1; return a || b; }";
    check(source, "OLNG", &["a => !(a)", "b < 3 => !(b < 3)", "a => !(a)", "b => !(b)"]);
    check(source, "OCNG", &["a && b < 3 => !(a && b < 3)"]);
    check(source, "OLLN", &["&& => ||", "|| => &&"]);
}

#[test]
fn steps_go_the_other_way() {
    check(
        "int f(int a) { a++; --a; return a-- + ++a; }",
        "OIDO",
        &["a++ => a--", "--a => ++a", "a-- => a++", "++a => --a"],
    );
}

#[test]
fn unary_operators_are_inserted_where_they_have_a_type() {
    check("int f(const int a) { return a; }", "milu:UOI", &["a => -(a)", "a => ~(a)", "a => !(a)"]);
    check("double f(double a) { return a; }", "milu:UOI", &["a => -(a)", "a => !(a)", "a => ++a", "a => --a"]);
}
