//! `perturb tests`, against what the report says of each mutant.

use super::fine;
use super::subject::subject;
use crate::scene::{FINE, UNDER_GATE};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn each_test_is_worth_what_the_report_says_of_its_kills() {
    let Some(scene) = subject() else { return };
    fine(&scene, &["--kill-matrix", "--audit", "0"]);
    let parsed =
        |arguments: &[&str]| -> Value { serde_json::from_str(&scene.run(arguments).expect(FINE).stdout).unwrap() };
    let report = parsed(&["report", "--format", "json"]);
    let names = report["testFiles"]["tests"]["tests"].as_array().unwrap();
    let (mut killed, mut alone): (BTreeMap<&str, u64>, BTreeMap<&str, u64>) = Default::default();
    let files = report["files"].as_object().unwrap().values();
    for mutant in files.flat_map(|file| file["mutants"].as_array().unwrap()) {
        let killers: Vec<&str> = mutant["killedBy"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|id| {
                let id: usize = id.as_str().unwrap().parse().unwrap();
                names[id]["name"].as_str().unwrap()
            })
            .collect();
        killers.iter().for_each(|test| *killed.entry(test).or_default() += 1);
        if let [only] = killers[..] {
            *alone.entry(only).or_default() += 1;
        }
    }
    let table = parsed(&["tests", "--format", "json"]);
    let rows = table.as_array().unwrap();
    assert_eq!(rows.len(), names.len());
    for row in rows {
        let name = row["test"].as_str().unwrap();
        let count = |field: &str| row[field].as_u64().unwrap();
        assert_eq!(
            (count("killed"), count("killed_alone")),
            (killed[name], alone.get(name).copied().unwrap_or(0)),
            "{name}"
        );
        assert!(count("reached") >= count("infected") && count("infected") >= count("killed"), "{row}");
    }
    assert!(killed.values().sum::<u64>() > 50 && !alone.is_empty(), "{killed:?} {alone:?}");
    let text = scene.run(&["tests"]).expect(FINE).stdout;
    assert!(text.contains("killed alone") && !text.contains("--kill-matrix"), "{text}");
    let csv = scene.run(&["tests", "--format", "csv"]).expect(FINE).stdout;
    assert_eq!(csv.lines().count(), rows.len() + 1, "{csv}");
}

#[test]
fn a_run_ends_with_the_gate_s_code_unless_it_was_asked_to_stop_before() {
    let Some(scene) = subject() else { return };
    let run = |more: &[&str]| {
        let all = [
            &[
                "run",
                "--quiet",
                "--tce",
                "off",
                "--discard",
                "off",
                "--equivalence",
                "off",
                "--audit",
                "0",
                "--fail-under",
                "99",
            ],
            more,
        ]
        .concat();
        scene.run(&all)
    };
    run(&[]).expect_error(UNDER_GATE, &["the score is", "less than 99 %"]);
    run(&["--events", "json"]).expect_error(UNDER_GATE, &["less than 99 %"]);
    run(&["--until", "baseline"]).expect(FINE);
}

#[test]
fn without_all_kills_no_test_is_called_redundant() {
    let Some(scene) = subject() else { return };
    fine(&scene, &["--audit", "0", "--function", "clamp"]);
    let text = scene.run(&["tests"]).expect(FINE).stdout;
    assert!(text.contains("perturb run --kill-matrix") && !text.contains("kill nothing:"), "{text}");
    let gauge = text.lines().find(|line| line.starts_with("test_gauge")).unwrap();
    assert!(gauge.ends_with(" ?"), "{gauge}");
}

#[test]
fn the_tables_hold_what_the_run_told() {
    let Some(scene) = subject() else { return };
    let told = fine(&scene, &["--audit", "0"]);
    let folder = scene.outside("tables");
    scene.run(&["report", "--format", "csv", "--out", folder.to_str().unwrap()]).expect(FINE);
    let table = |name: &str| -> Vec<Vec<String>> {
        let rows = csv::Reader::from_path(folder.join(name)).unwrap().into_records();
        rows.map(|row| row.unwrap().iter().map(str::to_string).collect()).collect()
    };
    let ids = |name: &str| -> BTreeSet<String> { table(name).into_iter().map(|row| row[0].clone()).collect() };
    let with = |words: &[&str]| -> BTreeSet<String> {
        let outcomes = told.outcomes().into_iter().filter(|(_, word)| words.contains(word));
        outcomes.map(|(id, _)| id.to_string()).collect()
    };
    assert_eq!(ids("mutants.csv").len(), told.outcomes().len());
    assert_eq!(ids("unique.csv").len(), told.outcomes().len() - told.count("compile error"));
    assert_eq!(ids("live.csv"), with(&["live", "not infected"]));
    assert_eq!(ids("suites.csv"), with(&["live", "killed"]), "those that a test infects");
    assert!(ids("reach.csv").is_superset(&ids("suites.csv")));
    let killed: BTreeSet<String> =
        table("kills.csv").into_iter().filter(|row| row[3] != "survived").map(|row| row[0].clone()).collect();
    assert_eq!(killed, with(&["killed"]));
    assert!(table("coverage.csv").iter().any(|row| row[1] == "src/gauge.c" && row[3] != "0"));
    let first = table("suites.csv").into_iter().filter(|row| row[1] == "1");
    assert!(first.into_iter().all(|row| row[3] == "true"), "the first test is in every reduced suite");
    let printed = scene.run(&["report", "--format", "csv"]).expect(FINE).stdout;
    assert_eq!(printed, std::fs::read_to_string(folder.join("mutants.csv")).unwrap());
}
