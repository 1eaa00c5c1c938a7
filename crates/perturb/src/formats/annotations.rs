//! Contracts that functions could have: a diff that `patch -p1` takes, and JSON.

use super::diff;
use perturb_pipeline::equivalence::annotate::{AnnotatedFile, Annotation};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// One diff for each file with something new in it.
pub fn write_diff(files: &[AnnotatedFile], out: &mut impl Write) -> Result<()> {
    for file in files {
        let contract = |own: &'_ Annotation| Some((own.line, own.contract.clone().ok()?));
        let new: BTreeMap<u32, Vec<u8>> = file.functions.iter().filter_map(contract).collect();
        diff::write_insertions(&file.relative, file.source.text(), &new, out)?;
    }
    Ok(())
}

pub fn write_array(files: &[AnnotatedFile], out: &mut impl Write) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, &records(files))?;
    writeln!(out)
}

pub fn write_lines(files: &[AnnotatedFile], out: &mut impl Write) -> Result<()> {
    records(files).iter().try_for_each(|record| writeln!(out, "{record}"))
}

/// One for each function without a contract. The names are part of the interface.
fn records(files: &[AnnotatedFile]) -> Vec<Value> {
    let mut records = Vec::new();
    for file in files {
        let name = file.relative.to_string_lossy();
        for Annotation { function, line, contract } in &file.functions {
            let contract = contract.as_ref().map(|line| String::from_utf8_lossy(line).trim().to_string());
            records.push(json!({
                "file": name,
                "line": line,
                "function": function,
                "contract": contract.as_ref().ok(),
                "why": contract.as_ref().err(),
            }));
        }
    }
    records
}
