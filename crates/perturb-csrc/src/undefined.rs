//! Undefined behaviour that occurs whenever a text is executed, as clang's front end warns of it: before any optimiser
//! has used it.

use crate::libclang::{Libclang, ParseInput, Unit};
use crate::CsrcError;
use std::collections::BTreeSet;
use std::fmt;

/// What is done there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Undefined {
    /// A local variable is read before anything is written to it.
    Unwritten,
    /// A number is shifted by less than nothing, or beyond its width.
    Shift,
    Division,
    /// An array is accessed beyond its ends.
    Bounds,
}

/// The warnings that say so.
const OPTIONS: [(&str, Undefined); 7] = [
    ("-Wuninitialized", Undefined::Unwritten),
    ("-Wsometimes-uninitialized", Undefined::Unwritten),
    ("-Wconditional-uninitialized", Undefined::Unwritten),
    ("-Wshift-count-negative", Undefined::Shift),
    ("-Wshift-count-overflow", Undefined::Shift),
    ("-Wdivision-by-zero", Undefined::Division),
    ("-Warray-bounds", Undefined::Bounds),
];

/// One place of a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UndefinedPlace {
    pub what: Undefined,
    pub line: u32,
    /// In clang's words.
    pub message: String,
}

impl fmt::Display for UndefinedPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Those in the unit's main file; `text` stands in for what that holds on disk.
pub fn undefined_places(
    libclang: &Libclang,
    input: &ParseInput,
    text: &[u8],
) -> Result<BTreeSet<UndefinedPlace>, CsrcError> {
    let names = OPTIONS.map(|(name, _)| name);
    let mut input = input.clone();
    // What is said last counts, and the project may have asked for silence.
    input.arguments.retain(|argument| argument != "-w");
    input.arguments.extend(names.map(str::to_string));
    let unit = Unit::parse(libclang, &input, Some(text))?;
    let is_here = |file: &Option<std::path::PathBuf>| file.as_ref().is_some_and(|file| input.file.ends_with(file));
    let places = unit.warnings(&names).filter(|place| is_here(&place.file)).filter_map(|place| {
        let (_, what) = OPTIONS.iter().find(|(name, _)| *name == place.option)?;
        Some(UndefinedPlace { what: *what, line: place.line, message: place.message })
    });
    Ok(places.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<UndefinedPlace> {
        let libclang = Libclang::newest().unwrap();
        let input = ParseInput { directory: "/".into(), file: "/a.c".into(), arguments: vec!["-w".to_string()] };
        undefined_places(&libclang, &input, text.as_bytes()).unwrap().into_iter().collect()
    }

    #[test]
    fn what_is_read_before_it_is_written_is_seen_without_an_optimiser() {
        let text = |first: &str| {
            format!("int f(int c)\n{{\n    int y;\n    {first}\n    if (c)\n        y = 1;\n    return y;\n}}\n")
        };
        assert!(found(&text("y = 0;")).is_empty());
        let found = found(&text(";"));
        assert_eq!((found.len(), found[0].line, found[0].what), (1, 5, Undefined::Unwritten));
        assert!(found[0].to_string().starts_with("line 5: variable 'y' is used uninitialized whenever"), "{found:?}");
    }

    #[test]
    fn shifts_divisions_and_accesses_that_are_wrong_by_their_text_are_told_apart() {
        let text =
            "int a[2];\nint f(int x)\n{\n    x >>= (-16);\n    x <<= 32;\n    x += x / 0;\n    return x + a[2];\n}\n";
        let kinds: Vec<(Undefined, u32)> = found(text).into_iter().map(|place| (place.what, place.line)).collect();
        let (shift, division, bounds) = (Undefined::Shift, Undefined::Division, Undefined::Bounds);
        assert_eq!(kinds, [(shift, 4), (shift, 5), (division, 6), (bounds, 7)]);
        assert!(found("int f(int x) { return x >> 16; }").is_empty());
    }
}
