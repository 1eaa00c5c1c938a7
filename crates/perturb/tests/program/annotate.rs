//! `perturb equiv --annotate`: contracts are what is taken for granted anyway, and nothing is written in place.

use crate::equiv::verdicts;
use crate::scene::{has, run_in_time, text, Scene, FINE, USAGE};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

const ODD: &str = "\
#include <stddef.h>

long double elsewhere(int);

int plain(int a, double b)
{
    return a + (b > 0);
}

    /* Indented. */
    static int sum(const int *values, size_t len)
    {
        int all = 0;
        for (size_t at = 0; at < len; at++)
            all += values[at];
        return all;
    }

size_t length(size_t size, char *text) { return size + (text != NULL); }

// @klee[inArraySize=4](sym)
int first(int values[]) { return values[0]; }

int asks(int a) { return elsewhere(a) > 0; }
int one(int a) { return a + 1; } int two(int a) { return a + 2; }
int none(void) { return 1; }
int use(void) { return sum(NULL, 0); }
";

/// Applies a diff to the project's files in another folder.
fn patched(scene: &Scene, name: &str, diff: &str) {
    let folder = scene.outside(name);
    crate::scene::copy(&scene.root(), &folder);
    let file = scene.outside("annotate.diff");
    std::fs::write(&file, diff).unwrap();
    let mut patch = Command::new("patch");
    patch.args(["-p1", "--silent", "-i"]).arg(file).current_dir(&folder);
    run_in_time(patch).expect(FINE);
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn each_function_gets_the_contract_that_its_parameters_tell() {
    let scene = Scene::new(&[("odd.c", ODD)]);
    let ran = scene.run(&["equiv", "--annotate", "odd.c"]).expect(FINE);
    let new: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with('+')).skip(1).collect();
    assert_eq!(
        new,
        [
            "+// @perturb(sym, sym)",
            "+    // @perturb(sym[len], sym)",
            "+// @perturb(sym, sym[size])",
            "+// @perturb",
            "+// @perturb"
        ]
    );
    ran.told(&[
        "odd.c:24: no contract for asks(): it calls elsewhere, which no stub can replace: no value can be made up for \
         what it gives",
        "odd.c:25: no contract for one(): another function begins on the same line",
        "odd.c:25: no contract for two(): another function begins on the same line",
    ]);
    let json = scene.run(&["equiv", "--annotate", "odd.c", "--function", "asks", "--format", "json"]).expect(FINE);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(
        (text(&json[0], "function"), &json[0]["contract"], json.as_array().unwrap().len()),
        ("asks", &Value::Null, 1)
    );
    assert_eq!(
        text(&json[0], "why"),
        "it calls elsewhere, which no stub can replace: no value can be made up for what it gives"
    );
    let lines = scene.run(&["equiv", "--annotate", "odd.c", "--function", "sum", "--format", "jsonl"]).expect(FINE);
    let line: Value = serde_json::from_str(lines.stdout.trim()).unwrap();
    assert_eq!((text(&line, "contract"), &line["line"]), ("// @perturb(sym[len], sym)", &Value::from(11)));
}

#[test]
fn the_diff_and_the_copies_are_the_same_and_done_once() {
    if !has("patch") {
        return;
    }
    let scene = Scene::new(&[("odd.c", ODD), ("dos.c", &ODD.replace('\n', "\r\n"))]);
    for file in ["odd.c", "dos.c"] {
        let diff = scene.run(&["equiv", "--annotate", file]).expect(FINE).stdout;
        let copies = scene.outside("copies");
        let told = scene.run(&["equiv", "--annotate", file, "--to", copies.to_str().unwrap()]).expect(FINE).stdout;
        assert_eq!(told, format!("{}\n", copies.join(file).display()));
        let copy = read(&copies, file);
        assert_eq!(copy.contains("// @perturb(sym, sym)\r\n"), file == "dos.c");
        if file == "odd.c" {
            patched(&scene, "patched", &diff);
            assert_eq!(copy, read(&scene.outside("patched"), file));
        }
        scene.write(file, &copy);
        let again = scene.run(&["equiv", "--annotate", file]).expect(FINE).stdout;
        assert_eq!(again, "", "nothing is left to annotate in {file}");
    }
    let all = scene.run(&["equiv", "--annotate", "odd.c", "--function", "sum"]).expect(FINE);
    all.told(&["every function that is asked for has a contract, or there is none"]);
}

#[test]
fn nothing_is_written_in_the_project() {
    let scene = Scene::new(&[("odd.c", ODD)]);
    for folder in [".", "sub"] {
        let ran = scene.run(&["equiv", "--annotate", "odd.c", "--to", folder]);
        ran.expect_error(USAGE, &["perturb never writes in place", "give --to a folder outside it"]);
    }
    scene.run(&["equiv", "odd.c", "--to", "x"]).expect(USAGE).told(&["--annotate"]);
}

/// What is said of each mutant, without what a contract narrows and without times.
fn said(scene: &Scene, arguments: &[&str]) -> BTreeMap<String, String> {
    let found = verdicts(scene, arguments);
    found.values().map(|value| (text(value, "id").to_string(), text(value, "verdict").to_string())).collect()
}

#[test]
fn annotated_programs_of_the_study_get_the_same_verdicts() {
    if !has("gcc") {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/nequivack");
    for file in ["gcd.c", "branching.c", "msb.c"] {
        let bare: String = read(&folder, file)
            .lines()
            .filter(|line| !line.contains("@klee"))
            .map(|line| format!("{line}\n"))
            .collect();
        let scene = Scene::new(&[(file, &bare)]);
        let arguments = [file, "--operators", "milu", "--tiers", "native,tce", "--inputs", "2000"];
        let before = said(&scene, &arguments);
        let copies = scene.outside("copies");
        scene.run(&["equiv", "--annotate", file, "--to", copies.to_str().unwrap()]).expect(FINE);
        scene.write(file, read(&copies, file));
        let mut compile = Command::new("gcc");
        compile.args(["-fsyntax-only", "-Wall", "-Werror", file]).current_dir(scene.root());
        run_in_time(compile).expect(FINE);
        assert!(!before.is_empty() && read(&copies, file).contains("// @perturb"), "{file}");
        assert_eq!(before, said(&scene, &arguments), "{file}");
    }
}

#[test]
fn the_bundled_example_is_annotated_in_all_its_files() {
    if !has("patch") || !has("cmake") {
        return;
    }
    let scene = Scene::example();
    let diff = scene.run(&["equiv", "--annotate"]).expect(FINE).stdout;
    patched(&scene, "patched", &diff);
    let folder = scene.outside("patched");
    assert!(read(&folder, "src/crc16.c").contains("\n// @perturb(sym[len], sym)\nuint16_t crc16_compute("));
    assert!(read(&folder, "src/ring.c").contains("\n// @perturb(sym[6], sym[len], sym)\nbool ring_push("));
    let mut again = Command::new(env!("CARGO_BIN_EXE_perturb"));
    again.arg("--work").arg(scene.outside("work2")).args(["equiv", "--annotate"]).current_dir(&folder);
    let again = run_in_time(again).expect(FINE);
    assert_eq!(again.stdout, "");
    again.told(&["every function that is asked for has a contract"]);
    // What the names say of a length is better than any length: most of those lead beyond the array.
    let before = said(&scene, &["src/crc16.c", "--tiers", "native", "--operators", "AOR,ROR"]);
    scene.write("src/crc16.c", read(&folder, "src/crc16.c"));
    assert_eq!(before, said(&scene, &["src/crc16.c", "--tiers", "native", "--operators", "AOR,ROR"]));
}
