//! A cache of the compiled code of mutants. Its key is a hash of everything that the code depends on. It has a
//! connection of its own, so that another thread can fill it while a run is written.

use super::codes;
use super::database::Database;
use super::intern::{Interned, Use};
use super::values::{decoded, id, malformed};
use super::{blob::Malformed, ExecutionKey, StoreError};
use perturb_model::Code;
use perturb_model::{CodeHash, Level, MutantId};
use rusqlite::params;
use std::collections::HashMap;

#[derive(Debug)]
pub struct CodeCache {
    database: Database,
    interned: Interned,
    used: Use,
}

impl CodeCache {
    pub(super) fn open(beside: &Database, used: Use) -> Result<Self, StoreError> {
        Ok(Self { database: Database::open(beside.path(), |_, _| Ok(()))?, interned: Interned::default(), used })
    }

    /// The code that is stored under a key. The key counts as used from now on.
    pub fn known(&mut self, key: ExecutionKey) -> Result<HashMap<(MutantId, Level), Code>, StoreError> {
        let Self { database, interned, used } = self;
        let result = database.write(|db| {
            let key = interned.key(db, key, *used)?;
            let mut select = db.prepare_cached("SELECT mutant, level, code FROM code WHERE key = ?")?;
            let read = |row: &rusqlite::Row<'_>| {
                let code = read(row.get_ref(2)?.as_blob()?).map_err(malformed)?;
                Ok(((id(row, 0)?, decoded(row, 1, codes::level)?), code))
            };
            let known = select.query_map([key], read)?.collect();
            known
        });
        self.forget_on_error(result)
    }

    pub fn record(&mut self, key: ExecutionKey, found: &[(MutantId, Level, Code)]) -> Result<(), StoreError> {
        let Self { database, interned, used } = self;
        let result = database.write(|db| {
            let key = interned.key(db, key, *used)?;
            let insert = "INSERT OR REPLACE INTO code (key, mutant, level, code) VALUES (?, ?, ?, ?)";
            let mut insert = db.prepare_cached(insert)?;
            for (mutant, level, code) in found {
                insert.execute(params![key, mutant.bits() as i64, codes::of_level(*level), written(*code)])?;
            }
            Ok(())
        });
        self.forget_on_error(result)
    }

    fn forget_on_error<T>(&mut self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        if result.is_err() {
            self.interned = Interned::default();
        }
        result
    }
}

/// Values without a hash take one byte, so that their length distinguishes them from a hash.
fn written(code: Code) -> Vec<u8> {
    match code {
        Code::Original => vec![0],
        Code::Absent => vec![1],
        Code::Unknown => vec![2],
        Code::Settled => vec![3],
        Code::Other(hash) => hash.0.to_vec(),
    }
}

fn read(bytes: &[u8]) -> Result<Code, Malformed> {
    match bytes {
        [0] => Ok(Code::Original),
        [1] => Ok(Code::Absent),
        [2] => Ok(Code::Unknown),
        [3] => Ok(Code::Settled),
        hash => hash.try_into().map(|hash| Code::Other(CodeHash(hash))).map_err(|_| Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NewRun, Store};
    use perturb_model::ContentHash;
    use std::time::SystemTime;

    #[test]
    fn codes_are_found_under_their_key_alone_and_by_later_runs() {
        let work = tempfile::tempdir().unwrap();
        let begin = || {
            let arguments = Vec::new();
            let manifest = serde_json::Value::Null;
            let run = NewRun { started: SystemTime::UNIX_EPOCH, root: "/p".into(), arguments, seed: 0, manifest };
            Store::open(work.path()).unwrap().begin(&run).unwrap()
        };
        let key = ExecutionKey(ContentHash::of(b"a"));
        let other = ExecutionKey(ContentHash::of(b"b"));
        let codes = [Code::Original, Code::Absent, Code::Unknown, Code::Settled, Code::Other(CodeHash([7; 16]))];
        let found: Vec<_> =
            codes.iter().enumerate().map(|(at, code)| (MutantId::from_bits(at as u64), Level::Os, *code)).collect();
        let writer = begin();
        let mut cache = writer.code_cache().unwrap();
        cache.record(key, &found).unwrap();
        drop((cache, writer));
        let mut cache = begin().code_cache().unwrap();
        let known = cache.known(key).unwrap();
        assert!(found.iter().all(|(mutant, level, code)| known[&(*mutant, *level)] == *code));
        assert!(cache.known(other).unwrap().is_empty());
    }
}
