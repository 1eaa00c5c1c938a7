//! Sources on which a careless comparison would find something wrong, or nothing at all.

use super::scene::{compilers, Source};

/// A function with one mutant that is certainly equivalent.
const SURE: &str = "int sure(unsigned x) { return x > 0; }\n";

#[track_caller]
fn finds_the_sure_one(text: &str) {
    for compiler in compilers() {
        let found = Source::new(&format!("{text}\n{SURE}")).compiled_by(&compiler).find();
        assert!(found.is_equivalent("sure", "> => !="), "{compiler}: {found}");
    }
}

#[test]
fn a_variable_that_another_function_writes_is_not_constant() {
    for compiler in compilers() {
        let source = "static int count;\nvoid add(void) { count = count + 1; }\nint get(void) { return count * 3; }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        assert_eq!(found.equivalents_in("get"), 0, "{compiler}: {found}");
        assert!(!found.is_equivalent("add", "+ => -"), "{compiler}: {found}");
    }
}

#[test]
fn what_functions_that_are_not_compared_write_is_still_seen() {
    let source = "static int mode;\n#define MODE mode\nvoid take(int *);\nvoid set(void) { take(&mode); }\n\
                  int get(unsigned x) { if (MODE) return x > 0; return 1; }\n";
    for compiler in compilers() {
        let found = Source::new(source).compiled_by(&compiler).only("get").find();
        assert!(found.is_equivalent("get", "> => !="), "{compiler}: {found}");
        // If no function wrote the variable, its uses would not matter.
        assert!(!found.is_equivalent("get", "> => <="), "{compiler}: {found}");
    }
}

#[test]
fn macros_that_a_function_defines_that_is_not_compared_are_still_defined() {
    let source = "int define(void)\n{\n#define SIGNED 1\n    return 2;\n}\n\
                  #ifdef SIGNED\ntypedef int number;\n#else\ntypedef unsigned number;\n#endif\n\
                  int get(number x) { return x > 0; }\n";
    for compiler in compilers() {
        let found = Source::new(source).compiled_by(&compiler).only("get").find();
        assert!(!found.is_equivalent("get", "> => !="), "{compiler}: {found}");
    }
}

#[test]
fn lines_keep_their_numbers_and_files_their_names() {
    for compiler in compilers() {
        let source =
            "void at(const char *, int);\nint f(int x)\n{\n    int y;\n    y = x +\n        1;\n    y = x;\n    \
                      at(__FILE__, __LINE__);\n    return y;\n}\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        // Deleting the first assignment removes a line.
        assert!(found.is_equivalent("f", "y = x +\n        1; => ;"), "{compiler}: {found}");
    }
}

#[test]
fn a_function_that_prints_its_own_name_is_compared_with_that_name() {
    for compiler in compilers() {
        let source = "void say(const char *, unsigned long);\n#define SAY() say(__func__, sizeof __func__)\n\
                      int f(unsigned x) { SAY(); return x > 0; }\n\
                      int g(unsigned x) { say(__FUNCTION__, x); return x > 0; }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        assert!(found.is_equivalent("f", "> => !=") && found.is_equivalent("g", "> => !="), "{compiler}: {found}");
        assert!(!found.is_equivalent("f", "> => <="), "{compiler}: {found}");
    }
}

#[test]
fn a_project_that_defines_such_a_name_itself_keeps_its_definition() {
    finds_the_sure_one(
        "#define __func__ \"mine\"\nvoid say(const char *);\nvoid f(void) { say(__func__); }\n\
         void g(void) { say(__func__); }",
    );
}

#[test]
fn variables_with_static_storage_are_compared_by_what_they_start_with() {
    for compiler in compilers() {
        let source = "int f(unsigned x) { static int n = 3; n += x > 0; return n; }\n\
                      int g(void) { static int n = 3; return n++; }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        assert!(found.is_equivalent("f", "> => !="), "{compiler}: {found}");
        for change in
            ["3 => 4", "3 => 0", "3 => 2"].iter().filter(|change| found.all().iter().any(|l| l.contains(*change)))
        {
            assert!(!found.is_equivalent("g", change), "{compiler}: {change}: {found}");
        }
    }
}

#[test]
fn labels_that_are_values_point_where_they_did() {
    for compiler in compilers() {
        let source = "int f(int op, unsigned x) {\n static void *to[] = {&&one, &&two};\n goto *to[op];\n\
                      one: return x > 0;\n two: return 7;\n}\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        assert!(found.is_equivalent("f", "> => !="), "{compiler}: {found}");
        assert!(!found.is_equivalent("f", "7 => 8"), "{compiler}: {found}");
    }
}

#[test]
fn functions_that_others_refer_to_by_name_are_not_compared() {
    finds_the_sure_one(
        "int real(int x) { return x * 2 + 1; }\nextern int other(int) __attribute__((alias(\"real\")));\n\
         __attribute__((constructor)) static void start(void) { real(1); }\n\
         __attribute__((weak)) int maybe(int x) { return x + 1; }\n\
         __attribute__((section(\".text.mine\"))) int placed(int x) { return x - 1; }",
    );
}

#[test]
fn functions_that_must_be_inlined_are_not_compared() {
    finds_the_sure_one(
        "static inline __attribute__((always_inline)) int in(int x) { return x + 3; }\n\
             int uses(int x) { return in(x) * 2; }",
    );
}

#[test]
fn a_main_without_a_return_is_no_other_function() {
    // In C a main that reaches its end returns 0; any other function has undefined behaviour if its result is used.
    let source = "int count(void);\nint main(void) { if (count() > 2) return 0; count(); }\n";
    let found = Source::new(source).find();
    for change in ["0 => 1", "count(); => ;", "> => >="] {
        assert!(!found.is_equivalent("main", change), "{change}: {found}");
    }
}

#[test]
fn old_definitions_variadic_functions_and_functions_of_macros_do_no_harm() {
    finds_the_sure_one(
        "#include <stdarg.h>\nint old(a, b) int a; char b; { return a + b; }\n\
         int sum(int n, ...) { va_list l; int s = 0; va_start(l, n); \
         while (n-- > 0) s += va_arg(l, int); va_end(l); return s; }\n\
         #define MAKE(name, op) int made_##name(int a, int b) { return a op b; }\nMAKE(add, +)\nMAKE(sub, -)\n\
         struct pair { int a, b; } both(int x) { struct pair p = { x, x + 1 }; return p; }\n\
         int (*choose(int x))(int) { return x > 3 ? 0 : (int (*)(int))0; }\n\
         #define OPEN {\n#define CLOSE }\nint braces(int x) OPEN return x + 2; CLOSE",
    );
}

#[test]
fn a_function_whose_type_a_macro_writes_is_copied_with_it() {
    for compiler in compilers() {
        let source = "#define API(type) extern type\n#define LOCAL static\nAPI(int) f(unsigned x) { return x > 0; }\n\
                      LOCAL int g(unsigned x) { return x > 0; }\nAPI(int)\n\
                      h(unsigned x) { return x > 0 ? g(x) : 0; }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        for function in ["f", "g", "h"] {
            assert!(found.is_equivalent(function, "> => !="), "{compiler}: {function}: {found}");
        }
        let by_unit = found.found.values().filter(|found| found.by_unit).count();
        assert_eq!(by_unit, 0, "all of it by their functions: {found}");
    }
}

#[test]
fn a_function_that_calls_itself_is_the_mutant_that_calls_itself() {
    for compiler in compilers() {
        let source = "int f(unsigned n) { if (n > 0) return 1 + f(n - 1); return 0; }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        assert!(found.is_equivalent("f", "> => !="), "{compiler}: {found}");
        assert!(!found.is_equivalent("f", "0 => 1"), "{compiler}: {found}");
    }
}

#[test]
fn inline_assembly_is_copied_as_it_is() {
    for compiler in compilers() {
        let source = "int f(unsigned x) { __asm__ volatile (\"nop\" ::: \"memory\"); return x > 0; }\n";
        let found = Source::new(source).compiled_by(&compiler).find();
        assert!(found.is_equivalent("f", "> => !=") && !found.is_equivalent("f", "> => <="), "{compiler}: {found}");
    }
}

#[test]
fn mutants_that_do_not_compile_are_left_out_and_the_others_are_compared() {
    // Compilers reject some mutants of pointer arithmetic.
    finds_the_sure_one(
        "struct s; int f(struct s *p, struct s *q) { return p == q; }\n\
         int n(int x) { int a[3]; a[x] = 2; return a[0] % 3; }",
    );
}

#[test]
fn initialisers_are_compared_with_their_whole_unit() {
    let source = "const int table[3] = {1 + 0, 2, 3};\nint f(int x) { return table[x]; }\n";
    let found = Source::new(source).find();
    assert!(found.is_equivalent("table", "+ => -"), "{found}");
    assert!(!found.is_equivalent("table", "2 => 3"), "{found}");
}

#[test]
fn plain_functions_of_cpp_are_compared_and_their_exceptions_too() {
    let text =
        "int g(int); struct E { int code; };\nnamespace n {\nint f(unsigned x) {\n  try { return g(x > 0); }\n  \
                catch (E &e) { return e.code + 1; }\n}\n}\nstruct C { int m(unsigned x) { return x > 0; } };\n\
                template <class T> T twice(T x) { return x * 2; }\nint use(C &c) { return c.m(3) + twice(4); }\n";
    for compiler in ["g++", "clang++-14"].iter().filter(|name| perturb_host::find_program(name).is_some()) {
        let found = Source::of(&[("a.cpp", text)], &[("a.cpp", &[])]).compiled_by(compiler).find();
        assert!(found.is_equivalent("n::f", "> => !="), "{compiler}: {found}");
        assert!(!found.is_equivalent("n::f", "+ => -"), "{compiler}: {found}");
    }
}
