//! What functions use of what is outside of them, as their signatures tell it.

use perturb_csrc::{External, Libclang, ParseInput, Signature, Signatures, Start};

fn function(text: &str) -> Signature {
    read(text).functions.remove(0)
}

fn read(text: &str) -> Signatures {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unit.c");
    std::fs::write(&file, text).unwrap();
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let input = ParseInput { directory: folder.path().to_path_buf(), file, arguments: vec!["-w".to_string()] };
    Signatures::read(&libclang, &input).unwrap()
}

#[test]
fn what_a_variable_in_a_function_starts_with_is_known_where_it_is_plain() {
    for (declared, expected) in [
        ("int a", Some(vec![0; 4])),
        ("short a = 7", Some(vec![7, 0])),
        ("signed char a = -2 * 3", Some(vec![250])),
        ("float a = 1", Some(1f32.to_le_bytes().to_vec())),
        ("double a = 0.5", Some(0.5f64.to_le_bytes().to_vec())),
        ("unsigned char a[4] = {1, 2}", Some(vec![1, 2, 0, 0])),
        ("struct { char x; short y[2]; } a = {3, {4, 5}}", Some(vec![3, 0, 4, 0, 5, 0])),
        ("struct { short x[2]; char y; } a = {0}", Some(vec![0; 6])),
        ("char *a", Some(vec![0; 8])),
        ("const char *a = \"on\"", None),
        ("struct { char x, y; } a = {.y = 3}", None),
        ("char a[3] = \"on\"", None),
    ] {
        let found = function(&format!("void f(void) {{ static {declared}; (void)&a; }}\n"));
        assert_eq!(
            found.statics.iter().map(|variable| variable.start.clone()).collect::<Vec<_>>(),
            [expected],
            "{declared}"
        );
    }
}

#[test]
fn functions_of_others_come_with_their_parameters_and_with_who_has_them() {
    let found = function(
        "#include <stdlib.h>\nint own(int channel, char *);\nint f(void) { exit(own(1, getenv(\"A\"))); return \
         abs(2); }\n",
    );
    let told = |external: &External| {
        let External { name, parameters, returns, is_of_system, .. } = external;
        format!("{name}({}) {returns} {is_of_system}", parameters.join(", "))
    };
    let told: Vec<String> = found.externals.iter().map(told).collect();
    assert_eq!(
        told,
        ["abs(__x) true true", "exit(__status) false true", "getenv(__name) true true", "own(channel, ) true false"]
    );
}

#[test]
fn pointers_that_are_asked_for_being_the_same_are_told_by_the_names_of_parameters_and_members() {
    let node = "struct node { struct node *next, *head; int value; };\n";
    for (given, body, expected) in [
        ("struct node *a, struct node *b", "return a == b;", "a b"),
        ("struct node *list, struct node *item", "return (void *)item != (void *)list->head;", "head item"),
        // What variables come to be, also in a turn that the text says later.
        (
            "struct node *list, struct node *item",
            "struct node *at = list->head; while (at && at != item) at = at->next; return !at;",
            "head item, item next",
        ),
        ("struct node *a", "struct node *at; at = a; return at->next == a->next && at == a;", "a a, next next"),
        ("struct node *a, int n", "return a == 0 || a->value == n || a->next != (struct node *)0;", ""),
        ("struct node *a, struct node *b", "return a < b;", ""),
    ] {
        let found = function(&format!("{node}int f({given}) {{ {body} }}\n"));
        let told: Vec<String> = found.equal.iter().map(|(one, other)| format!("{one} {other}")).collect();
        assert_eq!(told.join(", "), expected, "{body}");
    }
}

#[test]
fn registers_at_addresses_of_their_own_are_variables_that_are_named_by_these() {
    let head = "#include <stdint.h>\nstruct port { volatile const uint32_t status; uint32_t data[3]; };\n\
                #define BASE 0x40021000ul\n#define PORT ((struct port *)(BASE + 0x100))\n";
    for (body, expected) in [
        ("return *(volatile uint32_t *)BASE;", "(*(volatile uint32_t *)0x40021000)"),
        ("return *(const volatile unsigned *)(uintptr_t)0xe000e010;", "(*(volatile unsigned int *)0xe000e010)"),
        ("PORT->data[1] = 3; return PORT->status;", "(*(struct port *)0x40021100)"),
        // Of those that have bytes in common, the largest.
        ("*(uint8_t *)(BASE + 0x104) = 1; return PORT->status;", "(*(struct port *)0x40021100)"),
        ("return *(uint8_t *)BASE + *(uint8_t *)(BASE + 1);", "(*(uint8_t *)0x40021000) (*(uint8_t *)0x40021001)"),
        // Where no program can have memory, or what is only known when it runs.
        ("return *(volatile int *)0x4000;", ""),
        ("return (void *)-1 == (void *)PORT->data ? a : *(int *)(BASE + a);", "(*(struct port *)0x40021100)"),
    ] {
        let found = function(&format!("{head}int f(int a) {{ {body} }}\n"));
        let names: Vec<&str> = found.globals.iter().map(|global| global.name.as_str()).collect();
        assert_eq!(names.join(" "), expected, "{body}");
    }
}

#[test]
fn functions_that_call_others_of_the_unit_are_told_from_those_that_do_not() {
    let text = "static int g(int a) { return a; }\nint h(int);\nint f(int a) { return A; }\n";
    for (value, expected) in [("a", false), ("h(a)", false), ("f(a)", false), ("g(a)", true)] {
        let found = read(&text.replace('A', value)).functions;
        assert_eq!(found.iter().find(|function| function.name == "f").unwrap().calls_bodies, expected, "{value}");
    }
}

#[test]
fn pointers_that_are_compared_or_subtracted_lead_into_one_object() {
    for (text, expected) in [
        ("int f(char *p, char *end) { return p < end; }", "p, end in p"),
        ("int f(char *end, int n, char *p) { return end - 1 > (p + n); }", "end in p, n, p"),
        ("long f(const int *p, const int *base) { return p - base; }", "p in base, base"),
        ("int f(void *to, void *end) { char *a = (char *)to, *b = end; while (a++ < b) ; return 0; }", "to, end in to"),
        (
            "#define likely(x) __builtin_expect(!!(x), 1)\nint f(char *p, char *end) { return likely(p < end - 3); }",
            "p, end in p",
        ),
        ("int f(char **p, char *end) { return (*p) + 1 <= end; }", "p, end in *p"),
        ("int f(char *a, char *b, char *end) { return a < end && b < end; }", "a, b in a, end in a"),
        ("int f(char **a, char **b, char *end) { return *a < end && *b < end; }", "a, b, end in *a"),
        // These say nothing of one object.
        ("int f(char *a, char *b) { return a == b || (a && b) || *a < *b; }", "a, b"),
        ("int f(char *a, int b) { return a[b] - b; }", "a, b"),
        ("int f(char *a, char *b) { char *c = b; a = c; return a[0] < b[1]; }", "a, b"),
    ] {
        let parameters = function(text).parameters;
        let start = |start: Start| {
            format!(" in {}{}", if start.is_behind { "*" } else { "" }, parameters[start.parameter].name)
        };
        let told = parameters.iter().map(|one| format!("{}{}", one.name, one.within.map(start).unwrap_or_default()));
        assert_eq!(told.collect::<Vec<_>>().join(", "), expected, "{text}");
    }
}

#[test]
fn what_is_volatile_counts_unless_it_is_a_variable_of_the_calls_own() {
    for (text, expected) in [
        ("volatile int seen; int f(void) { return seen; }", "seen"),
        ("int f(void) { static volatile int seen; return seen; }", "seen"),
        ("double f(double x) { volatile double y; y = x; return y; }", ""),
        ("int f(volatile int x) { return x; }", ""),
        ("void give(volatile int *); int f(void) { volatile int x = 1; give(&x); return x; }", "x"),
        ("int f(volatile int *x) { return *x; }", "the target of a pointer"),
    ] {
        let found: Vec<String> = function(text).volatiles.into_iter().collect();
        assert_eq!(found.join(", "), expected, "{text}");
    }
}

#[test]
fn what_is_cast_to_a_larger_record_is_one() {
    let types = "struct base { int type; }; struct list { struct base base; int count; }; struct other { int type; };";
    for (text, expected) in [
        ("int f(struct base *b) { return ((struct list *)b)->count; }", "struct list"),
        ("int f(const struct base *b) { const struct list *l = (const void *)b; return l->count; }", "struct list"),
        ("int f(const void *b) { const struct list *l = b; return l->count; }", "struct list"),
        (
            "int g(struct base *b) { return ((struct list *)b)->count; } int f(struct base *b) { return g(b); }",
            "struct list",
        ),
        // It starts with something else, is what is in it, or comes from another function.
        ("int f(struct base *b) { return ((struct other *)b)->type; }", ""),
        ("int f(struct list *b) { return ((struct base *)b)->type; }", ""),
        ("struct base *g(struct base *); int f(struct base *b) { return ((struct list *)g(b))->count; }", ""),
    ] {
        let signatures = read(&format!("{types} {text}"));
        let found = &signatures.functions.last().unwrap().parameters[0];
        let spelling = found.larger.map(|id| signatures.ty(id).spelling.replace("const ", ""));
        assert_eq!(spelling.unwrap_or_default(), expected, "{text}");
    }
}

/// The variables that a function uses, those that it may write with a mark.
#[track_caller]
fn check_uses(body: &str, expected: &str) {
    let variables = "#include <stddef.h>\n#include <stdlib.h>\n\
        struct pair { int one, many[3]; struct pair *next; };\nextern void (*late)(void *);\nvoid g(const void *);\n\
        static int a, b;\nstatic int row[4], rows[2][3];\nstatic struct pair pair, pairs[2];\nstatic int *at;\n\
        static void *(*make)(size_t) = malloc;\nstatic int *const fixed = &b;\nstatic struct pair own = {0, {0}, \
        &own};\n\
        static const int table[] = {1, 2};\nstatic struct pair *nameless = &(struct pair){1};\n";
    let found = read(&format!("{variables}int f(int x) {{ {body} return x; }}\nvoid (*late)(void *) = free;\n"));
    let found = &found.functions[0];
    let name =
        |global: &perturb_csrc::Global| format!("{}{}", global.name, if global.may_be_written { "!" } else { "" });
    let globals = found.globals.iter().map(name);
    let externals = found.externals.iter().map(|external| format!("{}()", external.name));
    assert_eq!(globals.chain(externals).collect::<Vec<_>>().join(" "), expected, "{body}");
}

#[test]
fn a_variable_that_is_read_is_told_from_one_that_may_be_written() {
    for (body, expected) in [
        ("x = a;", "a"),
        ("x += (a) + b;", "a b"),
        ("if (a) x = (char)b;", "a b"),
        ("x = row[a];", "a row"),
        ("x = a[row];", "a row"),
        ("x = rows[1][x];", "rows"),
        ("x = pair.one + pairs[x].many[1] + pair.next->one;", "pair pairs"),
        ("struct pair copy = pair; x = copy.one;", "pair"),
        ("x = sizeof row + sizeof(pair);", "pair row"),
        ("x = *at + at[2];", "at"),
        ("x = table[x];", ""),
        ("x = make(3) != 0;", "make malloc()"),
        ("x = (*make)(3) != 0;", "make malloc()"),
        ("late(0);", "late free()"),
        ("a = x;", "a!"),
        ("(a) = x;", "a!"),
        ("a += 1;", "a!"),
        ("x = a++;", "a!"),
        ("x = --a;", "a!"),
        ("x = a; a = 1;", "a!"),
        ("int *p = &a; *p = x;", "a!"),
        ("row[1] = x;", "row!"),
        ("rows[1][0]++;", "rows!"),
        ("pair.many[2] = x;", "pair!"),
        ("pairs->one = x;", "pairs!"),
        ("pair = pairs[0];", "pair! pairs"),
        ("int *p = row; x = *p;", "row!"),
        ("const int *p = row; x = *p;", "row!"),
        ("const int *p = (row); x = *p;", "row!"),
        ("int *p = pair.many; *p = x;", "pair!"),
        ("g(row);", "row! g()"),
        ("g(&pair);", "pair! g()"),
        ("x = *row;", "row!"),
        ("at = 0;", "at!"),
        ("*at = x;", "at"),
        ("make = 0;", "make! malloc()"),
        ("*fixed = x;", "b!"),
        ("x = own.one;", "own!"),
        ("nameless->one = x;", "nameless!"),
        ("__builtin_choose_expr(1, a, b) = x;", "a! b!"),
    ] {
        check_uses(body, expected);
    }
}

#[test]
fn what_one_function_writes_counts_for_those_that_call_it() {
    let text = "static int a, b;\nstatic void set(int x) { a = x; }\nint f(int x) { set(x); return a + b; }\n";
    let found = read(text);
    let written: Vec<(&str, bool)> =
        found.functions[1].globals.iter().map(|global| (global.name.as_str(), global.may_be_written)).collect();
    assert_eq!(written, [("a", true), ("b", false)]);
}
