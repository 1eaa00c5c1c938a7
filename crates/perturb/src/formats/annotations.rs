//! Contracts for functions that have none: as a diff that `patch -p1` accepts, and as JSON.

use super::diff::{self, Line};
use super::json;
use crate::visible;
use perturb_equiv::compare::annotate::{AnnotatedFile, Annotation};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// One diff for each file with a new contract.
pub fn diff(files: &[AnnotatedFile]) -> Vec<Line> {
    let of_file = |file: &AnnotatedFile| {
        let contract = |function: &'_ Annotation| Some((function.line, function.contract.clone().ok()?));
        let new: BTreeMap<u32, Vec<u8>> = file.functions.iter().filter_map(contract).collect();
        diff::of_insertions(&file.relative, file.source.text(), &new)
    };
    files.iter().flat_map(of_file).collect()
}

pub fn write_array(files: &[AnnotatedFile], out: &mut impl Write) -> Result<()> {
    json::write_pretty(&records(files), out)
}

pub fn write_lines(files: &[AnnotatedFile], out: &mut impl Write) -> Result<()> {
    records(files).iter().try_for_each(|record| json::write_line(record, out))
}

/// One record for each function without a contract. The names are part of the interface.
fn records(files: &[AnnotatedFile]) -> Vec<Value> {
    let mut records = Vec::new();
    for file in files {
        let name = visible::name(&file.relative);
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
