//! Which mutants are listed: by path, function, operator, line, and what is never mutated.

use super::small;
use crate::scene::{all, distinct, text, Scene, FINE, NOTHING, UNUSABLE, USAGE};

#[test]
fn paths_are_files_or_folders_of_the_project() {
    let scene = small();
    assert_eq!(distinct(&scene.mutants(&["src/other.c"]), "file"), ["src/other.c"]);
    assert_eq!(distinct(&scene.mutants(&["src"]), "file"), ["src/clamp.c", "src/other.c"]);
    assert_eq!(distinct(&scene.mutants(&["include/limits.h"]), "file"), ["include/limits.h"]);
    assert_eq!(scene.mutants(&["."]), scene.mutants(&[]));
    let absolute = scene.root().join("src/other.c");
    assert_eq!(scene.mutants(&[absolute.to_str().unwrap()]), scene.mutants(&["src/other.c"]));
}

#[test]
fn a_path_that_is_not_there_or_not_in_the_project_is_refused() {
    let scene = small();
    scene.run(&["mutants", "src/gone.c"]).expect_error(USAGE, &["src/gone.c"]);
    std::fs::create_dir(scene.outside("elsewhere")).unwrap();
    scene.run(&["mutants", "src", "../elsewhere"]).expect_error(USAGE, &["is not in the project"]);
}

#[test]
fn a_file_outside_the_project_is_a_project_of_its_own() {
    let scene = small();
    std::fs::write(scene.outside("b.c"), super::OTHER).unwrap();
    let listed = scene.mutants(&["../b.c"]);
    assert!(listed.iter().all(|mutant| mutant["file"] == "b.c"), "{listed:?}");
}

#[test]
fn a_file_that_is_not_compiled_has_nothing_to_mutate() {
    let scene = small();
    scene.write("src/unused.c", super::OTHER);
    scene.run(&["mutants", "src/unused.c"]).expect_error(NOTHING, &["perturb doctor"]);
}

#[test]
fn a_project_is_found_from_elsewhere_and_from_inside() {
    let scene = small();
    let expected = scene.mutants(&[]);
    let root = scene.root();
    let mut command = scene.command(&["mutants", "--format", "json", "-C", root.to_str().unwrap()]);
    command.current_dir("/");
    assert_eq!(scene.finish(command).expect(FINE).mutants(), expected);
    scene.write("perturb.toml", "");
    let mut command = scene.command(&["mutants", "--format", "json", "other.c"]);
    command.current_dir(root.join("src"));
    assert_eq!(distinct(&scene.finish(command).expect(FINE).mutants(), "file"), ["src/other.c"]);
}

#[test]
fn functions_are_named_whole_and_may_be_several() {
    let scene = small();
    assert_eq!(distinct(&scene.mutants(&["--function", "clamp"]), "function"), ["clamp"]);
    let two = scene.mutants(&["--function", "clamp", "--function", "twice"]);
    assert_eq!(distinct(&two, "function"), ["clamp", "twice"]);
    scene.run(&["mutants", "--function", "clam"]).expect_error(NOTHING, &["nothing to mutate"]);
}

#[test]
fn operators_are_sets_or_acronyms_in_any_case() {
    let scene = small();
    let of = |set: &str| {
        let mutants = scene.mutants(&["--operators", set]);
        distinct(&mutants, "operator").join(" ")
    };
    assert_eq!(of("ROR,AOR"), "AOR ROR");
    assert_eq!(of("ror+aor"), "AOR ROR");
    assert_eq!(of("sdl"), "SDL");
    assert_eq!(of("oodl"), "AOD ROD");
    assert_eq!(of("sdl+oodl"), "AOD ROD SDL");
    assert_eq!(of("sufficient"), "ABS AOR ICR ROR UOI");
    assert_eq!(scene.mutants(&["--operators", "mass"]), scene.mutants(&[]));
    scene.run(&["mutants", "--operators", "XYZ"]).expect_error(USAGE, &["XYZ"]);
    scene.run(&["mutants", "--operators", ""]).expect(USAGE);
}

#[test]
fn ids_do_not_depend_on_what_else_is_listed() {
    let scene = small();
    let whole = scene.mutants(&[]);
    for narrow in [["--operators", "ROR"], ["--function", "clamp"], ["--lines", "src/clamp.c:6-8"]] {
        let part = scene.mutants(&narrow);
        assert!(!part.is_empty() && part.len() < whole.len());
        assert!(part.iter().all(|mutant| whole.contains(mutant)), "{narrow:?}");
    }
}

#[test]
fn lines_are_whole_numbers_and_line_1_is_not_line_14() {
    let scene = small();
    for (lines, first, last) in [("src/clamp.c:6-8", 6, 8), ("src/clamp.c:8", 8, 8), ("src/clamp.c:14", 14, 14)] {
        let mutants = scene.mutants(&["--lines", lines]);
        assert!(!mutants.is_empty(), "{lines}");
        for mutant in &mutants {
            let (start, end) = (mutant["line"].as_u64().unwrap(), mutant["end_line"].as_u64().unwrap());
            assert!(start <= last && first <= end && text(mutant, "file") == "src/clamp.c", "{lines}: {mutant}");
        }
    }
    let two = scene.mutants(&["--lines", "src/clamp.c:6", "--lines", "src/other.c:3"]);
    assert_eq!(distinct(&two, "file"), ["src/clamp.c", "src/other.c"]);
    scene.run(&["mutants", "--lines", "src/clamp.c:1"]).expect_error(NOTHING, &["nothing to mutate"]);
}

#[test]
fn lines_that_make_no_sense_are_refused() {
    let scene = small();
    for lines in ["src/clamp.c", "src/clamp.c:", "src/clamp.c:0", "src/clamp.c:8-6", "src/clamp.c:x", "gone.c:1-2"] {
        scene.run(&["mutants", "--lines", lines]).expect_error(USAGE, &[lines.split(':').next().unwrap()]);
    }
}

#[test]
fn calls_named_in_never_in_are_left_alone_and_so_are_assertions() {
    let source =
        "#include <assert.h>\nvoid LOG_info(int);\nint f(int a)\n{\n    assert(a > 1);\n    LOG_info(a + 2);\n    \
                  return a * 3;\n}\n";
    let scene = Scene::compiled(&[("a.c", source)]);
    let lines = |scene: &Scene| -> Vec<u64> {
        let mut lines: Vec<u64> = scene.mutants(&[]).iter().map(|m| m["line"].as_u64().unwrap()).collect();
        lines.dedup();
        lines
    };
    assert_eq!(lines(&scene), [6, 7]);
    scene.write("perturb.toml", "[mutants]\nnever_in = [\"LOG_*\"]\n");
    assert_eq!(lines(&scene), [7]);
}

#[test]
fn macro_bodies_are_mutated_on_request_once_at_the_definition() {
    let source = "#define TWICE(x) ((x) * 2)\nint f(int a)\n{\n    return TWICE(a) + TWICE(a + 1);\n}\n";
    let scene = Scene::compiled(&[("a.c", source), ("b.c", "\nint g(int a) { return a; }\n")]);
    let plain = scene.mutants(&[]);
    let more = scene.mutants(&["--mutate-macros"]);
    assert!(plain.iter().all(|mutant| mutant["line"] != 1) && plain.iter().all(|mutant| more.contains(mutant)));
    let body: Vec<_> = more.iter().filter(|m| m["line"] == 1 && m["file"] == "a.c").cloned().collect();
    assert!(all(&body, "original").contains(&"*") && all(&body, "original").contains(&"2"), "{body:?}");
    let ids = distinct(&more, "id");
    assert_eq!(ids.len(), more.len());
    scene.write("perturb.toml", "[mutants]\nmutate_macros = true\n");
    assert_eq!(scene.mutants(&[]), more);
}

#[test]
fn every_libclang_that_is_installed_gives_the_same_list() {
    let scene = small();
    let expected = scene.mutants(&[]);
    let mut tried = 0;
    for version in ["14", "16", "19"] {
        let ran = scene.run(&["mutants", "--format", "json", "--libclang", version]);
        if ran.code == UNUSABLE {
            eprintln!("skipped: libclang {version} is not installed");
            continue;
        }
        assert_eq!(ran.expect(FINE).mutants(), expected, "libclang {version}");
        tried += 1;
    }
    assert!(tried > 0);
    let mut command = scene.command(&["mutants", "--format", "json"]);
    command.env("PERTURB_LIBCLANG", "9");
    scene.finish(command).expect_error(UNUSABLE, &["9"]);
}

#[test]
fn flags_behind_two_dashes_are_for_a_bare_file() {
    let scene = Scene::new(&[("a.c", "int f(int a)\n{\n#ifdef MORE\n    a = a + 1;\n#endif\n    return a;\n}\n")]);
    assert!(scene.mutants(&["a.c"]).iter().all(|mutant| mutant["line"] != 4));
    assert!(scene.mutants(&["a.c", "--", "-DMORE"]).iter().any(|mutant| mutant["line"] == 4));
    scene.run(&["mutants", "--", "-DMORE"]).expect_error(USAGE, &["one source file"]);
}

#[test]
fn the_configuration_is_checked() {
    let scene = small();
    for (toml, part) in [
        ("[mutants]\noperator = \"ROR\"\n", "operator"),
        ("[mutants]\noperators = \"RRR\"\n", "RRR"),
        ("[project\n", "perturb.toml"),
        ("[mutants]\nnever_in = [\"a[\"]\n", "a["),
        ("[project]\nexclude = [\"a[\"]\n", "a["),
    ] {
        scene.write("perturb.toml", toml);
        scene.run(&["mutants"]).expect_error(USAGE, &[part]);
    }
    scene.write("perturb.toml", "[mutants]\noperators = \"ROR\"\n[project]\nexclude = [\"src/other.c\"]\n");
    let mutants = scene.mutants(&[]);
    assert_eq!((distinct(&mutants, "operator"), distinct(&mutants, "file")), (vec!["ROR"], vec!["src/clamp.c"]));
    scene.run(&["mutants", "--config", "gone.toml"]).expect_error(USAGE, &["gone.toml"]);
}
