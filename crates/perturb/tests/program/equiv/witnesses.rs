//! Differences as programs: each was compiled and run, and what its comment says to type shows it again.

use super::verdicts;
use crate::scene::{has, text, Scene, FINE, UNUSABLE};
use perturb_host::{Cell, CellOptions, End, Job, Limits};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const KINDS: &str = include_str!("kinds.c");

/// The verdicts, with a program in `shown` beside the project for each that differs.
fn shown(scene: &Scene, arguments: &[&str]) -> BTreeMap<String, Value> {
    let folder = scene.outside("shown");
    verdicts(scene, &[&["--witnesses", folder.to_str().unwrap()], arguments].concat())
}

/// All that differ by their output have a program; answers with how many, and with how many of the others have one.
fn all_outputs_have_programs(found: &BTreeMap<String, Value>) -> (usize, usize) {
    let (mut outputs, mut others) = (0, 0);
    for value in found.values().filter(|value| value["verdict"] == "different") {
        let file = value["witness"]["file"].as_str();
        assert_eq!(file.is_none(), value["witness"]["no_file"].is_string(), "{value:#}");
        if text(value, "kind") == "output" {
            assert!(file.is_some(), "{value:#}");
            outputs += 1;
        } else {
            others += usize::from(file.is_some());
        }
        let is_there =
            file.is_none_or(|file| file.ends_with(&format!("-{}.c", text(value, "id"))) && Path::new(file).is_file());
        assert!(is_there, "{value:#}");
    }
    (outputs, others)
}

#[test]
fn every_output_that_differs_has_a_program_that_shows_it() {
    let programs = [
        ("bubble.c", include_str!("../../../../../fixtures/nequivack/bubble.c")),
        ("gcd.c", include_str!("../../../../../fixtures/nequivack/gcd.c")),
        ("merge.c", include_str!("../../../../../fixtures/nequivack/merge.c")),
        ("branching.c", include_str!("../../../../../fixtures/nequivack/branching.c")),
    ];
    let mut all = 0;
    for (name, source) in programs {
        let scene = Scene::new(&[(name, source)]);
        let found = shown(&scene, &[name, "--operators", "ORRN,OAAN", "--tiers", "native"]);
        all += all_outputs_have_programs(&found).0;
    }
    assert!(all >= 30, "{all}");
}

#[test]
fn every_kind_of_value_is_shown() {
    let scene = Scene::new(&[("kinds.c", KINDS)]);
    let found = shown(&scene, &["kinds.c", "--operators", "AOR,ROR,SDL", "--tiers", "native"]);
    let (outputs, others) = all_outputs_have_programs(&found);
    assert!(outputs >= 60 && others >= 5, "{outputs} {others}");
    for function in
        ["scaled", "moved", "maybe", "swapped", "counted", "cut", "find", "tagged", "next", "both", "behind"]
    {
        let is_of =
            |value: &&Value| text(value, "name").contains(&format!(" {function}():")) && value["kind"] == "output";
        assert!(found.values().any(|value| is_of(&value)), "{function}: {found:#?}");
    }
}

/// The lines of a program's comment below one of its headings.
fn told_below(program: &str, heading: &str) -> Vec<String> {
    let lines = program.lines().skip_while(|line| !line.contains(heading)).skip(1);
    lines.map_while(|line| line.strip_prefix(" *   ")).map(String::from).collect()
}

#[test]
fn what_a_program_says_to_type_shows_the_difference() {
    if !has("gcc") {
        return;
    }
    let header = "enum { STEP = 2 };\n";
    let source =
        "#include \"step.h\"\nstatic int steps;\nint climb(unsigned char by)\n{\n    steps = by / STEP + 1;\n    \
                  return steps * 3;\n}\nint main(void)\n{\n    return 0;\n}\n";
    let scene = Scene::compiled(&[("src/step.h", header), ("src/climb.c", source)]);
    let found = shown(&scene, &["--operators", "AOR", "--tiers", "native"]);
    assert_eq!(all_outputs_have_programs(&found).0, found.len());
    let program = env!("CARGO_BIN_EXE_perturb");
    let path = format!("{}:{}", Path::new(program).parent().unwrap().display(), std::env::var("PATH").unwrap());
    for value in found.values().take(2) {
        let folder = scene.outside(&format!("made-{}", text(value, "id")));
        fs::create_dir(&folder).unwrap();
        let witness = fs::read_to_string(text(&value["witness"], "file")).unwrap();
        // The mutant is not run by the shell, but in a cell.
        let script =
            |lines: Vec<String>| lines.join("\n").replace("M=$(mktemp -d)", &format!("M={}", folder.display()));
        let original = script(told_below(&witness, "With the original"));
        let place = original.lines().next().unwrap();
        let mutant = script(told_below(&witness, "With the mutant")).replace(" && \"$M/witness\"", "");
        let shell = |text: &str| Command::new("sh").args(["-ec", text]).env("PATH", &path).status().unwrap();
        assert!(shell(&original).success(), "{original}");
        assert!(shell(&format!("{place}\n{mutant}")).success(), "{mutant}");
        let options = CellOptions { visible: vec![folder.clone()], ..CellOptions::new(scene.outside("cell")) };
        let mut cell = Cell::open(&options).unwrap();
        let program = folder.join("witness");
        let job =
            Job { program: &program, arguments: &[], directory: &folder, environment: &[], limits: Limits::default() };
        let ended = cell.run(&job).unwrap();
        let said = String::from_utf8_lossy(&ended.output).into_owned();
        assert!(ended.how == End::Exited(1) && said.starts_with("not as in the original: "), "{:?} {said}", ended.how);
    }
}

#[test]
fn a_unit_that_needs_others_is_shown_without_them() {
    let source =
        "int elsewhere(int);\nint other(int a) { return elsewhere(a); }\nint half(int a) { return a / 2 + 1; }\n";
    let scene = Scene::new(&[("half.c", source)]);
    let found = shown(&scene, &["half.c", "--function", "half", "--operators", "AOR", "--tiers", "native"]);
    assert!(all_outputs_have_programs(&found).0 > 3, "{found:#?}");
    let one = found.values().find_map(|value| value["witness"]["file"].as_str()).unwrap();
    assert!(fs::read_to_string(one).unwrap().contains("-Wl,--unresolved-symbols=ignore-all"));
}

#[test]
fn a_program_that_cannot_be_made_is_told_and_the_verdict_stands() {
    let source =
        "#if __INCLUDE_LEVEL__ > 0\n#error not to be included\n#endif\nint odd(int a)\n{\n    return a / 2 + 1;\n}\n";
    let scene = Scene::new(&[("odd.c", source)]);
    let found = shown(&scene, &["odd.c", "--operators", "AOR", "--tiers", "native"]);
    let different: Vec<&Value> = found.values().filter(|value| value["verdict"] == "different").collect();
    assert!(!different.is_empty());
    assert!(different.iter().all(|value| value["witness"]["no_file"] == "it does not compile"), "{found:#?}");
    assert_eq!(fs::read_dir(scene.outside("shown")).unwrap().count(), 0);
}

#[test]
fn what_takes_long_or_is_undefined_is_shown_too() {
    let source = "\
// @perturb(0..9)
int down(int a) { int turns = 0; while (a != 0) { a = a - 1; turns++; } return turns; }
// @perturb(sym[3], 0..2)
int at(const int *values, int index) { return values[index]; }
";
    let scene = Scene::new(&[("long.c", source)]);
    let found = shown(&scene, &["long.c", "--operators", "AOR,SDL,ICR,UOI", "--tiers", "native"]);
    all_outputs_have_programs(&found);
    for (kind, part) in [("timeout", "does not come to an end"), ("undefined behaviour", "something undefined")] {
        let of = found.values().filter(|value| value["kind"] == kind);
        let files: Vec<&str> = of.filter_map(|value| value["witness"]["file"].as_str()).collect();
        assert!(!files.is_empty(), "{kind}: {found:#?}");
        assert!(files.iter().all(|file| fs::read_to_string(file).unwrap().contains(part)), "{files:?}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_told_before_anything_is_compared() {
    let scene = Scene::new(&[("one.c", "int one(int a) { return a + 1; }\n"), ("file", "")]);
    scene.run(&["equiv", "one.c", "--witnesses", "file/below"]).expect_error(UNUSABLE, &["cannot create file/below"]);
    let shown = scene.run(&["equiv", "one.c", "--operators", "AOR", "--witnesses", "../text"]).expect(FINE).stdout;
    assert!(shown.contains("    shown by /"), "{shown}");
}
