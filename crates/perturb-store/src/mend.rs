//! A store that is damaged or lost when a run opens it: what is left of it is set aside, and a new one is made with the
//! verdicts of the journal. One that a killed run has left is completed from there.
//!
//! Refuses what may be somebody else's: a database of another program, a newer store, a file in a folder that no run of
//! ours has used. Takes nothing away, and a kill at any moment leaves the next run to do it again.

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

/// What was wrong with a store, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    pub path: PathBuf,
    pub damage: Damage,
    /// So many verdicts were taken from the journal.
    pub verdicts: usize,
    pub journal: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// The file is gone, or has nothing in it.
    Lost,
    /// It was moved.
    Corrupt { reason: String, set_aside: PathBuf },
}

/// Opens the store of a work folder, or makes one. The caller has the lock.
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

/// The store; and of how many verdicts it was made, if it was.
fn open_or_make(work: &Path, path: &Path) -> Result<(Database, Option<usize>), StoreError> {
    if fs::metadata(path).map_or(0, |data| data.len()) == 0 {
        // A log of changes to a file that is gone must not be applied to the new one.
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(beside(path, suffix));
        }
    }
    let mut made_of = None;
    let database = Database::open(path, |db, is_new| {
        let batches = Journal::read(work).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        let mut interned = Interned::default();
        let used = Use { run: 0, at: milliseconds(SystemTime::now()) };
        // A run that was killed may have left more in the journal than here; and only the journal has checksums.
        for batch in batches.iter().flatten() {
            writer::write_executions(db, &mut interned, batch, used, Earlier::KeptIfSame)?;
        }
        if is_new {
            // Some may have been found out more than once.
            let count = "SELECT (SELECT count(*) FROM execution) + (SELECT count(*) FROM build_failure)";
            made_of = Some(db.query_row(count, [], |row| row.get(0))?);
        }
        Ok(())
    })?;
    Ok((database, made_of))
}

/// Moves the file, and what belongs to it, to a name that is free.
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

/// Whether a file begins as databases do: then it may be another program's.
fn is_database(path: &Path) -> bool {
    let mut start = [0; 16];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok_and(|()| start == *b"SQLite format 3\0")
}

/// Whether a run of ours has written here before.
fn is_used(work: &Path) -> bool {
    work.join(Journal::FILE_NAME).is_file() || work.join("tree.manifest").is_file()
}
