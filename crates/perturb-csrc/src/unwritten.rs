//! Local variables that are read before anything is written to them, as clang's front end sees it: by what the text says,
//! before any optimiser has decided what such a variable holds.

use crate::libclang::{Libclang, ParseInput, Unit};
use crate::CsrcError;
use std::collections::BTreeSet;
use std::fmt;

const OPTIONS: [&str; 3] = ["-Wuninitialized", "-Wsometimes-uninitialized", "-Wconditional-uninitialized"];

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnwrittenRead {
    pub line: u32,
    /// In clang's words.
    pub message: String,
}

impl fmt::Display for UnwrittenRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Those in the unit's main file; `text` stands in for what that holds on disk.
pub fn unwritten_reads(
    libclang: &Libclang,
    input: &ParseInput,
    text: &[u8],
) -> Result<BTreeSet<UnwrittenRead>, CsrcError> {
    let mut input = input.clone();
    // What is said last counts, and the project may have asked for silence.
    input.arguments.retain(|argument| argument != "-w");
    input.arguments.extend(OPTIONS.map(str::to_string));
    let unit = Unit::parse(libclang, &input, Some(text))?;
    let is_here = |file: &Option<std::path::PathBuf>| file.as_ref().is_some_and(|file| input.file.ends_with(file));
    let reads = unit.warnings(&OPTIONS).filter(|read| is_here(&read.file));
    Ok(reads.map(|read| UnwrittenRead { line: read.line, message: read.message }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_before_it_is_written_is_seen_without_an_optimiser() {
        let libclang = Libclang::newest().unwrap();
        let input = ParseInput { directory: "/".into(), file: "/a.c".into(), arguments: vec!["-w".to_string()] };
        let text = |first: &str| {
            format!("int f(int c)\n{{\n    int y;\n    {first}\n    if (c)\n        y = 1;\n    return y;\n}}\n")
        };
        let reads = |text: String| unwritten_reads(&libclang, &input, text.as_bytes()).unwrap();
        assert!(reads(text("y = 0;")).is_empty());
        let found: Vec<UnwrittenRead> = reads(text(";")).into_iter().collect();
        assert_eq!((found.len(), found[0].line), (1, 5));
        assert!(found[0].to_string().starts_with("line 5: variable 'y' is used uninitialized whenever"), "{found:?}");
    }
}
