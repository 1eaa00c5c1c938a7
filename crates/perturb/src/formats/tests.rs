//! The table of tests: the mutants that each reaches, infects, kills, and kills alone.

use super::csv::Rows;
use super::{json, plural, time};
use crate::page::{Page, Style};
use crate::visible;
use perturb_model::{Baseline, TestName};
use perturb_store::{StoreError, StoreReader, StoredRun};
use serde::Serialize;
use std::collections::HashMap;
use std::io::{Result, Write};
use std::time::Duration;

const HEAD: Style = Style::BOLD;
const DIM: Style = Style::DIM;

/// A test as programs read it. The names are part of the interface.
#[derive(Debug, Serialize)]
pub struct TestRow<'r> {
    pub test: &'r str,
    /// The result on the original. Only tests that pass take part.
    pub baseline: &'static str,
    pub cpu_ms: f64,
    /// None if the test was not recorded.
    pub reached: Option<usize>,
    pub infected: Option<usize>,
    pub killed: usize,
    /// Mutants that no other test kills. None if perturb did not run every test on every mutant that it could kill.
    pub killed_alone: Option<usize>,
    #[serde(skip)]
    pub cpu: Duration,
}

/// All tests of a run.
#[derive(Debug)]
pub struct Table<'r> {
    pub tests: Vec<TestRow<'r>>,
    /// Whether every test was run on every mutant that it could kill.
    is_matrix: bool,
}

impl<'r> Table<'r> {
    pub fn read(reader: &StoreReader, run: &'r StoredRun) -> std::result::Result<Self, StoreError> {
        let executed = reader.executed(run.id)?;
        let reach: HashMap<TestName, (usize, usize)> = reader
            .reach(run)?
            .into_iter()
            .map(|reach| (reach.test, (reach.reached.len(), reach.infected.len())))
            .collect();
        let mut killed: HashMap<&TestName, usize> = HashMap::new();
        let mut alone: HashMap<&TestName, usize> = HashMap::new();
        for state in &run.mutants {
            // An unstable mutant is not a kill.
            if !state.outcome.is_killed() {
                continue;
            }
            let killers = executed.get(&state.mutant.id).map_or(&[][..], |executed| &executed.killed_by);
            killers.iter().for_each(|test| *killed.entry(test).or_default() += 1);
            if let [only] = killers {
                *alone.entry(only).or_default() += 1;
            }
        }
        let is_matrix = run.manifest["kill_matrix"].as_bool().unwrap_or_default();
        let row = |test: &'r perturb_model::Test| TestRow {
            test: test.name.as_str(),
            baseline: match test.baseline {
                Baseline::Passed => "passed",
                Baseline::Failed { .. } => "failed",
                Baseline::Flaky { .. } => "flaky",
                Baseline::Skipped { .. } => "skipped",
            },
            cpu_ms: test.cpu.as_micros() as f64 / 1000.0,
            reached: reach.get(&test.name).map(|(reached, _)| *reached),
            infected: reach.get(&test.name).map(|(_, infected)| *infected),
            killed: killed.get(&test.name).copied().unwrap_or_default(),
            killed_alone: is_matrix.then(|| alone.get(&test.name).copied().unwrap_or_default()),
            cpu: test.cpu,
        };
        Ok(Self { tests: run.tests.iter().map(row).collect(), is_matrix })
    }

    pub fn write_json(&self, out: &mut dyn Write) -> Result<()> {
        json::write_pretty(&self.tests, out)
    }

    pub fn write_csv(&self, out: &mut dyn Write) -> Result<()> {
        let mut rows = Rows::titled(out);
        self.tests.iter().try_for_each(|test| rows.add(test))?;
        rows.finish()
    }

    pub fn write_text(&self, out: &mut Page) -> Result<()> {
        let names: Vec<_> = self.tests.iter().map(|test| visible::line(test.test)).collect();
        let widest = names.iter().map(|name| name.chars().count()).chain([4]).max().unwrap_or_default();
        writeln!(
            out,
            "{HEAD}{:widest$} {:>10} {:>8} {:>8} {:>8} {:>12}{HEAD:#}",
            "test", "CPU", "reached", "infected", "killed", "killed alone"
        )?;
        for (test, name) in self.tests.iter().zip(&names) {
            let count = |count: Option<usize>| count.map_or_else(|| "?".to_string(), |count| count.to_string());
            if test.baseline != "passed" {
                writeln!(out, "{DIM}{:widest$} left out: {}{DIM:#}", name, test.baseline)?;
                continue;
            }
            writeln!(
                out,
                "{:widest$} {:>10} {:>8} {:>8} {:>8} {:>12}",
                name,
                time::duration(test.cpu),
                count(test.reached),
                count(test.infected),
                test.killed,
                count(test.killed_alone)
            )?;
        }
        writeln!(out)?;
        self.write_remarks(out)
    }

    /// Writes what the table does not show, and which tests are redundant.
    pub fn write_remarks(&self, out: &mut Page) -> Result<()> {
        let passed = || self.tests.iter().filter(|test| test.baseline == "passed");
        if !self.is_matrix {
            return writeln!(
                out,
                "each mutant was run until a test killed it, so that tests which come later show fewer kills than they \
                 could make; `perturb run --kill-matrix` runs them all, and tells which tests kill nothing and which \
                 are redundant"
            );
        }
        let named = |tests: Vec<&str>, what: &str, out: &mut Page| match tests.is_empty() {
            true => Ok(()),
            false => writeln!(out, "{} {what}: {}", plural(tests.len(), "test"), tests.join(", ")),
        };
        let idle = passed().filter(|test| test.killed == 0).map(|test| test.test).collect();
        named(idle, "kill nothing", out)?;
        let is_redundant = |test: &&TestRow<'_>| test.killed > 0 && test.killed_alone == Some(0);
        let redundant = passed().filter(is_redundant).map(|test| test.test).collect();
        named(redundant, "kill only mutants that other tests kill too (each is redundant, but not all at once)", out)
    }
}
