//! Mutates the bodies of macros: expands one use of each macro in place, and maps the mutations in the expanded body
//! back to the definition.
//!
//! So a macro's body gets the same typed mutants as any code, without a second set of rules. A mutation is mapped back
//! only if it lies in the body as written: one that spans a parameter has no text of its own there. Macros that paste
//! or stringify, and those used only in directives, are skipped.

use crate::file_mutations::{FileMutations, Scope};
use crate::lexer::{self, TokenKind};
use crate::source::{SourceFile, SourceRange};
use crate::tree::{macros, ConstantContext};
use std::collections::HashSet;
use std::path::PathBuf;

/// The first use in the main file of each macro that the project defines.
#[derive(Debug, Default)]
pub struct MainFileUses {
    text: Vec<u8>,
    uses: Vec<ExpandedUse>,
    seen: HashSet<(PathBuf, u32)>,
}

#[derive(Debug)]
struct ExpandedUse {
    range: SourceRange,
    name: String,
    /// The definition, from the macro's name to the end of its body.
    definition: SourceRange,
    source: SourceFile,
}

impl MainFileUses {
    pub fn add(
        &mut self,
        main: &[u8],
        range: SourceRange,
        name: &str,
        definition: SourceRange,
        source: impl FnOnce() -> SourceFile,
    ) {
        let nested = self.uses.iter().any(|other| other.range.start < range.end && range.start < other.range.end);
        let is_written = lexer::token_at(main, range.start).text(main) == name.as_bytes();
        if nested || !is_written || is_directive(main, range.start) {
            return;
        }
        let source = source();
        if self.seen.insert((source.path().to_path_buf(), definition.start)) {
            self.text = if self.text.is_empty() { main.to_vec() } else { std::mem::take(&mut self.text) };
            self.uses.push(ExpandedUse { range, name: name.to_string(), definition, source });
        }
    }
}

/// Whether a line is a preprocessing directive, continued lines included.
fn is_directive(text: &[u8], offset: u32) -> bool {
    let mut start = offset as usize;
    loop {
        start = text[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let before = text[..start].strip_suffix(b"\n").unwrap_or_default();
        let before = before.strip_suffix(b"\r").unwrap_or(before);
        if start == 0 || before.last() != Some(&b'\\') {
            break;
        }
        start -= 1;
    }
    text[start..].trim_ascii_start().first() == Some(&b'#')
}

/// The main file with one use of each macro written out.
#[derive(Debug)]
pub struct Inlined {
    pub text: Vec<u8>,
    uses: Vec<ExpandedUse>,
    /// Stretches of the text that are copied from a definition's body.
    copies: Vec<BodyStretch>,
}

#[derive(Debug, Clone, Copy)]
struct BodyStretch {
    range: SourceRange,
    use_index: usize,
    /// Where the stretch starts in the file of the definition.
    from: u32,
}

impl Inlined {
    /// None where nothing can be written out.
    pub fn new(uses: MainFileUses) -> Option<Self> {
        let MainFileUses { text: main, mut uses, .. } = uses;
        uses.sort_by_key(|used| used.range);
        let mut inlined = Self { text: Vec::with_capacity(main.len()), uses, copies: Vec::new() };
        let mut at = 0;
        for index in 0..inlined.uses.len() {
            let range = inlined.uses[index].range;
            let Some(pieces) = write_out(&inlined.uses[index], &main) else { continue };
            inlined.text.extend_from_slice(&main[at..range.start as usize]);
            for piece in pieces {
                inlined.append(piece, index);
            }
            at = range.end as usize;
        }
        inlined.text.extend_from_slice(&main[at..]);
        (!inlined.copies.is_empty()).then_some(inlined)
    }

    fn append(&mut self, piece: BodyPiece, use_index: usize) {
        match piece {
            BodyPiece::Argument(text) => self.text.extend_from_slice(&text),
            BodyPiece::Body(body) => {
                let start = self.text.len() as u32;
                let text = self.uses[use_index].source.slice(body).to_vec();
                self.text.extend_from_slice(&text);
                let range = SourceRange::new(start, start + body.len());
                self.copies.push(BodyStretch { range, use_index, from: body.start });
            }
        }
    }

    /// The mutations in copied stretches, as mutations of the definitions.
    pub fn mutations_of_definitions(&self, files: Vec<FileMutations>) -> Vec<FileMutations> {
        let mut found: Vec<FileMutations> = Vec::new();
        for (_, mut mutation) in
            files.into_iter().filter(|file| file.source.text() == self.text).flat_map(|f| f.mutations)
        {
            let Some(copy) = self.copies.iter().find(|copy| copy.range.contains(mutation.edit.range)) else { continue };
            let used = &self.uses[copy.use_index];
            let start = mutation.edit.range.start - copy.range.start + copy.from;
            mutation.edit.range = SourceRange::new(start, start + mutation.edit.range.len());
            mutation.constant = Some(ConstantContext::MacroBody);
            let at = found.iter().position(|file| file.source.path() == used.source.path()).unwrap_or_else(|| {
                let source = used.source.clone();
                let (scopes, mutations, functions) = (Vec::new(), Vec::new(), Vec::new());
                let copyable = Vec::new();
                found.push(FileMutations { source, scopes, mutations, functions, copyable });
                found.len() - 1
            });
            let file = &mut found[at];
            let scope = Scope { name: used.name.clone(), parameters: String::new(), is_function: false };
            let index = file.scopes.iter().position(|known| *known == scope).unwrap_or_else(|| {
                file.scopes.push(scope);
                file.scopes.len() - 1
            });
            file.mutations.push((index as u32, mutation));
        }
        found
    }
}

enum BodyPiece {
    /// Text of an argument, as it is written at the use.
    Argument(Vec<u8>),
    /// A stretch of the definition's file.
    Body(SourceRange),
}

/// The body with its parameters replaced; None for macros that cannot be written out so.
fn write_out(used: &ExpandedUse, main: &[u8]) -> Option<Vec<BodyPiece>> {
    let text = &used.source.text()[..used.definition.end as usize];
    let name = lexer::token_at(text, used.definition.start);
    let (parameters, body) = parameters(text, name.end)?;
    let arguments = macros::arguments(main, used.range);
    if !parameters.is_empty() && parameters.len() != arguments.len() {
        return None;
    }
    let (mut pieces, mut start) = (Vec::new(), body);
    for token in lexer::tokens(text, body, used.definition.end) {
        let word = token.text(text);
        if matches!(word, b"#" | b"##" | b"%:" | b"%:%:") || word == used.name.as_bytes() {
            return None;
        }
        let parameter = parameters.iter().position(|p| token.kind == TokenKind::Identifier && *p == word);
        if let Some(index) = parameter {
            pieces.push(BodyPiece::Body(SourceRange::new(start, token.start)));
            let argument = arguments[index];
            pieces.push(BodyPiece::Argument(main[argument.start as usize..argument.end as usize].to_vec()));
            start = token.end;
        }
    }
    pieces.push(BodyPiece::Body(SourceRange::new(start, used.definition.end)));
    Some(pieces)
}

/// The names of a macro's parameters, and where its body starts. A `(` right behind the name opens the parameters.
fn parameters(text: &[u8], name_end: u32) -> Option<(Vec<&[u8]>, u32)> {
    if text.get(name_end as usize) != Some(&b'(') {
        return Some((Vec::new(), name_end));
    }
    let close = lexer::matching_bracket(text, name_end)?;
    let mut names = Vec::new();
    for token in lexer::tokens(text, name_end + 1, close) {
        match token.text(text) {
            b"," => {}
            b"..." => names.push(b"__VA_ARGS__".as_slice()),
            name => names.push(name),
        }
    }
    Some((names, close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inlined(source: &str, name: &str) -> Option<String> {
        let main = source.as_bytes();
        let define = source.find("#define ").expect("a definition") + 8;
        let end = define + source[define..].find('\n').expect("a line end");
        let start = source.rfind(name).expect("a use") as u32;
        let after = lexer::token_at(main, start + name.len() as u32);
        let end_of_use = match after.text(main) {
            b"(" => lexer::matching_bracket(main, after.start).expect("a closed use") + 1,
            _ => start + name.len() as u32,
        };
        let mut uses = MainFileUses::default();
        let definition = SourceRange::new(define as u32, end as u32);
        uses.add(main, SourceRange::new(start, end_of_use), name, definition, || SourceFile::new("a.c", main.to_vec()));
        Inlined::new(uses).map(|inlined| String::from_utf8(inlined.text).unwrap()[end + 1..].to_string())
    }

    #[test]
    fn a_use_is_written_out_with_its_arguments() {
        assert_eq!(inlined("#define N 16\nint a = N;", "N").as_deref(), Some("int a =  16;"));
        let max = "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nx = MAX(y, z + 1);";
        assert_eq!(inlined(max, "MAX").as_deref(), Some("x =  ((y) > ( z + 1) ? (y) : ( z + 1));"));
    }

    #[test]
    fn what_pastes_stringifies_or_names_itself_is_left_alone() {
        assert_eq!(inlined("#define S(x) #x\nf(S(1));", "S"), None);
        assert_eq!(inlined("#define P(x) x##1\nf(P(a));", "P"), None);
        assert_eq!(inlined("#define errno (errno)\nf(errno);", "errno"), None);
    }

    #[test]
    fn uses_in_directives_do_not_count() {
        assert_eq!(inlined("#define N 16\n#if \\\n N\n#endif\n", "N"), None);
    }
}
