//! The operators on small sources, through libclang: `check(source, operator, expected)`.

mod broken;
mod expressions;
mod milu;
mod schemata;
mod signatures;
mod statements;

use perturb_csrc::{mutate_unit, Libclang, Operator, OperatorSet, ParseInput, Rules};
use std::path::Path;

/// What an operator makes of a source, in order: `original => replacement`, with ` (constant)` where it must be one.
fn mutations(name: &str, source: &str, operator: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder_path = folder.path().canonicalize().expect("the folder is there");
    let file = folder_path.join(name);
    std::fs::write(&file, source).expect("the source can be written");
    let libclang = Libclang::newest().expect("a libclang is installed: scripts/setup test");
    let operators: OperatorSet = operator.parse().expect("a known operator");
    let rules = Rules {
        operators: &operators,
        never_in: &globset::GlobSet::empty(),
        mutate_macros: false,
        instrument: false,
        wanted: &|path: &Path| path.starts_with(&folder_path),
    };
    let arguments = vec!["-w".to_string()];
    let input = ParseInput { directory: folder_path.clone(), file, arguments };
    let found = mutate_unit(&libclang, &input, &rules).expect("the source can be parsed");
    assert_eq!(found.first_error, None, "{source}");
    let mut list: Vec<_> = found.files.iter().flat_map(|f| f.mutations.iter().map(move |(_, m)| (f, m))).collect();
    list.sort_by_key(|(_, mutation)| mutation.edit.range);
    list.iter()
        .map(|(file, mutation)| {
            let original = file.source.lossy(mutation.edit.range);
            let constant = if mutation.constant.is_some() { " (constant)" } else { "" };
            format!("{original} => {}{constant}", String::from_utf8_lossy(&mutation.edit.replacement))
        })
        .collect()
}

fn check(source: &str, operator: &str, expected: &[&str]) {
    assert_eq!(mutations("input.c", source, operator), expected, "{operator} of {source}");
}

fn check_cpp(source: &str, operator: &str, expected: &[&str]) {
    assert_eq!(mutations("input.cpp", source, operator), expected, "{operator} of {source}");
}

#[test]
fn every_operator_finds_something_in_a_source_that_has_it_all() {
    let source = "double d; int f(int a, int b) { while (a < b && b) { a += 1 << (a | 2) * 3; \
                  a ^= 1; a++; break; } d = 1.5; return a; }";
    for operator in Operator::ALL {
        assert!(!mutations("input.c", source, operator.acronym()).is_empty(), "{operator}");
    }
}
