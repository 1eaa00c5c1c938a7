//! What generated tests claim, checked by what they say themselves: their comments name mutants, and their Makefile
//! says how they are built. Mutants are put into copies of the project, and run in a cell only.

use crate::golden::in_parallel;
use crate::scene::{copy, text, Scene, FINE};
use perturb_cell::{Cell, CellOptions, End, Job, Limits};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// So often all tests are run with the original.
const TIMES: usize = 3;

/// A test that is said to kill a mutant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Claim {
    mutant: String,
    /// What the Makefile calls the program.
    program: String,
    test: String,
}

/// All that the files say and what was told agree; every test passes on the original, and fails with each mutant that
/// its comment names. Answers with how many claims there are.
#[track_caller]
pub fn check(scene: &Scene, told: &Value, folder: &Path, selection: &[&str]) -> usize {
    let claims = claims(folder);
    assert_eq!(
        claims.iter().map(|claim| (claim.mutant.clone(), claim.test.clone())).collect::<BTreeSet<_>>(),
        pairs(told)
    );
    let programs: BTreeSet<&String> = claims.iter().map(|claim| &claim.program).collect();
    let original = Tree::new(scene, folder, "original");
    let mut cell = original.cell();
    for program in programs {
        original.make(program).unwrap_or_else(|error| panic!("{program}: {error}"));
        for _ in 0..TIMES {
            let (end, said) = original.run(&mut cell, program, &[]);
            assert_eq!(end, End::Exited(0), "{program} on the original: {said}");
        }
    }
    let mutated = scene.outside("mutated");
    let arguments = [&["apply", "--all", "--to", mutated.to_str().unwrap()], selection].concat();
    scene.run(&arguments).expect(FINE);
    let mut by_mutant: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
    claims.iter().for_each(|claim| by_mutant.entry(&claim.mutant).or_default().push(claim));
    let by_mutant: Vec<(&str, Vec<&Claim>)> = by_mutant.into_iter().collect();
    let refuted = in_parallel(&by_mutant, |(mutant, claims)| {
        let tree = Tree::new(scene, folder, mutant);
        copy(&mutated.join(mutant), &tree.root);
        tree.take_objects(&original);
        refuted(&tree, claims)
    });
    let refuted: String = refuted.into_iter().flatten().collect();
    assert!(refuted.is_empty(), "{refuted}");
    claims.len()
}

/// What is wrong with what is said of one mutant.
fn refuted(tree: &Tree, claims: &[&Claim]) -> Vec<String> {
    let mut cell = tree.cell();
    let wrong = claims.iter().filter_map(|claim| {
        if let Err(error) = tree.make(&claim.program) {
            return Some(format!("{claim:?}: it does not compile: {error}\n"));
        }
        let (end, said) = tree.run(&mut cell, &claim.program, &[&claim.test]);
        (end == End::Exited(0)).then(|| format!("{claim:?}: it passes: {said}\n"))
    });
    wrong.collect()
}

/// What all tests of a folder say of themselves.
fn claims(folder: &Path) -> Vec<Claim> {
    let tests = super::files(folder).into_iter().filter(|(name, _)| name.ends_with(".c"));
    tests.flat_map(|(name, text)| of_file(name.trim_end_matches(".c"), &text)).collect()
}

/// `Kills:` or `Kills, with sanitizers:`, a line for each mutant, and below the comment the test.
fn of_file(program: &str, text: &str) -> Vec<Claim> {
    let (mut found, mut mutants) = (Vec::new(), Vec::new());
    for line in text.lines() {
        if let Some(mutant) = line.strip_prefix(" *   ").and_then(|rest| rest.split(' ').next()) {
            mutants.push(mutant.to_string());
        } else if let Some(test) = line.split([' ', '*', '(', ')']).find(|word| word.starts_with("test_")) {
            let claim = |mutant| Claim { mutant, program: program.to_string(), test: test.to_string() };
            found.extend(mutants.drain(..).map(claim));
        }
    }
    found
}

/// Mutants and tests, as the program tells them.
fn pairs(told: &Value) -> BTreeSet<(String, String)> {
    let is_killed = |mutant: &&Value| ["killed", "sanitized"].contains(&text(mutant, "result"));
    let killed = told["mutants"].as_array().unwrap().iter().filter(is_killed);
    let pairs = killed.flat_map(|mutant| {
        let tests = mutant["tests"].as_array().unwrap().iter();
        tests.map(|test| (text(mutant, "id").to_string(), test.as_str().unwrap().to_string()))
    });
    pairs.collect()
}

/// A copy of the project and of its generated tests.
struct Tree {
    root: PathBuf,
    tests: PathBuf,
}

impl Tree {
    fn new(scene: &Scene, folder: &Path, name: &str) -> Tree {
        let tree =
            Tree { root: scene.outside(&format!("{name}/project")), tests: scene.outside(&format!("{name}/tests")) };
        copy(&scene.root(), &tree.root);
        copy(folder, &tree.tests);
        tree
    }

    /// What is not of the unit is compiled once.
    fn take_objects(&self, from: &Tree) {
        for name in super::files(&from.tests).into_keys().filter(|name| name.ends_with(".o")) {
            std::fs::copy(from.tests.join(&name), self.tests.join(&name)).unwrap();
        }
    }

    fn cell(&self) -> Cell {
        let options = CellOptions { visible: vec![self.tests.clone()], ..CellOptions::new(self.root.join("cell")) };
        Cell::open(&options).unwrap()
    }

    /// Makes a program as the Makefile says.
    fn make(&self, program: &str) -> Result<(), String> {
        let mut make = Command::new("make");
        make.arg("-C")
            .arg(&self.tests)
            .arg(format!("ROOT={}", self.root.display()))
            .arg(program)
            .env_remove("MAKEFLAGS");
        let output = make.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        output.status.success().then_some(()).ok_or(said)
    }

    /// Runs a program with names of tests, in the cell.
    fn run(&self, cell: &mut Cell, program: &str, tests: &[&str]) -> (End, String) {
        let is_googletest = self.tests.join(format!("{program}_cases.cpp")).exists();
        let argument = |test: &&str| if is_googletest { format!("--gtest_filter=*.{test}") } else { test.to_string() };
        let arguments: Vec<OsString> = tests.iter().map(|test| argument(test).into()).collect();
        let program = self.tests.join(program);
        let limits = Limits { cpu: Duration::from_secs(2), wall: Duration::from_secs(60), ..Limits::default() };
        // Nobody may make processes in there.
        let environment = [("CK_FORK".into(), Some("no".into()))];
        let job =
            Job { program: &program, arguments: &arguments, directory: &self.tests, environment: &environment, limits };
        let ended = cell.run(&job).unwrap();
        (ended.how, String::from_utf8_lossy(&ended.output).into_owned())
    }
}
