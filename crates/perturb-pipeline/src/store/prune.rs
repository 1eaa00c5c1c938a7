//! What is old is thrown away, so that a store does not grow for ever: lists of earlier runs, and verdicts that no run has
//! asked for in a long time.

use rusqlite::{params, Connection};

/// What is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Runs with all their details, the new one not counted.
    pub(super) detailed_runs: usize,
    /// Runs of which it is known that they were.
    pub(super) runs: usize,
    /// Verdicts under keys that no run used for so long are forgotten.
    pub(super) unused_ms: i64,
    /// Beyond so many, those that were not used for the longest time are forgotten.
    pub(super) executions: usize,
}

pub(super) const LIMITS: Limits =
    Limits { detailed_runs: 2, runs: 100, unused_ms: 60 * 24 * 3600 * 1000, executions: 4_000_000 };

/// Throws away what is beyond the limits. Answers with the oldest run that is kept with its details.
pub(super) fn prune(db: &Connection, limits: Limits, now_ms: i64) -> rusqlite::Result<i64> {
    let newest: Option<i64> = db.query_row("SELECT max(id) FROM run", [], |row| row.get(0))?;
    let nth = "SELECT DISTINCT run FROM mutant ORDER BY run DESC LIMIT 1 OFFSET ?";
    let oldest_kept = db.query_row(nth, [limits.detailed_runs.saturating_sub(1)], |row| row.get(0)).unwrap_or(0);
    let mut gone = 0;
    for table in ["step", "test", "file", "mutant", "planned", "outcome", "recording", "statement_counts"] {
        gone += db.execute(&format!("DELETE FROM {table} WHERE run < ?"), [oldest_kept])?;
    }
    if let Some(newest) = newest {
        db.execute("DELETE FROM run WHERE id <= ?", [newest - limits.runs as i64])?;
    }
    if gone > 0 {
        db.execute_batch(
            "DELETE FROM source WHERE id NOT IN (SELECT source FROM file);
             DELETE FROM scope WHERE id NOT IN (SELECT scope FROM mutant);
             DELETE FROM suppression WHERE id NOT IN (SELECT suppression FROM mutant WHERE suppression IS NOT NULL);
             DELETE FROM plan WHERE id NOT IN (SELECT plan FROM planned);",
        )?;
    }
    prune_executions(db, limits, now_ms)?;
    Ok(oldest_kept)
}

fn prune_executions(db: &Connection, limits: Limits, now_ms: i64) -> rusqlite::Result<()> {
    let mut stale = db.execute("DELETE FROM execution_key WHERE used_at < ?", [now_ms - limits.unused_ms])?;
    let count: usize = db.query_row("SELECT count(*) FROM execution", [], |row| row.get(0))?;
    if count > limits.executions {
        // Keys from the last used on, with how many executions they and all before them have.
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
             DELETE FROM output WHERE id NOT IN (
                SELECT output FROM execution WHERE output IS NOT NULL
                UNION SELECT output FROM build_failure WHERE output IS NOT NULL);",
        )?;
    }
    Ok(())
}
