//! Differences as programs: each was compiled and run, and what its comment says to type shows it again.

use super::verdicts;
use crate::scene::{has, text, Scene, FINE, UNUSABLE};
use perturb_cell::{Cell, CellOptions, End, Job, Limits};
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
    assert!(outputs >= 90 && others >= 2, "{outputs} {others}");
    for function in
        ["scaled", "moved", "maybe", "swapped", "counted", "cut", "find", "tagged", "next", "both", "behind"]
    {
        let is_of =
            |value: &&Value| text(value, "name").contains(&format!(" {function}():")) && value["kind"] == "output";
        assert!(found.values().any(|value| is_of(&value)), "{function}: {found:#?}");
    }
}

#[test]
fn a_text_has_the_first_values_of_an_input_and_json_has_all() {
    let source = "// @perturb(sym[260])\nint last(const unsigned char *p) { return p[259] > 7; }\n";
    let scene = Scene::new(&[("last.c", source)]);
    let arguments = ["last.c", "--operators", "ROR", "--tiers", "native"];
    let text = scene.run(&[&["equiv"], &arguments[..]].concat()).expect(FINE).stdout;
    let inputs: Vec<&str> = text.lines().filter(|line| line.starts_with("    with ")).collect();
    assert!(!inputs.is_empty() && inputs.iter().all(|line| line.ends_with(" and 244 more")), "{text}");
    assert!(inputs.iter().all(|line| line.contains("p[15] = ") && !line.contains("p[16] = ")), "{text}");
    let found = verdicts(&scene, &arguments);
    let mut different = found.values().filter(|value| value["verdict"] == "different");
    assert!(different.all(|value| value["witness"]["input"].as_array().unwrap().len() == 260), "{found:#?}");
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
    for value in found.values().take(2) {
        let said = typed(&scene, value);
        assert!(said.starts_with("not as in the original: "), "{said}");
    }
}

/// Types what a program's comment says, with the original, and with the mutant, which ends with status 1. Answers with
/// what it says then.
#[track_caller]
fn typed(scene: &Scene, value: &Value) -> String {
    let program = env!("CARGO_BIN_EXE_perturb");
    let path = format!("{}:{}", Path::new(program).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let folder = scene.outside(&format!("made-{}", text(value, "id")));
    fs::create_dir(&folder).unwrap();
    let witness = fs::read_to_string(text(&value["witness"], "file")).unwrap();
    // The mutant is not run by the shell, but in a cell.
    let script = |lines: Vec<String>| lines.join("\n").replace("M=$(mktemp -d)", &format!("M={}", folder.display()));
    let original = script(told_below(&witness, "With the original"));
    let place = original.lines().next().unwrap();
    let mutant = script(told_below(&witness, "With the mutant")).replace(" && \"$M/witness\"", "");
    let shell = |text: &str| Command::new("sh").args(["-ec", text]).env("PATH", &path).status().unwrap();
    assert!(shell(&original).success(), "{original}\n{witness}");
    assert!(shell(&format!("{place}\n{mutant}")).success(), "{mutant}");
    let options = CellOptions { visible: vec![folder.clone()], ..CellOptions::new(folder.join("cell")) };
    let mut cell = Cell::open(&options).unwrap();
    let program = folder.join("witness");
    let limits = Limits::default();
    let job = Job { program: &program, arguments: &[], directory: &folder, environment: &[], limits };
    let ended = cell.run(&job).unwrap();
    let said = String::from_utf8_lossy(&ended.output).into_owned();
    assert_eq!(ended.how, End::Exited(1), "{said}\n{witness}");
    said
}

/// The differences of one function.
fn of<'f>(found: &'f BTreeMap<String, Value>, function: &str) -> Vec<&'f Value> {
    let is_of = |value: &&Value| text(value, "name").contains(&format!(" {function}():"));
    found.values().filter(is_of).filter(|value| value["verdict"] == "different").collect()
}

/// Each function with what the programs of some of its mutants have in them.
const STAND_INS: &[(&str, &[&str])] = &[
    ("asks", &["int sensor(int channel)\n{", "sensor_stub.answers[0] = ", "EXPECT(sensor_stub.given[0].channel == "]),
    (
        "found",
        &[
            "struct item *answers[3];",
            "find_item_stub.answers[0] = &find_item_answer;",
            "EXPECT(find_item_answer.id == ",
        ],
    ),
    ("looks", &["struct item *answers[3];", "    int differences = 0;\n    int result = looks("]),
    ("measures", &["        *value = read_value_stub.writes[call].value;", "read_value_stub.writes[0].value = "]),
    ("tells", &["reading_copy = *reading;", "EXPECT(same_double(report_stub.given[0].reading_copy.value, "]),
    ("says", &["EXPECT(__builtin_strcmp(print_stub.given[0].text_copy, \"low\") == 0);"]),
    ("logs", &["EXPECT(log_line_stub.given[0].text != NULL);", "EXPECT(log_line_stub.given[0].length == "]),
    ("order", &["EXPECT(print_stub.given[0].turn == ", "EXPECT(log_line_stub.given[0].turn == "]),
    ("through", &["static int through_callback(int argument_1)", " = through(through_callback, "]),
    ("handled", &[".handle = handled_handler_handle}", "EXPECT(handled_handler_handle_stub.given[0].argument_1 == "]),
    ("registers", &["EXPECT(handler.handle == registers_handle);", "EXPECT(handler.limit == "]),
    (
        "late",
        &["#pragma redefine_extname time time_stand_in\n", "time_t (time)(time_t *timer)", "time_stub.answers[0] = "],
    ),
    ("verbose", &["#pragma redefine_extname getenv ", "getenv_answer[6] = {", "given[0].name_copy, \"LEVEL\") == 0"]),
    ("dice", &["#pragma redefine_extname rand rand_stand_in\n", "rand_stub.answers[0] = "]),
    ("checked", &["void fatal(const char *why)\n{", "    end_program(1);"]),
    ("quits", &["#pragma redefine_extname exit exit_stand_in\n", "void (exit)(int status)\n{"]),
    ("sets", &["    errno = ", "EXPECT(errno == "]),
    ("uses", &["\nunsigned int threshold;\n", "    threshold = ", "EXPECT(last_item.id == 3);"]),
    ("counts", &["    int result = counts("]),
];

#[test]
fn what_stands_in_for_others_is_part_of_the_program() {
    if !has("gcc") {
        return;
    }
    let scene = Scene::compiled(&[("stand_ins.c", include_str!("stand_ins.c"))]);
    let found = shown(&scene, &["--operators", "AOR", "--tiers", "native"]);
    let has_file = |value: &&Value| value["witness"]["file"].is_string();
    let without: Vec<&Value> = found.values().filter(|value| value["witness"]["no_file"].is_string()).collect();
    assert!(without.iter().all(|value| text(value, "name").contains(" later():")), "{without:#?}");
    for (function, parts) in STAND_INS {
        let mut files = of(&found, function).into_iter().filter(has_file);
        let has_parts = |value: &&Value| {
            let program = fs::read_to_string(text(&value["witness"], "file")).unwrap();
            parts.iter().all(|part| program.contains(part)) && text(value, "kind") == "output"
        };
        let shown = files.find(has_parts).unwrap_or_else(|| panic!("{function} {parts:?} in {found:#?}"));
        let said = typed(&scene, shown);
        assert!(said.starts_with("not as in the original: "), "{function}: {said}");
    }
}

#[test]
fn what_a_function_keeps_to_itself_is_as_the_program_starts_or_there_is_no_program() {
    let scene = Scene::new(&[("stand_ins.c", include_str!("stand_ins.c"))]);
    let arguments = ["--function", "counts", "--function", "later", "--operators", "AOR,ROR", "--tiers", "native"];
    let found = shown(&scene, &[&["stand_ins.c"], &arguments[..]].concat());
    let counted = of(&found, "counts");
    assert!(counted.len() > 5 && counted.iter().all(|value| value["witness"]["file"].is_string()), "{counted:#?}");
    // The input is one that the program can give.
    let starts = |value: &&Value| value["witness"]["input"].to_string().contains("seen = 7");
    assert!(counted.iter().all(starts), "{counted:#?}");
    let later = of(&found, "later");
    let why = |change: &str| {
        let one = later.iter().find(|value| text(value, "name").ends_with(change)).unwrap();
        one["witness"]["no_file"].to_string()
    };
    assert!(why("'>' -> '>='").contains("it shows where calls is not as the program starts"), "{later:#?}");
    assert!(later.iter().any(|value| value["witness"]["file"].is_string()), "{later:#?}");
}

#[test]
fn functions_of_other_files_are_linked_into_the_program() {
    if !has("gcc") {
        return;
    }
    let own = "int half(int a);\nint unknown(int a);\nint steps(int a) { return half(a) + 1; }\n\
               int other(int a) { return unknown(a); }\n";
    let other = "int nobody(void);\nint half(int a) { return a / 2; }\nint much(void) { return nobody(); }\n\
                 int main(void) { return half(4); }\n";
    let scene = Scene::compiled(&[("own.c", own), ("sub/other.c", other)]);
    let found = shown(&scene, &["--function", "steps", "--operators", "AOR", "--tiers", "native"]);
    assert_eq!(all_outputs_have_programs(&found), (of(&found, "steps").len(), 0));
    let program = fs::read_to_string(text(&of(&found, "steps")[0]["witness"], "file")).unwrap();
    assert!(program.contains("-c -o \"$M/unit-") && !program.contains("half_stub"), "{program}");
    typed(&scene, of(&found, "steps")[0]);
}

#[test]
fn a_call_that_differs_is_told_by_its_parameters() {
    let scene = Scene::new(&[("stand_ins.c", include_str!("stand_ins.c"))]);
    let ran = scene.run(&["equiv", "stand_ins.c", "--operators", "AOR", "--tiers", "native"]).expect(FINE);
    for part in [
        "    channel in call 1 of sensor() is 1 in the original, ",
        "    reading->value in call 1 of report() is ",
        "    *text in call 1 of print() is \"low\" in the original, \"high\" in the mutant\n",
        "    the order of calls is print(), log_line() in the original, log_line(), print() in the mutant\n",
        "    argument_1 in call 1 of callback() is ",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains(": word"), "{}", ran.stdout);
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
int ratio(int a) { if (a == 0) return 0; int b = 1 / a; return b & 0; }
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
