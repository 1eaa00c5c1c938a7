//! CSV with a header row; the columns are the fields of JSON.

use super::Record;
use perturb_pipeline::Mutant;
use std::io::{Error, Result, Write};

pub fn write(mutants: &[Mutant], out: &mut impl Write) -> Result<()> {
    let mut rows = ::csv::Writer::from_writer(out);
    for mutant in mutants {
        rows.serialize(Record::of(mutant)).map_err(into_io)?;
    }
    rows.flush()
}

/// A reader that went away must still be recognised as such.
pub(super) fn into_io(error: ::csv::Error) -> Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => Error::other(format!("{other:?}")),
    }
}
