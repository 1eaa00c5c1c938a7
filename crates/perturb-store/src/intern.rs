//! Texts that many rows share: each is stored once and referenced by a small number.

use super::database::Database;
use super::{ExecutionKey, StoreError};
use perturb_model::{ContentHash, TestName};
use rusqlite::{params, Connection, OptionalExtension};
use std::collections::HashMap;

/// The numbers that this run knows. A transaction that fails may have assigned some of them, so that all of them are
/// then forgotten.
#[derive(Debug, Default)]
pub(super) struct Interned {
    tests: HashMap<TestName, i64>,
    keys: HashMap<ExecutionKey, i64>,
}

/// In which run a key is used, and when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    pub(super) run: i64,
    pub(super) at: i64,
}

impl Interned {
    pub(super) fn test(&mut self, db: &Connection, name: &TestName) -> rusqlite::Result<i64> {
        if let Some(id) = self.tests.get(name) {
            return Ok(*id);
        }
        let mut select = db.prepare_cached("SELECT id FROM test_name WHERE name = ?")?;
        let id = match select.query_row([name.as_str()], |row| row.get(0)).optional()? {
            Some(id) => id,
            None => {
                db.prepare_cached("INSERT INTO test_name (name) VALUES (?)")?.execute([name.as_str()])?;
                db.last_insert_rowid()
            }
        };
        self.tests.insert(name.clone(), id);
        Ok(id)
    }

    /// The key's number. The key counts as used.
    pub(super) fn key(&mut self, db: &Connection, key: ExecutionKey, used: Use) -> rusqlite::Result<i64> {
        if let Some(id) = self.keys.get(&key) {
            return Ok(*id);
        }
        let upsert = "INSERT INTO execution_key (hash, used_run, used_at) VALUES (?1, ?2, ?3)
                      ON CONFLICT (hash) DO UPDATE SET used_run = ?2, used_at = ?3 RETURNING id";
        let hash = key.0.as_bytes();
        let id = db.prepare_cached(upsert)?.query_row(params![hash, used.run, used.at], |row| row.get(0))?;
        self.keys.insert(key, id);
        Ok(id)
    }
}

/// How many bytes of the end of an output are stored.
const TAIL_BYTES: usize = 1024;

/// Stores the end of an output; `None` if it is empty.
pub(super) fn output(db: &Connection, printed: &[u8]) -> rusqlite::Result<Option<i64>> {
    let tail = tail(printed);
    if tail.is_empty() {
        return Ok(None);
    }
    let hash = ContentHash::of(tail);
    let id = i64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a SHA-256 has 32 bytes"));
    db.prepare_cached("INSERT OR IGNORE INTO output (id, tail) VALUES (?, ?)")?.execute(params![id, tail])?;
    Ok(Some(id))
}

/// The end of an output, in whole lines where it has any.
fn tail(printed: &[u8]) -> &[u8] {
    let printed = printed.trim_ascii_end();
    let Some(cut) = printed.len().checked_sub(TAIL_BYTES).filter(|&cut| cut > 0) else { return printed };
    let end = &printed[cut..];
    let is_line_start = printed[cut - 1] == b'\n';
    match end.iter().position(|&byte| byte == b'\n') {
        Some(newline) if !is_line_start => &end[newline + 1..],
        _ => end,
    }
}

/// Runs one transaction. If it fails, the numbers that it assigned are forgotten.
pub(super) fn write<T>(
    database: &mut Database,
    interned: &mut Interned,
    work: impl FnOnce(&Connection, &mut Interned) -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    let result = database.write(|db| work(db, interned));
    if result.is_err() {
        *interned = Interned::default();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_an_output_is_kept_in_whole_lines() {
        assert_eq!(tail(b"a\nb\n\n"), b"a\nb");
        assert_eq!(tail(b" \n"), b"");
        let long = "0123456789abcdef\n".repeat(100);
        let end = tail(long.as_bytes());
        assert!(end.len() < TAIL_BYTES && end.len() > TAIL_BYTES - 20);
        assert!(end.starts_with(b"0123") && end.ends_with(b"cdef"));
        assert_eq!(tail(&[b'x'; 5000]).len(), TAIL_BYTES);
    }
}
