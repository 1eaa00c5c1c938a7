//! `perturb tests`: what each test of the last run is worth, from the store alone.

use crate::args::{Global, TestsFormat, TestsTable};
use crate::exit::Failure;
use crate::formats::tests::Table;
use crate::target::Target;
use perturb_pipeline::store::{StoreError, StoreReader};
use std::io::Write;

pub fn run(global: &Global, arguments: &TestsTable) -> Result<(), Failure> {
    let work = Target::work(global)?;
    let reader = StoreReader::open(&work)?;
    let id = reader.latest()?.ok_or(StoreError::Missing { work })?;
    let run = reader.run(id)?;
    let table = Table::read(&reader, &run)?;
    match arguments.format {
        TestsFormat::Text => {
            let mut text = Vec::new();
            table.write_text(&mut text)?;
            Ok(anstream::stdout().write_all(&text)?)
        }
        TestsFormat::Json => Ok(table.write_json(&mut std::io::stdout())?),
        TestsFormat::Csv => Ok(table.write_csv(&mut std::io::stdout())?),
    }
}
