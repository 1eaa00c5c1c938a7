//! `perturb report`: what the last run found, from the store alone.

use crate::args::{Global, Report, ReportFormat};
use crate::exit::Failure;
use crate::formats::{elements, report};
use crate::out_file;
use crate::target::Target;
use anyhow::Context;
use perturb_pipeline::store::{StoreError, StoreReader};
use std::io::{BufWriter, Write};
use std::path::Path;

pub fn run(global: &Global, arguments: &Report) -> Result<(), Failure> {
    let work = Target::work(global)?;
    let reader = StoreReader::open(&work)?;
    let latest = reader.latest()?;
    let id = latest.ok_or(StoreError::Missing { work })?;
    let run = reader.run(id)?;
    // All is read before a byte is written.
    let file = arguments.out.as_deref();
    match arguments.format {
        ReportFormat::Text => {
            let mut text = Vec::new();
            report::write(&run, &mut text)?;
            match file {
                None => Ok(anstream::stdout().write_all(&text)?),
                Some(_) => write_out(file, |out| out.write_all(&anstream::adapter::strip_bytes(&text).into_vec())),
            }
        }
        ReportFormat::Json => {
            let report = elements::Report::read(&reader, &run)?;
            write_out(file, |out| report.write(out))
        }
    }
}

/// To the file that is named, or byte for byte to standard output.
fn write_out(file: Option<&Path>, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    let Some(file) = file else {
        let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
        content(&mut out)?;
        return Ok(out.flush()?);
    };
    let written = out_file::write(file, content).with_context(|| format!("cannot write {}", file.display()));
    written.map_err(Failure::unusable)
}
