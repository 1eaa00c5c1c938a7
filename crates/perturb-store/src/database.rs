//! The SQLite file: how it is opened, recognised and checked.
//!
//! Damage that is found only while a run writes is noted in a file beside the store, so that the next run knows of it
//! before it starts.

use super::files::{beside, damage_note};
use super::identity::WorkId;
use super::seal::{self, Seal};
use super::StoreError;
use rusqlite::{params, Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// "PTRB", which SQLite keeps in the file's header.
const APPLICATION_ID: i32 = 0x5054_5242;
/// The version of the tables in schema.sql. A change of the tables increments it, and adds a migration if the version
/// before was released.
const VERSION: i64 = 10;

/// Files without a seal are checked completely when they are opened, if they are no larger than this. In larger files,
/// only what is read is checked.
const CHECKED_WHOLE_BYTES: u64 = 64 << 20;

/// How long SQLite waits for a lock. Readers and writers block each other only for moments.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Database {
    path: PathBuf,
    connection: Connection,
    /// None for readers. Declared after the connection, which must be closed before the file is sealed.
    written: Option<Written>,
    /// Simulates a full disk: all transactions fail.
    #[cfg(feature = "faults")]
    pub(super) is_full: bool,
}

/// A file that is open for writing; sealed when it is closed.
#[derive(Debug)]
struct Written {
    path: PathBuf,
    /// Device and inode. A file that was deleted can still be written to, but nothing could read it later.
    identity: Option<(u64, u64)>,
}

impl Written {
    fn new(path: &Path) -> Self {
        Self { path: path.to_path_buf(), identity: identity(path) }
    }

    fn is_in_place(&self) -> bool {
        identity(&self.path) == self.identity
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        if self.is_in_place() {
            seal::put(&self.path);
        }
    }
}

/// What was found in a file.
#[derive(Debug, PartialEq, Eq)]
enum FileContent {
    Empty,
    Store,
}

impl Database {
    fn of(path: &Path, connection: Connection) -> Self {
        Self {
            path: path.to_path_buf(),
            connection,
            written: None,
            #[cfg(feature = "faults")]
            is_full: false,
        }
    }

    /// Opens the file for writing, and creates it if there is none. If the file is new or was not closed properly,
    /// `fill` may add rows; its second argument says whether the file is new. A kill before `fill` ends leaves a new
    /// file empty. A store of another work folder is refused.
    pub(super) fn open(
        path: &Path,
        fill: impl FnOnce(&Connection, bool) -> rusqlite::Result<()>,
    ) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(StoreError::database(path))?;
        let mut database = Self::of(path, connection);
        // Nothing is written before the file is known to be a store of perturb.
        let (found, seal) = database.recognise()?;
        if found != FileContent::Empty {
            database.check_work_folder()?;
        }
        seal::take_away(path)?;
        database.checked(|db| {
            db.pragma_update(None, "journal_mode", "WAL")?;
            // Every commit is on the disk when it returns.
            db.pragma_update(None, "synchronous", "FULL")?;
            db.pragma_update(None, "journal_size_limit", 16 << 20)?;
            db.pragma_update(None, "temp_store", "MEMORY")
        })?;
        database.written = Some(Written::new(path));
        let is_new = found == FileContent::Empty;
        if seal == Seal::Whole {
            return Ok(database);
        }
        let work = WorkId::of_or_new(path.parent().unwrap_or(path))?;
        database.write(|db| {
            if is_new {
                db.execute_batch(include_str!("schema.sql"))?;
                db.execute("INSERT INTO identity (work) VALUES (?)", params![work.as_str()])?;
                db.pragma_update(None, "application_id", APPLICATION_ID)?;
                db.pragma_update(None, "user_version", VERSION)?;
            }
            fill(db, is_new)
        })?;
        Ok(database)
    }

    /// Opens the file for reading. `None` where there is no store yet. All reads see the state of one moment.
    pub(super) fn open_read_only(path: &Path) -> Result<Option<Self>, StoreError> {
        if !path.try_exists().map_err(StoreError::io("read", path))? {
            return Ok(None);
        }
        let database = match Self::read_only(path, "mode=ro") {
            // Nothing can write in a folder without write permission, and SQLite needs an option for that.
            Err(StoreError::Database { .. }) if !beside(path, "-wal").exists() => Self::read_only(path, "immutable=1")?,
            opened => opened?,
        };
        match database {
            (_, FileContent::Empty) => Ok(None),
            (database, FileContent::Store) => {
                database.checked(|db| db.execute_batch("BEGIN"))?;
                database.check_work_folder()?;
                Ok(Some(database))
            }
        }
    }

    fn read_only(path: &Path, option: &str) -> Result<(Self, FileContent), StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri(path, option), flags).map_err(StoreError::database(path))?;
        let database = Self::of(path, connection);
        let (found, _) = database.recognise()?;
        Ok((database, found))
    }

    fn recognise(&self) -> Result<(FileContent, Seal), StoreError> {
        let path = || self.path.clone();
        let (application, version, tables) = self.checked(|db| {
            db.busy_timeout(BUSY_TIMEOUT)?;
            db.pragma_update(None, "cell_size_check", true)?;
            db.pragma_update(None, "trusted_schema", false)?;
            let number = |query: &str| db.query_row(query, [], |row| row.get::<_, i64>(0));
            Ok((
                number("PRAGMA application_id")?,
                number("PRAGMA user_version")?,
                number("SELECT count(*) FROM sqlite_schema")?,
            ))
        })?;
        match (i32::try_from(application), version, tables) {
            (Ok(0), 0, 0) => Ok((FileContent::Empty, Seal::Absent)),
            (Ok(APPLICATION_ID), _, 0) => {
                Err(StoreError::Corrupt { path: path(), reason: "its tables are gone".to_string() })
            }
            (Ok(APPLICATION_ID), VERSION, _) => Ok((FileContent::Store, self.check()?)),
            (Ok(APPLICATION_ID), found, _) if (1..VERSION).contains(&found) => {
                Err(StoreError::Older { path: path(), found, known: VERSION })
            }
            (Ok(APPLICATION_ID), found, _) if found > VERSION => {
                Err(StoreError::Newer { path: path(), found, known: VERSION })
            }
            _ => Err(StoreError::NotAStore { path: path() }),
        }
    }

    fn check(&self) -> Result<Seal, StoreError> {
        if seal::check(&self.path)? == Seal::Whole {
            return Ok(Seal::Whole);
        }
        let size = std::fs::metadata(&self.path).map_err(StoreError::io("read", &self.path))?.len();
        if size > CHECKED_WHOLE_BYTES {
            return Ok(Seal::Absent);
        }
        let said: String = self.checked(|db| db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))?;
        match said.as_str() {
            "ok" => Ok(Seal::Absent),
            _ => Err(StoreError::Corrupt { path: self.path.clone(), reason: said.trim().replace('\n', "; ") }),
        }
    }

    /// The number of the work folder that the store belongs to.
    fn work_id(&self) -> Result<Option<String>, StoreError> {
        self.checked(|db| db.query_row("SELECT work FROM identity", [], |row| row.get(0)).optional())
    }

    /// The project folder of the last run.
    fn last_root(&self) -> Result<Option<PathBuf>, StoreError> {
        self.checked(|db| {
            let root = |row: &rusqlite::Row<'_>| Ok(OsStr::from_bytes(row.get_ref(0)?.as_bytes()?).into());
            db.query_row("SELECT root FROM run ORDER BY id DESC LIMIT 1", [], root).optional()
        })
    }

    /// Refuses a store that belongs to another work folder than the one it is in.
    fn check_work_folder(&self) -> Result<(), StoreError> {
        let path = self.path();
        let Some(stored) = self.work_id()?.as_deref().and_then(WorkId::read) else {
            let reason = "which work folder it belongs to makes no sense".to_string();
            return Err(StoreError::Corrupt { path: path.to_path_buf(), reason });
        };
        match WorkId::of(path.parent().unwrap_or(path))? {
            Some(work) if work == stored => Ok(()),
            _ => Err(StoreError::Foreign { path: path.to_path_buf(), root: self.last_root()? }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs queries. An error names the file.
    pub(super) fn checked<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| self.noted(StoreError::database(&self.path)(error)))
    }

    /// Runs `work` in one transaction: either all of it is on the disk when this returns, or nothing.
    pub(super) fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        if self.written.as_ref().is_some_and(|written| !written.is_in_place()) {
            return Err(StoreError::TakenAway { path: self.path.clone() });
        }
        let result = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            #[cfg(feature = "faults")]
            if self.is_full {
                return Err(rusqlite::Error::SqliteFailure(
                    rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL),
                    None,
                ));
            }
            transaction.commit()?;
            Ok(value)
        })();
        result.map_err(|error| self.noted(StoreError::database(&self.path)(error)))
    }

    /// Notes damage for the next run, because a large file is not checked completely when it is opened.
    fn noted(&self, error: StoreError) -> StoreError {
        if let (StoreError::Corrupt { reason, .. }, Some(_)) = (&error, &self.written) {
            let _ = std::fs::write(damage_note(&self.path), reason);
        }
        error
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|data| (data.dev(), data.ino()))
}

/// The path as a URI, which can carry options.
fn uri(path: &Path, option: &str) -> std::ffi::OsString {
    use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
    let mut uri = b"file:".to_vec();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.extend(format!("%{byte:02x}").bytes()),
            _ => uri.push(byte),
        }
    }
    uri.push(b'?');
    uri.extend(option.bytes());
    std::ffi::OsString::from_vec(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_of_another_version_is_refused_and_left_as_it_is() {
        for version in [VERSION - 1, VERSION + 1] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("store.sqlite");
            let open = || Database::open(&path, |_, _| Ok(()));
            open().unwrap().checked(|db| db.pragma_update(None, "user_version", version)).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            for error in [open().unwrap_err(), Database::open_read_only(&path).unwrap_err()] {
                match error {
                    StoreError::Older { found, known, .. } => {
                        assert!(found == version && known == VERSION && found < known)
                    }
                    StoreError::Newer { found, known, .. } => {
                        assert!(found == version && known == VERSION && found > known)
                    }
                    other => panic!("{other}"),
                }
            }
            assert!(std::fs::read(&path).unwrap() == bytes);
        }
    }
}
