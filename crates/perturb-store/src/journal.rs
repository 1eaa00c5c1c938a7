//! The journal: a second copy of every verdict, in a file that is only ever appended to. If the store is damaged or
//! lost, a new one gets all verdicts from it.
//!
//! SQLite does not notice that a byte of a row has changed, so that nothing in a damaged store can be trusted. Here
//! each record has a checksum: what was read is what was written, and damaged records are skipped, wherever they are.
//! Verdicts are stored with their keys, and stay valid in another store. Outputs, lists of mutants and times of steps
//! are not in the journal.

use super::blob::{put, Malformed, Numbers};
use super::database::Database;
use super::files::rename;
use super::{codes, values, Batch, BuildFailure, Execution, ExecutionKey, StoreError};
use perturb_model::{ContentHash, MutantId, TestName};
use rusqlite::{Connection, Row};
use std::collections::HashMap;
use std::fs::{self, File};
use std::hash::Hash;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Every record starts with this mark, so that the reader finds the next record after a damaged one. The digit is the
/// version.
const MARK: [u8; 8] = *b"\xf1verdct1";
/// The size of mark, length and checksum.
const HEAD_BYTES: usize = MARK.len() + 4 + CHECKSUM_BYTES;
const CHECKSUM_BYTES: usize = 8;

/// The largest number of verdicts in one record. A larger batch is split; each of its records repeats names and keys.
const LARGEST_RECORD: usize = 4096;

/// The limits of the journal's size: SMALL_BYTES, plus BYTES_PER_VERDICT for each verdict in the store. A larger
/// journal consists mostly of verdicts that were pruned or recorded twice, and is rewritten.
const SMALL_BYTES: u64 = 1 << 20;
const BYTES_PER_VERDICT: u64 = 128;

#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    pub(super) const FILE_NAME: &'static str = "verdicts.log";

    /// Opens the journal of a store. If it is missing or too large, it is rewritten from the store.
    pub(super) fn open(work: &Path, store: &Database) -> Result<Self, StoreError> {
        let path = work.join(Self::FILE_NAME);
        let size = match fs::metadata(&path) {
            Ok(data) => Some(data.len()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::io("read", &path)(error)),
        };
        if size.is_none_or(|size| size > SMALL_BYTES) {
            let count = "SELECT count(*) FROM execution";
            let verdicts: u64 = store.checked(|db| db.query_row(count, [], |row| row.get(0)))?;
            if size.is_none_or(|size| size > SMALL_BYTES + verdicts * BYTES_PER_VERDICT) {
                rewrite(&path, store)?;
            }
        }
        let file = File::options().append(true).create(true).open(&path).map_err(StoreError::io("write", &path))?;
        Ok(Self { file, path })
    }

    /// Appends the executions of a batch, which are on the disk when this returns.
    pub(super) fn append(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let records = records_of(&batch.executions, &batch.build_failures);
        if records.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(&records).and_then(|()| self.file.sync_data());
        written.map_err(StoreError::io("write", &self.path))
    }

    /// All records of a work folder's journal that can be read, in the order in which they were written. None if there
    /// is no journal.
    pub(super) fn read(work: &Path) -> Result<Option<Vec<Batch>>, StoreError> {
        let path = work.join(Self::FILE_NAME);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(Records(&bytes).filter_map(|payload| decoded(payload).ok()).collect())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }
}

/// Replaces the journal in one step: after a kill, either the old one or the new one is there.
fn rewrite(path: &Path, store: &Database) -> Result<(), StoreError> {
    let draft = path.with_extension("log.new");
    let mut file = File::create(&draft).map_err(StoreError::io("write", &draft))?;
    let mut failed = None;
    let mut add = |executions: &[Execution], failures: &[BuildFailure]| {
        failed = failed.take().or(file.write_all(&records_of(executions, failures)).err());
    };
    store.checked(|db| {
        let mut all = Vec::with_capacity(LARGEST_RECORD);
        let mut select = db.prepare(
            "SELECT e.mutant, n.name, k.hash, e.engine, e.verdict, e.cpu, e.wall FROM execution e
             JOIN test_name n ON n.id = e.test JOIN execution_key k ON k.id = e.key",
        )?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            all.push(execution(row)?);
            if all.len() == LARGEST_RECORD {
                add(&all, &[]);
                all.clear();
            }
        }
        add(&all, &build_failures(db)?);
        Ok(())
    })?;
    let written = failed.map_or(Ok(()), Err).and_then(|()| file.sync_data());
    written.map_err(StoreError::io("write", &draft))?;
    rename(&draft, path)
}

fn execution(row: &Row<'_>) -> rusqlite::Result<Execution> {
    Ok(Execution {
        mutant: values::id(row, 0)?,
        test: values::test_name(row, 1)?,
        key: ExecutionKey(ContentHash::from_bytes(row.get(2)?)),
        engine: values::decoded(row, 3, codes::engine)?,
        verdict: values::decoded(row, 4, codes::verdict)?,
        cpu: values::duration(row, 5)?,
        wall: values::duration(row, 6)?,
        output: Vec::new(),
    })
}

fn build_failures(db: &Connection) -> rusqlite::Result<Vec<BuildFailure>> {
    let select = "SELECT f.mutant, k.hash FROM build_failure f JOIN execution_key k ON k.id = f.key";
    let read = |row: &Row<'_>| {
        let key = ExecutionKey(ContentHash::from_bytes(row.get(1)?));
        Ok(BuildFailure { mutant: values::id(row, 0)?, key, message: Vec::new() })
    };
    db.prepare(select)?.query_map([], read)?.collect()
}

fn records_of(executions: &[Execution], failures: &[BuildFailure]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |payload: &[u8]| {
        bytes.extend(MARK);
        bytes.extend((payload.len() as u32).to_le_bytes());
        bytes.extend(checksum(payload));
        bytes.extend(payload);
    };
    executions.chunks(LARGEST_RECORD).for_each(|chunk| add(&encoded(chunk, &[])));
    failures.chunks(LARGEST_RECORD).for_each(|chunk| add(&encoded(&[], chunk)));
    bytes
}

fn checksum(payload: &[u8]) -> [u8; CHECKSUM_BYTES] {
    *ContentHash::of(payload).as_bytes().first_chunk().expect("a SHA-256 has 32 bytes")
}

/// Iterates over the payloads of all records that are whole.
struct Records<'b>(&'b [u8]);

impl<'b> Iterator for Records<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        loop {
            let start = self.0.windows(MARK.len()).position(|window| window == MARK)?;
            let record = &self.0[start..];
            match whole(record) {
                Some(payload) => {
                    self.0 = &record[HEAD_BYTES + payload.len()..];
                    return Some(payload);
                }
                None => self.0 = &record[1..],
            }
        }
    }
}

/// The payload of the record that starts here, if the record is whole.
fn whole(record: &[u8]) -> Option<&[u8]> {
    let (head, rest) = record.split_at_checked(HEAD_BYTES)?;
    let (length, sum) = head[MARK.len()..].split_first_chunk::<4>()?;
    let payload = rest.get(..u32::from_le_bytes(*length) as usize)?;
    (checksum(payload) == sum).then_some(payload)
}

/// Values that many verdicts share: each once, in the order of the first use.
struct Shared<'v, T> {
    numbers: HashMap<&'v T, u64>,
    all: Vec<&'v T>,
}

impl<'v, T: Eq + Hash> Shared<'v, T> {
    fn of(values: impl Iterator<Item = &'v T>) -> Self {
        let mut shared = Self { numbers: HashMap::new(), all: Vec::new() };
        for value in values {
            if !shared.numbers.contains_key(value) {
                shared.numbers.insert(value, shared.all.len() as u64);
                shared.all.push(value);
            }
        }
        shared
    }
}

fn encoded(executions: &[Execution], failures: &[BuildFailure]) -> Vec<u8> {
    let tests = Shared::of(executions.iter().map(|execution| &execution.test));
    let of_failures = failures.iter().map(|failure| &failure.key);
    let keys = Shared::of(executions.iter().map(|execution| &execution.key).chain(of_failures));
    let mut bytes = Vec::with_capacity(keys.all.len() * 32 + (executions.len() + failures.len()) * 24);
    put(&mut bytes, tests.all.len() as u64);
    for test in &tests.all {
        put(&mut bytes, test.as_str().len() as u64);
        bytes.extend(test.as_str().bytes());
    }
    put(&mut bytes, keys.all.len() as u64);
    keys.all.iter().for_each(|key| bytes.extend(key.0.as_bytes()));
    put(&mut bytes, executions.len() as u64);
    for one in executions {
        bytes.extend(one.mutant.bits().to_le_bytes());
        let engine = codes::of_engine(one.engine) as u64;
        let verdict = codes::of_verdict(one.verdict) as u64;
        let (cpu, wall) = (one.cpu.as_micros() as u64, one.wall.as_micros() as u64);
        for number in [tests.numbers[&one.test], keys.numbers[&one.key], engine, verdict, cpu, wall] {
            put(&mut bytes, number);
        }
    }
    put(&mut bytes, failures.len() as u64);
    for failure in failures {
        bytes.extend(failure.mutant.bits().to_le_bytes());
        put(&mut bytes, keys.numbers[&failure.key]);
    }
    bytes
}

/// Decodes a payload. One invalid value makes all of it malformed.
fn decoded(payload: &[u8]) -> Result<Batch, Malformed> {
    let mut numbers = Numbers(payload);
    let mut tests = Vec::new();
    let mut keys = Vec::new();
    for _ in 0..numbers.required()? {
        let length = usize::try_from(numbers.required()?).map_err(|_| Malformed)?;
        let name = std::str::from_utf8(numbers.bytes(length)?).map_err(|_| Malformed)?;
        tests.push(TestName::from(name));
    }
    for _ in 0..numbers.required()? {
        let hash = numbers.bytes(32)?.try_into().map_err(|_| Malformed)?;
        keys.push(ExecutionKey(ContentHash::from_bytes(hash)));
    }
    let key = |number: u64| keys.get(number as usize).copied().ok_or(Malformed);
    let code = |number: u64| i64::try_from(number).map_err(|_| Malformed);
    let mut batch = Batch::default();
    for _ in 0..numbers.required()? {
        batch.executions.push(Execution {
            mutant: mutant(&mut numbers)?,
            test: tests.get(numbers.required()? as usize).cloned().ok_or(Malformed)?,
            key: key(numbers.required()?)?,
            engine: codes::engine(code(numbers.required()?)?)?,
            verdict: codes::verdict(code(numbers.required()?)?)?,
            cpu: Duration::from_micros(numbers.required()?),
            wall: Duration::from_micros(numbers.required()?),
            output: Vec::new(),
        });
    }
    for _ in 0..numbers.required()? {
        let mutant = mutant(&mut numbers)?;
        let key = key(numbers.required()?)?;
        batch.build_failures.push(BuildFailure { mutant, key, message: Vec::new() });
    }
    if numbers.next()?.is_some() {
        return Err(Malformed);
    }
    Ok(batch)
}

fn mutant(numbers: &mut Numbers<'_>) -> Result<MutantId, Malformed> {
    let bits = numbers.bytes(8)?.try_into().map_err(|_| Malformed)?;
    Ok(MutantId::from_bits(u64::from_le_bytes(bits)))
}

#[cfg(test)]
mod tests;
