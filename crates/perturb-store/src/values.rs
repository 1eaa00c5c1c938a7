//! Single values in the rows of the store: reading and writing.

use super::blob::Malformed;
use perturb_model::{MutantId, TestName};
use rusqlite::types::{ToSql, ToSqlOutput, Type, Value, ValueRef};
use rusqlite::Row;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub(super) fn date(ms: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(ms.try_into().unwrap_or_default())
}

pub(super) fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

pub(super) fn id(row: &Row<'_>, column: usize) -> rusqlite::Result<MutantId> {
    Ok(MutantId::from_bits(row.get::<_, i64>(column)? as u64))
}

pub(super) fn decoded<T>(
    row: &Row<'_>,
    column: usize,
    decode: impl Fn(i64) -> Result<T, Malformed>,
) -> rusqlite::Result<T> {
    decode(row.get(column)?).map_err(malformed)
}

pub(super) fn duration(row: &Row<'_>, column: usize) -> rusqlite::Result<Duration> {
    row.get(column).map(Duration::from_micros)
}

pub(super) fn test_name(row: &Row<'_>, column: usize) -> rusqlite::Result<TestName> {
    Ok(TestName::from(row.get_ref(column)?.as_str()?))
}

pub(super) fn path(row: &Row<'_>, column: usize) -> rusqlite::Result<PathBuf> {
    Ok(OsStr::from_bytes(row.get_ref(column)?.as_bytes()?).into())
}

pub(super) fn malformed(malformed: Malformed) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(0, Type::Blob, Box::new(malformed))
}

/// A path, stored as text where it is valid UTF-8, so that people can read it in the store.
pub(super) struct PathValue<'p>(pub(super) &'p Path);

impl ToSql for PathValue<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0.to_str() {
            Some(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            None => ToSqlOutput::Owned(Value::Blob(self.0.as_os_str().as_bytes().to_vec())),
        })
    }
}
