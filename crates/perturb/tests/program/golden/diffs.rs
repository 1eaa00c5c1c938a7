//! `--format diff`: what patch and git make of a mutant's diff is what `perturb apply` writes.

use super::fixture::{all, in_parallel, Copy, Listed, Mutant};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn the_diff_of_a_golden_mutant_gives_what_applying_it_gives() {
    let has_patch = Command::new("patch").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_patch {
        eprintln!("patch is not installed: git alone is asked");
    }
    let problems = in_parallel(all(), |listed| {
        let copy = listed.fixture.copy();
        let output = copy.run(&["mutants", "--format", "diff"]);
        let diffs = split(&output);
        if diffs.len() != listed.mutants.len() {
            return vec![format!("fixtures/{}: {} diffs", listed.fixture.name, diffs.len())];
        }
        let last = diffs.len().saturating_sub(1);
        let pairs = listed.mutants.iter().zip(diffs).enumerate();
        let wrong = pairs.filter_map(|(i, (mutant, diff))| {
            // git is slow to start: where patch looks at all of them, git looks at two.
            let by_patch = has_patch.then(|| wrong_diff(&PATCH, listed, &copy, mutant, &diff)).flatten();
            let ask_git = !has_patch || i == 0 || i == last;
            by_patch.or_else(|| ask_git.then(|| wrong_diff(&GIT, listed, &copy, mutant, &diff)).flatten())
        });
        wrong.collect()
    });
    super::expect_none(problems.into_iter().flatten(), "Try `perturb mutants --format diff`.");
}

const PATCH: [&str; 4] = ["patch", "-p1", "--silent", "--force"];
const GIT: [&str; 4] = ["git", "apply", "-p1", "--whitespace=nowarn"];

/// The diffs of a list, each without the line of its name.
fn split(output: &[u8]) -> Vec<Vec<u8>> {
    let mut diffs: Vec<Vec<u8>> = Vec::new();
    for line in output.split_inclusive(|&byte| byte == b'\n') {
        match diffs.last_mut() {
            _ if line.starts_with(b"# ") => diffs.push(Vec::new()),
            Some(diff) => diff.extend_from_slice(line),
            None => panic!("a list of diffs starts with a name: {}", String::from_utf8_lossy(line)),
        }
    }
    diffs
}

/// What is wrong with a diff; the copy is left as it was.
fn wrong_diff(tool: &[&str], listed: &Listed, copy: &Copy<'_>, mutant: &Mutant, diff: &[u8]) -> Option<String> {
    let file = copy.project.join(&mutant.file);
    let told = feed(tool, &copy.project, diff);
    let patched = fs::read(&file).expect("a patched file");
    fs::write(&file, listed.fixture.original(&mutant.file)).expect("the file as it was");
    let place = format!("fixtures/{}: {}: {}", listed.fixture.name, mutant.name, tool[0]);
    match told {
        Err(message) => Some(format!("{place} refuses it: {message}")),
        Ok(()) if patched != listed.mutated(mutant) => Some(format!("{place} makes another file of it")),
        Ok(()) => None,
    }
}

fn feed(tool: &[&str], folder: &Path, diff: &[u8]) -> Result<(), String> {
    let mut command = Command::new(tool[0]);
    // A repository above the temporary folder is none of git's business.
    command.args(&tool[1..]).current_dir(folder).env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap_or(folder));
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{}: {error}", tool[0]));
    // A tool that stops reading says why when it ends.
    let _ = child.stdin.take().expect("a pipe").write_all(diff);
    let output = child.wait_with_output().expect("a tool that ends");
    let text = [output.stdout, output.stderr].concat();
    output.status.success().then_some(()).ok_or_else(|| String::from_utf8_lossy(&text).trim().to_owned())
}
