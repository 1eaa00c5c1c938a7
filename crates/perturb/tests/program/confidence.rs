//! `perturb confidence`: the figures are those of the verdicts, by function, by file and in all.

use crate::equiv::verdicts;
use crate::scene::{text, Scene, FINE, UNDER_GATE, USAGE};
use serde_json::Value;

const SMALL: &str = "\
long double elsewhere(int);

int doubled(signed char a)
{
    return a + a;
}

int asks(int a)
{
    return (elsewhere(a) > 0) + 1;
}
";

const OTHER: &str = "int halved(unsigned char a)\n{\n    return a / 2;\n}\n\nint nothing(void)\n{\n    return 0;\n}\n";

fn scene() -> Scene {
    Scene::compiled(&[("src/small.c", SMALL), ("lib/other.c", OTHER)])
}

fn confidence(scene: &Scene, arguments: &[&str]) -> Value {
    let ran = scene.run(&[&["confidence", "--format", "json"], arguments].concat()).expect(FINE);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
}

#[test]
fn confidences_count_the_verdicts_of_equiv() {
    let scene = scene();
    let found = verdicts(&scene, &["--operators", "AOR"]);
    let all = confidence(&scene, &["--operators", "AOR"]);
    let count = |verdict: &str| found.values().filter(|value| value["verdict"] == verdict).count();
    assert_eq!(all["mutants"], found.len());
    for verdict in ["different", "equivalent", "unknown"] {
        assert_eq!(all[verdict], count(verdict), "{verdict}: {all:#}");
    }
    let kind = |kind: &str| found.values().filter(|value| value["kind"] == kind).count();
    assert_eq!(all["different_output"], kind("output"));
    assert_eq!(all["different_undefined"], kind("undefined behaviour"));
    assert_eq!(all["different_endless"], kind("timeout"));
    let share = |part: usize| Value::from(part as f64 / found.len() as f64);
    assert_eq!(all["confidence"], share(count("different")));
    assert_eq!((&all["low"], &all["high"]), (&all["confidence"], &share(count("different") + count("unknown"))));
    // By path, and within by place; what has no mutants is not there.
    let files = all["files"].as_array().unwrap();
    let names: Vec<(&str, Vec<&str>)> = files
        .iter()
        .map(|file| {
            (text(file, "file"), file["functions"].as_array().unwrap().iter().map(|of| text(of, "function")).collect())
        })
        .collect();
    assert_eq!(names, [("lib/other.c", vec!["halved"]), ("src/small.c", vec!["doubled", "asks"])]);
    let asks = &files[1]["functions"][1];
    assert_eq!((&asks["unknown"], &asks["decided"]), (&asks["mutants"], &Value::from(0.0)));
    assert_eq!((&asks["low"], &asks["high"], text(asks, "baseline")), (&Value::from(0.0), &Value::from(1.0), "open"));
    let sum: u64 = files.iter().map(|file| file["mutants"].as_u64().unwrap()).sum();
    assert_eq!(all["mutants"], sum);
}

#[test]
fn each_is_held_against_the_baseline() {
    let scene = scene();
    let of = |baseline: &str, at: usize| {
        let arguments = ["--operators", "AOR", "src/small.c", "--function", "doubled", "--baseline", baseline];
        let all = confidence(&scene, &arguments);
        assert_eq!(all["unknown"], 0, "{all:#}");
        [text(&all, "baseline"), text(&all["files"][0]["functions"][0], "baseline")][at].to_string()
    };
    assert_eq!([of("0", 0), of("0", 1)], ["above", "above"]);
    assert_eq!([of("100", 0), of("100", 1)], ["above", "above"]);
    // A product of characters is no sum, and neither is a difference; adding zero instead of subtracting it is.
    scene.write("lib/other.c", "int same(unsigned char a)\n{\n    return a + 0;\n}\n");
    let all = confidence(&scene, &["lib/other.c", "--operators", "AOR"]);
    assert_eq!((text(&all, "baseline"), &all["unknown"]), ("below", &Value::from(0)), "{all:#}");
    assert!(all["equivalent"].as_u64() > Some(0), "{all:#}");
    scene.run(&["confidence", "--baseline", "101"]).expect(USAGE);
}

#[test]
fn a_pipeline_can_ask_for_a_confidence() {
    let scene = scene();
    let asks = ["confidence", "src/small.c", "--operators", "AOR", "--fail-under"];
    scene.run(&[&asks[..], &["10"]].concat()).expect(FINE);
    let parts = ["the confidence is ", " %, less than 99 %"];
    scene.run(&[&asks[..], &["99"]].concat()).expect_error(UNDER_GATE, &parts);
    // Without it, a low confidence is no failure.
    let function = ["confidence", "src/small.c", "--operators", "AOR", "--function", "asks"];
    scene.run(&function).expect(FINE);
}

#[test]
fn tables_are_for_people_and_for_spreadsheets() {
    let scene = scene();
    let arguments = ["confidence", "src/small.c", "--operators", "AOR"];
    let shown = scene.run(&arguments).expect(FINE).stdout;
    let first: Vec<&str> = shown.lines().map(|line| line.split_whitespace().next().unwrap_or_default()).collect();
    assert_eq!(first, ["mutants", "src/small.c", "doubled()", "asks()", "all"], "{shown}");
    assert!(shown.contains("baseline 80 %") && !shown.contains('\u{1b}'), "{shown}");
    assert!(shown.lines().nth(3).is_some_and(|asks| asks.ends_with("0.0 to 100.0  open")), "{shown}");
    assert_eq!(shown, scene.run(&arguments).expect(FINE).stdout, "two runs say the same");
    let table = scene.run(&[&arguments[..], &["--format", "csv"]].concat()).expect(FINE).stdout;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("of,file,function,mutants,compilable,different,different_output,"), "{table}");
    let starts = ["file,src/small.c,,", "function,src/small.c,doubled,", "function,src/small.c,asks,", "project,,,"];
    assert_eq!(lines.len(), 1 + starts.len(), "{table}");
    for (line, start) in lines[1..].iter().zip(starts) {
        assert!(line.starts_with(start) && line.split(',').count() == 17, "{line}");
    }
    assert!(lines[3].ends_with(",0.0,0.0,0.0,0.0,1.0,open"), "{table}");
}
