//! CSV with a header row; the columns are the fields of JSON. All CSV is written here: no cell is a formula.

use super::Record;
use crate::visible;
use ::csv::{StringRecord, WriterBuilder};
use perturb_model::Mutant;
use serde::Serialize;
use std::io::{Error, Result, Write};

pub fn write(mutants: &[Mutant], out: &mut impl Write) -> Result<()> {
    let mut rows = Rows::titled(out);
    mutants.iter().try_for_each(|mutant| rows.add(Record::of(mutant)))?;
    rows.finish()
}

/// A table that is being written.
pub struct Rows<W: Write> {
    out: ::csv::Writer<W>,
    /// Whether the names of the next row's fields have to be written above it.
    is_titled: bool,
}

impl<W: Write> Rows<W> {
    /// The titles are the names of the first row's fields.
    pub fn titled(out: W) -> Self {
        Self { out: ::csv::Writer::from_writer(out), is_titled: true }
    }

    pub fn untitled(out: W) -> Self {
        Self { is_titled: false, ..Self::titled(out) }
    }

    pub fn add(&mut self, row: impl Serialize) -> Result<()> {
        // Only the serializer knows the values of a row: it writes them to a table of one row, which is read back.
        let builder = &mut WriterBuilder::new();
        let mut raw = builder.has_headers(std::mem::take(&mut self.is_titled)).flexible(true).from_writer(Vec::new());
        raw.serialize(row).map_err(into_io)?;
        let raw = raw.into_inner().map_err(|error| error.into_error())?;
        let mut rows = ::csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(raw.as_slice());
        for row in rows.records() {
            let cells: StringRecord = row.map_err(into_io)?.iter().map(cell).collect();
            self.out.write_record(&cells).map_err(into_io)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        self.out.flush()
    }
}

/// A cell, with an apostrophe if a spreadsheet would take the text for a formula. Numbers are no formulas, nor are
/// operators alone.
fn cell(text: &str) -> String {
    let text = visible::log(text);
    match text.starts_with(['=', '@', '+', '-', '\t', '\n']) && !is_number(&text) && !is_operator(&text) {
        true => format!("'{text}"),
        false => text.into_owned(),
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) && text.parse::<f64>().is_ok()
}

/// `-`, `+=`: a text with nothing to compute.
fn is_operator(text: &str) -> bool {
    text.bytes().all(|byte| b"=+-*/%<>&|^!~ ".contains(&byte))
}

/// Keeps the kind of an error: the caller has to see that a reader went away.
fn into_io(error: ::csv::Error) -> Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => Error::other(format!("{other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_numbers_are_numbers() {
        for (text, expected) in [
            ("=cmd()", "'=cmd()"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("+f()", "'+f()"),
            ("-1+2", "'-1+2"),
            ("-inf", "'-inf"),
            ("-1", "-1"),
            ("+1.5e-3", "+1.5e-3"),
            ("-", "-"),
            ("+=", "+="),
            ("\t=1", "'\t=1"),
            ("\r=1", "\\r=1"),
            ("a\n\tb\x1b\n ::error::x", "a\n\tb\\x1b\n :\\x3aerror::x"),
            ("a=1", "a=1"),
            ("::error::x", ":\\x3aerror::x"),
            ("a##[x", "a##\\x5bx"),
        ] {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn rows_are_quoted_under_their_titles() {
        #[derive(Serialize)]
        struct Row<'r> {
            name: &'r str,
            count: Option<i32>,
        }
        let mut out = Vec::new();
        let mut rows = Rows::titled(&mut out);
        rows.add(Row { name: "=a,\"b\"\n", count: Some(-3) }).unwrap();
        rows.add(Row { name: "", count: None }).unwrap();
        rows.finish().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "name,count\n\"'=a,\"\"b\"\"\n\",-3\n,\n");
        let mut out = Vec::new();
        let mut rows = Rows::untitled(&mut out);
        rows.add(("-x", 1.5)).unwrap();
        rows.finish().unwrap();
        assert_eq!(out, b"'-x,1.5\n");
    }
}
