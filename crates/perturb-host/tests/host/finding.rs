//! Finding tests one by one, in real builds.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use perturb_host::{
    find_tests, DiscoverOptions, Exit, HostError, Notice, Project, Shadow, TestCase, TestList, TestOptions, TestSource,
    Verdict,
};

use crate::support::Scene;

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
pub fn verdict(test: &TestCase) -> Verdict {
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
        ("plain", Verdict::Passed),
        ("odd (name) [x]+$", Verdict::Passed),
        ("wrong", Verdict::Failed),
        ("expected", Verdict::Passed),
        ("skipped", Verdict::Skipped),
        ("says", Verdict::Passed),
        ("says_not", Verdict::OutputDiffers),
        ("variables", Verdict::Passed),
        ("needs", Verdict::Passed),
        ("first.one", Verdict::Passed),
        ("second", Verdict::Passed),
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
    assert_eq!(names(&found(&scene, &options(&["s*"], &["*not"])).unwrap()), ["skipped", "says", "second"]);
    let error = found(&scene, &options(&["none"], &[])).unwrap_err();
    assert!(matches!(error, HostError::NoTestSelected { count: 11 }), "{error}");
    assert!(matches!(found(&scene, &options(&["["], &[])), Err(HostError::BadPattern { setting: "only", .. })));
}
