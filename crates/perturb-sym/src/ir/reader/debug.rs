//! Parses debug information: the source positions of functions and instructions. All other metadata is left out.

use super::cursor::{Cursor, Token};
use super::literal::bytes;
use crate::ir::source::{SourceFile, SourcePosition};
use std::collections::HashMap;

/// The greatest nesting depth of scopes.
const MAX_SCOPES: u32 = 1000;

#[derive(Debug, Default)]
pub(super) struct DebugInfo {
    pub files: Vec<SourceFile>,
    places: HashMap<u32, SourcePosition>,
    subprograms: HashMap<u32, SourcePosition>,
}

/// A metadata node: a line `!12 = !DILocation(line: 8, column: 33, scope: !17)`.
#[derive(Debug, Default)]
struct MetadataNode<'t> {
    kind: &'t str,
    line: u32,
    column: u32,
    scope: Option<u32>,
    file: Option<u32>,
    filename: &'t str,
    directory: &'t str,
}

impl DebugInfo {
    /// Parses all lines that define metadata.
    pub fn read<'t>(lines: impl Iterator<Item = &'t str>) -> Self {
        let nodes: HashMap<u32, MetadataNode<'t>> = lines.filter_map(node).collect();
        let mut info = Self::default();
        let mut files = HashMap::new();
        let mut numbers: Vec<u32> = nodes.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            let node = &nodes[&number];
            let wanted = match node.kind {
                "DILocation" => &mut info.places,
                "DISubprogram" => &mut info.subprograms,
                _ => continue,
            };
            let Some(file) = file_of(number, &nodes) else { continue };
            let file = *files.entry(file).or_insert_with(|| {
                let (name, folder) = nodes.get(&file).map(|node| (node.filename, node.directory)).unwrap_or_default();
                info.files.push(SourceFile { name: unescaped(name), folder: unescaped(folder) });
                info.files.len() as u32 - 1
            });
            wanted.insert(number, SourcePosition { file, line: node.line, column: node.column });
        }
        info
    }

    /// The position of an instruction, by the number of its node.
    pub fn position(&self, node: u32) -> Option<SourcePosition> {
        self.places.get(&node).copied()
    }

    /// The position of a function.
    pub fn subprogram(&self, node: u32) -> Option<SourcePosition> {
        self.subprograms.get(&node).copied()
    }
}

/// A location is in the file of the innermost scope that names one.
fn file_of(number: u32, nodes: &HashMap<u32, MetadataNode<'_>>) -> Option<u32> {
    let mut node = nodes.get(&number)?;
    for _ in 0..MAX_SCOPES {
        if let Some(file) = node.file {
            return Some(file);
        }
        node = nodes.get(&node.scope?)?;
    }
    None
}

fn unescaped(text: &str) -> String {
    let bytes = bytes(text).unwrap_or_else(|| text.as_bytes().to_vec());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn node(line: &str) -> Option<(u32, MetadataNode<'_>)> {
    let mut cursor = Cursor::new(line, 0);
    let Token::Metadata(number) = cursor.take() else { return None };
    let number = number.parse().ok()?;
    cursor.eat('=').then_some(())?;
    cursor.eat_word("distinct");
    let Token::Metadata(kind) = cursor.take() else { return None };
    let is_wanted = ["DILocation", "DISubprogram", "DILexicalBlock", "DILexicalBlockFile", "DIFile"].contains(&kind);
    if !is_wanted || !cursor.eat('(') {
        return None;
    }
    let mut node = MetadataNode { kind, ..MetadataNode::default() };
    let mut depth = 0_u32;
    loop {
        match cursor.take() {
            Token::Sign('(' | '{') => depth += 1,
            Token::Sign(')' | '}') => depth = depth.saturating_sub(1),
            Token::Word(field) if depth == 0 && cursor.eat(':') => node.set(field, cursor.peek()),
            Token::End => return Some((number, node)),
            _ => {}
        }
    }
}

impl<'t> MetadataNode<'t> {
    fn set(&mut self, field: &str, value: Token<'t>) {
        match (field, value) {
            ("line", Token::Number(number)) => self.line = number.parse().unwrap_or(0),
            ("column", Token::Number(number)) => self.column = number.parse().unwrap_or(0),
            ("scope", Token::Metadata(node)) => self.scope = node.parse().ok(),
            ("file", Token::Metadata(node)) => self.file = node.parse().ok(),
            ("filename", Token::Text(text)) => self.filename = text,
            ("directory", Token::Text(text)) => self.directory = text,
            _ => {}
        }
    }
}
