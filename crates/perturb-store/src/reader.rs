//! Reads a store for reports. Needs no lock, no project and no engine, and works while a run writes.

use super::blob::{self, Malformed};
use super::database::Database;
use super::run::{ExecutionTotals, StoredRun};
use super::values::{date, decoded, duration, id, malformed, path, test_name};
use super::{
    codes, discards, generated, judgements, sampled, stored, Execution, ExecutionKey, RunId, Store, StoreError,
};
use perturb_model::{
    AuditCount, ContentHash, Covered, FileCounts, MutantId, Outcome, PairCount, Reach, Skip, Step, StepTime, Test,
    TestName,
};
use rusqlite::types::Type;
use rusqlite::{params, Connection, OptionalExtension as _, Row};
use std::collections::HashMap;
use std::path::Path;

/// A store in the state in which it was opened.
#[derive(Debug)]
pub struct StoreReader {
    database: Database,
}

impl StoreReader {
    pub fn open(work: &Path) -> Result<Self, StoreError> {
        let database = Database::open_read_only(&work.join(Store::FILE_NAME))?;
        let database = database.ok_or_else(|| StoreError::Missing { work: work.to_path_buf() })?;
        Ok(Self { database })
    }

    /// The last run that listed mutants, or else the last run. `None` if there is no run.
    pub fn latest(&self) -> Result<Option<RunId>, StoreError> {
        let latest = "SELECT coalesce((SELECT max(run) FROM mutant), (SELECT max(id) FROM run))";
        let id: Option<i64> = self.database.checked(|db| db.query_row(latest, [], |row| row.get(0)))?;
        Ok(id.map(RunId))
    }

    /// The runs whose lists of mutants are stored, the last one first.
    pub fn listed(&self) -> Result<Vec<RunId>, StoreError> {
        let select = "SELECT DISTINCT run FROM mutant ORDER BY run DESC";
        self.database.checked(|db| db.prepare(select)?.query_map([], |row| row.get(0).map(RunId))?.collect())
    }

    /// The last run that decided a mutant, or else the last run that listed it.
    pub fn last_of(&self, mutant: MutantId) -> Result<Option<RunId>, StoreError> {
        let last = "SELECT coalesce(
                        (SELECT max(m.run) FROM mutant m JOIN outcome o ON o.run = m.run AND o.place = m.place
                         WHERE m.id = ?1 AND o.kind <> ?2),
                        (SELECT max(run) FROM mutant WHERE id = ?1))";
        let skipped = codes::of_outcome(&Outcome::Skipped(Skip::OutOfScope)).map(|row| row.kind);
        let of = params![mutant.bits() as i64, skipped];
        let id: Option<i64> = self.database.checked(|db| db.query_row(last, of, |row| row.get(0)))?;
        Ok(id.map(RunId))
    }

    pub fn run(&self, id: RunId) -> Result<StoredRun, StoreError> {
        self.database.checked(|db| {
            let head =
                "SELECT started, finished, ending, version, root, arguments, seed, manifest FROM run WHERE id = ?";
            let mut run = db.query_row(head, [id.0], |row| head_of(id, row))?;
            run.steps = steps(db, id)?;
            run.tests = tests(db, id)?;
            run.mutants = stored::mutants(db, id)?;
            discards::read(db, id.0, &mut run.mutants)?;
            judgements::read(db, id.0, &mut run.mutants)?;
            generated::read(db, id.0, &mut run.mutants)?;
            run.pairs = pairs(db, id)?;
            run.audit = audit(db, id)?;
            run.covered = covered(db, id)?;
            run.sampled = sampled::read(db, id.0)?;
            Ok(run)
        })
    }

    /// Which mutants each test reaches and infects.
    pub fn reach(&self, run: &StoredRun) -> Result<Vec<Reach>, StoreError> {
        self.database.checked(|db| {
            let select = "SELECT n.name, r.reached, r.infected FROM recording r JOIN test_name n ON n.id = r.test
                          LEFT JOIN test t ON t.run = r.run AND t.name = r.test
                          WHERE r.run = ? ORDER BY t.ordinal, n.name";
            let set = |row: &Row<'_>, column| {
                blob::to_set(row.get_ref(column)?.as_blob()?, run.mutants.len()).map_err(malformed)
            };
            let read =
                |row: &Row<'_>| Ok(Reach { test: test_name(row, 0)?, reached: set(row, 1)?, infected: set(row, 2)? });
            db.prepare(select)?.query_map([run.id.0], read)?.collect()
        })
    }

    /// How often a test executes each statement.
    pub fn statements(&self, run: RunId, test: &TestName) -> Result<Vec<FileCounts>, StoreError> {
        self.database.checked(|db| {
            let select = "SELECT path, length, deflated FROM statement_counts
                          WHERE run = ? AND test = (SELECT id FROM test_name WHERE name = ?) ORDER BY path";
            let read = |row: &Row<'_>| {
                let bytes = blob::inflated(row.get_ref(2)?.as_blob()?, row.get(1)?).map_err(malformed)?;
                Ok(FileCounts { file: path(row, 0)?, counts: blob::to_counts(&bytes).map_err(malformed)? })
            };
            db.prepare(select)?.query_map(params![run.0, test.as_str()], read)?.collect()
        })
    }

    /// The executions of every mutant that the run executed, added up. For runs before the last one, only executions
    /// are known that the last one did not use again.
    pub fn executed(&self, run: RunId) -> Result<HashMap<MutantId, ExecutionTotals>, StoreError> {
        self.database.checked(|db| {
            let names = stored::test_names(db)?;
            let select = "SELECT e.mutant, e.test, e.verdict, e.cpu, e.wall
                          FROM execution e JOIN execution_key k ON k.id = e.key
                          WHERE k.used_run = ? ORDER BY e.mutant, e.test";
            let mut executed: HashMap<_, ExecutionTotals> = HashMap::new();
            let mut above = None;
            let mut statement = db.prepare(select)?;
            let mut rows = statement.query([run.0])?;
            while let Some(row) = rows.next()? {
                let mutant = id(row, 0)?;
                let test: i64 = row.get(1)?;
                let sum = executed.entry(mutant).or_default();
                sum.cpu += duration(row, 3)?;
                sum.wall += duration(row, 4)?;
                // The audit executes a pair with a second engine.
                sum.tests += usize::from(above != Some((mutant, test)));
                above = Some((mutant, test));
                let is_kill = decoded(row, 2, codes::verdict)?.is_kill();
                let name = names.get(&test).ok_or(Malformed).map_err(malformed)?;
                if is_kill && sum.killed_by.last() != Some(name) {
                    sum.killed_by.push(name.clone());
                }
            }
            Ok(executed)
        })
    }

    /// All stored executions of a mutant, of all runs.
    pub fn executions(&self, mutant: MutantId) -> Result<Vec<Execution>, StoreError> {
        self.executions_since(RunId(0), mutant)
    }

    /// All executions of a mutant in this run and those after it, with earlier ones that these runs used again.
    pub fn executions_since(&self, run: RunId, mutant: MutantId) -> Result<Vec<Execution>, StoreError> {
        self.database.checked(|db| {
            let select = "SELECT n.name, k.hash, e.engine, e.verdict, e.cpu, e.wall, o.tail
                          FROM execution e JOIN execution_key k ON k.id = e.key JOIN test_name n ON n.id = e.test
                          LEFT JOIN output o ON o.id = e.output WHERE e.mutant = ? AND k.used_run >= ?
                          ORDER BY k.used_run DESC, n.name";
            let read = |row: &Row<'_>| {
                Ok(Execution {
                    mutant,
                    test: test_name(row, 0)?,
                    key: ExecutionKey(ContentHash::from_bytes(row.get(1)?)),
                    engine: decoded(row, 2, codes::engine)?,
                    verdict: decoded(row, 3, codes::verdict)?,
                    cpu: duration(row, 4)?,
                    wall: duration(row, 5)?,
                    output: row.get::<_, Option<Vec<u8>>>(6)?.unwrap_or_default(),
                })
            };
            db.prepare(select)?.query_map([mutant.bits() as i64, run.0], read)?.collect()
        })
    }

    /// The compiler's messages on the mutants that did not compile in this run.
    pub fn build_failures(&self, run: RunId) -> Result<HashMap<MutantId, String>, StoreError> {
        self.database.checked(|db| {
            let select = "SELECT f.mutant, o.tail FROM build_failure f JOIN execution_key k ON k.id = f.key
                          LEFT JOIN output o ON o.id = f.output WHERE k.used_run = ?";
            let read = |row: &Row<'_>| {
                let said: Option<Vec<u8>> = row.get(1)?;
                Ok((id(row, 0)?, String::from_utf8_lossy(&said.unwrap_or_default()).into_owned()))
            };
            db.prepare(select)?.query_map([run.0], read)?.collect()
        })
    }
}

fn head_of(id: RunId, row: &Row<'_>) -> rusqlite::Result<StoredRun> {
    let finished = match (row.get::<_, Option<i64>>(1)?, row.get::<_, Option<i64>>(2)?) {
        (Some(at), Some(ending)) => Some((date(at), codes::ending(ending).map_err(malformed)?)),
        _ => None,
    };
    let json = |column: usize| {
        serde_json::from_str::<serde_json::Value>(row.get_ref(column)?.as_str()?)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
    };
    let arguments = json(5)?;
    let arguments = arguments.as_array().map(Vec::as_slice).unwrap_or_default().iter();
    Ok(StoredRun {
        id,
        started: date(row.get(0)?),
        finished,
        version: row.get(3)?,
        root: path(row, 4)?,
        arguments: arguments.filter_map(|argument| argument.as_str().map(str::to_string)).collect(),
        seed: row.get::<_, i64>(6)? as u64,
        manifest: json(7)?,
        steps: Vec::new(),
        tests: Vec::new(),
        mutants: Vec::new(),
        pairs: Vec::new(),
        audit: None,
        covered: Vec::new(),
        sampled: None,
    })
}

fn steps(db: &Connection, run: RunId) -> rusqlite::Result<Vec<StepTime>> {
    let read = |row: &Row<'_>| {
        let word = row.get_ref(0)?.as_str()?;
        let step = Step::of_word(word).ok_or(Malformed).map_err(malformed)?;
        Ok(StepTime { step, wall: duration(row, 1)?, cpu: duration(row, 2)? })
    };
    db.prepare("SELECT step, wall, cpu FROM step WHERE run = ? ORDER BY ordinal")?.query_map([run.0], read)?.collect()
}

fn pairs(db: &Connection, run: RunId) -> rusqlite::Result<Vec<PairCount>> {
    let read =
        |row: &Row<'_>| Ok(PairCount { engine: decoded(row, 0, codes::engine)?, why: row.get(1)?, pairs: row.get(2)? });
    let select = "SELECT engine, why, pairs FROM pair_count WHERE run = ? ORDER BY pairs DESC, why";
    db.prepare(select)?.query_map([run.0], read)?.collect()
}

fn covered(db: &Connection, id: RunId) -> rusqlite::Result<Vec<Covered>> {
    let select = "SELECT path, executed, all_of FROM covered WHERE run = ? ORDER BY path";
    let row = |row: &Row<'_>| Ok(Covered { file: path(row, 0)?, executed: row.get(1)?, of: row.get(2)? });
    db.prepare(select)?.query_map([id.0], row)?.collect()
}

fn audit(db: &Connection, run: RunId) -> rusqlite::Result<Option<AuditCount>> {
    let read = |row: &Row<'_>| {
        let [checked, disagreed, confirmed, changed, in_doubt] =
            [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
        Ok(AuditCount { checked, disagreed, confirmed, changed, in_doubt })
    };
    let select = "SELECT checked, disagreed, confirmed, changed, in_doubt FROM audit WHERE run = ?";
    db.query_row(select, [run.0], read).optional()
}

fn tests(db: &Connection, run: RunId) -> rusqlite::Result<Vec<Test>> {
    let read = |row: &Row<'_>| {
        Ok(Test {
            name: test_name(row, 0)?,
            command: row.get(1)?,
            wall: duration(row, 2)?,
            cpu: duration(row, 3)?,
            baseline: codes::baseline(row.get(4)?, row.get(5)?).map_err(malformed)?,
            hash: ContentHash::from_bytes(row.get(6)?),
        })
    };
    let select = "SELECT n.name, t.command, t.wall, t.cpu, t.baseline, t.why, t.hash
                  FROM test t JOIN test_name n ON n.id = t.name WHERE t.run = ? ORDER BY t.ordinal";
    db.prepare(select)?.query_map([run.0], read)?.collect()
}
