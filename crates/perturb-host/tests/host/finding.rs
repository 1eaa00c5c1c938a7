//! Finding tests one by one, in real builds.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use perturb_host::{
    find_tests, DiscoverOptions, Exit, HostError, Project, Shadow, TestCase, TestList, TestOptions, TestResult,
    TestSource,
};
use perturb_model::Notice;

use crate::support::{has, Scene};

pub fn built(scene: &Scene, project: &Project, name: Option<&str>) -> Shadow {
    let options = DiscoverOptions::default();
    let mut shadow = Shadow::open(project, &scene.work(), name, &options, &mut |_| ()).unwrap();
    let built = shadow.build(2, &scene.work().join("test.log")).unwrap();
    assert!(built.is_faithful(), "{built:?}");
    shadow
}

pub fn found(scene: &Scene, options: &TestOptions) -> Result<TestList, HostError> {
    let project = scene.discover().unwrap();
    find_tests(&built(scene, &project, None), &project, options)
}

pub fn names(list: &TestList) -> Vec<&str> {
    list.tests.iter().map(|test| test.name.as_str()).collect()
}

/// Runs a test as its caller would, though without a sandbox: these are tests of our own.
pub fn verdict(test: &TestCase) -> TestResult {
    let mut command = Command::new(&test.program);
    command.args(&test.arguments).current_dir(&test.directory).envs(test.environment.iter().cloned());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let exit = output.status.code().map_or_else(|| Exit::Signal(output.status.signal().unwrap()), Exit::Code);
    test.passes.judge(exit, &[output.stdout, output.stderr].concat())
}

const CTEST: &str = r#"cmake_minimum_required(VERSION 3.22)
project(demo C)
enable_testing()
add_library(core core.c)
add_executable(check check.c)
target_link_libraries(check core)
add_test(NAME plain COMMAND check 0)
add_test(NAME "odd (name) [x]+$" COMMAND check 0)
add_test(NAME wrong COMMAND check 1)
add_test(NAME expected COMMAND check 1)
set_tests_properties(expected PROPERTIES WILL_FAIL ON)
add_test(NAME skipped COMMAND check 77)
set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77 RUN_SERIAL ON RESOURCE_LOCK "port;file")
add_test(NAME says COMMAND check 3)
set_tests_properties(says PROPERTIES PASS_REGULAR_EXPRESSION "code {?3" TIMEOUT 2.5)
add_test(NAME says_not COMMAND check 0)
set_tests_properties(says_not PROPERTIES FAIL_REGULAR_EXPRESSION "code [0-9]")
add_test(NAME off COMMAND check 0)
set_tests_properties(off PROPERTIES DISABLED ON)
add_test(NAME variables COMMAND sh variables.sh WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(variables PROPERTIES ENVIRONMENT "A=x y;B=2" ENVIRONMENT_MODIFICATION "B=path_list_prepend:1")
add_test(NAME set_up COMMAND ${CMAKE_COMMAND} -E touch ready)
set_tests_properties(set_up PROPERTIES FIXTURES_SETUP ready)
add_test(NAME needs COMMAND sh -c "rm ready")
set_tests_properties(needs PROPERTIES FIXTURES_REQUIRED ready)
add_test(NAME first.one COMMAND sh -c "touch first")
add_test(NAME second COMMAND sh -c "rm first")
set_tests_properties(second PROPERTIES DEPENDS first.one)
add_test(NAME missing COMMAND no_such_target_NOT_BUILT)
"#;

fn ctest_scene() -> Scene {
    Scene::new(&[
        ("CMakeLists.txt", CTEST),
        ("core.c", "int core(void) { return 0; }\n"),
        ("variables.sh", "test \"$A\" = 'x y' && test \"$B\" = 1:2\n"),
        (
            "check.c",
            "#include <stdio.h>\n#include <stdlib.h>\nint core(void);\nint main(int count, char **words) {\n\
             (void)count; printf(\"code %s\\n\", words[1]); return core() + atoi(words[1]);\n}\n",
        ),
    ])
}

#[test]
fn ctest_tells_how_each_test_is_run_and_judged() {
    let scene = ctest_scene();
    let list = found(&scene, &TestOptions::default()).unwrap();
    let expected = [
        ("plain", TestResult::Passed),
        ("odd (name) [x]+$", TestResult::Passed),
        ("wrong", TestResult::Failed),
        ("expected", TestResult::Passed),
        ("skipped", TestResult::Skipped),
        ("says", TestResult::Passed),
        ("says_not", TestResult::OutputDiffers),
        ("variables", TestResult::Passed),
        ("needs", TestResult::Passed),
        ("first.one", TestResult::Passed),
        ("second", TestResult::Passed),
    ];
    assert_eq!(names(&list), expected.map(|(name, _)| name));
    for (test, (name, verdict_expected)) in list.tests.iter().zip(expected) {
        assert_eq!(test.name, name);
        assert_eq!(verdict(test), verdict_expected, "{test:?}");
    }
    let test = |name: &str| list.tests.iter().find(|test| test.name == name).unwrap();
    assert_eq!(
        test("variables").environment,
        [("A", "x y"), ("B", "1:2")].map(|(a, b)| (a.to_string(), b.to_string()))
    );
    assert_eq!(test("variables").directory, scene.work().join("tree"));
    assert_eq!(test("variables").executable, None);
    assert_eq!(test("plain").executable.as_deref(), Some(scene.work().join("build/check").as_path()));
    assert_eq!(test("says").timeout, Some(Duration::from_millis(2500)));
    assert!(test("skipped").alone && test("skipped").exclusive == ["file", "port"]);
    for (name, source) in
        [("needs", TestSource::ThroughCTest), ("second", TestSource::ThroughCTest), ("says", TestSource::CTest)]
    {
        assert_eq!(test(name).source, source, "{name}");
    }
    let (off, missing) = ("off".to_string(), "missing".to_string());
    assert_eq!(
        list.notices,
        [Notice::TestsDisabled { count: 1, example: off }, Notice::TestsNotBuilt { count: 1, example: missing }]
    );
}

#[test]
fn a_test_moves_to_another_shadow_with_all_its_paths() {
    let scene = ctest_scene();
    let project = scene.discover().unwrap();
    let (plain, own) = (built(&scene, &project, None), built(&scene, &project, Some("own")));
    for test in find_tests(&plain, &project, &TestOptions::default()).unwrap().tests {
        let moved = test.moved(&plain, &own);
        assert!(moved.directory.starts_with(scene.work().join("shadow/own")), "{moved:?}");
        assert_eq!(moved.executable.is_some(), test.executable.is_some());
        assert_eq!(verdict(&moved), verdict(&test), "{moved:?}");
    }
}

#[test]
fn tests_are_selected_by_patterns_of_their_names() {
    let scene = ctest_scene();
    let options = |only: &[&str], exclude: &[&str]| TestOptions {
        only: only.iter().map(ToString::to_string).collect(),
        exclude: exclude.iter().map(ToString::to_string).collect(),
        ..TestOptions::default()
    };
    let project = scene.discover().unwrap();
    let shadow = built(&scene, &project, None);
    let found = |options: &TestOptions| find_tests(&shadow, &project, options);
    assert_eq!(names(&found(&options(&["s*"], &["*not"])).unwrap()), ["skipped", "says", "second"]);
    let error = found(&options(&["none"], &[])).unwrap_err();
    assert!(matches!(error, HostError::NoTestSelected { count: 11 }), "{error}");
    assert!(matches!(found(&options(&["["], &[])), Err(HostError::BadPattern { setting: "only", .. })));
}

const PROGRAM: &str = "int core(void); int main(void) { return core(); }\n";

/// Two test programs, and what the makefile does with them.
fn make_scene(rules: &str) -> Scene {
    let makefile = "all: test_one test_two\ntest_one test_two: %: %.c core.c\n\tcc -o $@ $^\n";
    Scene::new(&[
        ("Makefile", &format!("{makefile}{rules}")),
        ("core.c", "int core(void) { return 0; }\n"),
        ("test_one.c", PROGRAM),
        ("test_two.c", PROGRAM),
        ("sub/run.sh", "#!/bin/sh\nexit 0\n"),
    ])
}

#[test]
fn what_make_runs_one_after_the_other_is_one_test_each() {
    for (rules, expected) in [
        ("check: all\n\t./test_one\n\t@echo two; ./test_two -v\n", vec!["test_one", "test_two -v"]),
        ("test: all\n\t@set -e; for t in test_one test_two; do ./$$t || exit 1; done\n", vec!["test_one", "test_two"]),
        ("check:\n\t$(MAKE) -C sub -f ../Makefile inner\ninner:\n\tA=1 ./run.sh x\n", vec!["run.sh x"]),
        // No rule at all: programs that look like tests.
        ("", vec!["test_one", "test_two"]),
    ] {
        let scene = make_scene(rules);
        let list = found(&scene, &TestOptions::default()).unwrap();
        assert_eq!(names(&list), expected, "{rules}");
        assert!(
            list.notices.is_empty() && list.tests.iter().all(|test| verdict(test) == TestResult::Passed),
            "{list:?}"
        );
        assert!(list.tests.iter().all(|test| test.executable.is_some()), "{list:?}");
    }
}

#[test]
fn what_cannot_be_told_apart_is_one_test() {
    let scene = make_scene("check: all\n\t./test_one >out\n\tcmp out sub/expected || test $$? = 2\n");
    let list = found(&scene, &TestOptions::default()).unwrap();
    assert_eq!((names(&list), list.tests[0].source), (vec!["make check"], TestSource::Make));
    assert_eq!(list.notices, [Notice::WholeSuite { command: "make check".to_string() }]);
    assert_eq!(verdict(&list.tests[0]), TestResult::Passed);
}

/// As automake writes it, as far as tests are concerned.
const AUTOMAKE: &str = "TESTS = test_one test_two expected.sh late.tap wrapped.py
XFAIL_TESTS = expected.sh
TEST_EXTENSIONS = .sh .tap .py
TAP_LOG_DRIVER = sh ./tap-driver.sh
PY_LOG_COMPILER = sh
TESTS_ENVIRONMENT = A=1 B='x y'
check_PROGRAMS = test_two
srcdir = .
all: test_one
test_one test_two: %: %.c core.c
\tcc -o $@ $^
check: check-am
check-am: all
\t$(MAKE) $(check_PROGRAMS)
\t$(MAKE) check-TESTS
check-TESTS:
\t@for t in $(TESTS); do sh ./$$t || exit 1; done
";

#[test]
fn automake_tells_its_tests_and_what_is_around_them() {
    let scene = Scene::new(&[
        ("Makefile", AUTOMAKE),
        ("core.c", "int core(void) { return 0; }\n"),
        ("test_one.c", PROGRAM),
        ("test_two.c", PROGRAM),
        ("expected.sh", "#!/bin/sh\ntest \"$A$B$srcdir\" = '1x y.' && exit 3\n"),
        ("late.tap", "#!/bin/sh\necho 1..1; echo ok 1\n"),
        ("wrapped.py", "exit 0\n"),
    ]);
    let list = found(&scene, &TestOptions::default()).unwrap();
    assert_eq!(names(&list), ["test_one", "test_two", "expected.sh", "late.tap", "wrapped.py"]);
    for test in &list.tests {
        assert_eq!(verdict(test), TestResult::Passed, "{test:?}");
        assert_eq!(test.source, TestSource::Automake);
    }
    assert_eq!(list.tests[4].arguments, ["check-TESTS", "TESTS=wrapped.py"]);
}

#[test]
fn tests_of_a_part_that_cannot_be_made_leave_the_others_alone() {
    let makefile = "TESTS = test_two\ncheck_PROGRAMS = test_two\ntest_two: test_two.c ../left_out/core.a\n\
                    \tcc -o $@ $^\ncheck-TESTS:\n\t./test_two\n";
    let scene = Scene::new(&[
        ("Makefile", AUTOMAKE),
        ("core.c", "int core(void) { return 0; }\n"),
        ("test_one.c", PROGRAM),
        ("test_two.c", PROGRAM),
        ("expected.sh", "#!/bin/sh\nexit 3\n"),
        ("late.tap", "#!/bin/sh\necho 1..1; echo ok 1\n"),
        ("wrapped.py", "exit 0\n"),
        ("part/Makefile", makefile),
        ("part/test_two.c", PROGRAM),
    ]);
    let list = found(&scene, &TestOptions::default()).unwrap();
    assert_eq!(names(&list), ["test_one", "test_two", "expected.sh", "late.tap", "wrapped.py"]);
    assert_eq!(list.notices, [Notice::TestsNotBuilt { count: 1, example: "part/test_two".to_string() }]);
}

const MESON: &str = "project('demo', 'c')
core = static_library('core', 'core.c')
program = executable('program', 'program.c', link_with: core)
test('plain', program)
test('crashes', program, args: ['-x'], should_fail: true)
test('skips', find_program('sh'), args: ['-c', 'exit 77'])
test('says', find_program('say.sh'), protocol: 'tap', env: ['A=1'], is_parallel: false, timeout: 7,
  workdir: meson.current_source_dir())
test('plain', program, suite: 'again')
";

#[test]
fn meson_tells_how_each_test_is_run_and_judged() {
    if !has("meson") || !has("ninja") {
        return;
    }
    let scene = Scene::new(&[
        ("meson.build", MESON),
        ("core.c", "#include <stdlib.h>\nint core(int count) { if (count > 1) abort(); return 0; }\n"),
        ("program.c", "int core(int);\nint main(int count, char **words) { (void)words; return core(count); }\n"),
        ("say.sh", "#!/bin/sh\ntest $A = 1 && test -f say.sh && echo 1..1 && echo ok 1\n"),
    ]);
    let list = found(&scene, &TestOptions::default()).unwrap();
    assert_eq!(names(&list), ["plain", "crashes", "skips", "says", "plain (2)"]);
    let verdicts: Vec<TestResult> = list.tests.iter().map(verdict).collect();
    let [passed, skipped] = [TestResult::Passed, TestResult::Skipped];
    assert_eq!(verdicts, [passed, passed, skipped, passed, passed]);
    let says = &list.tests[3];
    assert!(says.alone && says.timeout == Some(Duration::from_secs(7)) && !list.tests[0].alone, "{says:?}");
    assert_eq!(list.tests[0].executable.as_deref(), Some(scene.work().join("build/program").as_path()));
}

#[test]
fn a_command_of_the_users_runs_the_tests_that_are_named_or_listed() {
    let scene = make_scene("");
    let options = |names: &[&str], list: Option<&str>| TestOptions {
        command: Some("./{test} && test -d {build}".to_string()),
        names: names.iter().map(ToString::to_string).collect(),
        list_command: list.map(str::to_string),
        ..TestOptions::default()
    };
    let list = found(&scene, &options(&["test_one"], Some("ls test_*.c | sed s/.c$//"))).unwrap();
    assert_eq!(names(&list), ["test_one", "test_one (2)", "test_two"]);
    assert!(list.tests.iter().all(|test| verdict(test) == TestResult::Passed), "{list:?}");
    let list = found(&scene, &options(&["no such; true"], None)).unwrap();
    assert_eq!(verdict(&list.tests[0]), TestResult::Failed, "a name is one word");
    assert!(matches!(found(&scene, &options(&[], None)), Err(HostError::NoTestNames)));
    let error = found(&scene, &options(&[], Some("echo sad >&2; exit 4"))).unwrap_err();
    assert!(matches!(error, HostError::ListFailed { .. }) && error.to_string().contains("sad"), "{error}");
    let whole = TestOptions { command: Some("./test_one".to_string()), ..TestOptions::default() };
    assert_eq!(names(&found(&scene, &whole).unwrap()), ["./test_one"]);
}

#[test]
fn a_project_without_tests_is_told_what_was_looked_for_and_what_would_help() {
    let library = ("core.c", "int core(void) { return 0; }\n");
    let cmake = "cmake_minimum_required(VERSION 3.10)\nproject(demo C)\noption(DEMO_BUILD_TESTS \"\" OFF)\n\
                 option(USE_LATEST \"\" OFF)\nadd_library(core core.c)\n";
    let makefile = "core.o: core.c\n\tcc -c core.c\n";
    for (file, text, expected) in [
        ("CMakeLists.txt", cmake, "`configure = [\"-DDEMO_BUILD_TESTS=ON\"]`"),
        ("Makefile", makefile, "[tests] command = "),
    ] {
        let error = found(&Scene::new(&[(file, text), library]), &TestOptions::default()).unwrap_err();
        assert!(matches!(error, HostError::NoTests { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(expected) && text.contains("looked for") && !text.contains("LATEST"), "{text}");
    }
    if has("meson") && has("ninja") {
        let build = "project('demo', 'c')\nstatic_library('core', 'core.c')\n";
        let options = ("meson_options.txt", "option('tests', type: 'boolean', value: false)\n");
        let scene = Scene::new(&[("meson.build", build), options, library]);
        let text = found(&scene, &TestOptions::default()).unwrap_err().to_string();
        assert!(text.contains("-Dtests=true"), "{text}");
    }
}

fn passes(fixture: &str, tool: &str, expected: &[&str]) {
    if !has(tool) {
        return;
    }
    let scene = Scene::of_fixture(fixture);
    let project = scene.discover().unwrap();
    let shadow = built(&scene, &project, Some("own"));
    let list = find_tests(&shadow, &project, &TestOptions::default()).unwrap();
    assert_eq!(names(&list), expected);
    assert!(list.tests.iter().all(|test| verdict(test) == TestResult::Passed), "{list:?}");
}

#[test]
fn the_meson_fixture_passes_its_tests() {
    passes("meson-two-tests", "meson", &["add", "scale"]);
}

#[test]
fn the_cpp_fixture_passes_its_test() {
    passes("cpp-plain-test", "cmake", &["interval"]);
}
