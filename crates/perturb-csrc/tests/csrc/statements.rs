//! What may be deleted, and which conditions are negated.

use super::{check, check_cpp};

#[test]
fn a_function_keeps_its_last_return() {
    check("int f(int a) { if (a) return 1; return 2; }", "SDL", &["if (a) return 1; => ;", "return 1; => ;"]);
    check("int f(int a) { if (a) return 1; else return 2; }", "SDL", &[]);
    check(
        "void f(int a) { if (a) return; a = 1; return; }",
        "SDL",
        &["if (a) return; => ;", "return; => ;", "a = 1; => ;"],
    );
    check("int main(void) { return 0; }", "SDL", &["return 0; => ;"]);
    check("int f(int a) { switch (a) { case 1: return 1; default: return 2; } }", "SDL", &["return 1; => ;"]);
    check_cpp(
        "auto g = [](int a) { if (a) return 1; return 2; };",
        "SDL",
        &["if (a) return 1; => ;", "return 1; => ;"],
    );
    check_cpp(
        "void f() { auto g = [](int a) { if (a) return 1; return 2; }; g(1); }",
        "SDL",
        &["if (a) return 1; => ;", "return 1; => ;", "g(1); => ;"],
    );
}

#[test]
fn what_others_jump_to_stays() {
    check("void f(int a) { if (a) { l: a = 1; } goto l; }", "SDL", &["a = 1; => ;", "goto l; => ;"]);
    check(
        "void f(int a) { switch (a) { case 1: do { a = 1; case 2: a = 2; } while (a); } }",
        "SDL",
        &["switch (a) { case 1: do { a = 1; case 2: a = 2; } while (a); } => ;", "a = 1; => ;", "a = 2; => ;"],
    );
}

#[test]
fn declarations_and_values_of_statement_expressions_stay() {
    check("int f(int a) { int b = ({ a = 1; a; }); return b; }", "SDL", &["a = 1; => ;"]);
    check("void f(int a) { int b; (void)a; (void)b; ; }", "SDL", &[]);
    check("void f(int a) { { a = 1; } }", "SDL", &["a = 1; => ;"]);
}

#[test]
fn every_condition_is_negated() {
    check(
        "int f(int a) { if (a) a = 1; while (a) a = 2; do a = 3; while (a); for (; a;) a = 4; return a ? 5 : 6; }",
        "ROR",
        &["a => !(a)", "a => !(a)", "a => !(a)", "a => !(a)", "a => !(a)"],
    );
    check("void f(int a) { for (a = 0;; a++) ; }", "ROR", &[]);
    check_cpp("int g(); int f() { if (int a = g()) return a; while (int b = g()) return b; return 0; }", "ROR", &[]);
    check_cpp("int g(); int f() { if (int a = g(); a) return a; return 0; }", "ROR", &["a => !(a)"]);
}
