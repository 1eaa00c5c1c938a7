//! Many copies of a file's functions in one text: the original and each of its mutants under names of their own. A
//! compiler then compiles all of them at once, and their code can be compared.
//!
//! A copied function leaves only its declaration behind. So its callers, itself included, are compiled without its
//! body, which each mutant changes. The renamed original stays where it is compared, or where the rest of the file
//! depends on it: its writes are still visible.
//!
//! Lines keep their numbers and files their names, so that `__LINE__` and `__FILE__` have the values of the original,
//! and `__func__` is the original's name. Functions that cannot be written under another name are not copied: see
//! [`Copyable`].

use crate::lexer;
use crate::libclang::Cursor;
use crate::signature::Constant;
use crate::source::{SourceFile, SourceRange};
use crate::tree::build::FileView;
use clang_sys::*;
use std::collections::BTreeSet;
use std::ops::{Index, IndexMut};

/// A function that can stand in its file more than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copyable {
    pub range: SourceRange,
    /// Where its name is written.
    pub name: SourceRange,
    pub body: SourceRange,
    /// The names of its variables with static storage: compilers make symbols of them.
    pub statics: BTreeSet<String>,
    /// Whether other functions may be compiled differently without its body: it uses a variable of the file, which
    /// nobody else may write, or has a directive in it.
    pub is_seen: bool,
}

/// The index of a function in the list of those functions of a file that can be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionIdx(usize);

impl FunctionIdx {
    pub const fn new(index: usize) -> Self {
        Self(index)
    }

    pub const fn get(self) -> usize {
        self.0
    }

    /// All indices of a list of this length.
    pub fn all(length: usize) -> impl Iterator<Item = Self> {
        (0..length).map(Self)
    }

    /// The items of a list, each with its index.
    pub fn enumerate<T>(list: &[T]) -> impl Iterator<Item = (Self, &T)> {
        list.iter().enumerate().map(|(index, item)| (Self(index), item))
    }
}

impl<T> Index<FunctionIdx> for [T] {
    type Output = T;

    fn index(&self, index: FunctionIdx) -> &T {
        &self[index.0]
    }
}

impl<T> Index<FunctionIdx> for Vec<T> {
    type Output = T;

    fn index(&self, index: FunctionIdx) -> &T {
        &self[index.0]
    }
}

impl<T> IndexMut<FunctionIdx> for Vec<T> {
    fn index_mut(&mut self, index: FunctionIdx) -> &mut T {
        &mut self[index.0]
    }
}

/// A function to be written once more.
#[derive(Debug, Clone, Copy)]
pub struct Copy<'c> {
    pub function: FunctionIdx,
    /// No two copies in a text share one.
    pub number: u32,
    pub range: SourceRange,
    pub replacement: &'c [u8],
    /// The constant that the range is in, where it is not in the function: it gets a copy, too, which this one uses.
    pub constant: Option<&'c Constant>,
}

/// Which file a copy says it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The one that it is in.
    File,
    /// A file that is named after the copy, so that an error names the copy.
    Copy,
}

/// The suffix of a copy's name, which no other name in the text contains. All are of one length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// The renamed original of a function.
    Original(FunctionIdx),
    /// A copy, by its number.
    Copy(u32),
}

impl Tag {
    /// The prefix of all tags.
    pub const MARK: &'static str = "__perturb_";
    /// How long all of them are.
    pub const LENGTH: usize = Self::MARK.len() + 8;
}

impl std::fmt::Display for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Original(function) => write!(f, "{}o{:07}", Self::MARK, function.0),
            Self::Copy(number) => write!(f, "{}m{number:07}", Self::MARK),
        }
    }
}

/// The file name of a copy in errors.
const COPY_FILE: &str = "perturb-copy-";
/// The file name of a renamed original in errors.
const ORIGINAL_FILE: &str = "perturb-original-";

/// The part of the text that a file name in errors stands for.
pub fn copy_in(file: &str) -> Option<Tag> {
    let name = file.rsplit('/').next()?;
    let original = || Some(Tag::Original(FunctionIdx(name.strip_prefix(ORIGINAL_FILE)?.parse().ok()?)));
    name.strip_prefix(COPY_FILE).and_then(|number| Some(Tag::Copy(number.parse().ok()?))).or_else(original)
}

/// The file with copies of its functions in it. Of a function without any, only what the others see is left; those that
/// are `left_alone` stay as they are.
pub fn with_copies(
    source: &SourceFile,
    functions: &[Copyable],
    left_alone: &BTreeSet<FunctionIdx>,
    copies: &[Copy<'_>],
    shown: Shown,
) -> Vec<u8> {
    let text = source.text();
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut at = 0;
    for (index, function) in FunctionIdx::enumerate(functions) {
        if left_alone.contains(&index) {
            continue;
        }
        out.extend_from_slice(&text[at..function.range.start as usize]);
        at = function.range.end as usize;
        let writer = CopyWriter { source, function, shown };
        let mut copies = copies.iter().filter(|copy| copy.function == index).peekable();
        // A comment at its end may go on to the end of the line.
        out.extend_from_slice(&text[function.range.start as usize..function.body.start as usize]);
        out.extend_from_slice(b"\n;");
        if function.is_seen || copies.peek().is_some() {
            writer.name_macros(true, &mut out);
            let nothing = SourceRange::new(function.body.start, function.body.start);
            writer.write(Tag::Original(index), nothing, b"", &mut out);
            for copy in copies {
                writer.copy(copy, &mut out);
            }
            writer.name_macros(false, &mut out);
        }
        let line = source.line_column(function.range.end).line;
        out.extend_from_slice(
            match shown {
                Shown::File => format!("\n#line {line}\n"),
                Shown::Copy => format!("\n#line {line} \"perturb-rest\"\n"),
            }
            .as_bytes(),
        );
    }
    out.extend_from_slice(&text[at..]);
    out
}

struct CopyWriter<'w> {
    source: &'w SourceFile,
    function: &'w Copyable,
    shown: Shown,
}

impl CopyWriter<'_> {
    fn name(&self) -> String {
        self.source.lossy(self.function.name)
    }

    /// Makes the function's own name what it is in the original, and takes that back.
    fn name_macros(&self, set: bool, out: &mut Vec<u8>) {
        for word in ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"] {
            let text = if set {
                format!("\n#pragma push_macro(\"{word}\")\n#undef {word}\n#define {word} \"{}\"", self.name())
            } else {
                format!("\n#pragma pop_macro(\"{word}\")")
            };
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// A copy with a mutant in it, or in a constant that it uses.
    fn copy(&self, copy: &Copy<'_>, out: &mut Vec<u8>) {
        let tag = Tag::Copy(copy.number);
        let Some(Constant { name, range, written }) = copy.constant else {
            self.write(tag, copy.range, copy.replacement, out);
            return;
        };
        let text = |from: u32, to: u32| self.source.slice(SourceRange::new(from, to));
        let line = self.source.line_column(range.start).line;
        let marker = match self.shown {
            Shown::Copy => format!("\n#line {line} \"{COPY_FILE}{}\"\n", copy.number),
            Shown::File => format!("\n#line {line}\n"),
        };
        out.extend_from_slice(marker.as_bytes());
        out.extend_from_slice(text(range.start, written.start));
        out.extend_from_slice(format!("{name}{tag}").as_bytes());
        out.extend_from_slice(text(written.end, copy.range.start));
        out.extend_from_slice(copy.replacement);
        out.extend_from_slice(text(copy.range.end, range.end));
        out.extend_from_slice(format!(";\n#define {name} {name}{tag}\n").as_bytes());
        let nothing = SourceRange::new(self.function.body.start, self.function.body.start);
        self.write(tag, nothing, b"", out);
        out.extend_from_slice(format!("\n#undef {name}\n").as_bytes());
    }

    fn write(&self, tag: Tag, range: SourceRange, replacement: &[u8], out: &mut Vec<u8>) {
        let Copyable { range: whole, name, .. } = self.function;
        let line = self.source.line_column(whole.start).line;
        // Never inlined, specialised or left out, whatever the compiler would make of a function that nobody calls.
        out.extend_from_slice(b"\n__attribute__((noipa,noinline,noclone,used))\n");
        let marker = match (self.shown, tag) {
            (Shown::Copy, Tag::Copy(number)) => format!("#line {line} \"{COPY_FILE}{number}\"\n"),
            (Shown::Copy, Tag::Original(function)) => format!("#line {line} \"{ORIGINAL_FILE}{}\"\n", function.0),
            (Shown::File, _) => format!("#line {line}\n"),
        };
        out.extend_from_slice(marker.as_bytes());
        let text = |from: u32, to: u32| self.source.slice(SourceRange::new(from, to));
        let renamed = format!("{}{tag}", self.name());
        if range.start < name.end {
            // A mutant of a declarator: an array's bound, a default argument.
            let parts = [text(whole.start, range.start), replacement, text(range.end, name.start), renamed.as_bytes()];
            parts.iter().for_each(|part| out.extend_from_slice(part));
            out.extend_from_slice(text(name.end, whole.end));
            return;
        }
        out.extend_from_slice(text(whole.start, name.start));
        out.extend_from_slice(renamed.as_bytes());
        out.extend_from_slice(text(name.end, range.start));
        out.extend_from_slice(&padded(self.source.slice(range), replacement));
        out.extend_from_slice(text(range.end, whole.end));
    }
}

/// A replacement that has as many lines as what it replaces, so that the lines after it keep their numbers.
pub fn padded(original: &[u8], replacement: &[u8]) -> Vec<u8> {
    let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
    let missing = lines(original).saturating_sub(lines(replacement));
    // In a macro's definition a line goes on behind a backslash.
    let goes_on =
        original.windows(2).any(|pair| pair == b"\\\n") || original.windows(3).any(|three| three == b"\\\r\n");
    let line: &[u8] = if goes_on { b"\\\n" } else { b"\n" };
    let mut text = replacement.to_vec();
    (0..missing).for_each(|_| text.extend_from_slice(line));
    text
}

/// The function under the cursor, if it can be copied. It must be written in the file as a whole, with a name that is
/// written there too; `main` is special to compilers; definitions in the style of K&R, and types that are defined in a
/// head, cannot stand there twice. In C++ only plain functions outside classes are sure to mean the same under another
/// name.
pub(crate) fn copyable(cursor: Cursor<'_>, view: &FileView, is_cpp: bool) -> Option<Copyable> {
    if cursor.kind() != CXCursor_FunctionDecl {
        return None;
    }
    let text = view.source.text();
    let mut range = view.range_of(cursor)?;
    // `API(int) f(void)`: what clang sees first is the argument.
    range.start = view.macros.start_of_use(range.start);
    let body = view.body_of(cursor).filter(|body| range.contains(*body))?;
    let spelling = cursor.spelling();
    let at = cursor.location();
    if at.file != view.handle || spelling == "main" {
        return None;
    }
    let name = SourceRange::new(at.offset, at.offset + spelling.len() as u32);
    let is_written = name.end <= body.start && text.get(name.start as usize..name.end as usize)? == spelling.as_bytes();
    let head = SourceRange::new(range.start, body.start);
    if !is_written || !head.contains(name) || !is_plain_head(text, head, name, is_cpp) {
        return None;
    }
    let mut statics = BTreeSet::new();
    collect_statics(cursor, &mut statics);
    let is_seen = has_directive(&text[body.start as usize..body.end as usize]) || uses_variable_of_file(cursor);
    Some(Copyable { range, name, body, statics, is_seen })
}

/// Why this function of the file cannot be copied, as far as its text says.
pub fn why_not(source: &SourceFile, function: SourceRange, name: &str) -> &'static str {
    let text = source.text();
    let words: Vec<&[u8]> = lexer::tokens(text, function.start, function.end).map(|token| token.text(text)).collect();
    let is_old_style = words.windows(2).find(|pair| pair[1] == b"{").is_some_and(|pair| pair[0] == b";");
    match name {
        "main" => "it is in main, which is no function like others",
        _ if is_old_style => {
            "its function has the types of its parameters behind their list (K&R style): give it a prototype"
        }
        _ => "it is in no function that can be copied",
    }
}

fn is_plain_head(text: &[u8], head: SourceRange, name: SourceRange, is_cpp: bool) -> bool {
    if has_directive(&text[head.start as usize..head.end as usize]) {
        return false;
    }
    let tokens: Vec<_> = lexer::tokens(text, head.start, head.end).collect();
    let words: Vec<&[u8]> = tokens.iter().map(|token| token.text(text)).collect();
    let is_defined_in_head = words.contains(&&b"{"[..]);
    let is_old_style = words.last() == Some(&&b";"[..]);
    if is_defined_in_head || is_old_style {
        return false;
    }
    if !is_cpp {
        return true;
    }
    let before_name = tokens.iter().take_while(|token| token.start < name.start).last().map(|token| token.text(text));
    let odd: [&[u8]; 9] = [
        b"template",
        b"constexpr",
        b"consteval",
        b"auto",
        b"operator",
        b"friend",
        b"requires",
        b"decltype",
        b"concept",
    ];
    before_name != Some(&b"::"[..]) && !words.iter().any(|word| odd.contains(word))
}

fn has_directive(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|line| line.trim_ascii_start().starts_with(b"#"))
}

/// Constants are the same in all functions.
fn uses_variable_of_file(cursor: Cursor<'_>) -> bool {
    let is_of_file = |variable: Cursor<'_>| {
        let is_local = variable.semantic_parent().is_some_and(|parent| parent.kind() == CXCursor_FunctionDecl);
        let mut kind = variable.type_of().canonical();
        while kind.element().kind() != CXType_Invalid {
            kind = kind.element();
        }
        variable.kind() == CXCursor_VarDecl && !is_local && !kind.is_const()
    };
    let mut found = cursor.kind() == CXCursor_DeclRefExpr && cursor.referenced().is_some_and(is_of_file);
    cursor.for_each_child(|child| found = found || uses_variable_of_file(child));
    found
}

fn collect_statics(cursor: Cursor<'_>, found: &mut BTreeSet<String>) {
    cursor.for_each_child(|child| {
        if child.kind() == CXCursor_VarDecl && child.storage_class() == CX_SC_Static {
            found.insert(child.spelling());
        }
        collect_statics(child, found);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(text: &str, part: &str) -> SourceRange {
        let at = text.find(part).unwrap() as u32;
        SourceRange::new(at, at + part.len() as u32)
    }

    fn function(text: &str, whole: &str, name: &str, body: &str) -> Copyable {
        let (range, body) = (range(text, whole), range(text, body));
        let at = range.start + whole.find(name).unwrap() as u32;
        Copyable {
            range,
            name: SourceRange::new(at, at + name.len() as u32),
            body,
            statics: BTreeSet::new(),
            is_seen: false,
        }
    }

    const TEXT: &str = "int a;\nstatic int\nf(int x)\n{ return x < 1; }\nint b;\n";

    #[test]
    fn a_copied_function_leaves_its_declaration_and_its_renamed_self() {
        let whole = "static int\nf(int x)\n{ return x < 1; }";
        let functions = [function(TEXT, whole, "f", "{ return x < 1; }")];
        let source = SourceFile::new("a.c", TEXT.as_bytes().to_vec());
        let copy =
            Copy { function: FunctionIdx(0), number: 12, range: range(TEXT, "<"), replacement: b"<=", constant: None };
        let text = with_copies(&source, &functions, &BTreeSet::new(), &[copy], Shown::File);
        let text = String::from_utf8(text).unwrap();
        assert!(text.starts_with("int a;\nstatic int\nf(int x)\n\n;\n#pragma push_macro(\"__func__\")"), "{text}");
        assert!(text.contains("#line 2\nstatic int\nf__perturb_o0000000(int x)\n{ return x < 1; }"), "{text}");
        assert!(text.contains("#line 2\nstatic int\nf__perturb_m0000012(int x)\n{ return x <= 1; }"), "{text}");
        assert!(text.ends_with("\n#line 4\n\nint b;\n"), "{text}");
        let named = with_copies(&source, &functions, &BTreeSet::new(), &[copy], Shown::Copy);
        assert!(String::from_utf8(named).unwrap().contains("#line 2 \"perturb-copy-12\"\n"));
        let alone = with_copies(&source, &functions, &BTreeSet::from([FunctionIdx(0)]), &[], Shown::File);
        assert_eq!(alone, TEXT.as_bytes());
    }

    #[test]
    fn a_mutant_of_a_constant_has_a_copy_of_it_and_of_a_function_that_uses_it() {
        let text = "static const int limit[2] = {1,\n2};\nint f(int x) { return x < limit[1]; }\n";
        let functions = [function(text, "int f(int x) { return x < limit[1]; }", "f", "{ return x < limit[1]; }")];
        let source = SourceFile::new("a.c", text.as_bytes().to_vec());
        let constant = Constant {
            name: "limit".into(),
            range: range(text, "static const int limit[2] = {1,\n2}"),
            written: range(text, "limit"),
        };
        let copy = Copy {
            function: FunctionIdx(0),
            number: 3,
            range: range(text, "2}"),
            replacement: b"9}",
            constant: Some(&constant),
        };
        let text = with_copies(&source, &functions, &BTreeSet::new(), &[copy], Shown::File);
        let text = String::from_utf8(text).unwrap();
        let of_copy = "\n#line 1\nstatic const int limit__perturb_m0000003[2] = {1,\n9};\n\
                       #define limit limit__perturb_m0000003\n\n__attribute__((noipa,noinline,noclone,used))\n\
                       #line 3\nint f__perturb_m0000003(int x) { return x < limit[1]; }\n#undef limit\n";
        assert!(text.contains(of_copy), "{text}");
    }

    #[test]
    fn errors_name_the_copy_by_its_file() {
        assert_eq!(copy_in("/x/perturb-copy-7"), Some(Tag::Copy(7)));
        assert_eq!((copy_in("perturb-original-2"), copy_in("a.c")), (Some(Tag::Original(FunctionIdx(2))), None));
        assert_eq!([Tag::Original(FunctionIdx(1)), Tag::Copy(2)].map(|tag| tag.to_string().len()), [Tag::LENGTH; 2]);
    }

    #[test]
    fn a_shorter_replacement_keeps_the_lines_after_it_where_they_are() {
        assert_eq!(padded(b"a\n+\nb", b"a"), b"a\n\n");
        assert_eq!(padded(b"a \\\n + b", b"a"), b"a\\\n");
        assert_eq!(padded(b"a", b"b\n"), b"b\n");
    }
}
