//! JSON: one array, or one object a line.

use super::Record;
use perturb_pipeline::Mutant;
use std::io::{Result, Write};

pub fn write_array(mutants: &[Mutant], out: &mut impl Write) -> Result<()> {
    for (i, mutant) in mutants.iter().enumerate() {
        out.write_all(if i == 0 { b"[\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &Record::of(mutant))?;
    }
    out.write_all(if mutants.is_empty() { b"[]\n" } else { b"\n]\n" })
}

pub fn write_lines(mutants: &[Mutant], out: &mut impl Write) -> Result<()> {
    for mutant in mutants {
        serde_json::to_writer(&mut *out, &Record::of(mutant))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
