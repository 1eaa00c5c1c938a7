//! The results of generating tests for mutants of a run: a list of its own, which does not change the run's other
//! lists.

use super::blob::Malformed;
use super::database::Database;
use super::intern::{write, Interned, Use};
use super::judgements::{columns, judgement};
use super::lock::Lock;
use super::run::{GeneratedFor, Generation, MutantState, StoredRun};
use super::values::{date, malformed, milliseconds, path, PathValue};
use super::{test_inputs, ExecutionKey, Store, StoreError};
use perturb_model::{Framework, InputSearchResult, MutantId, MutantIdx, TestgenOutcome};
use rusqlite::types::{Type, ValueRef};
use rusqlite::{params, Connection, Row};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::SystemTime;

/// Adds results to a stored run. Holds the lock of the work folder until it is dropped.
#[derive(Debug)]
pub struct GenerationWriter {
    database: Database,
    interned: Interned,
    run: i64,
    used: Use,
    indices: HashMap<MutantId, MutantIdx>,
    _lock: Lock,
}

impl GenerationWriter {
    pub(super) fn new(store: Store, run: &StoredRun) -> Self {
        let Store { lock, database, .. } = store;
        let indices = MutantIdx::enumerate(&run.mutants).map(|(index, state)| (state.mutant.id, index)).collect();
        let used = Use { run: run.id.0, at: milliseconds(SystemTime::now()) };
        Self { database, interned: Interned::default(), run: run.id.0, used, indices, _lock: lock }
    }

    /// The inputs that are stored for the mutants of a function.
    pub fn known_inputs(&mut self, key: ExecutionKey) -> Result<Option<InputSearchResult>, StoreError> {
        let used = self.used;
        write(&mut self.database, &mut self.interned, |db, interned| test_inputs::known(db, interned, key, used))
    }

    pub fn record_inputs(&mut self, key: ExecutionKey, found: &InputSearchResult) -> Result<(), StoreError> {
        let used = self.used;
        write(&mut self.database, &mut self.interned, |db, interned| test_inputs::write(db, interned, key, found, used))
    }

    /// Records the results for these mutants, in place of earlier ones. Since `files` were written anew, earlier
    /// results that name tests in them are deleted.
    pub fn record(
        &mut self,
        generation: &Generation,
        outcomes: &[(MutantId, &TestgenOutcome)],
        files: &BTreeSet<&str>,
    ) -> Result<(), StoreError> {
        let run = self.run;
        let indices = &self.indices;
        write(&mut self.database, &mut self.interned, |db, _| {
            let Generation { at, framework, folder } = generation;
            let at = milliseconds(*at);
            let folder = PathValue(folder);
            for file in files {
                let delete = "DELETE FROM generated WHERE run = ?1 AND file = ?2
                              AND generation IN (SELECT id FROM generation WHERE run = ?1 AND folder = ?3)";
                db.execute(delete, params![run, file, folder])?;
            }
            let insert = "INSERT INTO generation (run, at, framework, folder) VALUES (?, ?, ?, ?)";
            db.execute(insert, params![run, at, framework.name(), folder])?;
            let generation = db.last_insert_rowid();
            for (mutant, outcome) in outcomes {
                // The sources may have changed since the run: mutants that it does not know are skipped.
                if let Some(mutant) = indices.get(mutant) {
                    write_outcome(db, run, *mutant, generation, outcome)?;
                }
            }
            let delete =
                "DELETE FROM generation WHERE run = ?1 AND id NOT IN (SELECT generation FROM generated WHERE run = ?1)";
            db.execute(delete, [run]).map(drop)
        })
    }
}

fn write_outcome(
    db: &Connection,
    run: i64,
    mutant: MutantIdx,
    generation: i64,
    outcome: &TestgenOutcome,
) -> rusqlite::Result<()> {
    let (file, tests, why, judged) = match outcome {
        TestgenOutcome::Killed { tests, file } => {
            (Some(file), Some(serde_json::Value::from(tests.clone()).to_string()), None, None)
        }
        TestgenOutcome::Sanitized { judgement, tests, file } => {
            let tests = serde_json::Value::from(tests.clone()).to_string();
            (Some(file), Some(tests), None, Some(columns(judgement)?))
        }
        TestgenOutcome::Unconfirmed { judgement, why } => (None, None, Some(why), Some(columns(judgement)?)),
        TestgenOutcome::Left(judgement) => (None, None, None, Some(columns(judgement)?)),
    };
    let (verdict, length, deflated) = match judged {
        Some((verdict, length, deflated)) => (Some(verdict), Some(length), Some(deflated)),
        None => (None, None, None),
    };
    let insert =
        "INSERT OR REPLACE INTO generated (run, place, generation, file, tests, why, verdict, length, deflated)
                  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let row = params![run, mutant.get(), generation, file, tests, why, verdict, length, deflated];
    db.prepare_cached(insert)?.execute(row).map(drop)
}

/// Adds the results of test generation to a run's mutants.
pub(super) fn read(db: &Connection, run: i64, states: &mut [MutantState]) -> rusqlite::Result<()> {
    let generation = |row: &Row<'_>| {
        let name = row.get_ref(2)?.as_str()?;
        let framework = Framework::ALL.into_iter().find(|framework| framework.name() == name);
        let framework = framework.ok_or(Malformed).map_err(malformed)?;
        Ok((row.get(0)?, Arc::new(Generation { at: date(row.get(1)?), framework, folder: path(row, 3)? })))
    };
    let mut select = db.prepare("SELECT id, at, framework, folder FROM generation WHERE run = ?")?;
    let generations: HashMap<i64, Arc<Generation>> = select.query_map([run], generation)?.collect::<Result<_, _>>()?;
    let select = "SELECT place, generation, file, tests, why, verdict, length, deflated FROM generated WHERE run = ?";
    let mut select = db.prepare(select)?;
    let mut rows = select.query([run])?;
    while let Some(row) = rows.next()? {
        let generation = generations.get(&row.get(1)?).ok_or(Malformed).map_err(malformed)?.clone();
        let state = states.get_mut(row.get::<_, usize>(0)?).ok_or(Malformed).map_err(malformed)?;
        state.generated = Some(GeneratedFor { outcome: outcome(row)?, generation });
    }
    Ok(())
}

fn outcome(row: &Row<'_>) -> rusqlite::Result<TestgenOutcome> {
    let file: Option<String> = row.get(2)?;
    let tests: Option<String> = row.get(3)?;
    let why: Option<String> = row.get(4)?;
    match (file, tests, why) {
        (Some(file), Some(tests), None) => {
            let tests = serde_json::from_str(&tests)
                .map_err(|error| rusqlite::Error::FromSqlConversionFailure(3, Type::Text, Box::new(error)))?;
            Ok(match row.get_ref(5)? {
                ValueRef::Null => TestgenOutcome::Killed { tests, file },
                _ => TestgenOutcome::Sanitized { judgement: judgement(row, 5)?, tests, file },
            })
        }
        (None, None, Some(why)) => Ok(TestgenOutcome::Unconfirmed { judgement: judgement(row, 5)?, why }),
        (None, None, None) => Ok(TestgenOutcome::Left(judgement(row, 5)?)),
        _ => Err(malformed(Malformed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgements::tests::begin;
    use crate::StoreReader;
    use perturb_model::{ChosenInput, ContentHash, Difference, Judgement, Kind, MutantJudgement, Proof, Tier, Witness};
    use std::path::Path;
    use std::time::Duration;

    fn id(number: u64) -> MutantId {
        MutantId::from_bits(number)
    }

    fn run(work: &Path) -> StoredRun {
        let reader = StoreReader::open(work).unwrap();
        reader.run(reader.latest().unwrap().unwrap()).unwrap()
    }

    fn writer(work: &Path) -> GenerationWriter {
        Store::open(work).unwrap().generate_for(&run(work))
    }

    fn generation(framework: Framework) -> Generation {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        Generation { at, framework, folder: "/p/tests".into() }
    }

    fn killed(test: &str, file: &str) -> TestgenOutcome {
        TestgenOutcome::Killed { tests: vec![test.to_string()], file: file.to_string() }
    }

    fn left() -> TestgenOutcome {
        let assumptions = vec!["nothing is shared".to_string()];
        TestgenOutcome::Left(Judgement::Equivalent(Proof { by: Tier::Proof, bound: None, assumptions }))
    }

    fn sanitized(file: &str) -> TestgenOutcome {
        let shown = Witness { kind: Kind::Undefined, by: Tier::Native, input: Vec::new(), changes: Vec::new() };
        let judgement = Judgement::Different(shown);
        let tests = vec!["s".to_string()];
        TestgenOutcome::Sanitized { judgement, tests, file: file.to_string() }
    }

    fn unconfirmed() -> TestgenOutcome {
        TestgenOutcome::Unconfirmed { judgement: Judgement::Unknown { why: "a".into() }, why: "b".into() }
    }

    fn record(work: &Path, framework: Framework, outcomes: &[(u64, TestgenOutcome)]) {
        let files = outcomes.iter().filter_map(|(_, outcome)| match outcome {
            TestgenOutcome::Killed { file, .. } | TestgenOutcome::Sanitized { file, .. } => Some(file.as_str()),
            _ => None,
        });
        let files = files.collect();
        let outcomes: Vec<_> = outcomes.iter().map(|(number, outcome)| (id(*number), outcome)).collect();
        writer(work).record(&generation(framework), &outcomes, &files).unwrap();
    }

    fn outcomes(work: &Path) -> Vec<Option<TestgenOutcome>> {
        run(work).mutants.into_iter().map(|state| state.generated.map(|generated| generated.outcome)).collect()
    }

    #[test]
    fn results_are_read_again_and_later_ones_add_and_replace() {
        let work = tempfile::tempdir().unwrap();
        drop(begin(work.path(), 5));
        let first = [(0, killed("t", "a.c")), (1, unconfirmed()), (2, left()), (77, left())];
        record(work.path(), Framework::Cmocka, &first);
        let expected = [Some(killed("t", "a.c")), Some(unconfirmed()), Some(left()), None, None];
        assert_eq!(outcomes(work.path()), expected);
        let state = run(work.path()).mutants.remove(0);
        assert_eq!(*state.generated.unwrap().generation, generation(Framework::Cmocka));
        record(work.path(), Framework::Plain, &[(1, killed("u", "b.c")), (3, sanitized("c.c"))]);
        let expected = [Some(killed("t", "a.c")), Some(killed("u", "b.c")), Some(left()), Some(sanitized("c.c")), None];
        assert_eq!(outcomes(work.path()), expected);
        // The file that has the test of the first is written anew, without it.
        record(work.path(), Framework::Plain, &[(4, killed("v", "a.c"))]);
        let expected = [None, Some(killed("u", "b.c")), Some(left()), Some(sanitized("c.c")), Some(killed("v", "a.c"))];
        assert_eq!(outcomes(work.path()), expected);
        // Another run has its own.
        drop(begin(work.path(), 5));
        assert_eq!(outcomes(work.path()), [None, None, None, None, None]);
    }

    #[test]
    fn generating_tests_keeps_the_lock() {
        let work = tempfile::tempdir().unwrap();
        drop(begin(work.path(), 1));
        let writer = writer(work.path());
        assert!(matches!(Store::open(work.path()), Err(StoreError::Locked { .. })));
        drop(writer);
        Store::open(work.path()).unwrap();
    }

    #[test]
    fn rows_that_perturb_never_wrote_are_damage() {
        let work = tempfile::tempdir().unwrap();
        drop(begin(work.path(), 3));
        for damage in [
            "UPDATE generated SET tests = 'x' WHERE place = 0",
            "UPDATE generated SET tests = NULL WHERE place = 0",
            "UPDATE generated SET why = 'both' WHERE place = 0",
            "UPDATE generated SET verdict = -1 WHERE place = 1",
            "UPDATE generated SET deflated = x'00' WHERE place = 1",
            "UPDATE generated SET place = 9 WHERE place = 1",
            "UPDATE generated SET generation = 99",
            "UPDATE generation SET framework = 'junit'",
        ] {
            record(work.path(), Framework::Plain, &[(0, killed("t", "a.c")), (1, left())]);
            let damaged = writer(work.path());
            damaged.database.checked(|db| db.execute_batch(damage)).unwrap();
            drop(damaged);
            let reader = StoreReader::open(work.path()).unwrap();
            let read = reader.run(reader.latest().unwrap().unwrap());
            assert!(matches!(read, Err(StoreError::Corrupt { .. })), "{damage}: {read:?}");
            let store = Store::open(work.path()).unwrap();
            store.database.checked(|db| db.execute_batch("DELETE FROM generated; DELETE FROM generation")).unwrap();
        }
    }

    #[test]
    fn inputs_are_found_under_their_key_alone_and_also_in_later_runs() {
        let work = tempfile::tempdir().unwrap();
        drop(begin(work.path(), 2));
        let key = |text: &str| ExecutionKey(ContentHash::of(text.as_bytes()));
        let by = Difference { kind: Kind::Ended, input: vec![0, 255, 3], original: vec![1], other: Vec::new() };
        let found = InputSearchResult {
            judged: vec![
                MutantJudgement { mutant: id(0), judgement: Judgement::Unknown { why: "x".into() } },
                MutantJudgement {
                    mutant: id(u64::MAX),
                    judgement: Judgement::Equivalent(Proof {
                        by: Tier::Paths,
                        bound: Some("y".into()),
                        assumptions: Vec::new(),
                    }),
                },
            ],
            chosen: vec![ChosenInput { own: id(1), wider: Some(1), kills: vec![(id(1), by)] }],
            within_tolerance: vec![id(u64::MAX)],
        };
        let mut first = writer(work.path());
        assert_eq!(first.known_inputs(key("a")).unwrap(), None);
        first.record_inputs(key("a"), &found).unwrap();
        drop(first);
        drop(begin(work.path(), 2));
        let mut later = writer(work.path());
        assert_eq!(later.known_inputs(key("a")).unwrap(), Some(found));
        assert_eq!(later.known_inputs(key("b")).unwrap(), None);
        let damage = "UPDATE test_input SET deflated = x'00'";
        later.database.checked(|db| db.execute_batch(damage)).unwrap();
        assert!(matches!(later.known_inputs(key("a")), Err(StoreError::Corrupt { .. })));
    }
}
