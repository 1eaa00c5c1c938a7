//! Proposes contracts for functions that have none: the assumptions about their inputs, as lines for the user to check
//! and change.
//!
//! This module writes no file: its result is text.

use super::contracts::Contracts;
use super::read_unit::{read_unit, ReadUnit};
use super::subject::layout;
use crate::contract::{self, Contract, ARRAY_SIZE};
use crate::native::Others;
use crate::EquivError;
use perturb_csrc::{Libclang, Signature, Signatures, SourceFile};
use perturb_host::{CompilerProbe, HostError, Project};
use perturb_model::Selection;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A file, and the contracts that its functions without one could have.
#[derive(Debug)]
pub struct AnnotatedFile {
    /// Below the project's root.
    pub relative: PathBuf,
    pub source: SourceFile,
    /// In the order of the file.
    pub functions: Vec<Annotation>,
    /// The reason why none of its functions can be compared, if so.
    pub why_not: Option<String>,
}

/// A function without a contract.
#[derive(Debug)]
pub struct Annotation {
    pub function: String,
    /// The line it begins on, from 1.
    pub line: u32,
    /// The line to insert before it, with its line ending; or the reason why there is none.
    pub contract: Result<Vec<u8>, String>,
}

impl AnnotatedFile {
    /// The text with all proposed contracts inserted.
    pub fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut new: BTreeMap<u32, &[u8]> = BTreeMap::new();
        new.extend(self.functions.iter().filter_map(|own| Some((own.line, own.contract.as_deref().ok()?))));
        for (number, line) in (1..).zip(self.source.text().split_inclusive(|byte| *byte == b'\n')) {
            text.extend_from_slice(new.get(&number).copied().unwrap_or_default());
            text.extend_from_slice(line);
        }
        text
    }
}

/// Proposes contracts for the functions selected by file and name, in the order of the files.
pub fn annotate(
    project: &Project,
    libclang: &Libclang,
    selection: &Selection,
    contracts: &Contracts,
) -> Result<Vec<AnnotatedFile>, EquivError> {
    let probe = CompilerProbe::new();
    let mut files: BTreeMap<PathBuf, AnnotatedFile> = BTreeMap::new();
    for unit in project.units_under_test() {
        let Some(relative) = project.relative(&unit.command.file) else { continue };
        if !selection.takes_file(relative) || files.contains_key(relative) {
            continue;
        }
        let path = &unit.command.file;
        let text = std::fs::read(path).map_err(HostError::io("read", path))?;
        let source = SourceFile::new(relative, text);
        let (functions, why_not) = match read_unit(&probe, libclang, unit)? {
            Ok(ReadUnit { signatures, .. }) => (annotations(&signatures, &source, selection, contracts), None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let relative = relative.to_path_buf();
        files.insert(relative.clone(), AnnotatedFile { relative, source, functions, why_not });
    }
    Ok(files.into_values().collect())
}

fn annotations(
    signatures: &Signatures,
    source: &SourceFile,
    selection: &Selection,
    contracts: &Contracts,
) -> Vec<Annotation> {
    let line = |signature: &Signature| source.line_column(signature.range.start).line;
    let mut on_line: BTreeMap<u32, usize> = BTreeMap::new();
    signatures.functions.iter().for_each(|signature| *on_line.entry(line(signature)).or_default() += 1);
    let has_contract = |of: &Signature| contracts.of(source.path(), of).is_some();
    let is_wanted = |of: &&Signature| selection.takes_function(Some(&of.name)) && !has_contract(of);
    let annotation = |signature: &Signature| {
        let line = line(signature);
        let contract = match on_line[&line] {
            1 => contract_line(signatures, signature, source),
            _ => Err("another function begins on the same line".to_string()),
        };
        Annotation { function: signature.name.clone(), line, contract }
    };
    signatures.functions.iter().filter(is_wanted).map(annotation).collect()
}

fn contract_line(signatures: &Signatures, signature: &Signature, source: &SourceFile) -> Result<Vec<u8>, String> {
    let contract = derived(signatures, signature)?;
    let (text, at) = (source.text(), signature.range.start as usize);
    let start = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let indentation = &text[start..at];
    if !indentation.iter().all(u8::is_ascii_whitespace) {
        return Err("it does not begin a line".to_string());
    }
    let end = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end);
    let new_line: &[u8] = if text[..end].ends_with(b"\r") { b"\r\n" } else { b"\n" };
    Ok([indentation, format!("// {contract}").as_bytes(), new_line].concat())
}

/// The contract that the types and names of the parameters suggest. Where six elements behind each pointer are too
/// many, one is assumed.
fn derived(signatures: &Signatures, signature: &Signature) -> Result<Contract, String> {
    let mut why = String::new();
    for elements in [ARRAY_SIZE, 1] {
        let contract = contract::derive(signatures, signature, elements);
        let is_read_again = contract::parse(&contract.to_string()) == Some(Ok(contract.clone()));
        match layout(signatures, signature, &contract, &Others::default()) {
            Ok(_) if is_read_again => return Ok(contract),
            Ok(_) => why = "its parameters have names that no contract can have".to_string(),
            Err(error) if why.is_empty() => why = error,
            Err(_) => {}
        }
    }
    Err(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contracts_stand_before_their_functions_and_all_else_stays() {
        let source = SourceFile::new("a.c", b"int x;\r\n\r\n  int f(int a) { return a; }\r\nint y;".to_vec());
        let good = Annotation { function: "f".to_string(), line: 3, contract: Ok(b"  // @perturb(sym)\r\n".to_vec()) };
        let bad = Annotation { function: "g".to_string(), line: 4, contract: Err("why".to_string()) };
        let relative = PathBuf::from("a.c");
        let text = AnnotatedFile { relative, source, functions: vec![good, bad], why_not: None }.text();
        let expected = "int x;\r\n\r\n  // @perturb(sym)\r\n  int f(int a) { return a; }\r\nint y;";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
