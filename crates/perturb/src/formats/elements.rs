//! The report format of mutation-testing-elements, schema version 2, which viewers and dashboards of other tools read.
//!
//! Columns count UTF-16 units there, so that they fit the text as JavaScript sees it. The id of a test is its index in
//! the list, which is short: a mutant names every test that covers it.

use super::generated::{kill, WithTests};
use super::json;
use crate::visible;
use perturb_csrc::SourceFile;
use perturb_host::{language_of, Language};
use perturb_model::{Judgement, Kill, MutantId, MutantIdx, MutantSet, Outcome, Skip, Step, TestIdx, TestName};
use perturb_store::{ExecutionTotals, MutantState, StoreError, StoreReader, StoredRun};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// A viewer warns of scores between these, and marks lower ones as bad.
const THRESHOLDS: Thresholds = Thresholds { high: 80, low: 60 };

/// Everything that a report needs, read from the store before a byte is written.
#[derive(Debug)]
pub struct Report<'r> {
    run: &'r StoredRun,
    tests: HashMap<&'r TestName, TestIdx>,
    /// Which mutants each test reaches, in the order of the tests; empty if nothing was recorded.
    reach: Vec<(TestIdx, MutantSet)>,
    executed: HashMap<MutantId, ExecutionTotals>,
    build_failures: HashMap<MutantId, String>,
}

impl<'r> Report<'r> {
    pub fn read(reader: &StoreReader, run: &'r StoredRun) -> Result<Self, StoreError> {
        let tests: HashMap<_, _> = TestIdx::enumerate(&run.tests).map(|(index, test)| (&test.name, index)).collect();
        let reach = reader.reach(run)?.into_iter();
        let reach = reach.filter_map(|reach| Some((*tests.get(&reach.test)?, reach.reached))).collect();
        let executed = reader.executed(run.id)?;
        let build_failures = reader.build_failures(run.id)?;
        Ok(Self { run, tests, reach, executed, build_failures })
    }

    /// Writes one object, piece by piece.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut head = Vec::new();
        json::write(&self.head(), &mut head)?;
        let open = head.strip_suffix(b"}").expect("an object ends in a brace");
        out.write_all(open)?;
        out.write_all(b",\"files\":{")?;
        let mut files: BTreeMap<&Path, Vec<MutantIdx>> = BTreeMap::new();
        for (index, state) in MutantIdx::enumerate(&self.run.mutants) {
            files.entry(&state.mutant.file.relative).or_default().push(index);
        }
        let has_c = files.keys().any(|file| language_of(file) == Some(Language::C));
        for (at, (relative, mutants)) in files.iter().enumerate() {
            out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
            json::write(&visible::name(relative), out)?;
            let source = String::from_utf8_lossy(self.run.mutants[mutants[0]].mutant.file.source.text());
            let mutants = Mutants { report: self, indices: mutants };
            out.write_all(b":")?;
            json::write(&File { language: language(relative, has_c), source, mutants }, out)?;
        }
        out.write_all(b"}}\n")
    }

    fn head(&self) -> Head<'_> {
        let run = self.run;
        let test = |(index, test): (TestIdx, &'r perturb_model::Test)| TestDefinition {
            id: Id(index),
            name: test.name.as_str(),
        };
        let tests = TestIdx::enumerate(&run.tests).map(test).collect();
        Head {
            schema_version: "2",
            framework: FrameworkRecord { name: "perturb", version: &run.version },
            thresholds: THRESHOLDS,
            project_root: visible::name(&run.root),
            config: Config {
                arguments: &run.arguments,
                seed: run.seed.to_string(),
                manifest: &run.manifest,
                generated_tests: WithTests::of(run).map(GeneratedTests::of),
            },
            performance: (!run.steps.is_empty()).then(|| Performance::of(run)),
            test_files: TestFiles { tests: TestFile { tests } },
        }
    }

    fn mutant(&self, index: MutantIdx) -> MutantResult<'_> {
        let state = &self.run.mutants[index];
        let MutantState { mutant, outcome, .. } = state;
        let executed = self.executed.get(&mutant.id);
        let source = &mutant.file.source;
        let location =
            Location { start: position(source, mutant.range.start), end: position(source, mutant.range.end) };
        let covered_by = || self.reach.iter().filter(|(_, reached)| reached.contains(index)).map(|(test, _)| Id(*test));
        MutantResult {
            id: mutant.id.to_string(),
            mutator_name: format!("{}: {}", mutant.operator, mutant.operator.title()),
            replacement: mutant.replacement(),
            location,
            status: status(outcome),
            status_reason: with_kill(self.reason(state), state),
            killed_by: self.killed_by(outcome, executed),
            covered_by: (!self.reach.is_empty()).then(|| covered_by().collect()),
            tests_completed: executed.map(|executed| executed.tests),
            duration: executed.map(|executed| milliseconds(executed.wall)),
            is_static: (!mutant.is_switchable()).then_some(true),
        }
    }

    /// The test that decided the verdict, then other tests that kill the mutant too.
    fn killed_by(&self, outcome: &Outcome, executed: Option<&ExecutionTotals>) -> Option<Vec<Id>> {
        let Outcome::Killed { test, .. } = outcome else { return None };
        let others = executed.map(|executed| executed.killed_by.as_slice()).unwrap_or_default();
        let others = others.iter().filter(|other| *other != test);
        let known = std::iter::once(test).chain(others).filter_map(|test| self.tests.get(test));
        Some(known.map(|test| Id(*test)).collect())
    }

    fn reason<'m>(&'m self, state: &'m MutantState) -> Option<Cow<'m, str>> {
        let MutantState { mutant, outcome, judgement, .. } = state;
        let compared = |word: &str| match judgement {
            Some(judgement) => format!("{word}; {judgement}").into(),
            None => word.to_string().into(),
        };
        match outcome {
            Outcome::Killed { how, .. } => Some(how.to_string().into()),
            Outcome::Live => judgement.as_ref().map(|judgement| judgement.to_string().into()),
            Outcome::NotCovered | Outcome::Pending => None,
            Outcome::NotInfected => Some(compared("not infected: no test makes a difference there")),
            Outcome::LikelyEquivalent => Some(match judgement {
                Some(Judgement::Equivalent(proved)) => format!("likely equivalent: {proved}").into(),
                _ => compared("likely equivalent: no test executes other statements"),
            }),
            Outcome::CompileError => self.build_failures.get(&mutant.id).map(|said| said.into()),
            Outcome::Skipped(Skip::Suppressed) => {
                let reason = mutant.suppression.as_ref().map(|suppression| suppression.reason()).unwrap_or_default();
                let reason = if reason.is_empty() { "no reason given" } else { reason };
                Some(format!("suppressed: {reason}").into())
            }
            Outcome::Skipped(Skip::OutOfScope | Skip::NotSampled)
            | Outcome::Equivalent { .. }
            | Outcome::Duplicate { .. }
            | Outcome::Unstable { .. } => Some(outcome.to_string().into()),
        }
    }
}

/// The reason, and the generated tests that kill a mutant.
fn with_kill<'m>(reason: Option<Cow<'m, str>>, state: &MutantState) -> Option<Cow<'m, str>> {
    match (reason, kill(state)) {
        (Some(reason), Some(kill)) => Some(format!("{reason}; {kill}").into()),
        (None, Some(kill)) => Some(kill.into()),
        (reason, None) => reason,
    }
}

/// The schema's word for an outcome. Mutants that count as live in our score survive there; those outside the score are
/// ignored. An unstable mutant is listed with those that could not be judged, which are outside the score too.
fn status(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Killed { how: Kill::TimedOut { .. }, .. } => "Timeout",
        Outcome::Killed { how: Kill::Failed | Kill::Crashed { .. } | Kill::OutputDiffers | Kill::Skipped, .. } => {
            "Killed"
        }
        Outcome::Live | Outcome::NotInfected | Outcome::LikelyEquivalent => "Survived",
        Outcome::NotCovered => "NoCoverage",
        Outcome::Equivalent { .. } | Outcome::Duplicate { .. } | Outcome::Skipped(_) => "Ignored",
        Outcome::CompileError => "CompileError",
        Outcome::Unstable { .. } => "RuntimeError",
        Outcome::Pending => "Pending",
    }
}

/// The language, which a viewer uses for colours. A header has the language of the sources.
fn language(file: &Path, has_c: bool) -> &'static str {
    match language_of(file) {
        Some(Language::C) => "c",
        Some(Language::Cxx) => "cpp",
        None if has_c && file.extension().is_some_and(|extension| extension == "h") => "c",
        None => "cpp",
    }
}

pub fn position(source: &SourceFile, offset: u32) -> Position {
    let start = source.line_column(offset);
    let before = &source.text()[(offset + 1 - start.column) as usize..offset as usize];
    let column = if before.is_ascii() { before.len() } else { String::from_utf8_lossy(before).encode_utf16().count() };
    Position { line: start.line, column: column + 1 }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

/// The object without its files.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'r> {
    schema_version: &'static str,
    framework: FrameworkRecord<'r>,
    thresholds: Thresholds,
    project_root: Cow<'r, str>,
    config: Config<'r>,
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<Performance>,
    test_files: TestFiles<'r>,
}

#[derive(Serialize)]
struct FrameworkRecord<'r> {
    name: &'static str,
    version: &'r str,
}

#[derive(Serialize)]
struct Thresholds {
    high: u8,
    low: u8,
}

#[derive(Serialize)]
struct Config<'r> {
    arguments: &'r [String],
    /// Text, because JavaScript rounds numbers of this size.
    seed: String,
    manifest: &'r serde_json::Value,
    /// Tests that `perturb testgen` has written since.
    #[serde(rename = "generatedTests", skip_serializing_if = "Option::is_none")]
    generated_tests: Option<GeneratedTests>,
}

/// Tests that are no part of the project yet: how many live mutants they kill, and the scores with them.
#[derive(Serialize)]
struct GeneratedTests {
    killed: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    scores: Option<[String; 2]>,
    folders: Vec<String>,
}

impl GeneratedTests {
    fn of(with: WithTests<'_>) -> Self {
        let folders = with.folders.iter().map(|folder| visible::name(folder).into_owned()).collect();
        Self { killed: with.killed, scores: with.scores, folders }
    }
}

/// In milliseconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Performance {
    setup: f64,
    initial_run: f64,
    mutation: f64,
}

impl Performance {
    fn of(run: &StoredRun) -> Self {
        let mut setup = Duration::ZERO;
        let mut initial_run = Duration::ZERO;
        let mut mutation = Duration::ZERO;
        for step in &run.steps {
            let sum: &mut Duration = match step.step {
                Step::Discover | Step::Mutate | Step::Build | Step::Instrument => &mut setup,
                Step::Baseline | Step::Record => &mut initial_run,
                Step::Execute | Step::Audit | Step::Tce | Step::TceLive | Step::Discard | Step::Equivalence => {
                    &mut mutation
                }
            };
            *sum += step.wall;
        }
        let [setup, initial_run, mutation] = [setup, initial_run, mutation].map(milliseconds);
        Self { setup, initial_run, mutation }
    }
}

/// The schema groups tests by their file, which only some frameworks report: all tests are in one group.
#[derive(Serialize)]
struct TestFiles<'r> {
    tests: TestFile<'r>,
}

#[derive(Serialize)]
struct TestFile<'r> {
    tests: Vec<TestDefinition<'r>>,
}

#[derive(Serialize)]
struct TestDefinition<'r> {
    id: Id,
    name: &'r str,
}

#[derive(Serialize)]
struct File<'r> {
    language: &'static str,
    source: Cow<'r, str>,
    mutants: Mutants<'r>,
}

/// The mutants of a file. Each is created when it is written: with all tests that cover them, the mutants of a large
/// file would fill the memory.
struct Mutants<'r> {
    report: &'r Report<'r>,
    indices: &'r [MutantIdx],
}

impl Serialize for Mutants<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.indices.iter().map(|index| self.report.mutant(*index)))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MutantResult<'r> {
    id: String,
    mutator_name: String,
    replacement: Cow<'r, str>,
    location: Location,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_reason: Option<Cow<'r, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    killed_by: Option<Vec<Id>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    covered_by: Option<Vec<Id>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tests_completed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    is_static: Option<bool>,
}

#[derive(Serialize)]
struct Location {
    start: Position,
    end: Position,
}

/// Columns in UTF-16 units.
#[derive(Serialize)]
pub struct Position {
    pub line: u32,
    pub column: usize,
}

/// A test's id.
struct Id(TestIdx);

impl Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.get())
    }
}
