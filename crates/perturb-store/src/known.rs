//! Verdicts of earlier runs that are still valid.

use super::{codes, values, ExecutionKey};
use perturb_model::{Engine, MutantId, TestName, Verdict};
use rusqlite::Connection;
use std::collections::HashMap;

/// The stored verdicts under a set of keys. A verdict is found only under the key it was recorded with.
#[derive(Debug, Default)]
pub struct Known {
    tests: HashMap<TestName, i64>,
    keys: HashMap<ExecutionKey, i64>,
    /// Sorted, because there may be millions.
    verdicts: Vec<(Pair, i64)>,
    build_failures: Vec<(MutantId, i64)>,
}

/// Mutant, test, key, engine.
type Pair = (MutantId, i64, i64, Engine);

impl Known {
    pub(super) fn load(db: &Connection, keys: HashMap<ExecutionKey, i64>) -> rusqlite::Result<Self> {
        let wanted: std::collections::HashSet<i64> = keys.values().copied().collect();
        let mut known = Self { keys, ..Self::default() };
        let mut tests = db.prepare("SELECT name, id FROM test_name")?;
        let mut rows = tests.query([])?;
        while let Some(row) = rows.next()? {
            known.tests.insert(TestName::from(row.get_ref(0)?.as_str()?), row.get(1)?);
        }
        let mut executions = db.prepare("SELECT key, mutant, test, engine, verdict FROM execution")?;
        let mut rows = executions.query([])?;
        while let Some(row) = rows.next()? {
            let key = row.get(0)?;
            if wanted.contains(&key) {
                let mutant = values::id(row, 1)?;
                let engine = values::decoded(row, 3, codes::engine)?;
                known.verdicts.push(((mutant, row.get(2)?, key, engine), row.get(4)?));
            }
        }
        let mut failures = db.prepare("SELECT key, mutant FROM build_failure")?;
        let mut rows = failures.query([])?;
        while let Some(row) = rows.next()? {
            let key = row.get(0)?;
            if wanted.contains(&key) {
                known.build_failures.push((values::id(row, 1)?, key));
            }
        }
        known.verdicts.sort_unstable();
        known.build_failures.sort_unstable();
        Ok(known)
    }

    /// The verdict that this engine recorded for the pair of mutant and test under this key.
    pub fn verdict(&self, mutant: MutantId, test: &TestName, key: &ExecutionKey, engine: Engine) -> Option<Verdict> {
        let pair = (mutant, *self.tests.get(test)?, *self.keys.get(key)?, engine);
        let at = self.verdicts.binary_search_by_key(&pair, |(pair, _)| *pair).ok()?;
        codes::verdict(self.verdicts[at].1).ok()
    }

    /// Whether the mutant failed to compile under this key.
    pub fn build_failed(&self, mutant: MutantId, key: &ExecutionKey) -> bool {
        self.keys.get(key).is_some_and(|&key| self.build_failures.binary_search(&(mutant, key)).is_ok())
    }

    /// How many verdicts are stored.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty() && self.build_failures.is_empty()
    }
}
