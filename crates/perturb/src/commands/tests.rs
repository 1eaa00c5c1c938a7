//! `perturb tests`: lists what each test of the last run reaches, infects and kills, from the store alone.

use crate::args::{Global, TestsFormat, TestsTable};
use crate::exit::Failure;
use crate::formats::tests::Table;
use crate::page::Page;
use crate::target::Target;
use crate::terminal;
use perturb_store::{StoreError, StoreReader};

pub fn run(global: &Global, arguments: &TestsTable) -> Result<(), Failure> {
    let work = Target::work(global)?;
    let reader = StoreReader::open(&work)?;
    let id = reader.latest()?.ok_or(StoreError::Missing { work })?;
    let run = reader.run(id)?;
    let table = Table::read(&reader, &run)?;
    match arguments.format {
        TestsFormat::Text => {
            let mut page = Page::default();
            table.write_text(&mut page)?;
            Ok(terminal::print(&page)?)
        }
        TestsFormat::Json => Ok(terminal::write_data(|out| table.write_json(out))?),
        TestsFormat::Csv => Ok(terminal::write_data(|out| table.write_csv(out))?),
    }
}
