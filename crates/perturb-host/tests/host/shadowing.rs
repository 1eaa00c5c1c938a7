//! Shadow builds by real build systems: the program that comes of them is always that of the texts asked for.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use perturb_host::{BuildSystem, Built, DiscoverOptions, HostError, Project, Shadow};

use crate::support::{has, Scene};

const CMAKE: &str = "cmake_minimum_required(VERSION 3.10)
project(demo C)
enable_testing()
add_library(core src/core.c)
target_include_directories(core PUBLIC include)
add_executable(show src/show.c)
target_link_libraries(show core)
add_executable(exercise EXCLUDE_FROM_ALL src/show.c)
target_link_libraries(exercise core)
add_test(NAME exercise COMMAND exercise)
";

const MESON: &str = "project('demo', 'c')
core = static_library('core', 'src/core.c', include_directories: 'include')
executable('show', 'src/show.c', link_with: core, include_directories: 'include')
test('exercise', executable('exercise', 'src/show.c', link_with: core, include_directories: 'include',
  build_by_default: false))
";

/// Knows nothing of headers, and builds its test for `check` only.
const MAKEFILE: &str = "show: show.o core.o
\tcc -o $@ show.o core.o
exercise: show.o core.o
\tcc -o $@ show.o core.o
show.o core.o: %.o: src/%.c
\tcc -Iinclude -c -o $@ $<
check: exercise
\ttouch ran
";

fn scene(build_file: (&str, &str)) -> Scene {
    Scene::new(&[
        ("src/core.c", "#include \"core.h\"\nint core(void) { return 1; }\n"),
        ("src/show.c", "#include <stdio.h>\n#include \"core.h\"\nint main(void) { printf(\"%d%d\", core(), TEN); }\n"),
        ("include/core.h", "#include \"ten.h\"\nint core(void);\n"),
        ("include/ten.h", "#define TEN 0\n"),
        build_file,
    ])
}

fn texts(texts: &[(&str, &str)]) -> BTreeMap<PathBuf, Vec<u8>> {
    texts.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
}

fn open(scene: &Scene, project: &Project, name: Option<&str>) -> Shadow {
    Shadow::open(project, &scene.work(), name, &DiscoverOptions::default(), &mut |_| ()).unwrap()
}

fn build(scene: &Scene, shadow: &mut Shadow, changes: &[(&str, &str)]) -> Built {
    let before = scene.snapshot();
    shadow.release_builds();
    shadow.replace(&texts(changes)).unwrap();
    let built = shadow.build(2, &scene.work().join("test.log")).unwrap();
    assert_eq!(before, scene.snapshot(), "the user's tree was written");
    built
}

/// What the program that was built says.
fn said(shadow: &Shadow, program: &str) -> String {
    let output = Command::new(shadow.build_folder().join(program)).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn core(value: u8) -> String {
    format!("#include \"core.h\"\nint core(void) {{ return {value}; }}\n")
}

/// Builds one text after the other, and looks at the programs that come of it.
fn builds_what_is_asked_for(build_file: (&str, &str), tool: &str, name: Option<&str>) {
    if !has(tool) {
        return;
    }
    let scene = scene(build_file).with_plain_work();
    let project = scene.discover().unwrap();
    // The discovery had to see how the test is built.
    let _ = fs::remove_file(project.source_root.join("ran"));
    let mut shadow = open(&scene, &project, name);
    let ours = "#include \"new/ours.h\"\nint core(void) { return OURS; }\n".to_string();
    for (changes, expected) in [
        (vec![], "10"),
        (vec![("src/core.c", core(2))], "20"),
        (vec![("include/ten.h", "#define TEN 7\n".to_string())], "17"),
        (vec![("src/core.c", ours), ("src/new/ours.h", "#define OURS 5\n".to_string())], "50"),
    ] {
        let changes: Vec<_> = changes.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let built = build(&scene, &mut shadow, &changes);
        assert!(built.is_faithful(), "{changes:?}: {built:?}");
        assert!(built.cpu > Duration::ZERO && built.wall > Duration::ZERO);
        // The program of the test is built as well, though `all` leaves it out, and no test is run.
        assert_eq!(["show", "exercise"].map(|program| said(&shadow, program)), [expected; 2], "{changes:?}");
        assert!(!shadow.tree().join("ran").exists());
    }
    let built = build(&scene, &mut shadow, &[("src/core.c", "int core(void) { return }\n")]);
    assert!(!built.success && !built.is_faithful() && built.status.starts_with("exit status"), "{built:?}");
    assert!(built.tail.contains("error") && built.log.is_file(), "{built:?}");
    assert!(build(&scene, &mut shadow, &[]).is_faithful());
    assert_eq!(said(&shadow, "show"), "10");
    assert!(!shadow.tree().join("src/new/ours.h").exists());
}

#[test]
fn cmake_builds_what_is_asked_for() {
    builds_what_is_asked_for(("CMakeLists.txt", CMAKE), "cmake", Some("own"));
}

#[test]
fn cmake_builds_what_is_asked_for_in_the_discovered_copy() {
    builds_what_is_asked_for(("CMakeLists.txt", CMAKE), "cmake", None);
}

#[test]
fn meson_builds_what_is_asked_for() {
    builds_what_is_asked_for(("meson.build", MESON), "meson", Some("own"));
}

#[test]
fn make_builds_what_is_asked_for() {
    builds_what_is_asked_for(("Makefile", MAKEFILE), "make", Some("own"));
}

#[test]
fn make_builds_what_is_asked_for_in_the_discovered_copy() {
    builds_what_is_asked_for(("Makefile", MAKEFILE), "make", None);
}

#[test]
fn texts_that_follow_each_other_within_a_tick_of_the_clock_are_all_built() {
    let fast = "show: src/show.c src/core.c\n\tcat src/core.c >show\n";
    let scene = scene(("Makefile", fast));
    let project = scene.build("make && cc -Iinclude -c src/core.c").unwrap();
    let options = DiscoverOptions { build_command: Some("make".to_string()), ..DiscoverOptions::default() };
    let mut shadow = Shadow::open(&project, &scene.work(), Some("fast"), &options, &mut |_| ()).unwrap();
    for round in 0..40 {
        let text = core(round % 3);
        build(&scene, &mut shadow, &[("src/core.c", &text)]);
        assert_eq!(fs::read_to_string(shadow.tree().join("show")).unwrap(), text, "round {round}");
    }
}

#[test]
fn a_build_that_goes_well_and_compiles_nothing_is_seen() {
    let lazy = "all:\n\ttest -e show || cc -Iinclude -o show src/show.c src/core.c\n";
    let scene = scene(("Makefile", lazy));
    let project = scene.discover().unwrap();
    let mut shadow = open(&scene, &project, Some("lazy"));
    assert!(build(&scene, &mut shadow, &[]).is_faithful());
    let built = build(&scene, &mut shadow, &[("src/core.c", &core(2))]);
    assert!(built.success && !built.is_faithful(), "{built:?}");
    assert_eq!(built.not_compiled, [Path::new("src/core.c")]);
    assert_eq!(said(&shadow, "show"), "10");
}

#[test]
fn a_build_that_writes_over_our_text_is_seen() {
    let makefile = "show: generate\n\tcc -Iinclude -o show src/show.c src/core.c\ngenerate:\n\
                    \techo 'int core(void) { return 4; }' >src/core.c\n.PHONY: generate\n";
    let scene = scene(("Makefile", makefile));
    let project = scene.discover().unwrap();
    let mut shadow = open(&scene, &project, Some("over"));
    let built = build(&scene, &mut shadow, &[("src/core.c", &core(2))]);
    assert_eq!(built.overwritten, [Path::new("src/core.c")]);
    assert!(built.success && !built.is_faithful(), "{built:?}");
}

#[test]
fn a_run_that_was_killed_leaves_nothing_that_the_next_one_trusts() {
    let scene = scene(("Makefile", MAKEFILE));
    let added = ("src/added.h", "int added;\n");
    for name in [None, Some("own")] {
        let project = scene.discover().unwrap();
        let mut shadow = open(&scene, &project, name);
        assert!(build(&scene, &mut shadow, &[("src/core.c", &core(2)), added]).is_faithful());
        // As a kill would: nothing is restored, and one file is half written.
        fs::write(shadow.tree().join("src/show.c"), "#include").unwrap();
        drop(shadow);
        let project = scene.discover().unwrap();
        let mut shadow = open(&scene, &project, name);
        let built = shadow.build(1, &scene.work().join("test.log")).unwrap();
        assert!(built.is_faithful(), "{built:?}");
        assert_eq!(said(&shadow, "show"), "10");
        assert!(!shadow.tree().join(added.0).exists());
    }
}

#[test]
fn half_an_object_of_a_build_that_was_killed_is_made_anew() {
    let scene = scene(("Makefile", MAKEFILE));
    let project = scene.discover().unwrap();
    for name in [None, Some("own")] {
        let mut shadow = open(&scene, &project, name);
        assert!(build(&scene, &mut shadow, &[]).is_faithful());
        let home = shadow.tree().parent().unwrap().to_path_buf();
        assert!(!home.join("building").exists());
        drop(shadow);
        // What a kill in the middle of a build leaves.
        fs::write(home.join("building"), "").unwrap();
        fs::write(home.join("tree/core.o"), b"\x7fELF and no more").unwrap();
        let mut shadow = open(&scene, &project, name);
        assert!(shadow.tree().join("src/core.c").exists() && shadow.tree().join("show.o").exists());
        assert!(build(&scene, &mut shadow, &[]).is_faithful());
        assert_eq!(said(&shadow, "show"), "10");
    }
}

#[test]
fn a_copy_that_is_opened_again_without_a_discovery_still_knows_all_of_its_files() {
    let scene = scene(("Makefile", MAKEFILE));
    let project = scene.discover().unwrap();
    for _again in 0..3 {
        open(&scene, &project, None).replace(&texts(&[("src/core.c", &core(2))])).unwrap();
    }
    let mut own = open(&scene, &project, Some("own"));
    assert!(build(&scene, &mut own, &[]).is_faithful());
    assert_eq!(said(&own, "show"), "10");
}

#[test]
fn the_same_texts_in_a_later_run_are_not_built_again() {
    let scene = scene(("CMakeLists.txt", CMAKE)).with_plain_work();
    let mut times = Vec::new();
    for _run in 0..2 {
        let project = scene.discover().unwrap();
        let mut shadow = open(&scene, &project, Some("own"));
        assert!(build(&scene, &mut shadow, &[("src/core.c", &core(2))]).is_faithful());
        times.push(fs::metadata(shadow.build_folder().join("show")).unwrap().modified().unwrap());
    }
    assert_eq!(times[0], times[1]);
}

#[test]
fn an_older_text_of_the_users_is_built_though_its_time_is_old() {
    let scene = scene(("Makefile", MAKEFILE));
    let old = fs::metadata(scene.root().join("src/core.c")).unwrap().modified().unwrap();
    for value in [2, 3] {
        scene.write("src/core.c", &core(value));
        let file = fs::File::options().write(true).open(scene.root().join("src/core.c")).unwrap();
        file.set_modified(old - Duration::from_secs(3600 * u64::from(value))).unwrap();
        let project = scene.discover().unwrap();
        for name in [None, Some("own")] {
            let mut shadow = open(&scene, &project, name);
            assert!(build(&scene, &mut shadow, &[]).is_faithful());
            assert_eq!(said(&shadow, "show"), format!("{value}0"));
        }
    }
}

#[test]
fn a_source_that_the_build_does_not_want_is_told_only_if_it_was_asked_for() {
    let cmake = format!("{CMAKE}add_library(other EXCLUDE_FROM_ALL src/other.c)\n");
    let scene = scene(("CMakeLists.txt", &cmake)).with_plain_work();
    scene.write("src/other.c", "int other;\n");
    for text in ["int other;\n", "int other = 1;\n"] {
        scene.write("src/other.c", text);
        let project = scene.discover().unwrap();
        let mut shadow = open(&scene, &project, None);
        assert!(build(&scene, &mut shadow, &[]).is_faithful());
        let built = build(&scene, &mut shadow, &[("src/other.c", "int other = 2;\n")]);
        assert_eq!(built.not_compiled, [Path::new("src/other.c")]);
    }
}

#[test]
fn all_shadows_hold_the_tree_as_it_was_discovered() {
    let scene = scene(("CMakeLists.txt", CMAKE));
    let project = scene.discover().unwrap();
    let plain = open(&scene, &project, None);
    scene.write("src/core.c", &core(9));
    let own = open(&scene, &project, Some("own"));
    for shadow in [plain, own] {
        assert_eq!(fs::read_to_string(shadow.tree().join("src/core.c")).unwrap(), core(1));
    }
}

#[test]
fn compile_commands_are_those_of_the_shadow() {
    let scene = scene(("CMakeLists.txt", CMAKE));
    let project = scene.discover().unwrap();
    let shadow = open(&scene, &project, Some("own"));
    let units = shadow.commands(&project);
    assert_eq!(units.len(), project.units.len());
    let core = units.iter().find(|unit| unit.command.file == shadow.tree().join("src/core.c")).unwrap();
    assert_eq!(core.command.directory, shadow.build_folder());
    assert!(core.command.arguments.contains(&format!("-I{}", shadow.tree().join("include").display())));
    let text = format!("{units:?}");
    assert!(!text.contains(&format!("{}/", project.source_root.display())), "{text}");
}

#[test]
fn links_and_read_only_files_are_replaced_and_never_written_through() {
    let scene = scene(("Makefile", MAKEFILE));
    let precious = scene.root().with_file_name("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("core.c"), core(1)).unwrap();
    fs::remove_file(scene.root().join("src/core.c")).unwrap();
    symlink(precious.join("core.c"), scene.root().join("src/core.c")).unwrap();
    symlink(&precious, scene.root().join("outside")).unwrap();
    fs::set_permissions(scene.root().join("include/ten.h"), fs::Permissions::from_mode(0o444)).unwrap();
    let project = scene.discover().unwrap();
    let mut shadow = open(&scene, &project, Some("own"));
    let ten = ("include/ten.h", "#define TEN 3\n");
    for (changes, expected) in [(vec![("src/core.c", core(2)), (ten.0, ten.1.to_string())], "23"), (vec![], "10")] {
        let changes: Vec<_> = changes.iter().map(|(path, text)| (*path, text.as_str())).collect();
        assert!(build(&scene, &mut shadow, &changes).is_faithful());
        assert_eq!(said(&shadow, "show"), expected);
    }
    assert_eq!(fs::read_to_string(precious.join("core.c")).unwrap(), core(1));
    for path in ["outside/core.c", "outside/new.c", "../x.c", "src", "/tmp/x.c"] {
        let error = shadow.replace(&texts(&[(path, "")])).unwrap_err();
        assert!(matches!(error, HostError::NotReplaceable { .. }), "{path}: {error}");
    }
    assert_eq!(fs::read_dir(&precious).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_built_is_refused_with_a_hint() {
    let scene = Scene::new(&[("src/a.c", "int a;\n")]);
    scene.write("compile_commands.json", r#"[{"directory":".","file":"src/a.c","command":"cc -c src/a.c"}]"#);
    let open = |project: &Project| {
        Shadow::open(project, &scene.work(), None, &DiscoverOptions::default(), &mut |_| ()).unwrap_err()
    };
    let error = open(&scene.discover().unwrap());
    assert!(matches!(error, HostError::NoBuild { .. }) && error.to_string().contains("--build"), "{error}");
    let file = scene.discover_at(&scene.root().join("src/a.c"), &DiscoverOptions::default()).unwrap();
    let error = open(&file);
    assert!(matches!(error, HostError::NotRunnable { .. }), "{error}");
}

#[test]
fn a_project_known_by_its_database_is_built_by_its_build_files() {
    for (file, text) in [("CMakeLists.txt", CMAKE), ("Makefile", MAKEFILE)] {
        let scene = scene((file, text));
        let entry = r#"[{"directory":".","file":"src/core.c","command":"cc -Iinclude -c src/core.c"}]"#;
        scene.write("compile_commands.json", entry);
        let project = scene.discover().unwrap();
        for name in [None, Some("own")] {
            let mut shadow = open(&scene, &project, name);
            let built = build(&scene, &mut shadow, &[("src/core.c", &core(2))]);
            assert!(built.is_faithful(), "{built:?}");
            assert_eq!((said(&shadow, "show"), said(&shadow, "exercise")), ("20".to_string(), "20".to_string()));
            let units = shadow.commands(&project);
            assert!(units.iter().any(|unit| unit.command.file == shadow.tree().join("src/show.c")));
        }
    }
}

#[test]
fn a_project_known_by_its_database_is_configured_as_the_user_has_done() {
    let cmake = CMAKE.replace("add_test(", "if(WITH_TESTS)\n  set(found yes)\nendif()\nadd_test(")
        + "if(found)\n  add_executable(extra src/show.c)\n  target_link_libraries(extra core)\nendif()\n";
    let meson = MESON.to_string()
        + "if get_option('extra')\n  executable('extra', 'src/show.c', link_with: core, \
                include_directories: 'include')\nendif\n";
    for (file, text, arguments) in [
        ("CMakeLists.txt", cmake, "cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DWITH_TESTS=ON"),
        ("meson.build", meson, "meson setup build -Dextra=true"),
    ] {
        let words: Vec<&str> = arguments.split(' ').collect();
        if !has(words[0]) {
            continue;
        }
        let scene = scene((file, &text));
        scene.write("meson_options.txt", "option('extra', type: 'boolean', value: false)\n");
        let output = Command::new(words[0]).args(&words[1..]).current_dir(scene.root()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let project = scene.discover().unwrap();
        assert!(matches!(project.build_system, BuildSystem::CompileDatabase(_)), "{project:?}");
        let mut shadow = open(&scene, &project, Some("own"));
        assert!(build(&scene, &mut shadow, &[("src/core.c", &core(2))]).is_faithful());
        assert_eq!(said(&shadow, "extra"), "20");
    }
}

#[test]
fn a_compiler_cache_is_passed_by_and_a_setup_runs_once() {
    let configure = "#!/bin/sh\nset -e\necho run >>configured\nsed 's/@X@/show/' Makefile.in >Makefile\n";
    let makefile = "all:\n\tcc -Iinclude -o @X@ src/show.c src/core.c\n\techo $$CCACHE_DISABLE >cache\n";
    let scene = scene(("Makefile.in", makefile));
    scene.write("configure", configure);
    let project = scene.discover().unwrap();
    for _run in 0..2 {
        let mut shadow = open(&scene, &project, Some("own"));
        for value in [2, 3] {
            assert!(build(&scene, &mut shadow, &[("src/core.c", &core(value))]).is_faithful());
            assert_eq!(said(&shadow, "show"), format!("{value}0"));
        }
        assert_eq!(fs::read_to_string(shadow.tree().join("configured")).unwrap(), "run\n");
        assert_eq!(fs::read_to_string(shadow.tree().join("cache")).unwrap(), "1\n");
    }
}

/// Stamps all that is in a folder an hour later: as it looks when the clock is set back by an hour.
fn make_later(folder: &Path) {
    for item in fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        let data = fs::symlink_metadata(&path).unwrap();
        if data.is_dir() {
            make_later(&path);
        } else if data.is_file() {
            let later = data.modified().unwrap() + Duration::from_secs(3600);
            fs::File::open(&path).unwrap().set_modified(later).unwrap();
        }
    }
}

#[test]
fn a_clock_that_was_set_back_makes_no_stale_program() {
    for (build_file, tool) in [(("Makefile", MAKEFILE), "make"), (("CMakeLists.txt", CMAKE), "cmake")] {
        if !has(tool) {
            continue;
        }
        let scene = scene(build_file).with_plain_work();
        let project = scene.discover().unwrap();
        let mut plain = open(&scene, &project, None);
        let mut own = open(&scene, &project, Some("own"));
        for shadow in [&mut plain, &mut own] {
            assert!(build(&scene, shadow, &[]).is_faithful());
            assert_eq!(said(shadow, "show"), "10");
        }
        make_later(&scene.work());
        // While they are used, nothing can be told any more.
        let error = own.replace(&texts(&[("src/core.c", &core(3))])).unwrap_err();
        assert!(matches!(error, HostError::ClockSetBack { .. }), "{error}");
        drop((plain, own));
        scene.write("src/core.c", &core(2));
        let project = scene.discover().unwrap();
        let mut plain = open(&scene, &project, None);
        let mut own = open(&scene, &project, Some("own"));
        for shadow in [&mut plain, &mut own] {
            assert!(build(&scene, shadow, &[]).is_faithful());
            assert_eq!(said(shadow, "show"), "20", "{tool}");
            assert!(build(&scene, shadow, &[("src/core.c", &core(3))]).is_faithful());
            assert_eq!(said(shadow, "show"), "30", "{tool}");
        }
    }
}
