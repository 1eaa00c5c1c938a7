//! Source files that are large, deep, odd, binary or not there.

use std::fs;

use crate::scene::{all, distinct, text, Scene, FINE, NOTHING, UNUSABLE};

const SUM: &str = "int sum(int a, int b)\n{\n    return a + b;\n}\n";

#[test]
fn a_binary_file_is_told_and_the_others_are_listed() {
    let scene = Scene::compiled(&[("binary.c", ""), ("sum.c", SUM)]);
    let bytes: Vec<u8> = b"\x7fELF".iter().copied().chain((0..4000_u32).map(|i| (i * 7 % 256) as u8)).collect();
    scene.write("binary.c", bytes);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["binary.c"]);
    assert_eq!(distinct(&ran.mutants(), "file"), ["sum.c"]);
    scene.remove("compile_commands.json");
    scene.run(&["mutants", "binary.c"]).expect_error(UNUSABLE, &["binary.c", "binary"]);
}

#[test]
fn a_folder_in_place_of_a_file_is_told() {
    let scene = Scene::compiled(&[("a.c", SUM), ("b.c", SUM)]);
    scene.remove("a.c");
    fs::create_dir(scene.root().join("a.c")).unwrap();
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["a.c"]);
    assert_eq!(distinct(&ran.mutants(), "file"), ["b.c"]);
}

#[test]
fn a_file_that_may_not_be_read_is_told_and_the_others_are_listed() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::compiled(&[("a.c", SUM), ("b.c", SUM)]);
    fs::set_permissions(scene.root().join("a.c"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(scene.root().join("a.c")).is_ok() {
        eprintln!("skipped: nothing is unreadable for this user");
        return;
    }
    let mut command = scene.command(&["mutants", "--format", "json"]);
    command.current_dir(scene.root());
    let ran = crate::scene::run_in_time(command).expect(FINE).told(&["a.c"]);
    assert_eq!(distinct(&ran.mutants(), "file"), ["b.c"]);
}

#[test]
fn a_line_of_10_megabytes_is_analysed_with_right_columns() {
    let mut source = String::from("const char data[] = \"");
    source.push_str(&"0123456789abcdef".repeat(640 * 1024));
    source.push_str("\"; int last(int a, int b) { return a + b; }");
    let scene = Scene::compiled(&[("a.c", &source)]);
    let mutants = scene.mutants(&["--operators", "AOR"]);
    assert_eq!(all(&mutants, "replacement"), ["-", "*", "/", "%"]);
    let column = source.rfind('+').unwrap() as u64 + 1;
    assert!(mutants.iter().all(|m| m["line"] == 1 && m["column"].as_u64() == Some(column)), "{mutants:?}");
    let shown = scene.run(&["show", text(&mutants[0], "id")]).expect(FINE).stdout;
    assert!(shown.contains(&format!("column {column}")));
}

#[test]
fn a_line_with_a_megabyte_between_its_statements_is_analysed_in_time() {
    let gap = "x".repeat(5_000);
    let statements: String = (0..200).map(|i| format!("v[{i}%7]=a+{i};/*{gap}*/")).collect();
    let source = format!("int v[7];void f(int a){{{statements}}}int g(int b){{return b-1;}}");
    let scene = Scene::compiled(&[("a.c", &source)]);
    let mutants = scene.mutants(&["--operators", "AOR"]);
    assert_eq!(mutants.len(), 200 * 8 + 4);
    let column = source.rfind('-').unwrap() as u64 + 1;
    assert!(mutants.iter().rev().take(4).all(|m| m["line"] == 1 && m["column"].as_u64() == Some(column)));
}

#[test]
fn an_expression_nested_ten_thousand_deep_is_told() {
    let source = format!("int deep(int a) {{ return {}a{}; }}\n", "(".repeat(10_000), ")".repeat(10_000));
    let scene = Scene::compiled(&[("deep.c", &source), ("sum.c", SUM)]);
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["warning", "deep.c"]);
    assert!(distinct(&ran.mutants(), "file").contains(&"sum.c"));
}

/// Such a file may be analysed in part, with a warning; it may not take the others with it.
fn does_not_stop_the_others(odd: &str) {
    let scene = Scene::compiled(&[("odd.c", odd), ("sum.c", SUM)]);
    let ran = scene.run(&["mutants", "--format", "json", "--operators", "AOR"]).expect(FINE);
    assert!(distinct(&ran.mutants(), "file").contains(&"sum.c"));
    assert!(ran.stderr.is_empty() || ran.stderr.contains("warning: odd.c"), "{}", ran.stderr);
}

#[test]
fn a_long_chain_of_binary_operators_does_not_crash() {
    does_not_stop_the_others(&format!("int chain(int a) {{ return a{}; }}\n", " + a".repeat(20_000)));
}

#[test]
fn a_long_row_of_unary_operators_does_not_crash() {
    does_not_stop_the_others(&format!("int unary(int a) {{ return {}a; }}\n", "- ".repeat(20_000)));
}

#[test]
fn deep_blocks_do_not_crash() {
    let (open, close) = ("if (a) {".repeat(3_000), "}".repeat(3_000));
    does_not_stop_the_others(&format!("int blocks(int a) {{ {open}a++;{close} return a; }}\n"));
}

#[test]
fn a_long_chain_of_else_if_does_not_crash() {
    // Enough for a small stack; clang's own time grows with the square of it.
    let branches = "if (a) return b; else ".repeat(8_000);
    does_not_stop_the_others(&format!("int branches(int a, int b) {{ {branches}return a; }}\n"));
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_keep_lines_and_columns() {
    let scene = Scene::compiled(&[("a.c", ""), ("bom.c", "")]);
    scene.write("a.c", SUM.replace('\n', "\r\n"));
    scene.write("bom.c", format!("\u{feff}{}", SUM.replace("\n{\n    ", " { ")));
    let mutants = scene.mutants(&["--operators", "AOR"]);
    let places: Vec<_> = mutants.iter().map(|m| (text(m, "file"), m["line"].as_u64(), m["column"].as_u64())).collect();
    assert_eq!(places[0], ("a.c", Some(3), Some(14)));
    // Columns are bytes of the file: the mark counts on its line.
    let column = scene.read("bom.c").find('+').unwrap() as u64 + 1;
    assert_eq!(places[4], ("bom.c", Some(1), Some(column)));
    let to = scene.outside("out");
    scene.run(&["apply", "--all", "--to", to.to_str().unwrap(), "--operators", "AOR"]).expect(FINE);
    for mutant in &mutants {
        let file = text(mutant, "file");
        let written = fs::read_to_string(to.join(text(mutant, "id")).join(file)).unwrap();
        assert_eq!(written, scene.read(file).replacen('+', text(mutant, "replacement"), 1));
    }
}

#[test]
fn names_with_spaces_dots_quotes_and_letters_of_other_scripts_work() {
    let names =
        ["a b.c", "dots.in.name.c", "größe.c", "数.c", "it's.c", "op/operator.c", "-dash.c", "UPPER.C", "p%s.c"];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, SUM)).collect();
    let scene = Scene::new(&files);
    let entry = |file: &&str| {
        let argument = format!("./{file}");
        serde_json::json!({"directory": ".", "file": file, "arguments": ["cc", "-c", argument]})
    };
    let entries: Vec<serde_json::Value> = names.iter().map(entry).collect();
    scene.write("compile_commands.json", serde_json::Value::from(entries).to_string());
    let mutants = scene.mutants(&["--operators", "AOR"]);
    let mut expected = names.to_vec();
    expected.sort_unstable();
    assert_eq!(distinct(&mutants, "file"), expected);
    assert_eq!(distinct(&mutants, "id").len(), names.len() * 4);
    assert_eq!(scene.mutants(&["--lines", "a b.c:3"]).len(), scene.mutants(&["a b.c"]).len());
    let listed = scene.run(&["mutants", "--operators", "AOR"]).expect(FINE).stdout;
    assert!(listed.contains("\n数.c\n"), "{listed}");
}

#[test]
fn a_name_that_looks_like_the_change_is_printed_whole() {
    // The name of a mutant is `file:line:column OPERATOR function(): 'a' -> 'b'`.
    let scene = Scene::compiled(&[("a: 'b.c", SUM)]);
    let listed = scene.run(&["mutants", "--operators", "AOR"]).expect(FINE).stdout;
    assert!(listed.contains("AOR '+' -> '-'"), "{listed}");
}

#[test]
fn a_name_that_is_no_utf_8_does_not_stop_the_others() {
    use std::os::unix::ffi::OsStrExt;
    if !crate::scene::has("make") {
        return;
    }
    let scene =
        Scene::new(&[("Makefile", "all:\n\tfor f in *.c; do $(CC) -c \"$$f\" || exit 1; done\n"), ("sum.c", SUM)]);
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9.c");
    fs::write(scene.root().join(odd), "int cafe(int a) { return a + 1; }\n").unwrap();
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE);
    assert!(distinct(&ran.mutants(), "file").contains(&"sum.c"), "{}", ran.stderr);
}

#[test]
fn a_source_without_a_last_newline_and_an_empty_one_are_fine() {
    let scene = Scene::compiled(&[("a.c", "int f(int a) { return a + 1; }"), ("empty.c", "")]);
    let ran = scene.run(&["mutants", "--format", "diff", "--operators", "AOR"]).expect(FINE);
    assert!(ran.stdout.contains("\\ No newline at end of file"), "{}", ran.stdout);
    assert_eq!(ran.stderr, "");
    scene.run(&["mutants", "empty.c"]).expect_error(NOTHING, &["nothing to mutate"]);
    let bare = Scene::new(&[("empty.c", "")]);
    bare.run(&["mutants", "empty.c"]).expect_error(NOTHING, &["nothing to mutate"]);
}

#[test]
fn a_file_that_includes_itself_or_a_folder_is_told() {
    let scene = Scene::compiled(&[("a.c", "#include \"a.c\"\nint f(int a) { return a + 1; }\n"), ("b.c", SUM)]);
    scene.write("b.c", format!("#include \"include\"\n{SUM}"));
    fs::create_dir(scene.root().join("include")).unwrap();
    let ran = scene.run(&["mutants", "--format", "json"]).expect(FINE).told(&["a.c", "b.c"]);
    assert!(distinct(&ran.mutants(), "function").contains(&"sum"));
}

#[test]
fn comments_and_strings_that_never_end_are_told() {
    let scene = Scene::compiled(&[("a.c", "int f(int a) { return a + 1; }\n/* never"), ("b.c", "char *s = \"never")]);
    let ran = scene.run(&["mutants"]).expect(FINE).told(&["a.c", "b.c"]);
    assert!(ran.stdout.contains("f()"), "{}", ran.stdout);
}
