//! `perturb mutants` in every format.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::small;
use crate::scene::{all, distinct, text, FINE};

const FIELDS: [&str; 15] = [
    "id",
    "name",
    "file",
    "line",
    "column",
    "end_line",
    "end_column",
    "function",
    "operator",
    "original",
    "replacement",
    "switchable",
    "not_switchable_because",
    "suppressed",
    "suppression_reason",
];

#[test]
fn json_has_exactly_the_documented_fields() {
    let mutants = small().mutants(&[]);
    let documented: BTreeSet<&str> = FIELDS.into_iter().collect();
    for mutant in &mutants {
        let fields: BTreeSet<&str> = mutant.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, documented, "{mutant}");
    }
    let ids: BTreeSet<&str> = all(&mutants, "id").into_iter().collect();
    assert_eq!(ids.len(), mutants.len(), "ids are unique");
    assert!(ids.iter().all(|id| id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit())));
    assert_eq!(distinct(&mutants, "file"), ["include/limits.h", "src/clamp.c", "src/other.c"]);
}

#[test]
fn a_mutant_is_described_as_the_specification_says() {
    let mutants = small().mutants(&["--function", "clamp"]);
    let found = mutants.iter().find(|m| text(m, "operator") == "ROR" && text(m, "replacement") == "<=").unwrap();
    assert_eq!(text(found, "name"), "src/clamp.c:6:11 ROR clamp(): '<' -> '<='");
    assert_eq!(text(found, "file"), "src/clamp.c");
    let place = ["line", "column", "end_line", "end_column"].map(|field| found[field].as_u64().unwrap());
    assert_eq!(place, [6, 11, 6, 12]);
    assert_eq!((text(found, "function"), text(found, "original")), ("clamp", "<"));
    assert_eq!((&found["switchable"], &found["suppressed"]), (&Value::Bool(true), &Value::Bool(false)));
    assert!(found["not_switchable_because"].is_null() && found["suppression_reason"].is_null());
}

#[test]
fn the_stated_range_holds_the_original_text() {
    let scene = small();
    for mutant in scene.mutants(&[]) {
        let source = scene.read(text(&mutant, "file"));
        let starts: Vec<usize> = [0].into_iter().chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let number = |field: &str| usize::try_from(mutant[field].as_u64().unwrap()).unwrap();
        let place = |line: &str, column: &str| starts[number(line) - 1] + number(column) - 1;
        let range = place("line", "column")..place("end_line", "end_column");
        assert_eq!(&source[range], text(&mutant, "original"), "{mutant}");
        assert_ne!(text(&mutant, "original"), text(&mutant, "replacement"), "{mutant}");
    }
}

#[test]
fn what_is_outside_functions_has_no_function_and_says_why_it_cannot_be_switched() {
    let mutants = small().mutants(&["src/clamp.c"]);
    let constant: Vec<&Value> = mutants.iter().filter(|m| m["switchable"] == false).collect();
    assert!(!constant.is_empty());
    for mutant in constant {
        assert!(mutant["function"].is_null() && mutant["line"] == 2, "{mutant}");
        assert!(!text(mutant, "not_switchable_because").is_empty(), "{mutant}");
    }
}

#[test]
fn jsonl_is_json_one_object_a_line() {
    let scene = small();
    let ran = scene.run(&["mutants", "--format", "jsonl"]).expect(FINE);
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, scene.mutants(&[]));
}

#[test]
fn csv_has_a_header_and_the_same_values() {
    let scene = small();
    let ran = scene.run(&["mutants", "--format", "csv"]).expect(FINE);
    let mut rows = csv::Reader::from_reader(ran.stdout.as_bytes());
    assert_eq!(rows.headers().unwrap().iter().collect::<Vec<_>>(), FIELDS);
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    let mutants = scene.mutants(&[]);
    assert_eq!(rows.len(), mutants.len());
    for (row, mutant) in rows.iter().zip(&mutants) {
        for (cell, field) in row.iter().zip(FIELDS) {
            let expected = match &mutant[field] {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let formula = cell.strip_prefix('\'').filter(|cell| cell.starts_with(['=', '@', '+', '-']));
            assert_eq!(formula.unwrap_or(cell), expected, "{field} of {mutant}");
        }
    }
}

#[test]
fn text_is_grouped_by_file_and_function_and_ends_with_counts() {
    let scene = small();
    let listed = scene.run(&["mutants"]).expect(FINE).stdout;
    let mutants = scene.mutants(&[]);
    let files: Vec<&str> = listed.lines().filter(|line| line.ends_with(".c") || line.ends_with(".h")).collect();
    assert_eq!(files, ["include/limits.h", "src/clamp.c", "src/other.c"], "{listed}");
    let groups: Vec<&str> = listed.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   ")).collect();
    assert_eq!(groups, ["  twice()", "  table", "  clamp()", "  total()", "  other()"], "{listed}");
    assert_eq!(listed.lines().filter(|line| line.starts_with("    ")).count(), mutants.len());
    let last = listed.lines().last().unwrap();
    assert!(last.starts_with(&format!("{} mutants in 3 files: ", mutants.len())), "{last}");
    let counts: Vec<usize> = last
        .split(": ")
        .nth(1)
        .unwrap()
        .split(" · ")
        .map(|part| part.split(' ').nth(1).unwrap().parse().unwrap())
        .collect();
    assert_eq!(counts.iter().sum::<usize>(), mutants.len(), "{last}");
}

#[test]
fn the_table_of_counts_adds_up() {
    let scene = small();
    let table = scene.run(&["mutants", "--stats"]).expect(FINE).stdout;
    let mutants = scene.mutants(&[]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    let (head, total) = (&rows[0], rows.last().unwrap());
    assert_eq!((rows.len(), total[0]), (5, "total"), "{table}");
    for (column, name) in head.iter().enumerate().skip(1) {
        let sum: usize = rows[1..4].iter().map(|row| row[column].parse::<usize>().unwrap()).sum();
        assert_eq!(total[column], sum.to_string(), "column {name}");
        let expected = match *name {
            "total" => mutants.len(),
            "constant" => mutants.iter().filter(|m| m["switchable"] == false).count(),
            "suppressed" => mutants.iter().filter(|m| m["suppressed"] == true).count(),
            operator => mutants.iter().filter(|m| text(m, "operator") == operator).count(),
        };
        assert_eq!(sum, expected, "column {name}");
    }
}

#[test]
fn every_diff_is_what_patch_takes() {
    let scene = small();
    let diffs = scene.run(&["mutants", "src/other.c", "--format", "diff"]).expect(FINE).stdout;
    let mutants = scene.mutants(&["src/other.c"]);
    let parts: Vec<&str> = diffs.split("# ").filter(|part| !part.is_empty()).collect();
    assert_eq!(parts.len(), mutants.len(), "{diffs}");
    for (part, mutant) in parts.iter().zip(&mutants) {
        assert!(part.starts_with(text(mutant, "id")), "{part}");
        let copy = tempfile::tempdir().unwrap();
        fs::create_dir(copy.path().join("src")).unwrap();
        fs::write(copy.path().join("src/other.c"), super::OTHER).unwrap();
        fs::write(copy.path().join("the.patch"), part).unwrap();
        let patch = Command::new("patch").args(["-s", "-p1", "-i", "the.patch"]).current_dir(copy.path()).status();
        assert!(patch.unwrap().success(), "{part}");
        let line: Vec<&str> = super::OTHER.lines().collect();
        let patched = fs::read_to_string(copy.path().join("src/other.c")).unwrap();
        let expected = line[2].replacen(text(mutant, "original"), text(mutant, "replacement"), 1);
        let same = patched.lines().nth(2).unwrap() == expected;
        assert!(same || text(mutant, "original").len() == 1, "{part}{patched}");
        assert_ne!(patched, super::OTHER);
    }
}

#[test]
fn the_same_list_comes_twice_byte_for_byte_whatever_the_number_of_jobs() {
    let scene = small();
    let list = |jobs: &str| scene.run(&["mutants", "--format", "json", "--jobs", jobs]).expect(FINE).stdout;
    assert_eq!(list("1"), list("1"));
    assert_eq!(list("1"), list("4"));
}

#[test]
fn stats_and_a_format_exclude_each_other() {
    small().run(&["mutants", "--stats", "--format", "json"]).expect(crate::scene::USAGE);
}
