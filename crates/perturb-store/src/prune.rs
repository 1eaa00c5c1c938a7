//! Prunes old data, so that a store does not grow for ever: lists of earlier runs, and verdicts that no run has used
//! for a long time.

use rusqlite::{params, Connection, OptionalExtension};

/// What pruning keeps.
#[derive(Debug, Clone, Copy)]
pub(super) struct PruneLimits {
    /// How many runs keep all their details, besides the new one.
    pub(super) detailed_runs: usize,
    /// How many runs stay in the list of runs.
    pub(super) runs: usize,
    /// Verdicts are deleted when no run has used their key for this time, nor any of the last `unused_runs` runs. The
    /// time alone would not do: the clock may have been set to another year for one run.
    pub(super) unused_ms: i64,
    pub(super) unused_runs: i64,
    /// If there are more executions than this, those that were not used for the longest time are deleted.
    pub(super) executions: usize,
}

pub(super) const LIMITS: PruneLimits = PruneLimits {
    detailed_runs: 2,
    runs: 100,
    unused_ms: 60 * 24 * 3600 * 1000,
    unused_runs: 10,
    executions: 4_000_000,
};

/// Deletes what is beyond the limits. Returns the oldest run that keeps its details.
pub(super) fn prune(db: &Connection, limits: PruneLimits, now_ms: i64) -> rusqlite::Result<i64> {
    let newest: Option<i64> = db.query_row("SELECT max(id) FROM run", [], |row| row.get(0))?;
    let nth = "SELECT id FROM run WHERE EXISTS (SELECT 1 FROM mutant WHERE mutant.run = run.id)
               ORDER BY id DESC LIMIT 1 OFFSET ?";
    let nth = db.query_row(nth, [limits.detailed_runs.saturating_sub(1)], |row| row.get(0));
    let oldest_kept = nth.optional()?.unwrap_or(0);
    let mut gone = 0;
    let tables = [
        "step",
        "test",
        "file",
        "mutant",
        "planned",
        "pair_count",
        "audit",
        "sample",
        "trace",
        "judged",
        "generation",
        "generated",
        "covered",
        "outcome",
        "recording",
        "statement_counts",
        "contradiction",
    ];
    for table in tables {
        gone += db.execute(&format!("DELETE FROM {table} WHERE run < ?"), [oldest_kept])?;
    }
    if let Some(newest) = newest {
        let delete = "DELETE FROM run WHERE id <= ? AND NOT EXISTS (SELECT 1 FROM mutant WHERE mutant.run = run.id)";
        db.execute(delete, [newest - limits.runs as i64])?;
    }
    if gone > 0 {
        db.execute_batch(
            "DELETE FROM source WHERE id NOT IN (SELECT source FROM file);
             DELETE FROM scope WHERE id NOT IN (SELECT scope FROM mutant);
             DELETE FROM suppression WHERE id NOT IN (SELECT suppression FROM mutant WHERE suppression IS NOT NULL);
             DELETE FROM plan WHERE id NOT IN (SELECT plan FROM planned);",
        )?;
    }
    prune_executions(db, limits, newest.unwrap_or(0), now_ms)?;
    Ok(oldest_kept)
}

fn prune_executions(db: &Connection, limits: PruneLimits, newest: i64, now_ms: i64) -> rusqlite::Result<()> {
    // A clock that was ahead has left dates in the future.
    db.execute("UPDATE execution_key SET used_at = ?1 WHERE used_at > ?1", [now_ms])?;
    let delete = "DELETE FROM execution_key WHERE used_at < ? AND used_run <= ?";
    let mut stale = db.execute(delete, [now_ms - limits.unused_ms, newest - limits.unused_runs])?;
    let count: usize = db.query_row("SELECT count(*) FROM execution", [], |row| row.get(0))?;
    if count > limits.executions {
        // Keys in the order of their last use, newest first, with the number of executions up to each.
        let within = "SELECT id FROM (
                SELECT k.id AS id, sum(n) OVER (ORDER BY k.used_run DESC, k.id) AS total
                FROM execution_key k JOIN (SELECT key, count(*) AS n FROM execution GROUP BY key) e ON e.key = k.id)
            WHERE total <= ?";
        let delete = format!("DELETE FROM execution_key WHERE id NOT IN ({within})");
        stale += db.execute(&delete, params![limits.executions])?;
    }
    if stale > 0 {
        db.execute_batch(
            "DELETE FROM execution WHERE key NOT IN (SELECT id FROM execution_key);
             DELETE FROM build_failure WHERE key NOT IN (SELECT id FROM execution_key);
             DELETE FROM code WHERE key NOT IN (SELECT id FROM execution_key);
             DELETE FROM look WHERE key NOT IN (SELECT id FROM execution_key);
             DELETE FROM judgement WHERE key NOT IN (SELECT id FROM execution_key);
             DELETE FROM test_input WHERE key NOT IN (SELECT id FROM execution_key);
             DELETE FROM output WHERE id NOT IN (
                SELECT output FROM execution WHERE output IS NOT NULL
                UNION SELECT output FROM build_failure WHERE output IS NOT NULL);",
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Batch, Execution, ExecutionKey, NewRun, RunWriter, Store};
    use perturb_model::{ContentHash, Engine, Mutant, MutantId, MutatedFile, TestName, Verdict};
    use perturb_model::{Operator, Scope, SourceFile, SourceRange};
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    const DAY: Duration = Duration::from_secs(24 * 3600);

    fn key(text: &str) -> ExecutionKey {
        ExecutionKey(ContentHash::of(text.as_bytes()))
    }

    fn run(work: &Path, day: u32) -> RunWriter {
        let started = SystemTime::UNIX_EPOCH + DAY * day;
        let manifest = serde_json::Value::Null;
        let run = NewRun { started, root: "/p".into(), arguments: Vec::new(), seed: 0, manifest };
        Store::open(work).unwrap().begin(&run).unwrap()
    }

    fn is_known(writer: &mut RunWriter, text: &str) -> bool {
        !writer.known(&[key(text)]).unwrap().is_empty()
    }

    /// A run with one mutant in a file whose text is the key, executed under that key.
    fn run_with(work: &Path, day: u32, text: &str) {
        let mut writer = run(work, day);
        std::fs::write(writer.logs().join("log"), "").unwrap();
        let source = SourceFile::new("a.c", text.as_bytes().to_vec());
        let id = MutantId::from_bits(u64::from(day));
        let mutant = Mutant {
            id,
            file: Arc::new(MutatedFile { relative: "a.c".into(), source }),
            range: SourceRange::new(0, 1),
            operator: Operator::Sdl,
            replacement: Box::default(),
            scope: Arc::new(Scope { name: text.into(), parameters: String::new(), is_function: true }),
            constant: None,
            suppression: None,
        };
        writer.record_mutants(&[mutant]).unwrap();
        let test = TestName::from("t");
        let engine = Engine::Switched;
        let verdict = Verdict::Survived;
        let cpu = Duration::ZERO;
        let wall = Duration::ZERO;
        let output = text.as_bytes().to_vec();
        let execution = Execution { mutant: id, test, key: key(text), engine, verdict, cpu, wall, output };
        writer.record(&Batch { executions: vec![execution], ..Batch::default() }).unwrap();
    }

    fn counts<const N: usize>(work: &Path, tables: [&str; N]) -> [usize; N] {
        let store = Store::open(work).unwrap();
        let count = |table| {
            let select = format!("SELECT count(*) FROM {table}");
            store.database.checked(|db| db.query_row(&select, [], |row| row.get(0))).unwrap()
        };
        tables.map(count)
    }

    #[test]
    fn details_of_old_runs_are_deleted_with_all_that_only_they_use() {
        let work = tempfile::tempdir().unwrap();
        for day in 1..=6 {
            run_with(work.path(), day, &format!("text {day}"));
        }
        let tables = ["run", "mutant", "file", "source", "scope", "execution"];
        assert_eq!(counts(work.path(), tables), [6, 3, 3, 3, 3, 6]);
        let mut logs: Vec<_> =
            std::fs::read_dir(work.path().join("logs")).unwrap().map(|i| i.unwrap().file_name()).collect();
        logs.sort();
        assert_eq!(logs, ["4", "5", "6"]);
    }

    #[test]
    fn verdicts_stay_as_long_as_runs_ask_for_them() {
        let work = tempfile::tempdir().unwrap();
        run_with(work.path(), 1, "used");
        run_with(work.path(), 1, "unused");
        for day in 50..50 + LIMITS.unused_runs as u32 {
            assert!(is_known(&mut run(work.path(), day), "used"));
        }
        let mut later = run(work.path(), 62);
        assert!(is_known(&mut later, "used") && !is_known(&mut later, "unused"));
        drop(later);
        assert_eq!(counts(work.path(), ["execution", "output"]), [1, 1]);
    }

    #[test]
    fn a_clock_that_jumps_deletes_no_verdict_and_preserves_none_for_ever() {
        let work = tempfile::tempdir().unwrap();
        run_with(work.path(), 1000, "text");
        // In one run the clock is decades ahead, and in the next it is before all others.
        for day in [20_000, 1, 1001] {
            assert!(is_known(&mut run(work.path(), day), "text"), "day {day}");
        }
        run_with(work.path(), 20_000, "of the future");
        for day in (1002..).step_by(30).take(LIMITS.unused_runs as usize + 2) {
            drop(run(work.path(), day));
        }
        assert!(!is_known(&mut run(work.path(), 2000), "of the future"));
    }

    #[test]
    fn beyond_the_limit_executions_not_used_for_the_longest_time_are_deleted() {
        let work = tempfile::tempdir().unwrap();
        for day in 1..=5 {
            run_with(work.path(), day, &format!("text {day}"));
        }
        assert!(is_known(&mut run(work.path(), 6), "text 1"));
        let mut store = Store::open(work.path()).unwrap();
        store.database.write(|db| prune(db, PruneLimits { executions: 2, ..LIMITS }, 0).map(drop)).unwrap();
        drop(store);
        let mut later = run(work.path(), 7);
        let known = [1, 2, 3, 4, 5].map(|day| is_known(&mut later, &format!("text {day}")));
        assert_eq!(known, [true, false, false, false, true]);
    }
}
