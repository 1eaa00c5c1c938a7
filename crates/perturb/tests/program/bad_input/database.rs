//! Compile databases that are broken, old or odd.

use crate::scene::{distinct, Scene, FINE, UNUSABLE};

const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";

#[test]
fn a_database_that_is_malformed_or_empty_is_refused_with_its_name() {
    for (json, part) in [
        ("", "not a compile database"),
        ("[", "not a compile database"),
        ("{}", "not a compile database"),
        ("[1, 2]", "not a compile database"),
        ("[{\"file\": \"a.c\"}]", "no command"),
        ("\u{0}\u{1}\u{2}", "not a compile database"),
        ("[]", "is empty"),
    ] {
        let scene = Scene::new(&[("a.c", SUM), ("compile_commands.json", json)]);
        scene.run(&["mutants"]).expect_error(UNUSABLE, &["compile_commands.json", part]);
        scene
            .run(&["mutants", "--compile-commands", "compile_commands.json"])
            .expect_error(UNUSABLE, &["compile_commands.json", part]);
    }
}

#[test]
fn a_database_of_dead_paths_is_refused_and_some_dead_paths_are_told() {
    let dead = r#"{"directory":"/nowhere/else","file":"gone.c","command":"cc -c gone.c"}"#;
    let scene = Scene::new(&[("a.c", SUM), ("compile_commands.json", &format!("[{dead}]"))]);
    scene.run(&["mutants"]).expect_error(UNUSABLE, &["/nowhere/else/gone.c", "generate it again"]);
    let alive = r#"{"directory":".","file":"a.c","command":"cc -c a.c"}"#;
    scene.write("compile_commands.json", format!("[{dead},{alive}]"));
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["/nowhere/else/gone.c"]);
    assert_eq!(distinct(&ran.mutants(), "file"), ["a.c"]);
}

#[test]
fn a_dead_database_gives_way_to_the_project_s_own_build() {
    if !crate::scene::has("make") {
        return;
    }
    let dead = r#"[{"directory":"/nowhere","file":"gone.c","command":"cc -c gone.c"}]"#;
    let scene = Scene::new(&[("a.c", SUM), ("compile_commands.json", dead), ("Makefile", "all: a.o\n")]);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["compile_commands.json"]);
    assert_eq!(distinct(&ran.mutants(), "file"), ["a.c"]);
}

#[test]
fn a_directory_that_does_not_exist_is_told_and_ends_nothing() {
    let entries = r#"[{"directory":"gone","file":"../a.c","command":"cc -c ../a.c"},
                      {"directory":".","file":"b.c","command":"cc -c b.c"}]"#;
    let scene = Scene::new(&[("a.c", SUM), ("b.c", SUM), ("compile_commands.json", entries)]);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    assert!(distinct(&ran.mutants(), "file").contains(&"b.c"), "{}", ran.stderr);
}

#[test]
fn a_database_is_named_from_any_folder() {
    let scene = Scene::compiled(&[("a.c", SUM)]);
    let expected = scene.mutants(&[]);
    std::fs::create_dir(scene.root().join("b")).unwrap();
    std::fs::rename(scene.root().join("compile_commands.json"), scene.root().join("b/x.json")).unwrap();
    let json = scene.read("b/x.json").replace("\"directory\":\".\"", "\"directory\":\"..\"");
    scene.write("b/x.json", json);
    assert_eq!(scene.mutants(&["--compile-commands", "b/x.json"]), expected);
}

#[test]
fn several_entries_of_a_file_give_each_mutant_once_and_all_of_them() {
    let source = "int f(int a)\n{\n#ifdef X\n    a = a + 1;\n#else\n    a = a - 2;\n#endif\n    return a * 3;\n}\n";
    let entries = r#"[{"directory":".","file":"a.c","command":"cc -DX -c a.c -o x.o"},
                      {"directory":".","file":"a.c","command":"cc -c a.c -o y.o"},
                      {"directory":".","file":"./a.c","command":"cc -c ./a.c -o y.o"},
                      {"directory":".","file":"a.c","command":"cc -DX -c a.c -o x.o"}]"#;
    let scene = Scene::new(&[("a.c", source), ("compile_commands.json", entries)]);
    let mutants = scene.mutants(&["--operators", "AOR"]);
    let lines: Vec<u64> = mutants.iter().map(|mutant| mutant["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [4, 4, 4, 4, 6, 6, 6, 6, 8, 8, 8, 8]);
    assert_eq!(distinct(&mutants, "id").len(), mutants.len());
}

#[test]
fn flags_that_clang_does_not_know_are_left_out_and_told() {
    let entry =
        r#"[{"directory":".","file":"a.c","arguments":["cc","-fno-such-gcc-pass","-mno-such-cpu","-c","a.c"]}]"#;
    let scene = Scene::new(&[("a.c", SUM), ("compile_commands.json", entry)]);
    let ran = scene.run(&["mutants", "--format", "json"]);
    assert_eq!(ran.code, FINE, "{}", ran.stderr);
    assert!(!ran.mutants().is_empty());
    ran.told(&["no-such"]);
}

#[test]
fn an_entry_with_an_open_quote_or_a_response_file_that_is_gone_is_told() {
    let entries = r#"[{"directory":".","file":"a.c","command":"cc -DX='oops -c a.c"},
                      {"directory":".","file":"b.c","command":"cc @gone.rsp -c b.c"}]"#;
    let scene = Scene::new(&[("a.c", SUM), ("b.c", SUM), ("compile_commands.json", entries)]);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["a.c", "open quote"]);
    assert_eq!(distinct(&ran.mutants(), "file"), ["b.c"]);
}
