//! Canonical form of code: names of its own become numbers, in the order of their first use, and the definitions they
//! refer to follow the code.

use super::lines::{for_each_piece, is_comment, is_remark, split_word, AssemblyLines, Definition, LinePiece};
use super::{is_numbered, Assembly};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;

/// Stand for names; no assembly has them.
const OWN: u8 = 1;
const SELF: u8 = 2;
const TAG: u8 = 3;

/// The meaning of a symbol for the code that uses it.
enum SymbolKind {
    /// Defined elsewhere, or unknown: its name counts.
    Foreign,
    /// Defined elsewhere, with a name that is valid only within this text.
    Bound,
    /// A label of its own.
    Label,
    /// Its own, and to be compared by what it stands for.
    Own(Definition),
}

pub(super) struct Canon<'a, 't> {
    assembly: &'a Assembly<'t>,
    symbol: &'t [u8],
    tag: &'a [u8],
    statics: &'a BTreeSet<String>,
    regions: Vec<Range<u32>>,
    numbers: HashMap<&'t [u8], usize>,
    waiting: VecDeque<(&'t [u8], Definition)>,
    out: Vec<u8>,
    is_bound: bool,
}

impl<'a, 't> Canon<'a, 't> {
    pub fn new(assembly: &'a Assembly<'t>, symbol: &'t [u8], tag: &'a [u8], statics: &'a BTreeSet<String>) -> Self {
        Self {
            assembly,
            symbol,
            tag,
            statics,
            regions: Vec::new(),
            numbers: HashMap::new(),
            waiting: VecDeque::new(),
            out: Vec::new(),
            is_bound: false,
        }
    }

    /// None if the function is not there as a whole.
    pub fn text(mut self) -> Option<Vec<u8>> {
        let Definition::Label { section, .. } = self.assembly.lines.definition(self.symbol)? else { return None };
        let region = self.assembly.region(self.symbol)?;
        self.regions.push(region.clone());
        self.line(self.assembly.lines.section(section));
        self.lines(region);
        while let Some((symbol, definition)) = self.waiting.pop_front() {
            self.content(symbol, definition);
        }
        if self.is_bound {
            // In another text the same name may stand for something else: this code is only like one of this very text.
            self.out.extend_from_slice(&super::code_hash(self.assembly.text).0);
        }
        Some(self.out)
    }

    fn lines(&mut self, range: Range<u32>) {
        for line in range {
            self.line(self.assembly.lines.at(line));
        }
    }

    fn line(&mut self, line: &'t [u8]) {
        if is_remark(line) {
            return;
        }
        let line = without_flags(line);
        let mut at_start = true;
        for_each_piece(line, |piece| {
            match piece {
                LinePiece::Symbol(symbol) if !(at_start && is_directive(line, symbol)) => self.symbol(symbol),
                LinePiece::Symbol(text) | LinePiece::Other(text) => self.verbatim(text),
            }
            at_start = false;
        });
        self.out.push(b'\n');
    }

    /// The tag may be in the name of a section or a group.
    fn verbatim(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(at) = rest.windows(self.tag.len()).position(|window| window == self.tag) {
            self.out.extend_from_slice(&rest[..at]);
            self.out.push(TAG);
            rest = &rest[at + self.tag.len()..];
        }
        self.out.extend_from_slice(rest);
    }

    fn symbol(&mut self, symbol: &'t [u8]) {
        if symbol == self.symbol {
            self.out.push(SELF);
            return;
        }
        match self.kind(symbol) {
            SymbolKind::Foreign => self.verbatim(symbol),
            SymbolKind::Bound => {
                self.is_bound = true;
                self.verbatim(symbol);
            }
            SymbolKind::Label => {
                self.number(symbol);
            }
            SymbolKind::Own(definition) => {
                if self.number(symbol) {
                    self.waiting.push_back((symbol, definition));
                }
            }
        }
    }

    /// Writes its number; whether it is new.
    fn number(&mut self, symbol: &'t [u8]) -> bool {
        let next = self.numbers.len();
        let number = *self.numbers.entry(symbol).or_insert(next);
        self.out.push(OWN);
        self.out.extend_from_slice(number.to_string().as_bytes());
        number == next
    }

    fn kind(&self, symbol: &'t [u8]) -> SymbolKind {
        let is_tagged =
            symbol.len() > self.tag.len() && symbol.windows(self.tag.len()).any(|window| window == self.tag);
        if !is_tagged && !symbol.contains(&b'.') {
            return SymbolKind::Foreign;
        }
        let lines = &self.assembly.lines;
        let definitions = lines.definitions(symbol);
        let is_here = |definition: &Definition| match definition {
            Definition::Label { line, .. } => self.regions.iter().any(|region| region.contains(line)),
            _ => false,
        };
        // GCC marks where a function's hot and cold parts start and end, outside of them.
        let is_mark = [&b".LCOLD"[..], b".LHOT"].iter().any(|mark| symbol.starts_with(mark));
        if is_mark || definitions.iter().any(is_here) {
            return SymbolKind::Label;
        }
        let [definition] = *definitions else { return SymbolKind::Foreign };
        if lines.is_global(symbol) && !is_tagged {
            return SymbolKind::Foreign;
        }
        let section = match definition {
            Definition::Label { section, .. } => lines.section(section),
            Definition::Common { .. } => b".bss",
            Definition::Alias { .. } => return SymbolKind::Own(definition),
        };
        match access(section) {
            _ if lines.is_function(symbol) => SymbolKind::Own(definition),
            Access::Code => SymbolKind::Bound,
            Access::Read => SymbolKind::Own(definition),
            Access::Write if is_tagged || self.is_own_variable(symbol) => SymbolKind::Own(definition),
            Access::Write => SymbolKind::Bound,
        }
    }

    /// Whether only this function knows the variable: it is one of its own, and no other function uses it.
    fn is_own_variable(&self, symbol: &[u8]) -> bool {
        let base = symbol.iter().rposition(|byte| *byte == b'.').map_or(symbol, |dot| &symbol[..dot]);
        let is_named = std::str::from_utf8(base).is_ok_and(|base| self.statics.contains(base));
        is_named && is_numbered(symbol) && self.assembly.users.get(symbol).is_none_or(|users| *users == 1)
    }

    fn content(&mut self, symbol: &'t [u8], definition: Definition) {
        let lines = &self.assembly.lines;
        self.out.push(OWN);
        let number = self.numbers[symbol];
        self.out.extend_from_slice(format!("{number}=\n").as_bytes());
        match definition {
            Definition::Common { line } | Definition::Alias { line } => {
                let (word, rest) = split_word(lines.at(line));
                let rest = rest.iter().position(|byte| *byte == b',').map_or(&b""[..], |comma| &rest[comma..]);
                self.verbatim(word);
                self.line(rest);
            }
            Definition::Label { line, section } => {
                self.line(lines.section(section));
                match self.assembly.region(symbol).filter(|_| lines.is_function(symbol)) {
                    Some(region) => {
                        self.regions.push(region.clone());
                        self.lines(region);
                    }
                    None => self.data(line, lines.section(section)),
                }
            }
        }
    }

    /// The lines behind a label, up to the next definition.
    fn data(&mut self, label: u32, section: &[u8]) {
        let lines = &self.assembly.lines;
        let is_table = section.windows(17).any(|window| window == b".gcc_except_table");
        if is_table {
            // There labels stand within one table.
            let rest = lines.all()[label as usize..].iter();
            let length = rest.take_while(|line| !ends_table(split_word(line).0)).count() as u32;
            self.regions.push(label..label + length);
        }
        let mut is_known = false;
        for &line in &lines.all()[label as usize + 1..] {
            let (word, _) = split_word(line);
            if is_data(word) || is_table && !ends_table(word) {
                is_known = true;
                self.line(line);
            } else if !is_remark(line) {
                is_known &= is_table || ends_data(word) || super::lines::label(line).is_some();
                break;
            }
        }
        if !is_known {
            // Unknown, so it is equal to nothing else.
            self.is_bound = true;
            self.out.extend_from_slice(&label.to_le_bytes());
        }
    }
}

enum Access {
    Code,
    Read,
    Write,
}

/// The access that the section of a line allows to its content.
fn access(section: &[u8]) -> Access {
    let (word, rest) = split_word(section);
    let name = if word.ends_with(b"section") {
        rest.split(|byte| *byte == b',').next().unwrap_or_default().trim_ascii()
    } else {
        word
    };
    let starts = |names: &[&str]| names.iter().any(|start| name.starts_with(start.as_bytes()));
    let flags = rest.split(|byte| *byte == b'"').nth(1).unwrap_or_default();
    if starts(&[".text", ".init", ".fini"]) || flags.contains(&b'x') {
        Access::Code
    } else if starts(&[".rodata", ".data.rel.ro", ".gcc_except_table", ".srodata", ".eh_frame"]) {
        Access::Read
    } else {
        Access::Write
    }
}

#[rustfmt::skip]
const DATA: &[&[u8]] = &[
    b".byte", b".value", b".short", b".hword", b".half", b".2byte", b".long", b".int", b".word", b".4byte", b".quad",
    b".dword", b".xword", b".8byte", b".octa", b".single", b".float", b".double", b".string", b".ascii", b".asciz",
    b".zero", b".space", b".skip", b".fill", b".uleb128", b".sleb128", b".dc.a", b".dc.l", b".dc.b", b".uahalf",
    b".uaword", b".uaxword", b".base64",
];

fn is_data(word: &[u8]) -> bool {
    DATA.contains(&word)
}

fn chooses_section(word: &[u8]) -> bool {
    [&b".section"[..], b".text", b".data", b".bss", b".previous", b".pushsection", b".popsection"].contains(&word)
}

/// What stands behind a table of exceptions.
fn ends_table(word: &[u8]) -> bool {
    chooses_section(word) || word == b".type"
}

/// What may stand behind an object's data.
fn ends_data(word: &[u8]) -> bool {
    #[rustfmt::skip]
    const ENDS: &[&[u8]] = &[
        b".size", b".type", b".align", b".p2align", b".balign", b".globl", b".global", b".local", b".weak", b".hidden",
        b".protected", b".internal", b".comm", b".lcomm", b".set", b".equ", b".ident", b".thumb_set",
    ];
    chooses_section(word) || ENDS.contains(&word)
}

/// The first word of a line, if it is neither a mnemonic nor a label.
fn is_directive(line: &[u8], word: &[u8]) -> bool {
    word.starts_with(b".") && line.get(word.len()) != Some(&b':')
}

/// A section's flags are written where it is first chosen, and mostly only there.
fn without_flags(line: &[u8]) -> &[u8] {
    match split_word(line) {
        (b".section", _) => line.split(|byte| *byte == b',').next().unwrap_or(line),
        _ => line,
    }
}

/// Whether a name is of no use outside of its text.
fn is_private(lines: &AssemblyLines<'_>, symbol: &[u8]) -> bool {
    let is_defined = || !lines.definitions(symbol).is_empty();
    symbol.contains(&b'.') && is_defined() && !lines.is_global(symbol)
}

/// A whole text, with all names taken out that nobody outside of it can know.
pub(super) fn whole(lines: &AssemblyLines<'_>) -> Vec<u8> {
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut out = Vec::new();
    for line in lines.all().iter().filter(|line| !is_comment(line)) {
        let mut at_start = true;
        for_each_piece(line, |piece| {
            match piece {
                LinePiece::Symbol(symbol) if !(at_start && is_directive(line, symbol)) && is_private(lines, symbol) => {
                    let next = numbers.len();
                    let number = *numbers.entry(symbol).or_insert(next);
                    out.push(OWN);
                    out.extend_from_slice(number.to_string().as_bytes());
                }
                LinePiece::Symbol(text) | LinePiece::Other(text) => out.extend_from_slice(text),
            }
            at_start = false;
        });
        out.push(b'\n');
    }
    out
}
