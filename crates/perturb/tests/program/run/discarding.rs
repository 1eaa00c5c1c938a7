//! Which of the mutants that live are likely equivalent: those on which no test executes anything else.

use super::{fine, Told};
use crate::scene::{has, text, Scene, FINE};
use std::collections::BTreeMap;

const WORK: &str = "\
int work(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    if (sum > 100)
        sum = 100;
    return sum;
}
";
/// Checks nothing, so that all that can be executed lives.
const TEST: &str = "int work(int);\nint main(void)\n{\n    work(5);\n    work(20);\n    return 0;\n}\n";
const MAKEFILE: &str = "check: t\n\t./t\nt: work.c t.c\n\tcc -g -o $@ $^\n";

fn scene() -> Option<Scene> {
    has("make").then(|| Scene::new(&[("work.c", WORK), ("t.c", TEST), ("Makefile", MAKEFILE)]))
}

/// The outcome of each mutant by its line and change.
fn by_change(told: &Told) -> BTreeMap<String, String> {
    let entry = |mutant: &serde_json::Value| {
        let name = text(mutant, "name");
        let (place, change) = name.split_once("(): ").unwrap();
        let line = place.split(':').nth(1).unwrap();
        (format!("{line} {change}"), text(mutant, "outcome").to_string())
    };
    told.mutants().into_values().map(entry).collect()
}

#[test]
fn what_executes_nothing_else_is_likely_equivalent() {
    let Some(scene) = scene() else { return };
    let arguments = ["--discard", "on", "--audit", "0", "work.c"];
    let told = fine(&scene, &arguments);
    let outcomes = by_change(&told);
    for (change, expected) in [
        // One more or fewer turns of the loop.
        ("4 '<' -> '<='", "live"),
        ("4 '0' -> '1'", "live"),
        // Another sum, which changes what comes after the loop, or does not.
        ("5 '+=' -> '*='", "live"),
        ("3 '0' -> '1'", "likely equivalent"),
        ("7 '100' -> '0'", "likely equivalent"),
        ("8 'sum' -> '-(sum)'", "likely equivalent"),
        // Now the other one of the two calls: only the sum of both is counted.
        ("6 'sum > 100' -> '!(sum > 100)'", "likely equivalent"),
    ] {
        assert_eq!(outcomes.get(change).map(String::as_str), Some(expected), "{change}: {outcomes:#?}");
    }
    let likely = told.count("likely equivalent");
    assert_eq!(told.one("discarded")["likely_equivalent"].as_u64(), Some(likely as u64));
    let (id, _) = told.outcomes().into_iter().find(|(_, word)| *word == "likely equivalent").unwrap();
    let shown = scene.run(&["show", id]).expect(FINE).stdout;
    assert!(shown.contains("1 test passes with it") && shown.contains("it may be equivalent"), "{shown}");
    // Known from before, it is not counted again.
    let again = fine(&scene, &arguments);
    assert_eq!((by_change(&again), again.one("discard started")["mutants"].as_u64()), (outcomes, Some(0)));
    // With a threshold a small difference is none.
    let far = fine(&scene, &["--discard", "on", "--discard-threshold", "0.9", "--audit", "0", "work.c"]);
    assert!(far.count("likely equivalent") > likely, "{}", far.count("likely equivalent"));
    let off = fine(&scene, &["--discard", "off", "--audit", "0", "work.c"]);
    assert_eq!((off.count("likely equivalent"), off.all("discard started").len()), (0, 0));
}

#[test]
fn those_that_leave_the_same_trace_are_listed_behind_the_first_of_them() {
    let Some(scene) = scene() else { return };
    fine(&scene, &["--discard", "on", "--audit", "0", "work.c"]);
    let folder = scene.outside("tables");
    scene.run(&["report", "--format", "csv", "--out", folder.to_str().unwrap()]).expect(FINE);
    let rows: Vec<csv::StringRecord> =
        csv::Reader::from_path(folder.join("live.csv")).unwrap().into_records().map(Result::unwrap).collect();
    let different: Vec<&csv::StringRecord> = rows.iter().filter(|row| !row[8].is_empty()).collect();
    let (alone, repeated): (Vec<&csv::StringRecord>, Vec<&csv::StringRecord>) =
        different.into_iter().partition(|row| row[9].is_empty());
    assert!(alone.len() > 1 && !repeated.is_empty(), "{rows:?}");
    let distances: Vec<f64> = alone.iter().map(|row| row[8].parse().unwrap()).collect();
    assert!(distances.is_sorted_by(|a, b| a >= b) && distances.iter().all(|distance| *distance > 0.0), "{distances:?}");
    for row in &repeated {
        let first = alone.iter().find(|other| other[0] == row[9]).expect("the first of them stands before");
        assert_eq!(first[8], row[8], "the same trace is the same distance");
    }
    assert_eq!(
        rows.iter().filter(|row| &row[7] == "likely equivalent").count(),
        rows.iter().rev().take_while(|row| &row[7] == "likely equivalent").count(),
        "last"
    );
}
