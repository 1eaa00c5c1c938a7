//! Texts that many rows share, each stored once and known by a small number.

use super::database::Database;
use super::{ExecutionKey, StoreError};
use perturb_model::{ContentHash, TestName};
use rusqlite::{params, Connection, OptionalExtension};
use std::collections::HashMap;

/// The numbers that were given so far, as far as this run met them. A transaction that fails may have given some away:
/// then all of them are forgotten.
#[derive(Debug, Default)]
pub(super) struct Interned {
    tests: HashMap<TestName, i64>,
    keys: HashMap<ExecutionKey, i64>,
}

/// When, and in which run, a key is used.
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

    /// The key's number; the key counts as used.
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

/// Longest end of an output that is kept.
const TAIL_BYTES: usize = 1024;

/// Keeps the end of what was printed; `None` if nothing was.
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

/// Whole lines, where there are any.
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

/// One transaction. The numbers that it gave away are forgotten if it fails.
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
        let kept = tail(long.as_bytes());
        assert!(kept.len() < TAIL_BYTES && kept.len() > TAIL_BYTES - 20);
        assert!(kept.starts_with(b"0123") && kept.ends_with(b"cdef"));
        assert_eq!(tail(&[b'x'; 5000]).len(), TAIL_BYTES);
    }
}
