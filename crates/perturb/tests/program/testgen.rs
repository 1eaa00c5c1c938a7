//! `perturb testgen` as a user runs it: tests for what a run left alive, in a project with every kind of parameter and
//! state.
//!
//! The golden tests are in `testgen/golden`; `scripts/bless` writes them anew: read the difference.

mod bad_input;
mod cjson;
mod claims;
mod contracts;
mod frameworks;
mod kinds;
mod sanitized;
mod score;
mod tolerance;
mod whole;

use crate::run::fine;
use crate::scene::{Scene, FINE};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What of the fixture is mutated: few mutants of each expression and statement.
const OPERATORS: &str = "SDL,ROD,AOD,LVR";

/// The fixture, with the mutants of these paths and functions executed; without any, all. None without CMake.
fn scene(selection: &[&str]) -> Option<Scene> {
    let scene = crate::scene::has("cmake").then(|| Scene::fixture("testgen"))?;
    run(&scene, &[&["--operators", OPERATORS], selection].concat());
    Some(scene)
}

/// `perturb run`, with nothing compared.
#[track_caller]
fn run(scene: &Scene, arguments: &[&str]) {
    fine(scene, &[&["--audit", "0"], arguments].concat());
}

/// What `perturb testgen` tells, and the folder beside the project that it has written to.
#[track_caller]
fn generate(scene: &Scene, name: &str, arguments: &[&str]) -> (Value, PathBuf) {
    let out = scene.outside(name);
    let fixed = ["testgen", "--quiet", "--format", "json", "--out", out.to_str().unwrap()];
    let ran = scene.run(&[&fixed, arguments].concat()).expect(FINE);
    (serde_json::from_str(&ran.stdout).unwrap(), out)
}

/// The files in a folder, by name.
fn files(folder: &Path) -> std::collections::BTreeMap<String, String> {
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let entries = std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), text(&entry.path()))).collect()
}

/// How many mutants came to this.
fn count(told: &Value, result: &str) -> u64 {
    told["counts"][result].as_u64().unwrap_or(0)
}
