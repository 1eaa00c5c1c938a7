//! CMake and Meson, configured in our own folder.

use perturb_host::{
    BuildSystem, DiscoverOptions, DiscoveryProgress, HostError, Role, TestBecause, TestFramework, TestRunner, TestSetup,
};

use crate::support::{has, sets, Scene};

const CMAKE: &str = "cmake_minimum_required(VERSION 3.10)
project(demo C)
enable_testing()
file(WRITE ${CMAKE_SOURCE_DIR}/written_at_configure_time.h \"\")
add_library(core src/core.c)
add_library(objects OBJECT src/part.c)
add_executable(tool src/main.c $<TARGET_OBJECTS:objects>)
add_executable(exercise exercise.c)
target_link_libraries(tool core)
target_link_libraries(exercise core)
add_test(NAME exercise COMMAND exercise)
add_custom_command(OUTPUT gen.c COMMAND ${CMAKE_COMMAND} -E touch gen.c)
add_library(generated gen.c)
";

#[test]
fn cmake_tells_tests_from_the_code_under_test_and_generates_missing_sources() {
    let files = ["src/core.c", "src/part.c", "src/main.c"].map(|file| (file, "int x;\n"));
    let scene = Scene::new(&files);
    scene.write("exercise.c", "#include \"unity.h\"\n");
    scene.write("CMakeLists.txt", CMAKE);
    for _again in 0..2 {
        let project = scene.discover().unwrap();
        assert_eq!(project.build_system, BuildSystem::CMake);
        assert_eq!(
            sets(&project),
            (
                files
                    .map(|(file, _)| file.to_string())
                    .into_iter()
                    .collect::<std::collections::BTreeSet<_>>()
                    .into_iter()
                    .collect(),
                vec!["exercise.c".to_string()]
            )
        );
        assert!(project.notices.is_empty(), "{:?}", project.notices);
        let exercise = project.units.iter().find(|unit| unit.command.file.ends_with("exercise.c")).unwrap();
        assert_eq!(exercise.role, Role::Test(TestBecause::OnlyInTestExecutables(vec!["exercise".to_string()])));
        assert!(project.source_root.join("written_at_configure_time.h").exists());
        let setup = TestSetup::find(&project);
        assert_eq!(setup, TestSetup { runner: Some(TestRunner::CTest), frameworks: vec![TestFramework::Unity] });
    }
}

#[test]
fn a_failing_configuration_shows_its_last_lines_and_its_log() {
    let scene = Scene::new(&[
        ("CMakeLists.txt", "cmake_minimum_required(VERSION 3.10)\nmessage(FATAL_ERROR \"needs libfoo\")\n"),
        ("a.c", ""),
    ]);
    let error = scene.discover().unwrap_err().to_string();
    assert!(error.contains("needs libfoo") && error.contains("configure.log"), "{error}");
}

#[test]
fn arguments_for_the_configuration_are_passed_on() {
    let text = "cmake_minimum_required(VERSION 3.10)\nproject(d C)\nadd_library(a a.c)\n\
                if(EXTRA)\n  add_library(b b.c)\nendif()\n";
    let scene = Scene::new(&[("CMakeLists.txt", text), ("a.c", ""), ("b.c", "")]);
    assert_eq!(sets(&scene.discover().unwrap()).0, ["a.c"]);
    let extra = vec!["-DEXTRA=ON".to_string()];
    let project =
        scene.discover_with(&DiscoverOptions { configure_arguments: extra, ..DiscoverOptions::default() }).unwrap();
    assert_eq!(sets(&project).0, ["a.c", "b.c"]);
}

#[test]
fn meson_tells_tests_from_the_code_under_test() {
    if !has("meson") || !has("ninja") {
        return;
    }
    let text = "project('demo', 'c')\ncore = static_library('core', 'core.c')\n\
                executable('tool', 'main.c', link_with: core)\n\
                test('exercise', executable('exercise', 'exercise.c', link_with: core))\n";
    let scene = Scene::new(&[("meson.build", text), ("core.c", ""), ("main.c", ""), ("exercise.c", "")]);
    for _again in 0..2 {
        let project = scene.discover().unwrap();
        assert_eq!(project.build_system, BuildSystem::Meson);
        assert_eq!(sets(&project), (vec!["core.c".to_string(), "main.c".to_string()], vec!["exercise.c".to_string()]));
        assert_eq!(TestSetup::find(&project).runner, Some(TestRunner::Meson));
    }
    scene.write("meson.build", "project('demo', 'c')\nerror('needs libfoo')\n");
    assert!(scene.discover().unwrap_err().to_string().contains("needs libfoo"));
}

#[test]
fn a_project_without_targets_has_no_sources() {
    let empty = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\n";
    let scene = Scene::new(&[("CMakeLists.txt", empty)]);
    assert!(matches!(scene.discover(), Err(HostError::NoSources { .. })), "{:?}", scene.discover());
    // A database of the time when it had one must not speak for it.
    scene.write("a.c", "int a;\n");
    scene.write("CMakeLists.txt", &format!("{empty}add_library(a a.c)\n"));
    assert_eq!(scene.discover().unwrap().files(), 1);
    scene.write("CMakeLists.txt", empty);
    assert!(matches!(scene.discover(), Err(HostError::NoSources { .. })), "{:?}", scene.discover());
    if has("meson") && has("ninja") {
        let scene = Scene::new(&[("meson.build", "project('demo', 'c')\n")]);
        assert!(matches!(scene.discover(), Err(HostError::NoSources { .. })), "{:?}", scene.discover());
    }
}

#[test]
fn a_configuration_is_told_and_made_anew_on_demand() {
    let text = "cmake_minimum_required(VERSION 3.10)\nproject(d C)\nset(SOURCE a.c CACHE STRING \"\")\n\
                add_library(d ${SOURCE})\nadd_custom_command(OUTPUT g.c COMMAND ${CMAKE_COMMAND} -E touch g.c)\n\
                add_library(g g.c)\n";
    let scene = Scene::new(&[("CMakeLists.txt", text), ("a.c", ""), ("b.c", "")]);
    let log = scene.work().join("configure.log");
    let (project, told) = scene.discover_told(&DiscoverOptions::default());
    assert_eq!(told[0], DiscoveryProgress::Configuring { system: "CMake", log: log.clone() });
    assert!(told[0].to_string().starts_with("configuring a copy with CMake"), "{}", told[0]);
    if has("ninja") {
        assert_eq!(told[1..], [DiscoveryProgress::Generating { count: 1, log }]);
    }
    assert_eq!(sets(&project.unwrap()).0, ["a.c"]);
    scene.write("CMakeLists.txt", &text.replace("SOURCE a.c", "SOURCE b.c"));
    // CMake remembers the value, as it does for its users.
    assert_eq!(sets(&scene.discover().unwrap()).0, ["a.c"]);
    let rebuild = DiscoverOptions { rebuild: true, ..DiscoverOptions::default() };
    assert_eq!(sets(&scene.discover_with(&rebuild).unwrap()).0, ["b.c"]);
}
