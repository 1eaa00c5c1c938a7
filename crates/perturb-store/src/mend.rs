//! Mends a store that is damaged or lost when a run opens it: sets the old file aside, and makes a new one with the
//! verdicts of the journal. A store that a killed run has left is completed from the journal.
//!
//! Refuses files that may belong to others: a database of another program, a newer store, a file in a folder that
//! perturb has not used. Deletes nothing; after a kill at any moment, the next run repeats the work.

use super::database::Database;
use super::files::{beside, damage_note, rename};
use super::intern::{Interned, Use};
use super::journal::Journal;
use super::values::milliseconds;
use super::writer::{self, Earlier};
use super::{seal, Store, StoreError};
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What was wrong with a store, and how it was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    pub path: PathBuf,
    pub damage: Damage,
    /// How many verdicts were taken from the journal.
    pub verdicts: usize,
    pub journal: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// The file is missing or empty.
    Lost,
    /// The file was damaged, and was moved to `set_aside`.
    Corrupt { reason: String, set_aside: PathBuf },
}

/// Opens the store of a work folder, or creates one. The caller holds the lock.
pub(super) fn open(work: &Path) -> Result<(Database, Option<Mended>), StoreError> {
    let path = work.join(Store::FILE_NAME);
    if !path.exists() {
        let _ = fs::remove_file(damage_note(&path));
    }
    let reason = match (fs::read_to_string(damage_note(&path)), open_or_make(work, &path)) {
        (Err(_), Ok((database, made_of))) => {
            let mended = made_of.filter(|verdicts| *verdicts > 0).map(|verdicts| mended(work, Damage::Lost, verdicts));
            return Ok((database, mended));
        }
        (Ok(reason), Ok(_)) => reason,
        (_, Err(StoreError::Corrupt { reason, .. })) => reason,
        (_, Err(StoreError::NotAStore { .. })) if !is_database(&path) && is_used(work) => {
            "its beginning makes no sense".to_string()
        }
        (_, Err(error)) => return Err(error),
    };
    let set_aside = set_aside(&path)?;
    let (database, verdicts) = open_or_make(work, &path)?;
    let damage = Damage::Corrupt { reason, set_aside };
    Ok((database, Some(mended(work, damage, verdicts.unwrap_or_default()))))
}

fn mended(work: &Path, damage: Damage, verdicts: usize) -> Mended {
    Mended { path: work.join(Store::FILE_NAME), damage, verdicts, journal: work.join(Journal::FILE_NAME) }
}

/// Opens or creates the store. For a new store, also returns how many verdicts the journal had.
fn open_or_make(work: &Path, path: &Path) -> Result<(Database, Option<usize>), StoreError> {
    if fs::metadata(path).map_or(0, |data| data.len()) == 0 {
        // SQLite must not apply the log of a lost file to the new one.
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(beside(path, suffix));
        }
    }
    let mut made_of = None;
    let database = Database::open(path, |db, is_new| {
        let batches = Journal::read(work).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        let mut interned = Interned::default();
        let used = Use { run: 0, at: milliseconds(SystemTime::now()) };
        // A run that was killed may have written more to the journal than to the store, and only the journal has
        // checksums.
        for batch in batches.iter().flatten() {
            writer::write_executions(db, &mut interned, batch, used, Earlier::KeptIfSame)?;
        }
        if is_new {
            // The journal may have some verdicts more than once.
            let count = "SELECT (SELECT count(*) FROM execution) + (SELECT count(*) FROM build_failure)";
            made_of = Some(db.query_row(count, [], |row| row.get(0))?);
        }
        Ok(())
    })?;
    Ok((database, made_of))
}

/// Moves the file, and the files that belong to it, to a free name.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let name = |number: u32| beside(path, &format!(".damaged-{number}"));
    let aside = (1..).map(name).find(|aside| !aside.exists()).expect("some number is free");
    rename(path, &aside)?;
    for suffix in ["-wal", "-shm"] {
        let _ = fs::rename(beside(path, suffix), beside(&aside, suffix));
    }
    let _ = fs::remove_file(damage_note(path));
    seal::take_away(path)?;
    Ok(aside)
}

/// Whether a file begins like an SQLite database: then it may belong to another program.
fn is_database(path: &Path) -> bool {
    let mut start = [0; 16];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok_and(|()| start == *b"SQLite format 3\0")
}

/// Whether perturb has used this work folder before.
fn is_used(work: &Path) -> bool {
    work.join(Journal::FILE_NAME).is_file() || work.join("tree.manifest").is_file()
}
