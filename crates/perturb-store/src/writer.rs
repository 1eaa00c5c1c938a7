//! Writes a run. The writer belongs to one thread; when a call returns, its data are on the disk.

use super::database::Database;
use super::intern::{self, write, Interned, Use};
use super::journal::Journal;
use super::lock::Lock;
use super::mutant_list::MutantList;
use super::values::{microseconds, milliseconds, PathValue};
use super::{
    blob, codes, discards, judgements, prune, sampled, Batch, CodeCache, DiscardRecord, Ending, EngineAssignment,
    ExecutionKey, JudgedMutant, Known, NewRun, RunId, Store, StoreError,
};
use perturb_model::{
    Assumption, AuditCount, Contradiction, Covered, DiscardResult, Judgement, Mutant, MutantId, MutantIdx, Outcome,
    PairCount, Recording, Sampled, Skip, StepTime, Test,
};
use rusqlite::{params, Connection};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Holds the work folder's lock until it is dropped.
#[derive(Debug)]
pub struct RunWriter {
    database: Database,
    id: RunId,
    started: i64,
    logs: PathBuf,
    interned: Interned,
    /// A second copy of every verdict.
    journal: Journal,
    indices: HashMap<MutantId, MutantIdx>,
    _lock: Lock,
}

impl RunWriter {
    pub(super) fn begin(store: Store, run: &NewRun) -> Result<Self, StoreError> {
        // `RunWriter` drops its fields in the order of their declaration: the lock goes last.
        let Store { lock, work, mut database, .. } = store;
        let started = milliseconds(run.started);
        let all_logs = work.join("logs");
        // A new store must not reuse the number of a run whose logs are still there.
        let last = newest_log(&all_logs);
        let (id, oldest_kept) = database.write(|db| {
            let oldest_kept = prune::prune(db, prune::LIMITS, started)?;
            let arguments = serde_json::Value::from(run.arguments.clone()).to_string();
            let version = env!("CARGO_PKG_VERSION");
            let root = PathValue(&run.root);
            let insert = "INSERT INTO run (id, started, version, root, arguments, seed, manifest)
                          VALUES ((SELECT max(?, coalesce(max(id), 0)) + 1 FROM run), ?, ?, ?, ?, ?, ?)";
            let manifest = run.manifest.to_string();
            db.execute(insert, params![last, started, version, root, arguments, run.seed as i64, manifest])?;
            Ok((db.last_insert_rowid(), oldest_kept))
        })?;
        remove_old_logs(&all_logs, oldest_kept);
        let logs = all_logs.join(id.to_string());
        std::fs::create_dir_all(&logs).map_err(StoreError::io("create", &logs))?;
        let interned = Interned::default();
        let indices = HashMap::new();
        let journal = Journal::open(&work, &database)?;
        Ok(Self { database, id: RunId(id), started, logs, interned, journal, indices, _lock: lock })
    }

    pub fn id(&self) -> RunId {
        self.id
    }

    /// The folder for the logs of this run. It is deleted with the run's details.
    pub fn logs(&self) -> &Path {
        &self.logs
    }

    /// Adds a fact to the manifest that becomes known after the run has begun.
    pub fn record_in_manifest(&mut self, name: &str, fact: &serde_json::Value) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, _| {
            let update = "UPDATE run SET manifest = json_set(manifest, '$.' || ?, json(?)) WHERE id = ?";
            db.execute(update, params![name, fact.to_string(), run])?;
            Ok(())
        })
    }

    /// Records the time of a step. Steps are listed in the order in which they are recorded.
    pub fn record_step(&mut self, time: StepTime) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, _| {
            let insert = "INSERT INTO step (run, ordinal, step, wall, cpu)
                          VALUES (?1, (SELECT count(*) FROM step WHERE run = ?1), ?2, ?3, ?4)";
            let (wall, cpu) = (microseconds(time.wall), microseconds(time.cpu));
            db.execute(insert, params![run, time.step.word(), wall, cpu])?;
            Ok(())
        })
    }

    /// Records the run's tests. A second list replaces the first.
    pub fn record_tests(&mut self, tests: &[Test]) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, interned| {
            db.execute("DELETE FROM test WHERE run = ?", [run])?;
            let insert = "INSERT INTO test (run, ordinal, name, command, wall, cpu, baseline, why, hash)
                          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
            let mut insert = db.prepare_cached(insert)?;
            for (ordinal, test) in tests.iter().enumerate() {
                let name = interned.test(db, &test.name)?;
                let (baseline, why) = codes::of_baseline(&test.baseline);
                let (wall, cpu) = (microseconds(test.wall), microseconds(test.cpu));
                let hash = test.hash.as_bytes();
                insert.execute(params![run, ordinal, name, test.command, wall, cpu, baseline, why, hash])?;
            }
            Ok(())
        })
    }

    /// Records the run's list of mutants, once. Suppressed mutants are skipped from then on, all others are pending.
    pub fn record_mutants(&mut self, mutants: &[Mutant]) -> Result<(), StoreError> {
        assert!(self.indices.is_empty(), "a run lists its mutants once");
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, interned| {
            let mut list = MutantList::new(db, run);
            for (index, mutant) in MutantIdx::enumerate(mutants) {
                list.insert(index, mutant)?;
                if mutant.suppression.is_some() {
                    write_outcome(db, interned, run, index, &Outcome::Skipped(Skip::Suppressed))?;
                }
            }
            Ok(())
        })?;
        self.indices = MutantIdx::enumerate(mutants).map(|(index, mutant)| (mutant.id, index)).collect();
        Ok(())
    }

    /// Records which engine executes which mutant.
    pub fn record_plans(&mut self, plans: &[(MutantId, EngineAssignment)]) -> Result<(), StoreError> {
        let run = self.id.0;
        let indices = &self.indices;
        write(&mut self.database, &mut self.interned, |db, _| {
            let upsert = "INSERT INTO plan (engine, why) VALUES (?, ?)
                          ON CONFLICT DO UPDATE SET why = excluded.why RETURNING id";
            let mut upsert = db.prepare_cached(upsert)?;
            let mut insert = db.prepare_cached("INSERT OR REPLACE INTO planned (run, place, plan) VALUES (?, ?, ?)")?;
            let mut known: HashMap<&EngineAssignment, i64> = HashMap::new();
            for (mutant, plan) in plans {
                let id = match known.get(plan) {
                    Some(id) => *id,
                    None => upsert.query_row(params![codes::of_engine(plan.engine), plan.why], |row| row.get(0))?,
                };
                known.insert(plan, id);
                insert.execute(params![run, index_of(indices, *mutant).get(), id])?;
            }
            Ok(())
        })
    }

    /// Records the recordings of all tests.
    pub fn record_recordings(&mut self, recordings: &[Recording]) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, interned| {
            let insert = "INSERT OR REPLACE INTO recording (run, test, reached, infected) VALUES (?, ?, ?, ?)";
            let mut insert = db.prepare_cached(insert)?;
            let counts =
                "INSERT OR REPLACE INTO statement_counts (run, test, path, length, deflated) VALUES (?, ?, ?, ?, ?)";
            let mut insert_counts = db.prepare_cached(counts)?;
            for Recording { reach, statements } in recordings {
                let test = interned.test(db, &reach.test)?;
                let (reached, infected) = (blob::from_set(&reach.reached), blob::from_set(&reach.infected));
                insert.execute(params![run, test, reached, infected])?;
                for file in statements {
                    let bytes = blob::from_counts(&file.counts);
                    let path = PathValue(&file.file);
                    let deflated = blob::deflated(&bytes);
                    insert_counts.execute(params![run, test, path, bytes.len(), deflated])?;
                }
            }
            let covered = "INSERT OR REPLACE INTO covered (run, path, executed, all_of) VALUES (?, ?, ?, ?)";
            let mut covered = db.prepare_cached(covered)?;
            for Covered { file, executed, of } in Covered::by(recordings) {
                covered.execute(params![run, PathValue(&file), executed, of])?;
            }
            Ok(())
        })
    }

    /// From now on the disk is full.
    #[cfg(feature = "faults")]
    pub fn fill_up(&mut self) {
        self.database.is_full = true;
    }

    /// The verdicts of earlier runs under these keys, which count as used from now on.
    pub fn known(&mut self, keys: &[ExecutionKey]) -> Result<Known, StoreError> {
        let used = Use { run: self.id.0, at: self.started };
        write(&mut self.database, &mut self.interned, |db, interned| {
            let mut known = HashMap::with_capacity(keys.len());
            for key in keys {
                known.insert(*key, interned.key(db, *key, used)?);
            }
            Known::load(db, known)
        })
    }

    /// Records executions and their results in one transaction.
    pub fn record(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let run = self.id.0;
        let used = Use { run, at: self.started };
        let indices = &self.indices;
        self.journal.append(batch)?;
        write(&mut self.database, &mut self.interned, |db, interned| {
            write_executions(db, interned, batch, used, Earlier::Replaced)?;
            for (mutant, outcome) in &batch.outcomes {
                write_outcome(db, interned, run, index_of(indices, *mutant), outcome)?;
            }
            for (mutant, Contradiction { says, assumes }) in &batch.contradictions {
                let Some(row) = codes::of_outcome(says) else { continue };
                let assumes = assumes.map(Assumption::word);
                let insert = "INSERT OR REPLACE INTO contradiction (run, place, kind, detail, why, assumes)
                     VALUES (?, ?, ?, ?, ?, ?)";
                let index = index_of(indices, *mutant).get();
                db.prepare_cached(insert)?.execute(params![run, index, row.kind, row.detail, row.why, assumes])?;
            }
            Ok(())
        })
    }

    /// Records how many pairs each engine executed, and why the fastest engine deferred some.
    pub fn record_pairs(&mut self, pairs: &[PairCount]) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, _| {
            let insert = "INSERT OR REPLACE INTO pair_count (run, engine, why, pairs) VALUES (?, ?, ?, ?)";
            let mut insert = db.prepare_cached(insert)?;
            for PairCount { engine, why, pairs } in pairs {
                insert.execute(params![run, codes::of_engine(*engine), why, pairs])?;
            }
            Ok(())
        })
    }

    /// The cache of compiled code, which another thread may use while this writer is in use.
    pub fn code_cache(&self) -> Result<CodeCache, StoreError> {
        CodeCache::open(&self.database, Use { run: self.id.0, at: self.started })
    }

    /// Records how many verdicts the rebuild engine confirmed and contradicted.
    pub fn record_audit(&mut self, audit: AuditCount) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, _| {
            let AuditCount { checked, disagreed, confirmed, changed, in_doubt } = audit;
            let insert = "INSERT OR REPLACE INTO audit (run, checked, disagreed, confirmed, changed, in_doubt) \
                          VALUES (?, ?, ?, ?, ?, ?)";
            db.execute(insert, params![run, checked, disagreed, confirmed, changed, in_doubt])?;
            Ok(())
        })
    }

    /// Records the sample and its estimate. A second one replaces the first.
    pub fn record_sample(&mut self, sampled: &Sampled) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, _| sampled::write(db, run, sampled))
    }

    /// The results of the discard step that are stored under these keys. The keys count as used from now on.
    pub fn known_discards(
        &mut self,
        asked: &[(MutantId, ExecutionKey)],
    ) -> Result<HashMap<MutantId, DiscardResult>, StoreError> {
        let used = Use { run: self.id.0, at: self.started };
        write(&mut self.database, &mut self.interned, |db, interned| discards::known(db, interned, asked, used))
    }

    pub fn record_discards(&mut self, records: &[DiscardRecord]) -> Result<(), StoreError> {
        let run = self.id.0;
        let used = Use { run, at: self.started };
        write(&mut self.database, &mut self.interned, |db, interned| discards::write(db, interned, run, records, used))
    }

    /// The judgements that are stored under these keys. The keys count as used from now on.
    pub fn known_judgements(
        &mut self,
        asked: &[(MutantId, ExecutionKey)],
    ) -> Result<HashMap<MutantId, Judgement>, StoreError> {
        let used = Use { run: self.id.0, at: self.started };
        write(&mut self.database, &mut self.interned, |db, interned| judgements::known(db, interned, asked, used))
    }

    pub fn record_judgements(&mut self, judged: &[JudgedMutant]) -> Result<(), StoreError> {
        let run = self.id.0;
        let used = Use { run, at: self.started };
        write(&mut self.database, &mut self.interned, |db, interned| judgements::write(db, interned, run, judged, used))
    }

    /// Ends the run and releases the lock.
    pub fn finish(mut self, ending: Ending, at: SystemTime) -> Result<(), StoreError> {
        let run = self.id.0;
        write(&mut self.database, &mut self.interned, |db, _| {
            let update = "UPDATE run SET finished = ?, ending = ? WHERE id = ?";
            db.execute(update, params![milliseconds(at), codes::of_ending(ending), run])?;
            Ok(())
        })
    }
}

#[track_caller]
fn index_of(indices: &HashMap<MutantId, MutantIdx>, mutant: MutantId) -> MutantIdx {
    *indices.get(&mutant).unwrap_or_else(|| panic!("{mutant} is no mutant of this run"))
}

/// How to treat an execution that is already in the store.
#[derive(Debug, Clone, Copy)]
pub(super) enum Earlier {
    Replaced,
    /// Kept with its output, if the verdict is the same.
    KeptIfSame,
}

pub(super) fn write_executions(
    db: &Connection,
    interned: &mut Interned,
    batch: &Batch,
    used: Use,
    earlier: Earlier,
) -> rusqlite::Result<()> {
    const REPLACE: &str =
        "INSERT INTO execution (mutant, test, key, engine, verdict, cpu, wall, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE
         SET verdict = excluded.verdict, cpu = excluded.cpu, wall = excluded.wall, output = excluded.output";
    let (insert, on_conflict) = match earlier {
        Earlier::Replaced => (REPLACE.to_string(), "REPLACE"),
        Earlier::KeptIfSame => (format!("{REPLACE} WHERE verdict <> excluded.verdict"), "IGNORE"),
    };
    let mut insert = db.prepare_cached(&insert)?;
    for execution in &batch.executions {
        let mutant = execution.mutant.bits() as i64;
        let test = interned.test(db, &execution.test)?;
        let key = interned.key(db, execution.key, used)?;
        let engine = codes::of_engine(execution.engine);
        let verdict = codes::of_verdict(execution.verdict);
        let output = intern::output(db, &execution.output)?;
        let (cpu, wall) = (microseconds(execution.cpu), microseconds(execution.wall));
        insert.execute(params![mutant, test, key, engine, verdict, cpu, wall, output])?;
    }
    let insert = format!("INSERT OR {on_conflict} INTO build_failure (mutant, key, output) VALUES (?, ?, ?)");
    let mut insert = db.prepare_cached(&insert)?;
    for failure in &batch.build_failures {
        let key = interned.key(db, failure.key, used)?;
        let output = intern::output(db, &failure.message)?;
        insert.execute(params![failure.mutant.bits() as i64, key, output])?;
    }
    Ok(())
}

fn write_outcome(
    db: &Connection,
    interned: &mut Interned,
    run: i64,
    mutant: MutantIdx,
    outcome: &Outcome,
) -> rusqlite::Result<()> {
    let Some(row) = codes::of_outcome(outcome) else {
        db.prepare_cached("DELETE FROM outcome WHERE run = ? AND place = ?")?.execute(params![run, mutant.get()])?;
        return Ok(());
    };
    let test = row.test.map(|test| interned.test(db, test)).transpose()?;
    let insert = "INSERT OR REPLACE INTO outcome (run, place, kind, detail, test, why) VALUES (?, ?, ?, ?, ?, ?)";
    db.prepare_cached(insert)?.execute(params![run, mutant.get(), row.kind, row.detail, test, row.why])?;
    Ok(())
}

/// Deletes the logs of runs whose details are gone. A folder that cannot be deleted does no harm.
fn remove_old_logs(logs: &Path, oldest_kept: i64) {
    for (run, folder) in logs_of_runs(logs) {
        if run < oldest_kept {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn newest_log(logs: &Path) -> i64 {
    logs_of_runs(logs).map(|(run, _)| run).max().unwrap_or(0)
}

fn logs_of_runs(logs: &Path) -> impl Iterator<Item = (i64, PathBuf)> {
    let items = std::fs::read_dir(logs).into_iter().flatten().flatten();
    items.filter_map(|item| Some((item.file_name().to_str()?.parse().ok()?, item.path())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Execution, StoreReader};
    use perturb_model::{ContentHash, Engine, TestName, Verdict};
    use rusqlite::types::Value;
    use std::time::Duration;

    fn begin(work: &Path) -> RunWriter {
        let arguments = Vec::new();
        let manifest = serde_json::Value::Null;
        let run = NewRun { started: SystemTime::UNIX_EPOCH, root: "/p".into(), arguments, seed: 0, manifest };
        Store::open(work).unwrap().begin(&run).unwrap()
    }

    /// A batch in which one mutant survives a test that no other batch has.
    fn batch(number: usize) -> Batch {
        let execution = Execution {
            mutant: MutantId::from_bits(1),
            test: TestName::from(format!("test {number}")),
            key: ExecutionKey(ContentHash::of(format!("key {number}").as_bytes())),
            engine: Engine::Switched,
            verdict: Verdict::Survived,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            output: vec![b'x'; 500 + number],
        };
        Batch { executions: vec![execution], ..Batch::default() }
    }

    #[test]
    fn a_batch_that_does_not_fit_writes_nothing_and_can_be_repeated() {
        let work = tempfile::tempdir().unwrap();
        let mut writer = begin(work.path());
        let limit = |writer: &RunWriter, pages: i64| {
            writer.database.checked(|db| db.pragma_update(None, "max_page_count", pages)).unwrap();
        };
        let pages = |db: &Connection| db.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0));
        let pages = writer.database.checked(pages).unwrap();
        limit(&writer, pages + 3);
        let fits = (0..).take_while(|number| writer.record(&batch(*number)).is_ok()).count();
        let error = writer.record(&batch(fits)).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error:?}");
        limit(&writer, pages + 100);
        writer.record(&batch(fits)).unwrap();
        let mut stored = StoreReader::open(work.path()).unwrap().executions(MutantId::from_bits(1)).unwrap();
        stored.sort_by_key(|execution| execution.output.len());
        let expected: Vec<_> = (0..=fits).flat_map(|number| batch(number).executions).collect();
        assert_eq!(stored, expected);
    }

    #[test]
    fn a_commit_waits_for_the_disk_and_readers_do_not_wait() {
        let work = tempfile::tempdir().unwrap();
        let writer = begin(work.path());
        let setting = |name: &str| {
            let value = |db: &Connection| db.pragma_query_value(None, name, |row| row.get::<_, Value>(0));
            writer.database.checked(value).unwrap()
        };
        assert_eq!(setting("journal_mode"), Value::Text("wal".into()));
        assert_eq!(setting("synchronous"), Value::Integer(2));
    }

    #[test]
    fn a_run_may_be_written_by_a_thread_of_its_own() {
        fn is_sent<T: Send + 'static>() {}
        is_sent::<RunWriter>();
        is_sent::<Known>();
    }
}
