//! All mutations of one translation unit: parse it, find the functions and declarations of the files that are wanted,
//! build a tree of each, and let the operators work on it.

use crate::lexer;
use crate::libclang::{absolute, Cursor, Diagnostic, Libclang, ParseInput, Unit};
use crate::operators::{self, Mutation, OperatorSet};
use crate::source::{SourceFile, SourceRange};
use crate::tree::build::{is_translation_unit, Builder, FileView, Place};
use crate::tree::declarations::is_function;
use crate::tree::macros::{is_atomic_definition, MacroMap, ReportedUse};
use crate::tree::Usage;
use crate::CsrcError;
use clang_sys::*;
use globset::GlobSet;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What to mutate, and what never.
pub struct Rules<'r> {
    pub operators: &'r OperatorSet,
    /// Names of macros and functions whose calls and arguments are left alone.
    pub never_in: &'r GlobSet,
    /// Whether a file (by absolute path) is under test.
    pub wanted: &'r (dyn Fn(&Path) -> bool + Sync),
}

impl std::fmt::Debug for Rules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("operators", self.operators).finish_non_exhaustive()
    }
}

/// A function, or a declaration outside functions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    /// Its name with namespaces and classes.
    pub name: String,
    /// In C++, what tells overloads apart.
    pub parameters: String,
    pub is_function: bool,
}

/// The mutations of one file, as one translation unit sees it.
#[derive(Debug)]
pub struct FileMutations {
    pub source: SourceFile,
    pub scopes: Vec<Scope>,
    /// Each with the index of its scope.
    pub mutations: Vec<(u32, Mutation)>,
}

/// What came of one translation unit.
#[derive(Debug)]
pub struct UnitMutations {
    pub files: Vec<FileMutations>,
    /// Every file the unit reads, absolute.
    pub included: Vec<PathBuf>,
    pub error_count: usize,
    pub first_error: Option<Diagnostic>,
    /// Functions that are nested too deep to be walked.
    pub too_deep: Vec<String>,
}

/// Parses a translation unit and lists its mutations.
pub fn mutate_unit(libclang: &Libclang, input: &ParseInput, rules: &Rules<'_>) -> Result<UnitMutations, CsrcError> {
    let unit = Unit::parse(libclang, input)?;
    let mut files = Files { input, rules, unit: &unit, known: HashMap::new() };
    let (mut uses, mut declarations) = (HashMap::new(), Vec::new());
    let mut atomic = HashMap::new();
    unit.root().for_each_child(|child| match child.kind() {
        CXCursor_MacroExpansion => {
            let (start, end) = child.extent();
            if files.is_wanted(start.file) && end.file == start.file && start.offset < end.offset {
                let range = SourceRange::new(start.offset, end.offset);
                let reported =
                    ReportedUse { range, name: child.spelling(), atomic: is_atomic(&unit, child, &mut atomic) };
                uses.entry(start.file).or_insert_with(Vec::new).push(reported);
            }
        }
        CXCursor_MacroDefinition | CXCursor_InclusionDirective => {}
        _ => collect(child, &mut files, &mut declarations),
    });
    let mut views: Vec<(CXFile, FileView)> = Vec::new();
    for (handle, _) in &declarations {
        if !views.iter().any(|(known, _)| known == handle) {
            let source = SourceFile::new(files.path(*handle), unit.file_text(*handle).to_vec());
            let macros = MacroMap::new(source.text(), uses.remove(handle).unwrap_or_default());
            views.push((*handle, FileView { handle: *handle, source, macros }));
        }
    }
    let mut result = UnitMutations {
        files: Vec::new(),
        included: Vec::new(),
        error_count: 0,
        first_error: None,
        too_deep: Vec::new(),
    };
    for (handle, view) in &views {
        let of_file = declarations.iter().filter(|(file, _)| file == handle).map(|(_, cursor)| *cursor);
        let found = mutate_file(view, of_file, input.is_cpp(), rules, &mut result.too_deep);
        result.files.push(found);
    }
    (result.error_count, result.first_error) = unit.errors();
    result.included = unit.included_files().iter().map(|name| absolute(&input.directory, name)).collect();
    Ok(result)
}

/// Which files are wanted, decided once per file.
struct Files<'a, 'l> {
    input: &'a ParseInput,
    rules: &'a Rules<'a>,
    unit: &'a Unit<'l>,
    known: HashMap<CXFile, (bool, PathBuf)>,
}

impl Files<'_, '_> {
    fn look_up(&mut self, file: CXFile) -> &(bool, PathBuf) {
        self.known.entry(file).or_insert_with(|| {
            let path = absolute(&self.input.directory, &self.unit.file_name(file));
            ((self.rules.wanted)(&path), path)
        })
    }

    fn is_wanted(&mut self, file: CXFile) -> bool {
        !file.is_null() && self.look_up(file).0
    }

    fn path(&mut self, file: CXFile) -> PathBuf {
        self.look_up(file).1.clone()
    }

    fn is_header(&mut self, file: CXFile) -> bool {
        let extension = self.look_up(file).1.extension().map(|e| e.to_string_lossy().into_owned());
        !matches!(extension.as_deref(), Some("c" | "cc" | "cpp" | "cxx" | "c++" | "C" | "CPP" | "cp"))
    }
}

fn is_atomic(unit: &Unit<'_>, used: Cursor<'_>, known: &mut HashMap<(CXFile, u32), bool>) -> bool {
    let Some(definition) = used.referenced() else { return false };
    let (start, end) = definition.extent();
    if start.file.is_null() || start.file != end.file {
        // Predefined by the compiler: `__LINE__`, `__INT_MAX__`.
        return true;
    }
    *known.entry((start.file, start.offset)).or_insert_with(|| {
        let text = unit.file_text(start.file);
        text.get(start.offset as usize..end.offset as usize).is_some_and(is_atomic_definition)
    })
}

/// The functions and declarations in wanted files, found through namespaces, classes and `extern "C"`.
fn collect<'u>(cursor: Cursor<'u>, files: &mut Files<'_, '_>, found: &mut Vec<(CXFile, Cursor<'u>)>) {
    let kind = cursor.kind();
    let file = cursor.start().file;
    if !files.is_wanted(file) {
        return;
    }
    match kind {
        CXCursor_Namespace
        | CXCursor_LinkageSpec
        | CXCursor_UnexposedDecl
        | CXCursor_FriendDecl
        | CXCursor_ClassDecl
        | CXCursor_StructDecl
        | CXCursor_UnionDecl
        | CXCursor_ClassTemplate
        | CXCursor_ClassTemplatePartialSpecialization => {
            cursor.for_each_child(|child| collect(child, files, found));
        }
        // A header is mutated where code lives, not in its declarations.
        CXCursor_VarDecl | CXCursor_FieldDecl | CXCursor_EnumDecl if !files.is_header(file) => {
            found.push((file, cursor))
        }
        _ if is_function(kind) && cursor.is_definition() => found.push((file, cursor)),
        _ => {}
    }
}

fn mutate_file<'u>(
    view: &FileView,
    declarations: impl Iterator<Item = Cursor<'u>>,
    is_cpp: bool,
    rules: &Rules<'_>,
    too_deep: &mut Vec<String>,
) -> FileMutations {
    let mut result = FileMutations { source: view.source.clone(), scopes: Vec::new(), mutations: Vec::new() };
    for cursor in declarations {
        let scope = scope_of(cursor, view, is_cpp);
        let mut builder = Builder::new(view, is_cpp, rules.never_in);
        let root = builder.root();
        if scope.is_function {
            builder.function(cursor, root);
        } else {
            builder.declaration(cursor, root, Place::new(Usage::Discarded, None));
        }
        if builder.too_deep {
            too_deep.push(scope.name.clone());
        }
        let index = result.scopes.len() as u32;
        let found = operators::mutate(&builder.tree, rules.operators);
        result.mutations.extend(found.into_iter().map(|mutation| (index, mutation)));
        result.scopes.push(scope);
    }
    result
}

fn scope_of(cursor: Cursor<'_>, view: &FileView, is_cpp: bool) -> Scope {
    let is_function = is_function(cursor.kind());
    let mut name = cursor.spelling();
    let mut parent = cursor.semantic_parent().filter(|_| is_cpp);
    while let Some(outer) = parent.filter(|outer| !is_translation_unit(outer.kind())) {
        if outer.kind() != CXCursor_LinkageSpec && outer.kind() != CXCursor_UnexposedDecl {
            let outer_name = outer.spelling();
            // Versions of clang name an anonymous namespace or class differently.
            let anonymous = outer_name.is_empty() || outer_name.contains(['(', ' ']);
            name = format!("{}::{name}", if anonymous { "(anonymous)" } else { &outer_name });
        }
        parent = outer.semantic_parent();
    }
    let parameters = if is_cpp && is_function { parameters(cursor, view) } else { String::new() };
    Scope { name, parameters, is_function }
}

/// The parameters as they are written, and `const` of a method.
fn parameters(cursor: Cursor<'_>, view: &FileView) -> String {
    let text = view.source.text();
    let (mut written, mut last) = (Vec::new(), None);
    cursor.for_each_child(|child| {
        let (start, end) = child.extent();
        if child.kind() == CXCursor_ParmDecl
            && start.file == view.handle
            && end.file == view.handle
            && start.offset <= end.offset
        {
            let tokens = lexer::tokens(text, start.offset, end.offset);
            let words: Vec<_> = tokens.map(|token| String::from_utf8_lossy(token.text(text))).collect();
            written.push(words.split(|word| word == "=").next().unwrap_or_default().join(" "));
        } else if child.kind() == CXCursor_CompoundStmt && start.file == view.handle {
            last = Some(start.offset);
        }
    });
    let is_const = last.is_some_and(|body| {
        let before = &text[..body as usize];
        let before = before.trim_ascii_end();
        before.ends_with(b"const") || before.ends_with(b"const noexcept") || before.ends_with(b"const override")
    });
    format!("({}){}", written.join(", "), if is_const { " const" } else { "" })
}
