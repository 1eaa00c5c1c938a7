//! Build commands, seen through our compiler wrappers or through bear.

use std::fs;

use perturb_host::{find_program, BuildSystem, DiscoverOptions, DiscoveryProgress, TestRunner, TestSetup};
use perturb_model::Notice;

use crate::support::{has, sets, Scene};

const MAKEFILE: &str = "all: prog tests/check_core
prog: main.o libcore.a
\tcc -o $@ main.o -L. -lcore
libcore.a: core.o util.o
\tar rcs $@ core.o util.o
tests/check_core: tests/check_core.c core.o util.o
\tcc -I. -o $@ $^
main.o core.o util.o: %.o: %.c
\tcc -DNAME='\"a b\"' -c $<
check: all
\t./tests/check_core
";

fn make_scene() -> Scene {
    let function = |name: &str| format!("int {name}(void) {{ return 0; }}\n");
    Scene::new(&[
        ("Makefile", MAKEFILE),
        ("main.c", &function("main")),
        ("core.c", &function("core")),
        ("util.c", &function("util")),
        ("tests/check_core.c", &function("main")),
    ])
}

#[test]
fn make_is_guessed_and_its_compile_commands_are_seen() {
    let scene = make_scene();
    // An object of the user's own build must not hide its command.
    scene.write("core.o", "old");
    let project = scene.discover().unwrap();
    assert!(matches!(&project.build_system, BuildSystem::Command(command) if command.starts_with("make -j")));
    let under_test = ["core.c", "main.c", "util.c"].map(str::to_string).to_vec();
    assert_eq!(sets(&project), (under_test, vec!["tests/check_core.c".to_string()]));
    let core = &project.units[0].command;
    assert!(core.arguments.contains(&"-DNAME=\"a b\"".to_string()), "{core:?}");
    assert!(core.arguments[0].starts_with('/') && !core.arguments[0].contains("wrappers"), "{core:?}");
    assert_eq!(core.directory, project.source_root);
    assert_eq!(TestSetup::find(&project).runner, Some(TestRunner::MakeTarget("check".to_string())));
}

/// The build commands that were told, each after `reused` where it was not run.
fn builds(told: &[DiscoveryProgress]) -> Vec<&str> {
    told.iter()
        .map(|progress| match progress {
            DiscoveryProgress::Building { command, .. } => command.split(' ').next().unwrap(),
            DiscoveryProgress::Reused { .. } => "reused",
            other => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn a_build_is_repeated_when_a_build_file_changes_and_not_when_a_source_does() {
    let scene = make_scene();
    scene.write("core.h", "int core(void);\n");
    let run = || {
        let (project, told) = scene.discover_told(&DiscoverOptions::default());
        (project.unwrap(), builds(&told).join(" "))
    };
    let (first, told) = run();
    // `check` would run the tests, and has nothing more to compile.
    assert_eq!(told, "make");
    let generated = first.source_root.join("core.o");
    assert_eq!(run().1, "reused");
    scene.write("core.c", "int core(void) { return 1; }\n/* longer */\n");
    scene.write("core.h", "int core(void); /* longer */\n");
    let (second, told) = run();
    assert_eq!((told.as_str(), &second.units), ("reused", &first.units));
    assert!(generated.exists(), "what the build made is gone");
    for file in ["core.c", "core.h"] {
        assert!(fs::read_to_string(second.source_root.join(file)).unwrap().contains("longer"), "{file}");
    }
    scene.write("Makefile", &format!("{MAKEFILE}# longer\n"));
    assert_eq!(run().1, "make");
    scene.write("new.c", "");
    assert_eq!(run().1, "make");
    fs::remove_file(scene.root().join("new.c")).unwrap();
    assert_eq!(run().1, "make");
}

#[test]
fn a_makefile_s_check_is_compiled_and_never_run() {
    let makefile =
        "prog: core.o\n\tcc -o $@ core.o\ntests/t: tests/t.c\n\tcc -o $@ $<\ncheck: tests/t\n\ttouch ran; tests/t\n";
    let scene = Scene::new(&[
        ("Makefile", makefile),
        ("core.c", "int main(void) { return 0; }\n"),
        ("tests/t.c", "int main(void) { for (;;); }\n"),
    ]);
    let (project, told) = scene.discover_told(&DiscoverOptions::default());
    let project = project.unwrap();
    assert_eq!(builds(&told), ["make", "make"]);
    assert_eq!(sets(&project), (vec!["core.c".to_string()], vec!["tests/t.c".to_string()]));
    assert!(project.source_root.join("tests/t").is_file() && !project.source_root.join("ran").exists());
}

#[test]
fn a_build_can_be_repeated_on_demand() {
    let scene = make_scene();
    let rebuild = DiscoverOptions { rebuild: true, ..DiscoverOptions::default() };
    scene.discover().unwrap();
    let (project, told) = scene.discover_told(&rebuild);
    assert_eq!((builds(&told), project.unwrap().units.len()), (vec!["make"], 4));
    let shown: Vec<String> = told.iter().map(ToString::to_string).collect();
    let log = scene.work().join("build.log");
    assert!(shown[0].starts_with("building a copy with `make -j"), "{shown:?}");
    assert!(shown[0].ends_with(&format!("(log: {})", log.display())), "{shown:?}");
}

#[test]
fn a_build_that_was_broken_off_leaves_nothing_to_reuse() {
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    let build = "cc -c a.c && test ! -e ../fail";
    scene.build(build).unwrap();
    fs::write(scene.work().join("fail"), "").unwrap();
    let command = Some(build.to_string());
    let options = DiscoverOptions { build_command: command, rebuild: true, ..DiscoverOptions::default() };
    scene.discover_with(&options).unwrap();
    let (_, told) = scene.discover_told(&DiscoverOptions { rebuild: false, ..options });
    assert_eq!(builds(&told), ["cc"]);
}

#[test]
fn a_build_has_no_terminal_and_no_input_to_ask_on() {
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    let build = "if read line || (exec </dev/tty) 2>/dev/null; then exit 1; fi; cc -c a.c; exit 3";
    let project = scene.build(build).unwrap();
    // The exit status is the build's own.
    let status = project.notices.iter().any(|notice| notice.to_string().contains("exit status: 3"));
    assert!(status, "{:?}", project.notices);
}

#[test]
fn a_shell_script_with_many_sources_in_one_call_is_understood() {
    let scene = Scene::new(&[
        ("go.sh", "#!/bin/sh\nset -e\nmkdir -p out\ncd src\ngcc -O1 -o ../out/app a.c 'b c.c' @../flags.rsp\n"),
        ("src/a.c", "int b(void); int main(void) { return b(); }\n"),
        ("src/b c.c", "int b(void) { return X; }\n"),
        ("flags.rsp", "-DX=0\n"),
    ]);
    let project = scene.build("./go.sh").unwrap();
    assert_eq!(sets(&project).0, ["src/a.c", "src/b c.c"]);
    for unit in &project.units {
        let arguments = &unit.command.arguments;
        assert!(arguments.contains(&"-c".to_string()) && arguments.contains(&"-DX=0".to_string()), "{arguments:?}");
        assert!(!arguments.contains(&"-o".to_string()), "{arguments:?}");
    }
}

#[test]
fn a_parallel_build_loses_no_record() {
    let names: Vec<String> = (0..60).map(|number| format!("f{number}")).collect();
    let objects: Vec<String> = names.iter().map(|name| format!("{name}.o")).collect();
    let long = format!("-DLONG={}", "x".repeat(9000));
    let scene = Scene::new(&[("Makefile", &format!("all: {}\n%.o: %.c\n\tgcc {long} -c $<\n", objects.join(" ")))]);
    names.iter().for_each(|name| scene.write(&format!("{name}.c"), "int x;\n"));
    let project = scene.build("make -j8").unwrap();
    assert_eq!(project.units.len(), 60);
    assert!(project.units.iter().all(|unit| unit.command.arguments.contains(&long)));
}

#[test]
fn a_build_that_fails_half_way_still_tells_what_it_compiled() {
    let scene = Scene::new(&[("a.c", "int a;\n"), ("b.c", "int b = ;\n")]);
    let project = scene.build("cc -c a.c && cc -c b.c").unwrap();
    assert_eq!(sets(&project).0, ["a.c", "b.c"]);
    assert!(matches!(&project.notices[..], [Notice::BuildFailed { .. }]), "{:?}", project.notices);
}

#[test]
fn a_build_that_compiles_nothing_is_an_error_with_its_output() {
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    let error = scene.build("echo the disk is sad; exit 3").unwrap_err().to_string();
    assert!(error.contains("the disk is sad") && error.contains("exit status: 3"), "{error}");
}

#[test]
fn a_compiler_called_by_its_absolute_path_is_seen_with_bear() {
    if !has("bear") {
        return;
    }
    let gcc = find_program("gcc").unwrap();
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    let project = scene.build(&format!("{} -DX -c a.c", gcc.display())).unwrap();
    assert_eq!(sets(&project).0, ["a.c"]);
    assert!(project.units[0].command.arguments.contains(&"-DX".to_string()));
    assert!(matches!(&project.notices[..], [Notice::CapturedByBear { .. }]), "{:?}", project.notices);
}

#[test]
fn a_configure_script_and_its_trial_compilations_do_not_become_units() {
    let configure = "#!/bin/sh\nset -e\necho 'int main(void){return 0;}' > conftest.c\n\
                     cc -o conftest conftest.c\nrm -f conftest*\n\
                     sed 's/@X@/1/' Makefile.in > Makefile\n";
    let scene =
        Scene::new(&[("configure", configure), ("Makefile.in", "all:\n\tcc -DX=@X@ -c a.c\n"), ("a.c", "int a;\n")]);
    let project = scene.discover().unwrap();
    assert_eq!(sets(&project).0, ["a.c"]);
    assert!(project.units[0].command.arguments.contains(&"-DX=1".to_string()));
}

#[test]
fn a_compiler_cache_in_front_of_the_compiler_is_seen_through() {
    if !has("ccache") {
        return;
    }
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    for _cached in 0..2 {
        let project = scene.build("export CCACHE_DIR=$PWD/cache; ccache gcc -c a.c && ccache gcc -c a.c").unwrap();
        assert_eq!(project.units.len(), 1);
        assert!(project.units[0].command.arguments[0].ends_with("/gcc"), "{:?}", project.units);
    }
}

#[test]
fn a_build_never_finds_the_repository_above_the_work_folder() {
    if !has("git") {
        return;
    }
    let scene = Scene::new(&[("a.c", "int a;\n")]);
    let above = scene.root().parent().unwrap().to_path_buf();
    assert!(std::process::Command::new("git").arg("init").arg("-q").current_dir(above).status().unwrap().success());
    let project = scene.build("git rev-parse --show-toplevel >found 2>/dev/null; cc -c a.c").unwrap();
    assert_eq!(fs::read_to_string(project.source_root.join("found")).unwrap(), "");
}
