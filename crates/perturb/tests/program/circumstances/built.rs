//! Builds: none that is known, ones that fail, ones that never call a compiler.

use super::{Project, Row, GOOD, SUM};
use crate::scene::{Scene, BROKEN, NOTHING, UNUSABLE};

const fn run(name: &'static str, project: Project, spoil: fn(&Scene), told: &'static [&'static str]) -> Row {
    Row {
        name,
        project,
        spoil,
        command: &["run", "--tce", "off", "--discard", "off", "--equivalence", "off"],
        code: UNUSABLE,
        told,
        ..GOOD
    }
}

fn sources_alone(scene: &Scene) {
    scene.write("a.c", SUM);
}

pub const ROWS: &[Row] = &[
    run("a project that nobody knows how to build", Project::Empty, sources_alone, &["do not know how", "--build"]),
    run(
        "a database without a build",
        Project::Compiled,
        |_| {},
        &["compile_commands.json", "not how the project is built", "--build"],
    ),
    Row {
        command: &["run", "a.c"],
        ..run(
            "a single file to run",
            Project::Empty,
            sources_alone,
            &["a.c", "no tests to run", "folder of its project"],
        )
    },
    Row {
        code: BROKEN,
        ..run(
            "code that does not compile",
            Project::Make,
            |s| s.write("src/alarm.c", "int alarm_level( {\n"),
            &["does not build", "src/alarm.c", "build.log"],
        )
    },
    run(
        "a build without its compiler",
        Project::Make,
        |s| s.write("Makefile", s.read("Makefile").replace("$(CC)", "no-such-cc")),
        &["no-such-cc", "called no compiler"],
    ),
    Row {
        command: &["run", "--build", "true"],
        ..run("a build that compiles nothing", Project::Make, |_| {}, &["`true`", "called no compiler", "all of it: "])
    },
    Row {
        command: &["run", "--build", "no-such-tool all"],
        ..run("a build by a tool that is not there", Project::Make, |_| {}, &["`no-such-tool all`", "not found"])
    },
    Row {
        code: BROKEN,
        ..run(
            "a build that fails after its sources",
            Project::Make,
            |s| s.write("Makefile", s.read("Makefile").replace("all: test_gauge", "all: src/gauge.o src/alarm.o gone")),
            &["does not build", "gone"],
        )
    },
    run(
        "build files of CMake that are broken",
        Project::CMake,
        |s| s.write("CMakeLists.txt", "project(p C\n"),
        &["CMake could not configure", "CMakeLists.txt", "--build"],
    ),
    Row {
        code: BROKEN,
        ..run(
            "a project that does not link",
            Project::CMake,
            |s| s.write("sum.c", SUM.replace("sum", "other")),
            &["does not build", "undefined reference", "sum"],
        )
    },
    run(
        "a compiler of CMake's that is not there",
        Project::CMake,
        |s| {
            s.write(
                "CMakeLists.txt",
                s.read("CMakeLists.txt").replace("project(p C)", "set(CMAKE_C_COMPILER no-such-cc)\nproject(p C)"),
            )
        },
        &["CMake could not configure", "no-such-cc"],
    ),
    Row {
        code: NOTHING,
        ..run(
            "a project of tests alone",
            Project::CMake,
            |s| {
                s.write(
                    "CMakeLists.txt",
                    s.read("CMakeLists.txt").replace("add_library(sum sum.c)", "add_library(sum tests/t.c)"),
                )
            },
            &["none is under test", "perturb doctor", "`include`"],
        )
    },
];
