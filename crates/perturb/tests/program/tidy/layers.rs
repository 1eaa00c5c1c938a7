//! The layers of the workspace: which crate may know which, which ones start processes, which one prints.

use super::repository::{self, Findings};
use super::rust_text::shipped_code;

/// The crates of the workspace, and those that each may depend on, besides the one for tests. A new crate gets a row
/// here and one in ARCHITECTURE.md.
const LAYERS: &[(&str, &[&str])] = &[
    (
        "perturb",
        &[
            "perturb-pipeline",
            "perturb-equiv",
            "perturb-store",
            "perturb-model",
            "perturb-csrc",
            "perturb-host",
            "perturb-cell",
        ],
    ),
    (
        "perturb-pipeline",
        &[
            "perturb-equiv",
            "perturb-store",
            "perturb-model",
            "perturb-host",
            "perturb-cell",
            "perturb-csrc",
            "perturb-rt",
        ],
    ),
    ("perturb-equiv", &["perturb-model", "perturb-host", "perturb-cell", "perturb-csrc", "perturb-sym"]),
    ("perturb-store", &["perturb-model"]),
    ("perturb-model", &["perturb-csrc"]),
    ("perturb-sym", &[]),
    ("perturb-csrc", &["perturb-rt"]),
    ("perturb-host", &["perturb-model", "perturb-cell"]),
    ("perturb-cell", &[]),
    ("perturb-rt", &[]),
    (FUZZ, &[]),
];

/// The crate that all may use in their tests, and nowhere else.
const FUZZ: &str = "perturb-fuzz";

/// The crates that start processes.
const STARTERS: [&str; 2] = ["perturb-host", "perturb-cell"];

/// The crate that prints.
const PRINTER: &str = "perturb";

#[test]
fn dependencies_between_our_crates_point_one_way() {
    let ours = repository::crates();
    assert!(ours.iter().any(|name| name == PRINTER), "crates/ has no {PRINTER}: {ours:?}");
    let mut findings = Findings::default();
    for name in &ours {
        let file = format!("crates/{name}/Cargo.toml");
        let Some((_, allowed)) = LAYERS.iter().find(|(known, _)| known == name) else {
            findings.add(&file, 1, format!("{name} has no row in the table of {}", file!()));
            continue;
        };
        let manifest = repository::required(&file);
        for (kind, dependency) in dependencies(&file, &manifest) {
            // By itself: with a feature that only tests have.
            let is_for_tests = kind == TESTS && (dependency == FUZZ || dependency == *name);
            if ours.contains(&dependency) && !is_for_tests && !allowed.contains(&dependency.as_str()) {
                let line = manifest.lines().position(|line| line.starts_with(&dependency)).map_or(1, |at| at + 1);
                findings.add(&file, line, format!("{name} must not depend on {dependency}"));
            }
        }
    }
    for (known, _) in LAYERS.iter().filter(|(known, _)| !ours.iter().any(|name| name == known)) {
        findings.add(file!(), 1, format!("{known} has a row, and there is no such crate"));
    }
    findings.expect_none("ARCHITECTURE.md shows the layers. Move the code to the layer that may know both.");
}

const TESTS: &str = "dev-dependencies";

/// The packages that a manifest names as dependencies, with their kind.
fn dependencies(file: &str, manifest: &str) -> Vec<(&'static str, String)> {
    let manifest: toml::Table = manifest.parse().unwrap_or_else(|error| panic!("{file}: {error}"));
    let per_target = manifest.get("target").and_then(toml::Value::as_table);
    let tables = per_target.into_iter().flat_map(|targets| targets.values().filter_map(toml::Value::as_table));
    let mut names = Vec::new();
    for table in tables.chain([&manifest]) {
        for kind in ["dependencies", TESTS, "build-dependencies"] {
            for (key, value) in table.get(kind).and_then(toml::Value::as_table).into_iter().flatten() {
                let renamed = value.get("package").and_then(toml::Value::as_str);
                names.push((kind, renamed.unwrap_or(key).to_owned()));
            }
        }
    }
    names
}

#[test]
fn dependencies_of_every_kind_are_read() {
    let manifest = "[dependencies]\na.workspace = true\nb = { package = \"c\", version = \"1\" }\n\
                    [dev-dependencies]\nd = \"1\"\n[target.'cfg(unix)'.dependencies]\ne = \"1\"\n";
    let mut names = dependencies("Cargo.toml", manifest);
    names.sort_by(|(_, one), (_, other)| one.cmp(other));
    let plain = "dependencies";
    let expected = [(plain, "a"), (plain, "c"), (TESTS, "d"), (plain, "e")];
    assert_eq!(names, expected.map(|(kind, name)| (kind, name.to_owned())));
}

#[test]
fn only_the_host_and_the_sandbox_start_processes() {
    let hint = format!("Ask {} to run it.", STARTERS.join(" or "));
    let elsewhere = repository::crates().into_iter().filter(|name| !STARTERS.contains(&name.as_str()));
    expect_unused(elsewhere, starts_a_process, "starts a process").expect_none(&hint);
}

#[test]
fn only_the_program_crate_prints() {
    let elsewhere = repository::crates().into_iter().filter(|name| name != PRINTER);
    expect_unused(elsewhere, prints, "prints").expect_none("Return a value or emit an event; the program renders it.");
}

/// Finds the lines of the crates' shipped code for which `guilty` holds.
fn expect_unused(crates: impl Iterator<Item = String>, guilty: fn(&str) -> bool, what: &str) -> Findings {
    let mut findings = Findings::default();
    for name in crates {
        for (file, text) in repository::shipped_files(&name) {
            for (number, line) in (1..).zip(shipped_code(&text).lines()) {
                if guilty(line) {
                    findings.add(&file, number, format!("{name} {what}"));
                }
            }
        }
    }
    findings
}

/// What only these files of the program may name: there is one way out for text, and one for each format that escapes
/// what others wrote.
const ONE_WAY_OUT: &[(&[&str], &[&str], &str)] = &[
    (
        &["print!", "println!", "eprint!", "eprintln!", "dbg!", "stdout()", "stderr()", "anstream::"],
        &["terminal.rs"],
        "Write to a Page (page.rs) and give it to terminal.rs.",
    ),
    (&["anstyle::Style"], &["page.rs"], "Styles are those of page.rs, which mean nothing elsewhere."),
    (
        &["serde_json::to_writer", "serde_json::to_string", "serde_json::to_vec", "serde_json::ser"],
        &["formats/json.rs"],
        "formats/json.rs writes JSON without characters that are hidden.",
    ),
    (&["csv::Writer"], &["formats/csv.rs"], "formats/csv.rs writes tables without formulas."),
    (
        &["PreEscaped"],
        &["formats/html/page.rs", "formats/html/source.rs"],
        "Seen (formats/html/text.rs) is for text of others.",
    ),
    (
        &[".display()", ".to_string_lossy()"],
        &["visible.rs"],
        "visible::path names a file in a line for people, visible::name in a format.",
    ),
];

#[test]
fn text_leaves_the_program_by_one_way() {
    for (names, files, hint) in ONE_WAY_OUT {
        let mut findings = Findings::default();
        for (file, text) in repository::shipped_files(PRINTER) {
            if files.iter().any(|known| file.strip_prefix("crates/perturb/src/") == Some(known)) {
                continue;
            }
            for (number, line) in (1..).zip(shipped_code(&text).lines()) {
                for name in names.iter().filter(|name| names_it(line, name)) {
                    findings.add(&file, number, format!("`{name}` is for {}", files.join(", ")));
                }
            }
        }
        findings.expect_none(hint);
    }
}

/// Whether a line has this name, not only as the end of another one. The bars of `indicatif` draw to standard error
/// themselves.
fn names_it(line: &str, name: &str) -> bool {
    let starts_word = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let is_bar = line.contains("ProgressDrawTarget::stderr()");
    !is_bar && line.match_indices(name).any(|(at, _)| name.starts_with('.') || starts_word(at))
}

fn starts_a_process(line: &str) -> bool {
    // The command line parser has a type of this name too.
    let line = line.replace("clap::Command", "");
    line.contains("process::Command") || line.contains("Command::new")
}

fn prints(line: &str) -> bool {
    let starts_word = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let calls = |name: &str| line.match_indices(name).any(|(at, _)| starts_word(at));
    ["println!", "eprintln!", "print!", "eprint!", "io::stdout", "io::stderr"].into_iter().any(calls)
}

#[test]
fn printing_and_starting_are_recognised() {
    assert!(prints("    println!();") && prints("std::eprint!()") && prints("std::io::stdout().lock()"));
    assert!(!prints("    my_println!();") && !prints("let printed = sprint;"));
    assert!(starts_a_process("use std::process::Command;") && starts_a_process("Command::new(cc)"));
    assert!(!starts_a_process("clap::Command::new(name)") && !starts_a_process("struct CompileCommand;"));
}

#[test]
fn verdicts_are_recorded_and_reported_by_the_ledger_alone() {
    let mut findings = Findings::default();
    for (file, text) in repository::shipped_files("perturb-pipeline") {
        if file.ends_with("/ledger.rs") || file.contains("/src/faults") {
            continue;
        }
        for (number, line) in (1..).zip(shipped_code(&text).lines()) {
            if line.contains("Event::MutantDecided") || line.contains("store().record(") {
                findings.add(&file, number, "decides a mutant past the ledger");
            }
        }
    }
    findings.expect_none("Ledger::record writes a verdict to the store, lets it stand, and reports it, in this order.");
}
