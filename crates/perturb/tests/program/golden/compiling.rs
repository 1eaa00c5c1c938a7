//! Every mutant of every fixture compiles: what does not type-check is not generated.

use super::fixture::{all, in_parallel, Copy, Listed, Mutant};
use serde::Deserialize;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Mutants that may fail: the fixture, a part of the name, and why nobody could have known.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("cpp-constexpr", "ICR count: '4' -> '(-1)'", "a constant that is the size of an array elsewhere"),
    ("cpp-constexpr", "ICR count: '4' -> '(-4)'", "a constant that is the size of an array elsewhere"),
];

#[test]
fn every_golden_mutant_compiles() {
    let jobs: Vec<_> =
        all().iter().flat_map(|listed| listed.mutants.iter().map(move |mutant| (listed, mutant))).collect();
    let originals = in_parallel(all(), original_fails);
    super::expect_none(originals.into_iter().flatten(), "These fixtures do not compile themselves.");
    let failures = in_parallel(&jobs, |(listed, mutant)| {
        let error = first_error(listed, mutant)?;
        let name = &listed.fixture.name;
        let known = EXCEPTIONS.iter().any(|(fixture, part, _)| fixture == name && mutant.name.contains(part));
        (!known).then(|| format!("fixtures/{name}: {}\n    {error}", mutant.name))
    });
    let hint = format!("Of {} mutants, these do not compile.", jobs.len());
    super::expect_none(failures.into_iter().flatten(), &hint);
}

fn original_fails(listed: &Listed) -> Option<String> {
    let source = listed.fixture.source?;
    let error = compile_text(source, &listed.fixture.flags, &listed.fixture.original(source))?;
    Some(format!("fixtures/{}: {error}", listed.fixture.name))
}

/// What the compiler says first of a mutant it refuses.
fn first_error(listed: &Listed, mutant: &Mutant) -> Option<String> {
    let mutated = listed.mutated(mutant);
    match listed.fixture.source {
        Some(source) => compile_text(source, &listed.fixture.flags, mutated),
        None => {
            let copy = listed.fixture.copy();
            fs::write(copy.project.join(&mutant.file), mutated).expect("a mutated file");
            compile_project(&copy)
        }
    }
}

/// Checks a source that includes nothing of its own.
fn compile_text(name: &str, flags: &[String], text: &[u8]) -> Option<String> {
    let (compiler, language) = if name.ends_with(".c") { ("gcc", "c") } else { ("g++", "c++") };
    let mut command = Command::new(compiler);
    command.args(flags).args(["-fsyntax-only", "-w", "-x", language, "-"]);
    let child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{compiler}: {error}"));
    child.stdin.take().expect("a pipe").write_all(text).expect("a compiler that reads");
    let output = child.wait_with_output().expect("a compiler that ends");
    (!output.status.success()).then(|| error_line(&output.stderr))
}

/// One entry of a fixture's compile database, in either of its two forms.
#[derive(Deserialize)]
struct Entry {
    directory: String,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// Checks every unit of a project by its own command.
fn compile_project(copy: &Copy<'_>) -> Option<String> {
    let database = fs::read(copy.project.join("compile_commands.json")).expect("a compile database");
    let entries: Vec<Entry> = serde_json::from_slice(&database).expect("a list of entries");
    entries.iter().find_map(|entry| {
        let quoted = entry.arguments.iter().flatten().map(|argument| format!("'{argument}'"));
        let line = entry.command.clone().unwrap_or_else(|| quoted.collect::<Vec<_>>().join(" "));
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("{line} -fsyntax-only -w")).current_dir(copy.project.join(&entry.directory));
        let output = command.output().expect("a shell");
        (!output.status.success()).then(|| error_line(&output.stderr))
    })
}

fn error_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let error = text.lines().find(|line| line.contains("error:")).or(text.lines().next());
    error.unwrap_or("no message").to_owned()
}
