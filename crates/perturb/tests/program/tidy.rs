//! Rules of the house that neither the compiler nor clippy checks, so that breaking one looks like a failed test. They
//! read the repository's files and change nothing.

mod layers;
mod licences;
mod modules;
mod repository;
mod rust_text;

use std::os::unix::fs::PermissionsExt as _;

use repository::Findings;

const MAX_FILE_LINES: usize = 800;
const MAX_FUNCTION_LINES: usize = 70;
const MAX_LINE_WIDTH: usize = 120;

#[test]
fn rust_files_are_short() {
    let mut findings = Findings::default();
    for (file, text) in repository::rust_files() {
        let lines = text.lines().count();
        if lines > MAX_FILE_LINES {
            findings.add(&file, lines, format!("{lines} lines, at most {MAX_FILE_LINES}"));
        }
    }
    findings.expect_none("Move what belongs together into a module of its own.");
}

#[test]
fn rust_functions_are_short() {
    let mut findings = Findings::default();
    for (file, text) in repository::rust_files() {
        for function in rust_text::functions(&text) {
            if function.lines() > MAX_FUNCTION_LINES {
                let what = format!("fn {}: {} lines, at most {MAX_FUNCTION_LINES}", function.name, function.lines());
                findings.add(&file, function.first_line, what);
            }
        }
    }
    findings.expect_none("Give the parts of a long function names.");
}

#[test]
fn lines_keep_the_width() {
    let setting = format!("max_width = {MAX_LINE_WIDTH}");
    assert!(repository::required("rustfmt.toml").contains(&setting), "rustfmt.toml does not say `{setting}`");
    let mut findings = Findings::default();
    for (file, text) in repository::rust_files() {
        for (number, line) in (1..).zip(text.lines()) {
            let width = line.chars().count();
            if width > MAX_LINE_WIDTH {
                findings.add(&file, number, format!("{width} characters, at most {MAX_LINE_WIDTH}"));
            }
        }
    }
    findings.expect_none("Break the comment or the string.");
}

#[test]
fn every_source_file_says_what_it_is_for() {
    let mut findings = Findings::default();
    for (file, text) in repository::rust_files() {
        if file.starts_with("crates/") && file.contains("/src/") && !text.starts_with("//!") {
            findings.add(&file, 1, "does not start with a `//!` header");
        }
    }
    findings.expect_none("Say what the module is for and what it refuses to do.");
}

#[test]
fn text_is_clean_at_the_ends_of_lines_and_files() {
    let mut findings = Findings::default();
    for file in repository::files().iter().filter(|file| !is_verbatim(file)) {
        let Some(text) = repository::text(file) else { continue };
        for (number, line) in (1..).zip(text.split('\n')) {
            if line.ends_with([' ', '\t', '\r']) {
                findings.add(file, number, "trailing whitespace");
            }
            if file.ends_with(".rs") && line.contains('\t') {
                findings.add(file, number, "a tab");
            }
        }
        if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
            findings.add(file, text.lines().count(), "should end with one newline");
        }
    }
    findings.expect_none("Fixtures and golden files are not looked at: these were meant to be clean.");
}

/// Files whose every byte is there for a reason, odd ones included.
fn is_verbatim(file: &str) -> bool {
    let folder = file.split('/').any(|part| matches!(part, "fixtures" | "golden"));
    folder || [".diff", ".patch", ".golden", ".expected"].iter().any(|end| file.ends_with(end))
}

#[test]
fn paths_in_the_architecture_document_exist() {
    const DOCUMENT: &str = "ARCHITECTURE.md";
    let files = repository::files();
    let mut findings = Findings::default();
    let mut fenced = false;
    for (number, line) in (1..).zip(repository::required(DOCUMENT).lines()) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let quoted = line.split('`').skip(1).step_by(2);
            for path in quoted.filter(|word| is_path(word) && !exists(word, &files)) {
                findings.add(DOCUMENT, number, format!("`{path}` is not in the repository"));
            }
        }
    }
    findings.expect_none("A path may be given from the root or from any folder.");
}

/// Whether a word in backticks names a file or folder of ours, not a flag, a glob, a type or a user's file.
fn is_path(word: &str) -> bool {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let ours = !word.starts_with(['/', '-']) && !word.starts_with("target/") && !word.starts_with(".perturb/");
    plain && ours && (word.contains('/') || word.ends_with(".rs"))
}

/// Whether the path is that of a file or folder, as seen from the root or from some folder.
fn exists(path: &str, files: &[String]) -> bool {
    let wanted = format!("/{}/", path.trim_matches('/'));
    files.iter().any(|file| format!("/{file}/").contains(&wanted))
}

#[test]
fn words_in_backticks_are_told_from_paths() {
    let files = ["crates/perturb/src/main.rs".to_owned(), "scripts/demo".to_owned()];
    for (word, path, found) in [
        ("crates/perturb/", true, true),
        ("scripts/demo", true, true),
        ("src/main.rs", true, true),
        ("main.rs", true, true),
        ("in.rs", true, false),
        ("crates/gone", true, false),
        ("perturb.toml", false, false),
        ("--work", false, false),
        ("/usr/include", false, false),
        ("steps/*", false, false),
        ("a && b", false, false),
    ] {
        assert_eq!(is_path(word), path, "is_path({word})");
        assert!(!path || exists(word, &files) == found, "exists({word})");
    }
}

#[test]
fn no_file_knows_one_machine_or_a_registry() {
    // In pieces, so that this file does not find itself.
    let folders = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
    let hosts = [
        concat!("crates", ".io"),
        concat!("static.rust-lang", ".org"),
        concat!("pypi", ".org"),
        concat!("pythonhosted", ".org"),
        concat!("npmjs", ".org"),
        concat!("deb.debian", ".org"),
        concat!("docker", ".io"),
        concat!("ghcr", ".io"),
    ];
    let mut findings = Findings::default();
    for file in repository::files() {
        let Some(text) = repository::text(&file) else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            if folders.iter().any(|folder| has_absolute(line, folder)) {
                findings.add(&file, number, "a path of one machine");
            }
            // Cargo itself writes its registry's name into every lock file.
            if file != "Cargo.lock" && hosts.iter().any(|host| line.contains(host)) {
                findings.add(&file, number, "the host name of a package registry");
            }
        }
    }
    findings.expect_none("Use relative or temporary paths; say in words where a package comes from.");
}

/// Whether `line` has a path that starts with `folder` and goes on, not one with that folder in its middle.
fn has_absolute(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + folder.len()..]);
        let in_middle = before.ends_with(|c: char| c.is_alphanumeric() || "._-/})$>*~".contains(c));
        let after_flag = before.ends_with("-I") || before.ends_with("-L");
        (!in_middle || after_flag) && after.starts_with(|c: char| c.is_alphanumeric() || "._-".contains(c))
    })
}

#[test]
fn absolute_paths_are_told_from_relative_ones() {
    let folder = "/spot/";
    for (line, expected) in [
        ("open /spot/x now", true),
        ("\"/spot/x\"", true),
        ("-I/spot/include", true),
        ("build/spot/x", false),
        ("$target/spot/x", false),
        ("${target}/spot/x", false),
        ("the folder /spot/ is", false),
    ] {
        assert_eq!(has_absolute(line, folder), expected, "{line}");
    }
}

#[test]
fn scripts_are_executable_and_name_their_interpreter() {
    let mut findings = Findings::default();
    let files = repository::files();
    let scripts: Vec<_> = files.iter().filter(|f| f.starts_with("scripts/") || f.starts_with(".ci/")).collect();
    assert!(!scripts.is_empty(), "there is no script in scripts/ and .ci/");
    for file in scripts {
        let metadata = repository::root().join(file).metadata().expect("a listed file");
        if metadata.permissions().mode() & 0o111 == 0 {
            findings.add(file, 1, "is not executable");
        }
        if !repository::text(file).is_some_and(|text| text.starts_with("#!/")) {
            findings.add(file, 1, "does not start with #! and its interpreter");
        }
    }
    findings.expect_none("chmod +x, and #!/usr/bin/env bash on the first line.");
}

#[test]
fn golden_files_are_written_by_one_command() {
    // In pieces, so that this file does not find itself.
    let (variable, reader) = (concat!("PERTURB_", "BLESS"), "crates/perturb-fuzz/src/golden.rs");
    let mut findings = Findings::default();
    for (file, text) in repository::rust_files().into_iter().filter(|(file, _)| file != reader) {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| line.contains(variable));
        lines.for_each(|(number, _)| findings.add(&file, number, format!("knows {variable}")));
    }
    findings.expect_none("Ask `perturb_fuzz::golden::is_blessing`, which sees that `scripts/bless` runs the test.");
    assert!(
        repository::required(reader).contains(variable) && repository::required("scripts/bless").contains(variable)
    );
}

#[test]
fn continuous_integration_runs_the_test_command() {
    let script = repository::required(".ci/run");
    let calls = script.lines().any(|line| !line.trim_start().starts_with('#') && line.contains("scripts/test"));
    assert!(calls, ".ci/run should call scripts/test");
}

#[test]
fn the_readme_names_both_commands() {
    let readme = repository::required("README.md");
    for command in ["scripts/demo", "scripts/test"] {
        assert!(readme.contains(command), "README.md does not name {command}");
    }
}
