//! Compares assembly: whether two functions of one text, or two whole texts, are the same code.
//!
//! Two codes are the same if they differ only in names of their own: labels, constants, tables and variables that
//! nothing else refers to. These names are resolved: a constant stands for its content, the table of a `switch` for its
//! targets, a part that the compiler has split off for its code. Everything else (instructions, the names of others,
//! sections, exception tables) must be equal byte by byte. What the parser does not understand counts as different.
//!
//! Reads the text of GCC and clang for ELF targets. Runs no assembler.

mod canon;
mod lines;

use lines::{AssemblyLines, Definition};
use perturb_model::CodeHash;
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

fn code_hash(text: &[u8]) -> CodeHash {
    let digest = Sha256::digest(text);
    CodeHash(digest[..16].try_into().expect("a SHA-256 has 32 bytes"))
}

/// Names with a tag in them are those of one copy of a function, and of what belongs to it.
#[derive(Debug, Clone, Copy)]
pub struct Tags<'t> {
    /// What all tags start with.
    pub mark: &'t str,
    /// How long all of them are.
    pub length: usize,
}

/// The assembly of one translation unit.
#[derive(Debug)]
pub struct Assembly<'t> {
    text: &'t [u8],
    lines: AssemblyLines<'t>,
    /// The symbol of each copy, by its tag.
    copies: HashMap<&'t [u8], &'t [u8]>,
    /// How many functions use each variable that the compiler has numbered.
    users: HashMap<&'t [u8], usize>,
}

impl<'t> Assembly<'t> {
    pub fn read(text: &'t [u8], tags: Tags<'_>) -> Self {
        let lines = AssemblyLines::read(text);
        let mut copies: HashMap<&[u8], &[u8]> = HashMap::new();
        for name in lines.functions() {
            let Some(tag) = tag_in(name, tags) else { continue };
            // In C++ what is local to a function has the function's name in its own.
            let known = copies.entry(tag).or_insert(name);
            if name.len() < known.len() {
                *known = name;
            }
        }
        let mut assembly = Self { text, lines, copies, users: HashMap::new() };
        assembly.count_users();
        assembly
    }

    /// The code of the copy with this tag, if it is there. `statics` are the names of its variables with static
    /// storage.
    pub fn code(&self, tag: &str, statics: &BTreeSet<String>) -> Option<CodeHash> {
        let symbol = *self.copies.get(tag.as_bytes())?;
        let text = canon::Canon::new(self, symbol, tag.as_bytes(), statics).text()?;
        Some(code_hash(&text))
    }

    /// The normalised code itself, for people and tests.
    pub fn shown(&self, tag: &str, statics: &BTreeSet<String>) -> Option<String> {
        let symbol = *self.copies.get(tag.as_bytes())?;
        let text = canon::Canon::new(self, symbol, tag.as_bytes(), statics).text()?;
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    /// All of it.
    pub fn whole(&self) -> CodeHash {
        code_hash(&canon::whole(&self.lines))
    }

    /// The lines from a function's label to its `.size`.
    fn region(&self, function: &[u8]) -> Option<Range<u32>> {
        let Some(Definition::Label { line, .. }) = self.lines.definition(function) else { return None };
        let end = self.lines.size_of(function)?;
        (line < end).then_some(line..end + 1)
    }

    fn count_users(&mut self) {
        let mut users: HashMap<&'t [u8], usize> = HashMap::new();
        for function in self.lines.functions() {
            let Some(region) = self.region(function) else { continue };
            let mut seen: BTreeSet<&'t [u8]> = BTreeSet::new();
            for line in region {
                lines::for_each_symbol(self.lines.at(line), |symbol| {
                    if is_numbered(symbol) && seen.insert(symbol) {
                        *users.entry(symbol).or_default() += 1;
                    }
                });
            }
        }
        self.users = users;
    }
}

/// Whether a name is one that GCC makes of a variable's and a number: `count.12`.
fn is_numbered(symbol: &[u8]) -> bool {
    let Some(dot) = symbol.iter().rposition(|byte| *byte == b'.') else { return false };
    dot > 0 && symbol[0] != b'.' && dot + 1 < symbol.len() && symbol[dot + 1..].iter().all(u8::is_ascii_digit)
}

fn tag_in<'n>(name: &'n [u8], tags: Tags<'_>) -> Option<&'n [u8]> {
    let at = name.windows(tags.mark.len()).position(|window| window == tags.mark.as_bytes())?;
    name.get(at..at + tags.length)
}

#[cfg(test)]
mod tests;
