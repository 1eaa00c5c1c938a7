//! All mutations of one translation unit: parses it, finds the functions and declarations of the wanted files, builds a
//! tree of each, and applies the operators.

use crate::copies::{self};
use crate::file_mutations::{FileMutations, Scope};
use crate::inline::{Inlined, MainFileUses};
use crate::libclang::{absolute, Cursor, Diagnostic, Libclang, ParseInput, Unit};
use crate::operators::{self, OperatorSet};
use crate::schemata::{self, SchemaFunction};
use crate::source::{SourceFile, SourceRange};
use crate::tree::build::{is_translation_unit, Builder, FileView, NodeContext};
use crate::tree::declarations::is_function;
use crate::tree::macros::{MacroMap, MacroShape, ReportedUse};
use crate::tree::Usage;
use crate::{lexer, CsrcError};
use clang_sys::*;
use globset::GlobSet;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The settings that decide which code is mutated, and how.
pub struct Rules<'r> {
    pub operators: &'r OperatorSet,
    /// Names of macros and functions whose calls and arguments are left alone.
    pub never_in: &'r GlobSet,
    /// Whether the bodies of the project's own macros are mutated too.
    pub mutate_macros: bool,
    /// Whether functions are instrumented with their mutants as well.
    pub instrument: bool,
    /// Whether a file (by absolute path) is under test.
    pub wanted: &'r (dyn Fn(&Path) -> bool + Sync),
}

impl std::fmt::Debug for Rules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rules").field("operators", self.operators).finish_non_exhaustive()
    }
}

/// The result for one translation unit.
#[derive(Debug)]
pub struct UnitMutations {
    pub files: Vec<FileMutations>,
    /// Every file the unit reads, absolute.
    pub included: Vec<PathBuf>,
    pub error_count: usize,
    pub first_error: Option<Diagnostic>,
    /// Functions with expressions that are nested too deep or too long to be mutated whole.
    pub too_large: Vec<String>,
}

/// Parses a translation unit and lists its mutations.
pub fn mutate_unit(libclang: &Libclang, input: &ParseInput, rules: &Rules<'_>) -> Result<UnitMutations, CsrcError> {
    let (mut found, uses) = mutate_text(libclang, input, None, rules)?;
    if let Some(inlined) = Inlined::new(uses).filter(|_| rules.mutate_macros) {
        let (of_inlined, _) = mutate_text(libclang, input, Some(&inlined.text), rules)?;
        found.files.extend(inlined.mutations_of_definitions(of_inlined.files));
    }
    Ok(found)
}

/// The same, with the text of the main file given; and how project macros are used in that file.
fn mutate_text(
    libclang: &Libclang,
    input: &ParseInput,
    text: Option<&[u8]>,
    rules: &Rules<'_>,
) -> Result<(UnitMutations, MainFileUses), CsrcError> {
    let unit = Unit::parse(libclang, input, text)?;
    let mut files = Files { input, rules, unit: &unit, known: HashMap::new() };
    let mut survey = Survey::default();
    unit.root().for_each_child(|child| match child.kind() {
        CXCursor_MacroExpansion => survey.add_macro_use(child, &mut files),
        CXCursor_MacroDefinition | CXCursor_InclusionDirective => {}
        _ => collect(child, &mut files, &mut survey.declarations),
    });
    let (mut file_mutations, mut too_large) = (Vec::new(), Vec::new());
    let mut handles: Vec<CXFile> = Vec::new();
    for (handle, _) in &survey.declarations {
        if !handles.contains(handle) {
            handles.push(*handle);
        }
    }
    for handle in handles {
        let source = SourceFile::new(files.path(handle), unit.file_text(handle).to_vec());
        let macros = MacroMap::new(source.text(), survey.uses.remove(&handle).unwrap_or_default());
        let view = FileView { handle, source, macros };
        let of_file = survey.declarations.iter().filter(|(file, _)| *file == handle).map(|(_, cursor)| *cursor);
        file_mutations.push(mutate_file(&view, of_file, input.is_cpp(), rules, &mut too_large));
    }
    let (error_count, first_error) = unit.errors();
    let included = unit.included_files().iter().map(|name| absolute(&input.directory, name)).collect();
    let found = UnitMutations { files: file_mutations, included, error_count, first_error, too_large };
    Ok((found, survey.main_file_uses))
}

/// What stands at the top of a translation unit.
#[derive(Default)]
struct Survey<'u> {
    uses: HashMap<CXFile, Vec<ReportedUse>>,
    shapes: HashMap<(CXFile, u32), MacroShape>,
    declarations: Vec<(CXFile, Cursor<'u>)>,
    main_file_uses: MainFileUses,
}

impl<'u> Survey<'u> {
    fn add_macro_use(&mut self, used: Cursor<'u>, files: &mut Files<'_, '_>) {
        let (start, end) = used.extent();
        if !files.is_wanted(start.file) || end.file != start.file || start.offset >= end.offset {
            return;
        }
        let range = SourceRange::new(start.offset, end.offset);
        let (name, definition) = (used.spelling(), definition_of(used));
        // Predefined by the compiler: `__LINE__`, `__INT_MAX__`.
        let mut shape = MacroShape { atomic: true, pastes: false };
        if let Some((file, at)) = definition {
            // A definition on the command line is in no file that can be read.
            let text = files.unit.file_text(file).get(at.start as usize..at.end as usize);
            let shape_of = || text.map_or(MacroShape { atomic: false, pastes: true }, MacroShape::of_definition);
            shape = *self.shapes.entry((file, at.start)).or_insert_with(shape_of);
            if files.rules.mutate_macros && files.path(start.file) == files.input.file && files.is_wanted(file) {
                let main = files.unit.file_text(start.file);
                let source = || SourceFile::new(files.path(file), files.unit.file_text(file).to_vec());
                self.main_file_uses.add(main, range, &name, at, source);
            }
        }
        self.uses.entry(start.file).or_default().push(ReportedUse { range, name, shape });
    }
}

/// Where a macro is defined, from its name to the end of its body.
fn definition_of(used: Cursor<'_>) -> Option<(CXFile, SourceRange)> {
    let (start, end) = used.referenced()?.extent();
    let in_one_file = !start.file.is_null() && start.file == end.file && start.offset <= end.offset;
    in_one_file.then(|| (start.file, SourceRange::new(start.offset, end.offset)))
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
        | CXCursor_EnumDecl
        | CXCursor_ClassTemplatePartialSpecialization => {
            cursor.for_each_child(|child| collect(child, files, found));
        }
        // A header is mutated where code lives, not in its declarations.
        CXCursor_VarDecl | CXCursor_FieldDecl | CXCursor_EnumConstantDecl if !files.is_header(file) => {
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
    too_large: &mut Vec<String>,
) -> FileMutations {
    let mut result = FileMutations {
        source: view.source.clone(),
        scopes: Vec::new(),
        mutations: Vec::new(),
        functions: Vec::new(),
        copyable: Vec::new(),
    };
    // Which names are case labels must be known before an enumerator gets another value.
    let (functions, others): (Vec<_>, Vec<_>) = declarations.partition(|cursor| is_function(cursor.kind()));
    let mut label_names = HashSet::new();
    for cursor in functions.into_iter().chain(others) {
        let scope = scope_of(cursor, view, is_cpp);
        let mut builder = Builder::new(view, is_cpp, rules.never_in, &mut label_names);
        let root = builder.root();
        if scope.is_function {
            builder.function(cursor, root);
        } else {
            builder.declaration(cursor, root, NodeContext::new(Usage::Discarded, None));
        }
        let index = result.scopes.len() as u32;
        let is_too_deep = builder.too_deep;
        let tree = builder.finish();
        let mutations = operators::mutate(&tree, rules.operators);
        if is_too_deep || mutations.has_too_long {
            too_large.push(scope.name.clone());
        }
        let shape = schemata::shape_of(cursor, view, is_cpp).filter(|_| rules.instrument && scope.is_function);
        if let Some(shape) = shape.filter(|_| !is_too_deep) {
            let schema = schemata::instrument(&tree, &shape, &mutations.found);
            result.functions.push(SchemaFunction { schema, mutations: mutations.found.clone() });
        }
        if rules.instrument && !mutations.found.is_empty() {
            result.copyable.extend(copies::copyable(cursor, view, is_cpp));
        }
        result.mutations.extend(mutations.found.into_iter().map(|mutation| (index, mutation)));
        result.scopes.push(scope);
    }
    without_overlaps(&mut result.functions);
    result
}

/// Functions in the order of the file. Where two share text, as a macro may make them do, neither can be told apart.
fn without_overlaps(functions: &mut Vec<SchemaFunction>) {
    functions.sort_by_key(|function| function.schema.range);
    let ranges: Vec<SourceRange> = functions.iter().map(|function| function.schema.range).collect();
    let mut index = 0;
    functions.retain(|function| {
        let (range, at) = (function.schema.range, index);
        index += 1;
        let meets = |other: &SourceRange| other.start < range.end && range.start < other.end;
        !(at > 0 && meets(&ranges[at - 1]) || ranges.get(at + 1).is_some_and(meets))
    });
}

fn scope_of(cursor: Cursor<'_>, view: &FileView, is_cpp: bool) -> Scope {
    let is_function = is_function(cursor.kind());
    let mut name = cursor.spelling();
    let mut parent = cursor.semantic_parent();
    while let Some(outer) = parent.filter(|outer| !is_translation_unit(outer.kind())) {
        if outer.kind() != CXCursor_LinkageSpec && outer.kind() != CXCursor_UnexposedDecl {
            // A bit-field may have no name.
            let separator = if name.is_empty() { "" } else { "::" };
            name = format!("{}{separator}{name}", written_name(outer, view));
        }
        parent = outer.semantic_parent();
    }
    let parameters = if is_cpp && is_function { parameters(cursor, view) } else { String::new() };
    Scope { name, parameters, is_function }
}

/// The name of a namespace or type as it is written. Versions of clang differ in what they call one without a name:
/// some take that of a type from a `typedef`.
fn written_name(cursor: Cursor<'_>, view: &FileView) -> String {
    let name = cursor.spelling();
    if cursor.kind() == CXCursor_Namespace && !name.is_empty() && !name.starts_with('(') {
        return name;
    }
    let (start, end) = cursor.extent();
    if start.file != view.handle || end.file != view.handle || start.offset > end.offset {
        return name;
    }
    let text = view.source.text();
    let words = lexer::tokens(text, start.offset, end.offset).map(|token| token.text(text));
    let is_written = words.take_while(|word| *word != b"{").any(|word| word == name.as_bytes());
    if is_written {
        name
    } else {
        "(anonymous)".to_string()
    }
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
