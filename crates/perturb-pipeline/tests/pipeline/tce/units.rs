//! Files that several units include: mutants that are the same in one unit need not be the same in another.

use super::scene::Source;

const HEADER: &str = "static inline int scale(unsigned x) { return (int)(x * 3) + OFFSET; }\n\
                      static inline int is_set(unsigned x) { return x > 0; }\n";

#[test]
fn a_mutant_of_a_header_is_equivalent_only_if_it_is_in_every_unit() {
    let unit = |offset: &str, name: &str| {
        format!(
            "#define OFFSET {offset}\n#include \"scale.h\"\n\
             int {name}(unsigned x) {{ return scale(x) + is_set(x); }}\n"
        )
    };
    let (zero, three) = (unit("0", "a"), unit("3", "b"));
    let files = [("scale.h", HEADER), ("a.c", zero.as_str()), ("b.c", three.as_str())];
    let alone = Source::of(&files, &[("a.c", &[])]).find();
    assert!(alone.is_equivalent("scale", "+ => -") && alone.is_equivalent("is_set", "> => !="), "{alone}");
    let both = Source::of(&files, &[("a.c", &[]), ("b.c", &[])]).find();
    assert!(!both.is_equivalent("scale", "+ => -") && both.is_equivalent("is_set", "> => !="), "{both}");
}

#[test]
fn a_file_that_is_compiled_twice_must_agree_with_itself() {
    let source = "int f(int x) { return x + OFFSET; }\nint g(unsigned x) { return x > 0; }\n";
    let units: &[(&str, &[&str])] = &[("a.c", &["-DOFFSET=0"]), ("a.c", &["-DOFFSET=1"])];
    let found = Source::of(&[("a.c", source)], units).find();
    assert!(!found.is_equivalent("f", "+ => -") && found.is_equivalent("g", "> => !="), "{found}");
}

#[test]
fn a_test_that_includes_the_source_counts() {
    let source = "#ifndef OFFSET\n#define OFFSET 0\n#endif\nint f(int x) { return x + OFFSET; }\n\
                  int g(unsigned x) { return x > 0; }\n";
    let test = "#define OFFSET 2\n#include \"../src/a.c\"\nint main(void) { return f(1) == 3 ? 0 : 1; }\n";
    let files = [("src/a.c", source), ("tests/test_a.c", test)];
    let alone = Source::of(&files, &[("src/a.c", &[])]).find();
    assert!(alone.is_equivalent("f", "+ => -"), "{alone}");
    let found = Source::of(&files, &[("src/a.c", &[]), ("tests/test_a.c", &[])]).find();
    assert!(!found.is_equivalent("f", "+ => -") && found.is_equivalent("g", "> => !="), "{found}");
}

#[test]
fn a_unit_that_does_not_see_the_function_does_not_count() {
    let source = "#ifdef WITH\nint f(unsigned x) { return x > 0; }\n#endif\nint g(unsigned x) { return x > 0; }\n";
    let units: &[(&str, &[&str])] = &[("a.c", &["-DWITH"]), ("a.c", &[])];
    let found = Source::of(&[("a.c", source)], units).find();
    assert!(found.is_equivalent("f", "> => !=") && found.is_equivalent("g", "> => !="), "{found}");
}

#[test]
fn with_a_unit_that_does_not_compile_nothing_is_certain() {
    let source = "#ifdef BROKEN\nint x = ;\n#endif\nint g(unsigned x) { return x > 0; }\n";
    let units: &[(&str, &[&str])] = &[("a.c", &[]), ("a.c", &["-DBROKEN"])];
    let found = Source::of(&[("a.c", source)], units).find();
    assert!(found.found.is_empty(), "{found}");
}

#[test]
fn with_a_unit_that_reads_the_file_through_a_link_from_elsewhere_it_is_not_certain() {
    let header = "static inline int is_set(unsigned x) { return x > 0; }\n";
    let unit = |name: &str| format!("#include \"set.h\"\nint {name}(unsigned x) {{ return is_set(x); }}\n");
    let (a, b) = (unit("a"), unit("b"));
    let files = [("inc/set.h", header), ("a.c", a.as_str()), ("b.c", b.as_str())];
    let source = Source::of(&files, &[("a.c", &["-Iinc"]), ("b.c", &["-Ilinks"])]);
    let elsewhere = source.work().with_file_name("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(source.root().join("inc/set.h"), elsewhere.join("set.h")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, source.root().join("links")).unwrap();
    let found = source.find();
    assert!(!found.is_equivalent("is_set", "> => !="), "{found}");
}
