//! Writes tests for each framework: what a test, a check and a whole file look like.
//!
//! Every program takes the names of tests and runs only these, so that each test can be confirmed alone.

use crate::native::{float_helpers, wrapped, Tolerance, TEST_MEMORY};
use perturb_model::Framework;
use std::fmt::Write;

/// One test, as pieces of C code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestText {
    pub name: String,
    /// The comment above it, line by line.
    pub comment: Vec<String>,
    /// The statements before the checks.
    pub statements: Vec<String>,
    /// The conditions to check.
    pub checks: Vec<String>,
    /// The statements after the checks.
    pub at_end: Vec<String>,
    /// Its program replaces `malloc`.
    pub uses_memory: bool,
}

/// The pieces of a file of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// The name of the suite.
    pub suite: String,
    /// The comment at the top, line by line.
    pub comment: Vec<String>,
    /// The text before the unit is included.
    pub before: String,
    /// The path by which the unit is included: `src/ring.c`.
    pub unit: String,
    pub has_main: bool,
    /// Stubs and replaced variables.
    pub definitions: String,
    /// The distance within which floats count as the same; all bits count if `None`.
    pub tolerance: Option<Tolerance>,
    pub tests: Vec<TestText>,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFile {
    pub name: String,
    pub text: String,
}

/// The file with the replacement of `malloc`.
pub const MEMORY_HEADER: &str = "test_memory.h";

impl TestFile {
    pub fn is_header(&self) -> bool {
        self.name == MEMORY_HEADER
    }
}

impl FileText {
    /// The functions that its checks compare floats with.
    fn float_helpers(&self) -> String {
        let uses = |what: &str| self.tests.iter().any(|test| test.checks.iter().any(|check| check.contains(what)));
        float_helpers(self.tolerance, uses)
    }

    pub(super) fn compares_floats(&self) -> bool {
        !self.float_helpers().is_empty()
    }

    fn uses_memory(&self) -> bool {
        self.tests.iter().any(|test| test.uses_memory)
    }

    /// A file without any test.
    pub(super) fn empty() -> Self {
        Self {
            suite: "empty".to_string(),
            comment: Vec::new(),
            before: String::new(),
            unit: "/dev/null".to_string(),
            has_main: false,
            definitions: String::new(),
            tolerance: None,
            tests: Vec::new(),
        }
    }
}

/// What differs between frameworks.
pub trait Dialect {
    /// The files of a suite: the first is C and includes the unit.
    fn files(self, file: &FileText) -> Vec<TestFile>;
    /// The argument that makes a program run only one test.
    fn only(self, suite: &str, test: &str) -> String;
}

impl Dialect for Framework {
    fn files(self, file: &FileText) -> Vec<TestFile> {
        let name = format!("test_{}", file.suite);
        let mut files = vec![TestFile { name: format!("{name}.c"), text: text(self, file) }];
        if self == Self::GoogleTest {
            files.push(TestFile { name: format!("{name}_cases.cpp"), text: cases(file) });
        }
        if file.uses_memory() {
            files.push(TestFile { name: MEMORY_HEADER.to_string(), text: TEST_MEMORY.to_string() });
        }
        files
    }

    fn only(self, suite: &str, test: &str) -> String {
        match self {
            Self::GoogleTest => format!("--gtest_filter={suite}.{test}"),
            _ => test.to_string(),
        }
    }
}

fn text(framework: Framework, file: &FileText) -> String {
    let mut out = comment(&file.comment);
    out.push_str(&file.before);
    let include = format!("#include \"{}\"\n", file.unit);
    match file.has_main {
        true => {
            let _ = write!(out, "#define main main_of_unit\n{include}#undef main\n");
        }
        false => out.push_str(&include),
    }
    out.push('\n');
    out.push_str(prelude(framework));
    out.push_str(&file.float_helpers());
    if file.uses_memory() {
        let _ = write!(out, "\n#include \"{MEMORY_HEADER}\"\n");
    }
    if !file.definitions.is_empty() {
        let _ = write!(out, "\n{}", file.definitions);
    }
    for test in &file.tests {
        write_test(framework, test, &mut out);
    }
    write_main(framework, file, &mut out);
    out
}

/// The headers and macros that tests use. They follow the unit, which may define feature macros for headers.
fn prelude(framework: Framework) -> &'static str {
    match framework {
        Framework::Plain => {
            "#include <stdio.h>\n#include <string.h>\n\n\
             static int failures;\n\n\
             /* What follows a check may rely on it. */\n\
             #define CHECK(...) \\\n    \
             do { \\\n        \
             if (!(__VA_ARGS__)) { \\\n            \
             printf(\"%s:%d: expected: %s\\n\", __FILE__, __LINE__, #__VA_ARGS__); \\\n            \
             failures++; \\\n            \
             return; \\\n        \
             } \\\n    \
             } while (0)\n"
        }
        Framework::Cmocka => {
            "#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <cmocka.h>\n"
        }
        Framework::Unity => {
            "#include <string.h>\n#include \"unity.h\"\n\n\
             void setUp(void) {}\nvoid tearDown(void) {}\n"
        }
        Framework::Check => "#include <stdlib.h>\n#include <string.h>\n#include <check.h>\n",
        Framework::GoogleTest => {
            "#include <stddef.h>\n\n#define LINE_OF(line) #line\n#define LINE(line) LINE_OF(line)\n\
             #define CHECK(...) \\\n    \
             do { \\\n        \
             if (!(__VA_ARGS__)) \\\n            \
             return __FILE__ \":\" LINE(__LINE__) \": expected: \" #__VA_ARGS__; \\\n    \
             } while (0)\n"
        }
    }
}

fn write_test(framework: Framework, test: &TestText, out: &mut String) {
    let _ = write!(out, "\n{}", comment(&test.comment));
    let name = &test.name;
    let _ = match framework {
        Framework::Plain | Framework::Unity => writeln!(out, "static void {name}(void)\n{{"),
        Framework::Cmocka => writeln!(out, "static void {name}(void **state)\n{{\n    (void)state;"),
        Framework::Check => writeln!(out, "START_TEST({name})\n{{"),
        Framework::GoogleTest => writeln!(out, "const char *{name}(void);\nconst char *{name}(void)\n{{"),
    };
    for statement in &test.statements {
        let _ = writeln!(out, "{}", wrapped(statement));
    }
    out.push_str("\n    /* What the code does today: check it against the specification. */\n");
    for check in &test.checks {
        let _ = writeln!(out, "{}", wrapped(&format!("{}({check});", check_macro(framework))));
    }
    for statement in &test.at_end {
        let _ = writeln!(out, "{}", wrapped(statement));
    }
    out.push_str(match framework {
        Framework::Plain | Framework::Unity | Framework::Cmocka => "}\n",
        Framework::Check => "}\nEND_TEST\n",
        Framework::GoogleTest => "    return 0;\n}\n",
    });
}

fn check_macro(framework: Framework) -> &'static str {
    match framework {
        Framework::Plain | Framework::GoogleTest => "CHECK",
        Framework::Cmocka => "assert_true",
        Framework::Unity => "TEST_ASSERT",
        Framework::Check => "ck_assert",
    }
}

fn write_main(framework: Framework, file: &FileText, out: &mut String) {
    let each = |line: &dyn Fn(&str) -> String| file.tests.iter().map(|test| line(&test.name)).collect::<String>();
    let suite = &file.suite;
    let _ = match framework {
        Framework::Plain => write!(
            out,
            "{WANTED}\
             \n/* Runs all tests, or those that are named. */\nint main(int argc, char **argv)\n{{\n    \
             static const struct {{\n        const char *name;\n        void (*run)(void);\n    }} tests[] = {{\n{}    \
             }};\n    \
             int failed = 0;\n    unsigned i;\n    \
             for (i = 0; i < sizeof tests / sizeof *tests; i++) {{\n        \
             if (!is_wanted(argc, argv, tests[i].name))\n            continue;\n        \
             failures = 0;\n        tests[i].run();\n        \
             printf(\"%s: %s\\n\", failures == 0 ? \"pass\" : \"FAIL\", tests[i].name);\n        \
             failed += failures != 0;\n    }}\n    return failed != 0;\n}}\n",
            each(&|name| format!("        {{\"{name}\", {name}}},\n"))
        ),
        Framework::Cmocka => write!(
            out,
            "\n/* Runs all tests, or the one that is named. */\nint main(int argc, char **argv)\n{{\n    \
             const struct CMUnitTest tests[] = {{\n{}    }};\n    \
             if (argc > 1)\n        cmocka_set_test_filter(argv[1]);\n    \
             return cmocka_run_group_tests_name(\"{suite}\", tests, NULL, NULL);\n}}\n",
            each(&|name| format!("        cmocka_unit_test({name}),\n"))
        ),
        Framework::Unity => write!(
            out,
            "{WANTED}\
             \n/* Runs all tests, or those that are named. */\nint main(int argc, char **argv)\n{{\n    \
             UNITY_BEGIN();\n{}    return UNITY_END();\n}}\n",
            each(&|name| format!("    if (is_wanted(argc, argv, \"{name}\"))\n        RUN_TEST({name});\n"))
        ),
        Framework::Check => write!(
            out,
            "{WANTED}\
             \n/* Runs all tests, or those that are named. */\nint main(int argc, char **argv)\n{{\n    \
             Suite *suite = suite_create(\"{suite}\");\n    TCase *tests = tcase_create(\"generated\");\n    \
             SRunner *runner;\n    int failed;\n{}    \
             suite_add_tcase(suite, tests);\n    runner = srunner_create(suite);\n    \
             srunner_run_all(runner, CK_NORMAL);\n    failed = srunner_ntests_failed(runner);\n    \
             srunner_free(runner);\n    return failed != 0;\n}}\n",
            each(&|name| format!(
                "    if (is_wanted(argc, argv, \"{name}\"))\n        tcase_add_test(tests, {name});\n"
            ))
        ),
        Framework::GoogleTest => Ok(()),
    };
}

/// For frameworks whose programs choose tests by name.
const WANTED: &str = "
static int is_wanted(int argc, char **argv, const char *name)
{
    int i;
    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc < 2;
}
";

/// The cases of GoogleTest, in C++: the tests themselves are C, like the unit.
fn cases(file: &FileText) -> String {
    let mut out = comment(&file.comment);
    out.push_str("#include <gtest/gtest.h>\n");
    for test in &file.tests {
        let (suite, name) = (&file.suite, &test.name);
        let _ = write!(
            out,
            "\nextern \"C\" const char *{name}(void);\nTEST({suite}, {name})\n{{\n    \
             const char *failed = {name}();\n    EXPECT_EQ(failed, nullptr) << failed;\n}}\n"
        );
    }
    out
}

fn comment(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    // A comment in the text would end the generated comment.
    let lines: Vec<String> =
        lines.iter().map(|line| format!(" * {}", line.replace("*/", "* /")).trim_end().to_string()).collect();
    format!("{}\n */\n", lines.join("\n").replacen(" * ", "/* ", 1))
}
