//! Every kind of parameter and state has its golden tests, and what they claim is true.

use super::{claims, count, files, generate, scene, OPERATORS};
use crate::golden::difference;
use crate::scene::text;
use perturb_fuzz::golden::{is_blessing, HINT};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// What proofs find hangs on the version of clang: goldens are of what calling finds.
pub(super) const ARGUMENTS: [&str; 8] =
    ["--operators", OPERATORS, "--tiers", "native", "--framework", "plain", "--sanitizers", "off"];

/// The tests among the files of a folder; how they are built hangs on the machine.
pub(super) fn tests(folder: &Path) -> BTreeMap<String, String> {
    files(folder).into_iter().filter(|(name, _)| name.ends_with(".c") || name.ends_with(".h")).collect()
}

/// The tests are those of a folder beside this file.
#[track_caller]
pub(super) fn expect_golden(found: &BTreeMap<String, String>, folder: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/testgen").join(folder);
    if is_blessing() {
        let _ = std::fs::remove_dir_all(&golden);
        std::fs::create_dir(&golden).unwrap();
        found.iter().for_each(|(name, text)| std::fs::write(golden.join(name), text).unwrap());
    }
    let expected = tests(&golden);
    let names = |of: &BTreeMap<String, String>| of.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(&expected), "{}", HINT);
    for (name, text) in found {
        let difference = difference(&expected[name], text);
        assert!(difference.is_empty(), "{name}: - expected, + found\n{difference}\n{}", HINT);
    }
}

#[test]
fn every_kind_of_parameter_and_state_has_its_golden_tests() {
    let Some(scene) = scene(&[]) else { return };
    let (_, out) = generate(&scene, "tests", &ARGUMENTS);
    expect_golden(&tests(&out), "golden");
    // Another number of workers, and another time.
    let (_, again) = generate(&scene, "again", &[&ARGUMENTS[..], &["--jobs", "1"]].concat());
    let same_place = |text: &String| text.replace(again.to_str().unwrap(), out.to_str().unwrap());
    assert_eq!(
        files(&again).values().map(same_place).collect::<Vec<_>>(),
        files(&out).into_values().collect::<Vec<_>>()
    );
}

#[test]
fn what_only_reads_variables_of_another_file_is_called_and_something_stands_in_for_what_writes_them() {
    let paths = ["src/labels.c"];
    let Some(scene) = scene(&paths) else { return };
    let (told, out) = generate(&scene, "tests", &[&ARGUMENTS[..], &paths].concat());
    let files = files(&out);
    let stands_in = |suite: &str, name: &str| {
        files[&format!("test_src_labels__{suite}.c")].contains(&format!("/* Stands in for {name}(). */"))
    };
    assert!(!stands_in("label_new__linked", "text_begin") && stands_in("label_new", "text_begin"), "{files:#?}");
    assert!(stands_in("label_number", "supply_number"), "{files:#?}");
    let mut recipes = files["Makefile"].lines();
    let linked =
        recipes.find(|line| line.contains("test_src_labels__label_new__linked.c") && line.contains("supply.c"));
    assert!(linked.is_some(), "{}", files["Makefile"]);
    claims::check(&scene, &told, &out, &[&["--operators", OPERATORS][..], &paths].concat());
}

#[test]
fn no_test_of_any_kind_fails_on_the_original_flakes_or_claims_a_kill_that_it_does_not_make() {
    let Some(scene) = scene(&[]) else { return };
    let (told, out) = generate(&scene, "tests", &ARGUMENTS[..6]);
    let kills = claims::check(&scene, &told, &out, &["--operators", OPERATORS]);
    assert!(kills >= 170, "{kills}");
}

#[test]
fn what_only_something_undefined_kills_or_what_cannot_be_called_has_no_test_and_the_others_have() {
    let paths = ["src/undefined.c", "src/unsupported.c", "src/half.c"];
    let Some(scene) = scene(&paths) else { return };
    let (told, out) = generate(&scene, "tests", &[&ARGUMENTS[..], &paths].concat());
    let one = |name: &str| {
        let mutants = told["mutants"].as_array().unwrap();
        mutants.iter().find(|mutant| text(mutant, "name").ends_with(name)).unwrap_or_else(|| panic!("{name}: {told:#}"))
    };
    let endless: &Value = one("clear(): 'i < 4' -> '4'");
    assert_eq!(text(endless, "result"), "undefined");
    assert!(text(endless, "judgement").contains("it does something undefined, and the original does not"), "{endless}");
    assert!(count(&told, "undefined") > 0 && count(&told, "killed") > 0, "{told:#}");
    let claimed = files(&out).into_values().collect::<String>();
    assert!(!claimed.contains(text(endless, "id")), "{claimed}");
    for (name, why) in [
        ("turned(): '2.0' -> '0.0'", "number is of a type that no value can be made up for: _Complex double"),
        ("first(): 'count > 0' -> 'count'", "it takes a variable number of arguments"),
        ("first_of(): 'count > 0' -> 'count'", "it takes more than one list of variable arguments"),
    ] {
        let left = one(name);
        assert_eq!(text(left, "result"), "unknown", "{left}");
        assert!(text(left, "why").contains(why), "{left}");
    }
    assert!(files(&out).contains_key("test_src_half.c"));
    let ran = scene.run(&[&["testgen", "-q"], &ARGUMENTS[..], &paths].concat());
    for part in
        ["on which no test can rely\n", "it takes a variable number of arguments (such as src/unsupported.c:17:12"]
    {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}
