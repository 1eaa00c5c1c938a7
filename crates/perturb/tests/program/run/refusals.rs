//! What a run cannot be made of, or not made of any more: each tells what it is, with an exit code of its own, and
//! takes nothing away.

mod disk;
mod tests;

use super::barrier::Barrier;
use super::fine;
use super::running::Running;
use super::subject::{subject, subject_with};
use crate::scene::{has, Scene, BROKEN, FINE, STORE, UNUSABLE};

#[test]
fn a_project_that_does_not_build_says_so_and_shows_why() {
    let Some(scene) = subject() else { return };
    scene.write("src/alarm.c", "#include \"gauge.h\"\nint alarm_level(int value, int limit)\n{\n    return oops;\n}\n");
    let parts = ["does not build", "oops", "build.log"];
    scene.run(&["run"]).expect_error(BROKEN, &parts);
    scene.write("src/alarm.c", super::subject::ALARM);
    fine(&scene, &["--until", "baseline"]);
    scene.write("src/alarm.c", "#include \"gauge.h\"\nint alarm_level(int value, int limit)\n{\n    return oops;\n}\n");
    scene.run(&["run"]).expect_error(BROKEN, &parts);
}

#[test]
fn a_cmake_project_that_does_not_link_says_so() {
    if !has("cmake") {
        return;
    }
    let cmake = "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nenable_testing()\nadd_library(sum sum.c)\n\
                 add_executable(t tests/t.c)\ntarget_link_libraries(t sum)\nadd_test(NAME t COMMAND t)\n";
    let scene = Scene::new(&[
        ("CMakeLists.txt", cmake),
        ("sum.c", "int sum(int a, int b)\n{\n    return a + b;\n}\n"),
        ("tests/t.c", "int sum(int a, int b);\nint nowhere(void);\nint main(void) { return sum(1, 2) - nowhere(); }\n"),
    ]);
    scene.run(&["run"]).expect_error(BROKEN, &["does not build", "nowhere"]);
}

#[test]
fn a_project_without_its_compiler_names_it() {
    let Some(scene) = subject() else { return };
    scene.write("Makefile", scene.read("Makefile").replace("$(CC)", "no-such-cc"));
    scene.run(&["run"]).expect_error(UNUSABLE, &["no-such-cc"]);
    if has("cmake") {
        let cmake = "cmake_minimum_required(VERSION 3.13)\nset(CMAKE_C_COMPILER no-such-cc)\nproject(p C)\n\
                     add_library(sum src/gauge.c)\n";
        let scene = Scene::new(&[("CMakeLists.txt", cmake), ("src/gauge.c", super::subject::GAUGE)]);
        scene.run(&["run"]).expect_error(UNUSABLE, &["no-such-cc"]);
    }
}

#[test]
fn a_second_run_at_the_same_time_is_turned_away_at_once() {
    // In the very first run, before there is any store, and in a later one.
    for condition in [":", "[ -e src/gauge.c.perturb ]"] {
        let Some(scene) = subject_with(&Barrier::hook(condition)) else { return };
        let barrier = Barrier::new(&scene);
        let running = Running::start(&scene, &["--function", "average"]);
        let number = running.id().to_string();
        barrier.held(|| {
            scene.run(&["run"]).expect_error(STORE, &["another run", &number, "--work"]);
            running.kill(&scene);
        });
        fine(&scene, &["--function", "average"]);
        scene.run(&["report"]).expect(FINE);
    }
}
