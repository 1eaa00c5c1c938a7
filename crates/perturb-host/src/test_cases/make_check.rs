//! Tests that a makefile runs: reads the commands of `make check` from `make -n check`.
//!
//! A sequence of programs is a sequence of tests. Anything more (pipes, comparisons, intermediate files) is one test as
//! a whole: nothing is guessed.

use std::path::{Path, PathBuf};

use super::{executable_of, TestCase, TestList, TestSource};
use crate::command_line::normalise;
use crate::error::HostError;
use crate::process::tools::{self, find_program};
use crate::project::recipe::{self, Recipe};
use crate::shadow::Shadow;
use perturb_model::Notice;

const TARGETS: &[&str] = &["check", "test", "tests", "unittest", "unittests", "unit-test", "run-tests", "runtests"];

/// The tests of the first of the usual targets that runs something.
pub(super) fn find(shadow: &Shadow) -> Result<TestList, HostError> {
    let tree = shadow.tree();
    let has_makefile = ["GNUmakefile", "makefile", "Makefile"].iter().any(|name| tree.join(name).is_file());
    let Some(make) = find_program("make").filter(|_| has_makefile) else { return Ok(TestList::default()) };
    for target in TARGETS {
        let mut command = shadow.program(&make);
        let answer = tools::run(command.args(["-n", "-w", target]).env("LC_ALL", "C"))?;
        if !answer.status.success() {
            continue;
        }
        match recipe::read(&answer.stdout, tree) {
            Recipe::Runs(runs) if runs.is_empty() => {}
            Recipe::Runs(runs) => {
                let tests = runs.into_iter().map(|run| test_case(shadow, run)).collect();
                return Ok(TestList { tests, notices: Vec::new() });
            }
            Recipe::Unclear => return Ok(whole(tree, &make, target)),
        }
    }
    Ok(TestList::default())
}

fn test_case(shadow: &Shadow, run: recipe::RecipeCommand) -> TestCase {
    let recipe::RecipeCommand { directory, environment, words } = run;
    let executable = executable_of(shadow, &directory, words.iter().map(String::as_str));
    let program = if words[0].contains('/') { normalise(&directory.join(&words[0])) } else { PathBuf::from(&words[0]) };
    let name = match (&executable, words.len()) {
        (Some(executable), 1) => executable.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        _ => words.join(" ").trim_start_matches("./").to_string(),
    };
    let program = find_program(&program.to_string_lossy()).unwrap_or(program);
    let arguments = words[1..].to_vec();
    TestCase { arguments, environment, executable, ..TestCase::plain(name, program, directory, TestSource::Make) }
}

fn whole(tree: &Path, make: &Path, target: &str) -> TestList {
    let name = format!("make {target}");
    let plain = TestCase::plain(name.clone(), make.to_path_buf(), tree.to_path_buf(), TestSource::Make);
    let test = TestCase { arguments: vec![target.to_string()], exclusive: vec![name.clone()], ..plain };
    TestList { tests: vec![test], notices: vec![Notice::WholeSuite { command: name }] }
}
