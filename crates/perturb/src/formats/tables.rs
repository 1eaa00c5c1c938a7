//! The analysis as tables, which correspond to the files of MASS: for spreadsheets and scripts.

use super::csv::Rows;
use super::generated::result;
use super::Record;
use crate::visible;
use perturb_model::{MutantIdx, Outcome, Reach, Recording, TestIdx, Verdict};
use perturb_pipeline::steps::distance::Distance;
use perturb_pipeline::steps::execute::{Priorities, Priority};
use perturb_store::{MutantState, Ranked, StoreError, StoreReader, StoredRun};
use std::io::{Result, Write};

/// A table of a folder. The names of files and columns are part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// Every mutant and its outcome.
    Mutants,
    /// Mutants that compile and are neither equivalent nor duplicates.
    Unique,
    /// How often each test executes each statement.
    Coverage,
    /// Which tests reach and infect which mutants.
    Reach,
    /// The tests of each mutant in the order of their priority, and which of them are its reduced suite.
    Suites,
    /// The verdict of each test on each mutant.
    Kills,
    /// The live mutants.
    Live,
}

impl Table {
    pub const ALL: [Self; 7] =
        [Self::Mutants, Self::Unique, Self::Coverage, Self::Reach, Self::Suites, Self::Kills, Self::Live];

    pub fn file(self) -> &'static str {
        match self {
            Self::Mutants => "mutants.csv",
            Self::Unique => "unique.csv",
            Self::Coverage => "coverage.csv",
            Self::Reach => "reach.csv",
            Self::Suites => "suites.csv",
            Self::Kills => "kills.csv",
            Self::Live => "live.csv",
        }
    }
}

/// Everything that the tables need, read from the store before a byte is written.
#[derive(Debug)]
pub struct Tables<'r> {
    reader: &'r StoreReader,
    run: &'r StoredRun,
    reach: Vec<Reach>,
    recordings: Vec<(TestIdx, Recording)>,
}

impl<'r> Tables<'r> {
    pub fn read(reader: &'r StoreReader, run: &'r StoredRun) -> std::result::Result<Self, StoreError> {
        let reach = reader.reach(run)?;
        let mut recordings = Vec::new();
        for reach in &reach {
            let Some(test) = run.tests.iter().position(|test| test.name == reach.test) else { continue };
            let statements = reader.statements(run.id, &reach.test)?;
            recordings.push((TestIdx::new(test), Recording { reach: reach.clone(), statements }));
        }
        Ok(Self { reader, run, reach, recordings })
    }

    pub fn write(&self, table: Table, out: &mut dyn Write) -> Result<()> {
        let mut rows = Rows::untitled(out);
        match table {
            Table::Mutants => self.mutants(|_| true, &mut rows)?,
            Table::Unique => self.mutants(is_unique, &mut rows)?,
            Table::Live => self.live(&mut rows)?,
            Table::Coverage => self.coverage(&mut rows)?,
            Table::Reach => self.reach(&mut rows)?,
            Table::Suites => self.suites(&mut rows)?,
            Table::Kills => self.kills(&mut rows)?,
        }
        rows.finish()
    }

    fn mutants(&self, is_in: impl Fn(&Outcome) -> bool, rows: &mut Rows<&mut dyn Write>) -> Result<()> {
        let titles = [
            "id",
            "file",
            "line",
            "column",
            "function",
            "operator",
            "original",
            "replacement",
            "outcome",
            "detail",
            "compared",
            "generated",
        ];
        rows.add(titles)?;
        for state in self.run.mutants.iter().filter(|state| is_in(&state.outcome)) {
            let MutantState { mutant, outcome, .. } = state;
            let compared = compared(state);
            let generated = result(state);
            let record = Record::of(mutant);
            let (line, column) = (record.line.to_string(), record.column.to_string());
            let function = record.function.unwrap_or_default();
            let (word, detail) = (outcome.word(), outcome.to_string());
            let row: [&str; 12] = [
                &record.id,
                &record.file,
                &line,
                &column,
                function,
                record.operator,
                &record.original,
                &record.replacement,
                word,
                &detail,
                &compared,
                &generated,
            ];
            rows.add(row)?;
        }
        Ok(())
    }

    /// Writes the live mutants, those to look at first at the top.
    fn live(&self, rows: &mut Rows<&mut dyn Write>) -> Result<()> {
        rows.add([
            "id",
            "file",
            "line",
            "function",
            "operator",
            "original",
            "replacement",
            "outcome",
            "distance",
            "same_trace_as",
            "compared",
            "generated",
        ])?;
        for Ranked { state, same_as } in self.run.ranked() {
            let MutantState { mutant, outcome, trace, .. } = state;
            let compared = compared(state);
            let generated = result(state);
            let record = Record::of(mutant);
            let distance = trace.map_or_else(String::new, |trace| trace.distance.to_string());
            let same = same_as.map_or_else(String::new, |id| id.to_string());
            let line = record.line.to_string();
            let function = record.function.unwrap_or_default();
            let row: [&str; 12] = [
                &record.id,
                &record.file,
                &line,
                function,
                record.operator,
                &record.original,
                &record.replacement,
                outcome.word(),
                &distance,
                &same,
                &compared,
                &generated,
            ];
            rows.add(row)?;
        }
        Ok(())
    }

    fn coverage(&self, rows: &mut Rows<&mut dyn Write>) -> Result<()> {
        rows.add(["test", "file", "line", "count"])?;
        for (_, recording) in &self.recordings {
            for file in &recording.statements {
                let path = visible::path(&file.file);
                for count in file.counts.iter().filter(|count| count.count > 0) {
                    rows.add((recording.reach.test.as_str(), &path, count.line, count.count))?;
                }
            }
        }
        Ok(())
    }

    fn reach(&self, rows: &mut Rows<&mut dyn Write>) -> Result<()> {
        rows.add(["mutant", "test", "infected"])?;
        for reach in &self.reach {
            for index in reach.reached.iter() {
                let id = self.run.mutants[index].mutant.id.to_string();
                rows.add((id, reach.test.as_str(), reach.infected.contains(index)))?;
            }
        }
        Ok(())
    }

    fn suites(&self, rows: &mut Rows<&mut dyn Write>) -> Result<()> {
        rows.add(["mutant", "order", "test", "reduced"])?;
        let distance = self.run.manifest["distance"].as_str().and_then(|word| word.parse::<Distance>().ok());
        let priority = Priority { distance: distance.unwrap_or_default(), seed: self.run.seed, most: Priority::WHOLE };
        let priorities = Priorities::new(&self.recordings, priority);
        for (index, MutantState { mutant, .. }) in MutantIdx::enumerate(&self.run.mutants) {
            let infecting = self.recordings.iter().filter(|(_, recording)| recording.reach.infected.contains(index));
            let tests: Vec<TestIdx> = infecting.map(|(test, _)| *test).collect();
            let found = priorities.of(mutant, &tests);
            for (at, test) in found.order.iter().enumerate() {
                let name = self.run.tests[*test].name.as_str();
                rows.add((mutant.id.to_string(), at + 1, name, at < found.reduced))?;
            }
        }
        Ok(())
    }

    fn kills(&self, rows: &mut Rows<&mut dyn Write>) -> Result<()> {
        rows.add(["mutant", "test", "engine", "verdict", "cpu_ms"])?;
        for MutantState { mutant, .. } in &self.run.mutants {
            let executions = self.reader.executions_since(self.run.id, mutant.id).map_err(std::io::Error::other)?;
            for execution in executions {
                let verdict = match execution.verdict {
                    Verdict::Survived => "survived".to_string(),
                    Verdict::Killed(how) => how.to_string(),
                };
                let engine = execution.engine.to_string();
                let cpu_ms = execution.cpu.as_micros() as f64 / 1000.0;
                rows.add((mutant.id.to_string(), execution.test.as_str(), engine, verdict, cpu_ms))?;
            }
        }
        Ok(())
    }
}

/// The judgement on a mutant's function; empty if it was not compared.
fn compared(state: &MutantState) -> String {
    state.judgement.as_ref().map_or_else(String::new, ToString::to_string)
}

fn is_unique(outcome: &Outcome) -> bool {
    !outcome.is_redundant() && *outcome != Outcome::CompileError
}
