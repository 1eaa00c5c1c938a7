//! Operators, parentheses and types in expressions.

use super::{check, check_cpp};

#[test]
fn a_replaced_operator_changes_nothing_but_itself() {
    check(
        "int f(int a, int b, int c) { return a + b * c; }",
        "AOR",
        &[
            "a + b * c => a * (b * c)",
            "a + b * c => a / (b * c)",
            "a + b * c => a % (b * c)",
            "+ => -",
            "b * c => (b + c)",
            "b * c => (b - c)",
            "* => /",
            "* => %",
        ],
    );
    check(
        "int f(int a, int b, int c) { return a - (b - c); }",
        "AOR",
        &["- => +", "- => *", "- => /", "- => %", "- => +", "- => *", "- => /", "- => %"],
    );
    check("int f(int a, int b, int c) { return a && b || c; }", "LCR", &["&& => ||", "|| => &&"]);
    check(
        "int f(int a, int b, int c) { return a || b && c; }",
        "LCR",
        &["a || b && c => a && (b && c)", "b && c => (b || c)"],
    );
    check("int f(int a, int b, int c) { return a & b | c; }", "LCR", &["& => |", "& => ^", "| => &", "| => ^"]);
}

#[test]
fn tokens_never_grow_together() {
    check("int f(int a, int b) { return a*-b; }", "AOR", &["* => + ", "* => - ", "* => / ", "* => % "]);
    check("int f(int a, int *p) { return a**p; }", "AOR", &["* => + ", "* => - ", "* => / ", "* => % "]);
    check("int f(int a, int b) { return(a)+b; }", "AOD", &["(a)+b => (a)", "(a)+b => (b)"]);
    check("int f(int a, int b) { return a-b; }", "ABS", &["a => -(a)", "b => (-(b))"]);
    check(
        "int f(int a, int b) { return a-b; }",
        "UOI",
        &["a => --a", "a => (a--)", "a => ++a", "a => (a++)", "b => (--b)", "b => b--", "b => (++b)", "b => b++"],
    );
    check("int f(int a) { return a-1; }", "ICR", &["1 => (-1)", "1 => 0", "1 => 2"]);
}

#[test]
fn only_what_type_checks_is_made() {
    check("double f(double a, int b) { return a / b; }", "AOR", &["/ => +", "/ => -", "/ => *"]);
    check("int *f(int *p, int i) { return p + i; }", "AOR", &["+ => -"]);
    check("long f(int *p, int *q) { return p - q; }", "AOR", &[]);
    check("long f(int *p, int *q) { return p - q; }", "AOD", &[]);
    check("int *f(int *p, int i) { return p + i; }", "AOD", &["p + i => p"]);
    check("int f(double a, double b, int c) { return (a < b) & c; }", "ROD", &[]);
    check("int f(int *p, int *q) { return p == q; }", "ROD", &[]);
    check("int f(int *p, int *q) { if (p == q) return 1; return 0; }", "ROD", &["p == q => p", "p == q => q"]);
    check("int f(int *p, int c) { return p && c; }", "LOD", &["p && c => !!(p)", "p && c => c"]);
    check("int f(const int a, int b) { b = a; return b++; }", "UOI", &[]);
    check("int *f(void) { return 0; }", "ICR", &[]);
    check_cpp("bool f(int *p) { return p == 0; }", "ICR", &[]);
    check_cpp("bool f(int *p) { return p != nullptr; }", "ROR", &["!= => =="]);
    check_cpp("unsigned char t[] = {1};", "ICR", &["1 => 0 (constant)", "1 => 2 (constant)"]);
}

#[test]
fn a_variable_is_mutated_where_it_is_read() {
    check("int f(int a) { int b; b = a; return b; }", "ABS", &["a => -(a)", "b => -(b)"]);
    check("void g(int *); void f(int a) { g(&a); a += 1; a++; }", "ABS", &[]);
    check("int f(int a) { return sizeof(a) + sizeof a; }", "ABS", &[]);
    check("struct s { int x; }; int f(struct s *p) { return p->x; }", "ABS", &["p->x => -(p->x)"]);
    check("struct s { int x; } g(void); int f(void) { return g().x; }", "UOI", &[]);
    check_cpp("void g(int &); int f(int a) { g(a); return a; }", "ABS", &["a => -(a)"]);
    check_cpp("int f(int a) { auto g = [a] { return a; }; return g(); }", "UOI", &[]);
    check_cpp("int f(bool c, int a, int b) { return c ? a : b; }", "ABS", &["c => -(c)", "a => -(a)", "b => -(b)"]);
}

#[test]
fn macro_arguments_are_mutated_and_macro_bodies_are_not() {
    check(
        "#define M(a, b) ((a) > (b) ? 1 : 2)\nint f(int x) { return M(x + 3, 4); }",
        "AOR,ICR",
        &[
            "+ => -",
            "+ => *",
            "+ => /",
            "+ => %",
            "3 => 1",
            "3 => (-1)",
            "3 => 0",
            "3 => 4",
            "3 => 2",
            "3 => (-3)",
            "4 => 1",
            "4 => (-1)",
            "4 => 0",
            "4 => 5",
            "4 => 3",
            "4 => (-4)",
        ],
    );
    check("#define D(x) x * 2\nint f(int a, int b) { return D(a + b); }", "AOD", &[]);
    check(
        "#define D(x) x * 2\nint f(int a, int b) { return D(a * b); }",
        "AOR",
        &["a * b => (a + b)", "a * b => (a - b)", "* => /", "* => %"],
    );
    check("#define CHECK(c) if (!(c)) return 1\nint f(int a) { CHECK(a); return 0; }", "SDL,ROR", &["CHECK(a); => ;"]);
}

#[test]
fn a_macro_at_the_end_of_a_macro_s_argument_belongs_to_the_expression() {
    check(
        "#define N 4\n#define CALL(x) f(x)\nint f(int); int g(int a) { return CALL(a + N); }",
        "AOD",
        &["a + N => a", "a + N => N"],
    );
}

#[test]
fn what_depends_on_a_template_s_parameter_is_compared_with_its_like_only() {
    let source = "template <typename T> struct S { unsigned n; bool f(S o) { return n < o.n; } };";
    check_cpp(source, "ROR,ABS,UOI", &["< => >", "< => >=", "< => <="]);
}

#[test]
fn constants_keep_values_that_compile() {
    check("int a[4];", "ICR", &["4 => 1 (constant)", "4 => 0 (constant)", "4 => 5 (constant)", "4 => 3 (constant)"]);
    check("struct s { unsigned f : 1; };", "ICR", &["1 => 2 (constant)"]);
    check(
        "int f(int a) { switch (a) { case 1: return 1; case 2: a = a; } return a; }",
        "ICR",
        &[
            "1 => (-1) (constant)",
            "1 => 0 (constant)",
            "1 => (-1)",
            "1 => 0",
            "1 => 2",
            "2 => (-1) (constant)",
            "2 => 0 (constant)",
            "2 => 3 (constant)",
            "2 => (-2) (constant)",
        ],
    );
    check(
        "static int a = 4 / 2;",
        "ICR,AOD",
        &[
            "4 => 1 (constant)",
            "4 => (-1) (constant)",
            "4 => 0 (constant)",
            "4 => 5 (constant)",
            "4 => 3 (constant)",
            "4 => (-4) (constant)",
            "4 / 2 => 4 (constant)",
            "4 / 2 => 2 (constant)",
            "2 => 1 (constant)",
            "2 => (-1) (constant)",
            "2 => 3 (constant)",
            "2 => (-2) (constant)",
        ],
    );
    check("int f(int n) { int a[n + 1]; return sizeof(a) > n; }", "AOD", &["n + 1 => n", "n + 1 => 1"]);
}

#[test]
fn arguments_that_a_macro_assigns_or_pastes_are_left_alone() {
    check("#define MIX(a, b) { a -= b; b += a; }\nvoid f(int x, int y) { MIX(x, y) }", "ABS,UOI", &[]);
    check("#define P(a) (a + a##p)\nint f(int x, int xp) { return P(x); }", "ABS", &[]);
    check(
        "#define L(f, ...) g(f, ## __VA_ARGS__)\nvoid g(int, ...); void f(int x) { L(x, 1); }",
        "ABS",
        &["x => -(x)"],
    );
}

#[test]
fn a_zero_that_may_be_a_null_pointer_stays() {
    check_cpp("template <typename T> T *f() { return 0; }", "ICR", &[]);
    check_cpp("template <typename T> bool f(T *p) { T *q = 0; q = 0; p->next = 0; return p == 0; }", "ICR", &[]);
    check("const char *t[] = {\"a\", 0};", "ICR", &[]);
    check(
        "struct s { int n; char *p; } t = {2, 0};",
        "ICR",
        &[
            "2 => 1 (constant)",
            "2 => (-1) (constant)",
            "2 => 0 (constant)",
            "2 => 3 (constant)",
            "2 => (-2) (constant)",
        ],
    );
    check("struct s { char *p; } g(void); struct s f(void) { return (struct s){ .p = 0 }; }", "ICR", &[]);
}

#[test]
fn a_pointer_stands_for_a_comparison_only_as_a_truth_value() {
    let expected = "#define LIKELY(x) (__builtin_expect(x, 1))\nbool f(int *p, int *q) { if (LIKELY(p < q)) return \
        true; return p; }";
    check_cpp(expected, "ROD", &[]);
}
