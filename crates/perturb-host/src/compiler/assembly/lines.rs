//! The lines of an assembly text: which symbols they define, and in which section.

use std::collections::{HashMap, HashSet};

/// Where a symbol is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    /// With the line that chose its section.
    Label { line: u32, section: u32 },
    /// `.comm`: nothing but zeros.
    Common { line: u32 },
    /// `.set`, to be another one.
    Alias { line: u32 },
}

#[derive(Debug)]
pub(super) struct AssemblyLines<'t> {
    lines: Vec<&'t [u8]>,
    definitions: HashMap<&'t [u8], Definition>,
    /// Inline assembly may define a label once in each copy.
    repeated: HashMap<&'t [u8], Vec<Definition>>,
    globals: HashSet<&'t [u8]>,
    functions: Vec<&'t [u8]>,
    is_function: HashSet<&'t [u8]>,
    sizes: HashMap<&'t [u8], u32>,
}

/// The line of a section that no line has chosen.
const FIRST_SECTION: u32 = u32::MAX;

impl<'t> AssemblyLines<'t> {
    pub fn read(text: &'t [u8]) -> Self {
        let mut read = Self {
            lines: text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect(),
            definitions: HashMap::new(),
            repeated: HashMap::new(),
            globals: HashSet::new(),
            functions: Vec::new(),
            is_function: HashSet::new(),
            sizes: HashMap::new(),
        };
        let (mut section, mut previous, mut pushed) = (FIRST_SECTION, FIRST_SECTION, Vec::new());
        for at in 0..read.lines.len() as u32 {
            let line = read.lines[at as usize];
            let (word, rest) = split_word(line);
            match word {
                b".text" | b".data" | b".bss" | b".section" => (previous, section) = (section, at),
                b".previous" => (previous, section) = (section, previous),
                b".pushsection" => {
                    pushed.push((section, previous));
                    (previous, section) = (section, at);
                }
                b".popsection" => (section, previous) = pushed.pop().unwrap_or((FIRST_SECTION, FIRST_SECTION)),
                _ => read.note(word, rest, at, section),
            }
        }
        read
    }

    fn note(&mut self, word: &'t [u8], rest: &'t [u8], at: u32, section: u32) {
        let first = || rest.split(|byte| *byte == b',').next().unwrap_or_default().trim_ascii();
        match word {
            b".globl" | b".global" | b".weak" => {
                self.globals.insert(first());
            }
            b".type" => {
                let kind = rest.split(|byte| *byte == b',').nth(1).unwrap_or_default().trim_ascii();
                if kind.ends_with(b"function") && self.is_function.insert(first()) {
                    self.functions.push(first());
                }
            }
            b".size" => {
                self.sizes.entry(first()).or_insert(at);
            }
            b".comm" | b".lcomm" => self.define(first(), Definition::Common { line: at }),
            b".set" | b".equ" => self.define(first(), Definition::Alias { line: at }),
            _ => {
                if let Some(label) = label(self.lines[at as usize]) {
                    self.define(label, Definition::Label { line: at, section });
                }
            }
        }
    }

    fn define(&mut self, symbol: &'t [u8], definition: Definition) {
        use std::collections::hash_map::Entry;
        match self.definitions.entry(symbol) {
            Entry::Vacant(entry) => {
                entry.insert(definition);
            }
            Entry::Occupied(entry) => {
                let first = *entry.get();
                self.repeated.entry(symbol).or_insert_with(|| vec![first]).push(definition);
            }
        }
    }

    pub fn all(&self) -> &[&'t [u8]] {
        &self.lines
    }

    pub fn at(&self, line: u32) -> &'t [u8] {
        self.lines[line as usize]
    }

    /// The line that chose a section, if there is one.
    pub fn section(&self, section: u32) -> &'t [u8] {
        self.lines.get(section as usize).copied().unwrap_or(b".text")
    }

    pub fn definition(&self, symbol: &[u8]) -> Option<Definition> {
        self.definitions.get(symbol).copied()
    }

    /// All of them, where there are several.
    pub fn definitions(&self, symbol: &[u8]) -> &[Definition] {
        match (self.repeated.get(symbol), self.definitions.get(symbol)) {
            (Some(all), _) => all,
            (None, Some(one)) => std::slice::from_ref(one),
            (None, None) => &[],
        }
    }

    pub fn is_global(&self, symbol: &[u8]) -> bool {
        self.globals.contains(symbol)
    }

    pub fn is_function(&self, symbol: &[u8]) -> bool {
        self.is_function.contains(symbol)
    }

    pub fn functions(&self) -> impl Iterator<Item = &'t [u8]> + '_ {
        self.functions.iter().copied()
    }

    pub fn size_of(&self, symbol: &[u8]) -> Option<u32> {
        self.sizes.get(symbol).copied()
    }
}

/// The first word of a line and what follows it.
pub(super) fn split_word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = line.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii_start())
}

/// The label that a line defines.
pub(super) fn label(line: &[u8]) -> Option<&[u8]> {
    let end = line.iter().position(|byte| !is_symbol_byte(*byte))?;
    (end > 0 && line[end] == b':' && is_symbol_start(line[0])).then(|| &line[..end])
}

/// Whether a line says nothing about a function's code: a comment, where it comes from, what others may see of it.
pub(super) fn is_remark(line: &[u8]) -> bool {
    is_comment(line) || matches!(split_word(line).0, b".globl" | b".global")
}

/// Whether a line is for people and debuggers only.
pub(super) fn is_comment(line: &[u8]) -> bool {
    line.is_empty()
        || matches!(line[0], b'#' | b'@' | b';')
        || line.starts_with(b"//")
        || matches!(split_word(line).0, b".loc" | b".file" | b".ident" | b".addrsig" | b".addrsig_sym")
}

pub(super) fn is_symbol_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.')
}

pub(super) fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// A piece of a line.
pub(super) enum LinePiece<'l> {
    /// Something that may be a symbol; also registers without a sign, mnemonics and directives.
    Symbol(&'l [u8]),
    Other(&'l [u8]),
}

/// The pieces of a line, in their order and without a gap.
pub(super) fn for_each_piece<'l>(line: &'l [u8], mut take: impl FnMut(LinePiece<'l>)) {
    let mut at = 0;
    let run =
        |from: usize, is: fn(u8) -> bool| line[from..].iter().position(|b| !is(*b)).map_or(line.len(), |n| from + n);
    while at < line.len() {
        let start = at;
        match line[at] {
            b'"' => {
                at += 1;
                while at < line.len() && line[at] != b'"' {
                    at += if line[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(line.len());
                take(LinePiece::Other(&line[start..at]));
            }
            byte if is_symbol_start(byte) => {
                at = run(at, is_symbol_byte);
                take(LinePiece::Symbol(&line[start..at]));
            }
            // A number, or a register with its sign.
            b'%' | b'0'..=b'9' => {
                at = run(at + 1, is_symbol_byte);
                take(LinePiece::Other(&line[start..at]));
            }
            _ => {
                at += 1;
                take(LinePiece::Other(&line[start..at]));
            }
        }
    }
}

/// The symbols that a line may refer to.
pub(super) fn for_each_symbol<'l>(line: &'l [u8], mut take: impl FnMut(&'l [u8])) {
    for_each_piece(line, |piece| {
        if let LinePiece::Symbol(symbol) = piece {
            take(symbol);
        }
    });
}
