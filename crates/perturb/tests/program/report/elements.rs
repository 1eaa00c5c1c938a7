//! The JSON report: it is what the schema says, and what our outcomes mean.

use super::{report, schema, synthetic};
use crate::scene::FINE;
use serde_json::{json, Value};

pub fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text:.2000}"))
}

fn json() -> Value {
    parsed(&report(synthetic::store().path(), &["--format", "json"]).expect(FINE).stdout)
}

/// The mutants of both files by number.
fn mutants(report: &Value) -> Vec<&Value> {
    let files = report["files"].as_object().unwrap().values();
    let mut mutants: Vec<_> = files.flat_map(|file| file["mutants"].as_array().unwrap()).collect();
    mutants.sort_by_key(|mutant| mutant["id"].as_str().unwrap());
    mutants
}

#[test]
fn the_report_is_what_the_published_schema_asks_for() {
    let report = json();
    schema::check(&report);
    assert_eq!(report["files"].as_object().unwrap().keys().collect::<Vec<_>>(), ["src/ring.c", "src/units.cpp"]);
    let languages = ["src/ring.c", "src/units.cpp"].map(|file| report["files"][file]["language"].as_str().unwrap());
    assert_eq!(languages, ["c", "cpp"]);
    assert_eq!(report["framework"], json!({"name": "perturb", "version": env!("CARGO_PKG_VERSION")}));
    assert_eq!(
        (&report["projectRoot"], &report["thresholds"]),
        (&json!("/projects/ring"), &json!({"high": 80, "low": 60}))
    );
    let arguments = ["perturb", "run", "--jobs", "2"];
    let config = json!({"arguments": arguments, "seed": u64::MAX.to_string(), "manifest": {"compiler": "gcc 12.2.0"}});
    assert_eq!(report["config"], config);
    assert_eq!(report["performance"], json!({"setup": 13_140.0, "initialRun": 95.0, "mutation": 185_400.0}));
}

#[test]
fn every_outcome_has_its_status_and_says_why() {
    let report = json();
    let expected = [
        ("Killed", Some("the test failed")),
        ("Killed", Some("crashed with SIGSEGV")),
        ("Timeout", Some("timed out (CPU time)")),
        ("Killed", Some("the output differs")),
        ("Survived", Some("different: with head = 3, tail = 3: the result is 4 in the original, 0 in the mutant")),
        ("NoCoverage", None),
        (
            "Survived",
            Some("not infected: no test makes a difference there; unknown: it calls send, of which nothing is known"),
        ),
        ("Ignored", Some("equivalent (the same code at -O2)")),
        (
            "Survived",
            Some(
                "likely equivalent: a solver finds no input on which they differ, if *slots has 16 bytes, as long as \
                 no two pointers lead to the same object",
            ),
        ),
        ("Ignored", Some("duplicate of 0000000000000000 (the same code at -O1)")),
        ("CompileError", Some("ring.c:5:14: error: invalid operands")),
        ("RuntimeError", Some("unstable: switched kills it, rebuild does not")),
        ("Ignored", Some("suppressed: logging only")),
        ("Ignored", Some("skipped (out of scope)")),
        ("Ignored", Some("skipped (not sampled)")),
        ("Pending", None),
    ];
    let found: Vec<_> = mutants(&report)
        .into_iter()
        .map(|mutant| (mutant["status"].as_str().unwrap(), mutant.get("statusReason").map(|why| why.as_str().unwrap())))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn tests_are_named_once_and_referred_to() {
    let report = json();
    let tests = &report["testFiles"]["tests"]["tests"];
    assert_eq!(tests[1], json!({"id": "1", "name": "fills up"}));
    assert_eq!(tests.as_array().unwrap().len(), 4);
    let all = mutants(&report);
    let of = |number: usize, field: &str| all[number][field].clone();
    assert_eq!((of(0, "coveredBy"), of(0, "killedBy")), (json!(["0", "1"]), json!(["1"])));
    assert_eq!((of(0, "testsCompleted"), of(0, "duration")), (json!(2), json!(5.0)));
    // The one that decided comes first.
    assert_eq!(of(1, "killedBy"), json!(["1", "0"]));
    assert_eq!((of(4, "coveredBy"), of(4, "killedBy")), (json!(["0"]), Value::Null));
    assert_eq!((of(5, "coveredBy"), of(5, "testsCompleted")), (json!([]), Value::Null));
    assert_eq!((of(10, "static"), of(0, "static")), (json!(true), Value::Null));
}

#[test]
fn places_fit_the_text_as_viewers_count_it() {
    let report = json();
    for (file, number, replacement, name) in [
        ("src/ring.c", 0, "<=", "ROR: relational operator replacement"),
        ("src/units.cpp", 10, "/", "AOR: arithmetic operator replacement"),
    ] {
        let mutant = mutants(&report)[number];
        assert_eq!((&mutant["replacement"], &mutant["mutatorName"]), (&json!(replacement), &json!(name)));
        let source = report["files"][file]["source"].as_str().unwrap();
        let position = |end: &str| {
            let position = &mutant["location"][end];
            (position["line"].as_u64().unwrap() as usize, position["column"].as_u64().unwrap() as usize)
        };
        let ((line, start), (end_line, end)) = (position("start"), position("end"));
        assert_eq!(line, end_line);
        let units: Vec<u16> = source.lines().nth(line - 1).unwrap().encode_utf16().collect();
        let original = String::from_utf16(&units[start - 1..end - 1]).unwrap();
        assert_eq!(original, if number == 0 { "<" } else { "*" });
    }
}
