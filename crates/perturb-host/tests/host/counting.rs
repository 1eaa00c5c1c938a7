//! Builds whose compilers are told more than the project tells them, and what gcov makes of such a build.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use perturb_host::{compilers_of, CoverageFormat, CoverageReader, DiscoverOptions, GcovNotes, HostError, Shadow};

use crate::support::{has, Scene};

const CORE: &str = "int core(int x)\n{\n    if (x > 2)\n        return 1;\n    return 0;\n}\n";
const SHOW: &str = "#include <stdio.h>\nint core(int);\nint main(int argc, char **argv)\n{\n    (void)argv;\n\
                    #ifdef ADDED\n    printf(\"added \");\n#endif\n    printf(\"%d\", core(argc));\n    return 0;\n}\n";

/// Sets its own flags, as projects do.
const CMAKE: &str = "cmake_minimum_required(VERSION 3.10)\nproject(demo C)\nset(CMAKE_C_FLAGS \"-O2\")\n\
                     add_library(core src/core.c)\nadd_executable(show src/show.c)\ntarget_link_libraries(show core)\n";
const MESON: &str = "project('demo', 'c')\ncore = static_library('core', 'src/core.c')\n\
                     executable('show', 'src/show.c', link_with: core)\n";
const MAKEFILE: &str = "CFLAGS = -O2\nall: show\nshow: show.o core.o\n\tgcc $(CFLAGS) -o $@ show.o core.o\n\
                        show.o core.o: %.o: src/%.c\n\tgcc $(CFLAGS) -c -o $@ $<\n";
/// Neither tells its compiler what the variables say.
const SCRIPT: &str =
    "#!/bin/sh\nset -e\ncc -c src/core.c -o core.o\ncc -c src/show.c -o show.o\ncc -o show show.o core.o\n";

fn scene(build_file: (&str, &str)) -> Scene {
    Scene::new(&[("src/core.c", CORE), ("src/show.c", SHOW), build_file])
}

fn open_adding(scene: &Scene, flags: &[OsString], options: &DiscoverOptions) -> Shadow {
    let project = scene.discover_with(options).unwrap();
    let options = DiscoverOptions { added_flags: flags.to_vec(), ..options.clone() };
    let mut shadow = Shadow::open(&project, &scene.work(), Some("added"), &options, &mut |_| ()).unwrap();
    let built = shadow.build(2, &scene.work().join("test.log")).unwrap();
    assert!(built.success, "{}", built.tail);
    shadow
}

fn said(shadow: &Shadow, arguments: &[&str]) -> String {
    let output = Command::new(shadow.build_folder().join("show")).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_build_system_gets_the_flags_and_no_other_shadow_does() {
    for (tool, file, text, command) in [
        ("cmake", "CMakeLists.txt", CMAKE, None),
        ("meson", "meson.build", MESON, None),
        ("make", "Makefile", MAKEFILE, None),
        ("sh", "compile", SCRIPT, Some("./compile".to_string())),
    ] {
        if !has(tool) {
            continue;
        }
        let scene = scene((file, text));
        let options = DiscoverOptions { build_command: command, ..DiscoverOptions::default() };
        let before = scene.snapshot();
        let added = open_adding(&scene, &["-DADDED".into()], &options);
        assert_eq!(said(&added, &[]), "added 0", "{tool}");
        drop(added);
        let project = scene.discover_with(&options).unwrap();
        for name in [None, Some("plain")] {
            let mut plain = Shadow::open(&project, &scene.work(), name, &options, &mut |_| ()).unwrap();
            assert!(plain.build(2, &scene.work().join("test.log")).unwrap().success);
            assert_eq!(said(&plain, &[]), "0", "{tool} {name:?}");
        }
        // Other flags are another build, even where nothing else has changed.
        assert_eq!(said(&open_adding(&scene, &["-DNOTHING".into()], &options), &[]), "0", "{tool}");
        assert_eq!(before, scene.snapshot(), "the user's tree was written");
    }
}

#[test]
fn a_project_known_by_its_database_gets_the_flags_too() {
    if !has("make") {
        return;
    }
    let scene = scene(("Makefile", MAKEFILE));
    let root = scene.root();
    let entry = |file: &str| {
        let file = root.join("src").join(file);
        serde_json::json!({"directory": root, "file": file, "arguments": ["gcc", "-c", file]})
    };
    let database = serde_json::Value::from(vec![entry("core.c"), entry("show.c")]).to_string();
    scene.write("compile_commands.json", &database);
    let added = open_adding(&scene, &["-DADDED".into()], &DiscoverOptions::default());
    assert_eq!(said(&added, &[]), "added 0");
}

/// The user has a build folder of CMake, with a database in it and a compiler by its path.
#[test]
fn a_build_folder_of_the_users_with_its_own_compiler_is_no_way_round_the_flags() {
    if !has("cmake") || !has("ninja") {
        return;
    }
    let scene = scene(("CMakeLists.txt", CMAKE));
    let folder = scene.root().join("build");
    let mut command = Command::new("cmake");
    command.arg("-S").arg(scene.root()).arg("-B").arg(&folder).args([
        "-G",
        "Ninja",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
    ]);
    assert!(command.output().unwrap().status.success());
    let cache = fs::read_to_string(folder.join("CMakeCache.txt")).unwrap();
    assert!(cache.lines().any(|line| line.starts_with("CMAKE_C_COMPILER:") && line.contains("=/")), "{cache}");
    let added = open_adding(&scene, &["-DADDED".into()], &DiscoverOptions::default());
    assert_eq!(said(&added, &[]), "added 0");
}

/// A build for gcov whose programs count below `counts`.
struct Counting {
    scene: Scene,
    shadow: Shadow,
    counts: PathBuf,
}

impl Counting {
    fn new() -> Counting {
        let scene = scene(("Makefile", MAKEFILE)).with_plain_work();
        let counts = scene.work().join("counts");
        let shadow = Self::build(&scene, &counts);
        Counting { scene, shadow, counts }
    }

    fn build(scene: &Scene, counts: &Path) -> Shadow {
        let mut folder = OsString::from("-fprofile-dir=");
        folder.push(counts);
        open_adding(scene, &["--coverage".into(), "-O0".into(), folder], &DiscoverOptions::default())
    }

    fn notes(&self) -> Result<GcovNotes, HostError> {
        let compilers = compilers_of(&self.scene.discover().unwrap());
        GcovNotes::read(&self.shadow.folders(), &compilers, &self.scene.work().join("reading"))
    }

    fn run(&self, arguments: &[&str]) {
        let _ = fs::remove_dir_all(&self.counts);
        said(&self.shadow, arguments);
    }

    /// The counts of the lines of `core.c`.
    fn core(&self, notes: &GcovNotes) -> Result<Vec<(u32, u64)>, HostError> {
        let counts = notes.counts(&self.counts, &self.scene.work().join("reading"))?;
        Ok(counts.files[&self.shadow.tree().join("src/core.c")].clone().into_iter().collect())
    }

    fn data(&self) -> PathBuf {
        let items = fs::read_dir(&self.counts).unwrap().map(|item| item.unwrap().path());
        items.into_iter().find(|path| path.to_string_lossy().ends_with("core.gcda")).unwrap()
    }
}

#[test]
fn lines_are_counted_for_each_run_by_itself() {
    if !has("make") || !has("gcov") {
        return;
    }
    let counting = Counting::new();
    let notes = counting.notes().unwrap();
    let file = counting.shadow.tree().join("src/core.c");
    assert_eq!(
        notes.lines().files[&file].iter().map(|(l, c)| (*l, *c)).collect::<Vec<_>>(),
        [1, 3, 4, 5].map(|l| (l, 0))
    );
    counting.run(&[]);
    assert_eq!(counting.core(&notes).unwrap(), [(1, 1), (3, 1), (4, 0), (5, 1)]);
    counting.run(&["a", "b"]);
    assert_eq!(counting.core(&notes).unwrap(), [(1, 1), (3, 1), (4, 1), (5, 0)]);
    said(&counting.shadow, &[]);
    assert_eq!(counting.core(&notes).unwrap(), [(1, 2), (3, 2), (4, 1), (5, 1)], "two processes of one test");
}

#[test]
fn data_that_do_not_fit_or_are_not_whole_are_refused_and_never_zeros() {
    if !has("make") || !has("gcov") {
        return;
    }
    let mut counting = Counting::new();
    let notes = counting.notes().unwrap();
    counting.run(&[]);
    let (data, whole) = (counting.data(), fs::read(counting.data()).unwrap());
    for length in 0..whole.len() {
        fs::write(&data, &whole[..length]).unwrap();
        let result = counting.core(&notes);
        assert!(matches!(result, Err(HostError::CoverageUnread { .. })), "cut to {length}: {result:?}");
    }
    fs::write(counting.counts.join("#nowhere#a.gcda"), &whole).unwrap();
    assert!(counting.core(&notes).unwrap_err().to_string().contains("has no notes"));
    // The program is built anew; what the old one counted is of another compilation.
    fs::remove_file(counting.counts.join("#nowhere#a.gcda")).unwrap();
    drop(counting.shadow);
    counting.scene.write("src/core.c", &CORE.replace("x > 2", "x > 2 && x < 9"));
    counting.shadow = Counting::build(&counting.scene, &counting.counts);
    fs::write(&data, &whole).unwrap();
    let error = counting.core(&counting.notes().unwrap()).unwrap_err().to_string();
    assert!(error.contains("another compilation"), "{error}");
}

#[test]
fn notes_that_are_older_than_their_source_count_for_nothing() {
    if !has("make") || !has("gcov") {
        return;
    }
    let counting = Counting::new();
    let core = counting.shadow.tree().join("src/core.c");
    assert!(counting.notes().unwrap().lines().files.contains_key(&core));
    fs::write(&core, CORE).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&core).unwrap().set_modified(later).unwrap();
    let notes = counting.notes().unwrap();
    assert!(!notes.lines().files.contains_key(&core) && !notes.lines().files.is_empty());
    counting.run(&[]);
    assert!(counting.core(&notes).unwrap_err().to_string().contains("has no notes"));
}

#[test]
fn a_build_without_notes_is_told_with_what_else_can_be_done() {
    let folder = tempfile::tempdir().unwrap();
    let read = || GcovNotes::read(&[folder.path().to_path_buf()], &[], &folder.path().join("reading"));
    let error = read().unwrap_err().to_string();
    assert!(error.contains("absolute path") && error.contains("--coverage FOLDER"), "{error}");
    fs::write(folder.path().join("a.gcno"), "not notes").unwrap();
    assert!(read().unwrap_err().to_string().contains("no notes file"));
    // What clang writes, and GCC before its fifth year.
    fs::write(folder.path().join("a.gcno"), b"oncg*804stamp and more").unwrap();
    assert!(read().unwrap_err().to_string().contains("GCC 9 or later"));
}

#[test]
fn data_of_gcov_are_imported_with_notes_beside_them_or_where_the_prefix_left_them() {
    if !has("make") || !has("gcov") {
        return;
    }
    let scene = scene(("Makefile", MAKEFILE));
    let mut shadow = open_adding(&scene, &["--coverage".into(), "-O0".into()], &DiscoverOptions::default());
    shadow.build(1, &scene.work().join("test.log")).unwrap();
    let test = scene.work().join("data/a test");
    let show = shadow.build_folder().join("show");
    assert!(Command::new(&show).env("GCOV_PREFIX", &test).status().unwrap().success());
    let mut reader = CoverageReader::new(vec![PathBuf::from("/usr/bin/cc")], scene.work().join("reading"));
    let moved = test.join(shadow.tree().strip_prefix("/").unwrap()).join("core.gcda");
    let core = shadow.tree().join("src/core.c");
    let counts = reader.read(&[(moved.clone(), CoverageFormat::GcovData)], &test).unwrap();
    assert_eq!(counts.files[&core][&3], 1);
    let beside = scene.work().join("beside");
    fs::create_dir(&beside).unwrap();
    fs::copy(&moved, beside.join("x.gcda")).unwrap();
    let data = [(beside.join("x.gcda"), CoverageFormat::GcovData)];
    assert!(reader.read(&data, &beside).unwrap_err().to_string().contains("gcno"));
    fs::copy(shadow.tree().join("core.gcno"), beside.join("x.gcno")).unwrap();
    assert_eq!(reader.read(&data, &beside).unwrap(), counts);
}
