//! A parsed translation unit and its cursors: all calls of libclang for one are here.

use super::api::{Api, ClientData};
use super::library::Libclang;
use super::unnamed;
use crate::CsrcError;
use clang_sys::*;
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

/// How to parse one file: the arguments are already in clang's words.
#[derive(Debug, Clone)]
pub struct ParseInput {
    /// The folder that relative paths in the arguments start from.
    pub directory: PathBuf,
    pub file: PathBuf,
    pub arguments: Vec<String>,
}

impl ParseInput {
    /// Whether clang parses it as C++: by the last `-x`, otherwise by the file's name.
    pub fn is_cpp(&self) -> bool {
        let named = self.arguments.windows(2).rfind(|pair| pair[0] == "-x").map(|pair| pair[1].starts_with("c++"));
        let extension = self.file.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        named.unwrap_or(matches!(
            extension.as_str(),
            "cc" | "cpp" | "cxx" | "c++" | "C" | "CPP" | "cp" | "hpp" | "hh" | "hxx"
        ))
    }
}

/// The kinds from `CXCursor_FirstInvalid` on, before the expressions.
const INVALID_CURSORS: std::ops::Range<i32> = 70..100;

/// A diagnostic of clang, in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub file: Option<PathBuf>,
    pub line: u32,
    pub column: u32,
    pub message: String,
    /// The warning option, such as `-Wname`; empty for errors.
    pub option: String,
}

/// A parsed file with all that it includes.
#[derive(Debug)]
pub struct Unit<'l> {
    pub(crate) api: &'l Api,
    index: CXIndex,
    raw: CXTranslationUnit,
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        // SAFETY: both were created by us and no cursor outlives the unit (they borrow it).
        unsafe {
            (self.api.clang_disposeTranslationUnit)(self.raw);
            (self.api.clang_disposeIndex)(self.index);
        }
    }
}

impl<'l> Unit<'l> {
    /// Parses a file; `text` stands in for what it holds on disk.
    pub fn parse(libclang: &'l Libclang, input: &ParseInput, text: Option<&[u8]>) -> Result<Self, CsrcError> {
        let api = &*libclang.api;
        let failed = |reason: &str| CsrcError::Unparsable { file: input.file.clone(), reason: reason.to_string() };
        let directory = format!("-working-directory={}", input.directory.display());
        let arguments = std::iter::once(&directory).chain(&input.arguments);
        let arguments: Result<Vec<_>, _> = arguments.map(|a| CString::new(a.as_bytes())).collect();
        let arguments = arguments.map_err(|_| failed("an argument holds a NUL byte"))?;
        let pointers: Vec<_> = arguments.iter().map(|a| a.as_ptr()).collect();
        let file =
            CString::new(input.file.as_os_str().as_encoded_bytes()).map_err(|_| failed("its name holds a NUL"))?;
        let flags = CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing;
        let unsaved = |text: &[u8]| CXUnsavedFile {
            Filename: file.as_ptr(),
            Contents: text.as_ptr().cast(),
            Length: text.len() as std::os::raw::c_ulong,
        };
        let mut unsaved: Vec<_> = text.into_iter().map(unsaved).collect();
        let mut raw = std::ptr::null_mut();
        // SAFETY: all pointers live across the call; `raw` is only used when the call succeeds.
        let (index, code) = unsafe {
            let index = (api.clang_createIndex)(0, 0);
            let (list, count) = (pointers.as_ptr(), pointers.len() as i32);
            let code = (api.clang_parseTranslationUnit2)(
                index,
                file.as_ptr(),
                list,
                count,
                unsaved.as_mut_ptr(),
                unsaved.len() as u32,
                flags,
                &mut raw,
            );
            (index, code)
        };
        if code == CXError_Success && !raw.is_null() {
            return Ok(Self { api, index, raw });
        }
        // SAFETY: created above, and nothing was made from it.
        unsafe { (api.clang_disposeIndex)(index) };
        Err(failed(match code {
            CXError_Crashed => "libclang crashed on it",
            CXError_InvalidArguments => "libclang does not accept its arguments",
            _ => "libclang gave up on it",
        }))
    }

    pub fn root(&self) -> Cursor<'_> {
        // SAFETY: the unit is alive.
        Cursor { unit: self, raw: unsafe { (self.api.clang_getTranslationUnitCursor)(self.raw) } }
    }

    /// How many errors clang met, and the first of them.
    pub fn errors(&self) -> (usize, Option<Diagnostic>) {
        let mut errors = self.diagnostics(|severity, _| severity >= CXDiagnostic_Error);
        let first = errors.next();
        (first.iter().count() + errors.count(), first)
    }

    /// What clang says by these options, `-Wname`.
    pub fn warnings<'u>(&'u self, options: &'u [&str]) -> impl Iterator<Item = Diagnostic> + 'u {
        self.diagnostics(|_, option| options.contains(&option))
    }

    fn diagnostics<'u>(
        &'u self,
        is_wanted: impl Fn(CXDiagnosticSeverity, &str) -> bool + 'u,
    ) -> impl Iterator<Item = Diagnostic> + 'u {
        // SAFETY: the unit is alive.
        let count = unsafe { (self.api.clang_getNumDiagnostics)(self.raw) };
        (0..count).filter_map(move |number| self.diagnostic(number, &is_wanted))
    }

    fn diagnostic(&self, number: u32, is_wanted: impl Fn(CXDiagnosticSeverity, &str) -> bool) -> Option<Diagnostic> {
        // SAFETY: `number` is below the count; the diagnostic is disposed of on every path.
        unsafe {
            let raw = (self.api.clang_getDiagnostic)(self.raw, number);
            let option = self.string((self.api.clang_getDiagnosticOption)(raw, std::ptr::null_mut()));
            let diagnostic = is_wanted((self.api.clang_getDiagnosticSeverity)(raw), &option).then(|| {
                let place = self.place((self.api.clang_getDiagnosticLocation)(raw));
                let message = self.string((self.api.clang_getDiagnosticSpelling)(raw));
                let file = (!place.file.is_null()).then(|| self.file_name(place.file));
                Diagnostic { file, line: place.line, column: place.column, message, option: option.clone() }
            });
            (self.api.clang_disposeDiagnostic)(raw);
            diagnostic
        }
    }

    /// The name under which clang opened a file.
    pub fn file_name(&self, file: CXFile) -> PathBuf {
        // SAFETY: `file` came from this unit.
        PathBuf::from(unsafe { self.string((self.api.clang_getFileName)(file)) })
    }

    /// The bytes of a file as clang read them.
    pub fn file_text(&self, file: CXFile) -> &[u8] {
        let mut size = 0;
        // SAFETY: `file` came from this unit, whose buffers live as long as it does.
        unsafe {
            let text = (self.api.clang_getFileContents)(self.raw, file, &mut size);
            if text.is_null() {
                &[]
            } else {
                std::slice::from_raw_parts(text.cast(), size)
            }
        }
    }

    /// Every file that the unit reads, by the names clang gives them.
    pub fn included_files(&self) -> Vec<PathBuf> {
        extern "C" fn collect(file: CXFile, _: *mut CXSourceLocation, _: u32, data: ClientData) {
            // SAFETY: `data` is the vector below, for the time of the call.
            unsafe { (*data.cast::<Vec<CXFile>>()).push(file) }
        }
        let mut files: Vec<CXFile> = Vec::new();
        // SAFETY: the callback only touches `files`, which outlives the call.
        unsafe { (self.api.clang_getInclusions)(self.raw, collect, (&raw mut files).cast()) };
        files.into_iter().map(|file| self.file_name(file)).collect()
    }

    fn string(&self, string: CXString) -> String {
        // SAFETY: the string is ours until it is disposed of.
        unsafe {
            let text = (self.api.clang_getCString)(string);
            let owned =
                if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() };
            (self.api.clang_disposeString)(string);
            owned
        }
    }

    fn place(&self, location: CXSourceLocation) -> SourceLocation {
        let mut place = SourceLocation { file: std::ptr::null_mut(), line: 0, column: 0, offset: 0 };
        // SAFETY: the location came from this unit.
        unsafe {
            (self.api.clang_getFileLocation)(
                location,
                &mut place.file,
                &mut place.line,
                &mut place.column,
                &mut place.offset,
            );
        }
        place
    }
}

/// A location in a file: for a token of a macro's body where the macro is used, for one of its arguments where that is
/// written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLocation {
    pub file: CXFile,
    pub line: u32,
    pub column: u32,
    pub offset: u32,
}

/// A node of clang's tree. Its kind is the plain number of clang-c/Index.h.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'u> {
    unit: &'u Unit<'u>,
    raw: CXCursor,
}

impl<'u> Cursor<'u> {
    pub fn kind(self) -> CXCursorKind {
        self.raw.kind
    }

    fn api(self) -> &'u Api {
        self.unit.api
    }

    fn with(self, raw: CXCursor) -> Option<Self> {
        let is_invalid = INVALID_CURSORS.contains(&raw.kind);
        (!is_invalid).then_some(Cursor { unit: self.unit, raw })
    }

    pub fn children(self) -> Vec<Cursor<'u>> {
        let mut children = Vec::new();
        self.for_each_child(|child| children.push(child));
        children
    }

    pub fn for_each_child(self, mut visit: impl FnMut(Cursor<'u>)) {
        struct Visit<'a, 'u> {
            unit: &'u Unit<'u>,
            visit: &'a mut dyn FnMut(Cursor<'u>),
        }
        extern "C" fn next(raw: CXCursor, _: CXCursor, data: ClientData) -> CXChildVisitResult {
            // SAFETY: `data` is the structure below, for the time of the call.
            let data = unsafe { &mut *data.cast::<Visit<'_, '_>>() };
            (data.visit)(Cursor { unit: data.unit, raw });
            CXChildVisit_Continue
        }
        let mut data = Visit { unit: self.unit, visit: &mut visit };
        // SAFETY: the callback only touches `data`, which outlives the call.
        unsafe { (self.api().clang_visitChildren)(self.raw, next, (&raw mut data).cast()) };
    }

    /// Where the cursor starts and ends, as file places.
    pub fn extent(self) -> (SourceLocation, SourceLocation) {
        let api = self.api();
        // SAFETY: the cursor belongs to a living unit.
        unsafe {
            let range = (api.clang_getCursorExtent)(self.raw);
            (self.unit.place((api.clang_getRangeStart)(range)), self.unit.place((api.clang_getRangeEnd)(range)))
        }
    }

    pub fn start(self) -> SourceLocation {
        let api = self.api();
        // SAFETY: the cursor belongs to a living unit.
        unsafe { self.unit.place((api.clang_getRangeStart)((api.clang_getCursorExtent)(self.raw))) }
    }

    /// Where the name of what it declares is.
    pub fn location(self) -> SourceLocation {
        // SAFETY: the cursor belongs to a living unit.
        unsafe { self.unit.place((self.api().clang_getCursorLocation)(self.raw)) }
    }

    pub fn spelling(self) -> String {
        // SAFETY: the cursor belongs to a living unit.
        self.unit.string(unsafe { (self.api().clang_getCursorSpelling)(self.raw) })
    }

    /// As it is written, where that is in one file.
    pub fn text(self) -> &'u [u8] {
        let (start, end) = self.extent();
        if start.file.is_null() || start.file != end.file {
            return &[];
        }
        self.unit.file_text(start.file).get(start.offset as usize..end.offset as usize).unwrap_or_default()
    }

    pub fn referenced(self) -> Option<Self> {
        // SAFETY: the cursor belongs to a living unit.
        self.with(unsafe { (self.api().clang_getCursorReferenced)(self.raw) })
    }

    /// Where in the unit it is defined.
    pub fn definition(self) -> Option<Self> {
        // SAFETY: the cursor belongs to a living unit.
        self.with(unsafe { (self.api().clang_getCursorDefinition)(self.raw) })
    }

    /// It is declared in a header of the system's.
    pub fn is_of_system(self) -> bool {
        // SAFETY: the cursor belongs to a living unit.
        unsafe { (self.api().clang_Location_isInSystemHeader)((self.api().clang_getCursorLocation)(self.raw)) != 0 }
    }

    pub fn semantic_parent(self) -> Option<Self> {
        // SAFETY: the cursor belongs to a living unit.
        self.with(unsafe { (self.api().clang_getCursorSemanticParent)(self.raw) })
    }

    pub fn initializer(self) -> Option<Self> {
        // SAFETY: the cursor belongs to a living unit.
        self.with(unsafe { (self.api().clang_Cursor_getVarDeclInitializer)(self.raw) })
    }

    pub fn storage_class(self) -> CX_StorageClass {
        // SAFETY: the cursor belongs to a living unit.
        unsafe { (self.api().clang_Cursor_getStorageClass)(self.raw) }
    }

    pub fn is_bit_field(self) -> bool {
        // SAFETY: the cursor belongs to a living unit.
        unsafe { (self.api().clang_Cursor_isBitField)(self.raw) != 0 }
    }

    /// How many bits a bit-field has.
    pub fn bit_width(self) -> Option<u32> {
        // SAFETY: the cursor belongs to a living unit.
        u32::try_from(unsafe { (self.api().clang_getFieldDeclBitWidth)(self.raw) }).ok()
    }

    /// Where a field begins in its record, in bits. None where the record has no layout.
    pub fn offset_in_bits(self) -> Option<u64> {
        // SAFETY: the cursor belongs to a living unit.
        u64::try_from(unsafe { (self.api().clang_Cursor_getOffsetOfField)(self.raw) }).ok()
    }

    pub fn is_definition(self) -> bool {
        // SAFETY: the cursor belongs to a living unit.
        unsafe { (self.api().clang_isCursorDefinition)(self.raw) != 0 }
    }

    pub fn is_same(self, other: Self) -> bool {
        // SAFETY: both cursors belong to living units.
        unsafe { (self.api().clang_equalCursors)(self.raw, other.raw) != 0 }
    }

    /// The value of an integer constant expression.
    pub fn integer_value(self) -> Option<i128> {
        let api = self.api();
        // SAFETY: the result is one of libclang's, and alive.
        self.evaluated(CXEval_Int, |result| unsafe {
            match (api.clang_EvalResult_isUnsignedInt)(result) {
                0 => i128::from((api.clang_EvalResult_getAsLongLong)(result)),
                _ => i128::from((api.clang_EvalResult_getAsUnsigned)(result)),
            }
        })
    }

    /// The value of a floating constant expression.
    pub fn float_value(self) -> Option<f64> {
        // SAFETY: the result is one of libclang's, and alive.
        self.evaluated(CXEval_Float, |result| unsafe { (self.api().clang_EvalResult_getAsDouble)(result) })
    }

    /// The value of an expression, if clang can evaluate it to this kind.
    fn evaluated<R>(self, kind: CXEvalResultKind, read: impl FnOnce(CXEvalResult) -> R) -> Option<R> {
        let api = self.api();
        // SAFETY: the result is checked for null and disposed of.
        unsafe {
            let result = (api.clang_Cursor_Evaluate)(self.raw);
            if result.is_null() {
                return None;
            }
            let value = ((api.clang_EvalResult_getKind)(result) == kind).then(|| read(result));
            (api.clang_EvalResult_dispose)(result);
            value
        }
    }

    /// The value of an enumerator, written or not.
    pub fn enumerator_value(self) -> i128 {
        // SAFETY: the cursor belongs to a living unit.
        i128::from(unsafe { (self.api().clang_getEnumConstantDeclValue)(self.raw) })
    }

    /// The integer type behind an enumeration.
    pub fn enum_type(self) -> ClangType<'u> {
        // SAFETY: the cursor belongs to a living unit.
        ClangType { unit: self.unit, raw: unsafe { (self.api().clang_getEnumDeclIntegerType)(self.raw) } }
    }

    pub fn type_of(self) -> ClangType<'u> {
        // SAFETY: the cursor belongs to a living unit.
        ClangType { unit: self.unit, raw: unsafe { (self.api().clang_getCursorType)(self.raw) } }
    }

    pub fn result_type(self) -> ClangType<'u> {
        // SAFETY: the cursor belongs to a living unit.
        ClangType { unit: self.unit, raw: unsafe { (self.api().clang_getCursorResultType)(self.raw) } }
    }
}

/// A type as clang sees it.
#[derive(Debug, Clone, Copy)]
pub struct ClangType<'u> {
    unit: &'u Unit<'u>,
    raw: CXType,
}

impl<'u> ClangType<'u> {
    pub fn kind(self) -> CXTypeKind {
        self.raw.kind
    }

    fn with(self, raw: CXType) -> Self {
        ClangType { unit: self.unit, raw }
    }

    pub fn canonical(self) -> Self {
        // SAFETY: the type belongs to a living unit.
        self.with(unsafe { (self.unit.api.clang_getCanonicalType)(self.raw) })
    }

    pub fn pointee(self) -> Self {
        // SAFETY: the type belongs to a living unit.
        self.with(unsafe { (self.unit.api.clang_getPointeeType)(self.raw) })
    }

    pub fn element(self) -> Self {
        // SAFETY: the type belongs to a living unit.
        self.with(unsafe { (self.unit.api.clang_getArrayElementType)(self.raw) })
    }

    /// The types of a record's fields, in order.
    pub fn fields(self) -> Vec<Self> {
        self.field_declarations().into_iter().map(Cursor::type_of).collect()
    }

    /// The declarations of a record's fields, in order.
    pub fn field_declarations(self) -> Vec<Cursor<'u>> {
        extern "C" fn next(field: CXCursor, data: ClientData) -> CXVisitorResult {
            // SAFETY: `data` is the vector below, for the time of the call.
            unsafe { (*data.cast::<Vec<CXCursor>>()).push(field) };
            CXVisit_Continue
        }
        let mut fields: Vec<CXCursor> = Vec::new();
        // SAFETY: the callback only touches `fields`, which outlives the call.
        unsafe { (self.unit.api.clang_Type_visitFields)(self.raw, next, (&raw mut fields).cast()) };
        fields.into_iter().map(|raw| Cursor { unit: self.unit, raw }).collect()
    }

    pub fn is_const(self) -> bool {
        // SAFETY: the type belongs to a living unit.
        unsafe { (self.unit.api.clang_isConstQualifiedType)(self.raw) != 0 }
    }

    pub fn is_volatile(self) -> bool {
        // SAFETY: the type belongs to a living unit.
        unsafe { (self.unit.api.clang_isVolatileQualifiedType)(self.raw) != 0 }
    }

    /// In bytes; negative where there is no size.
    pub fn size(self) -> i64 {
        // SAFETY: the type belongs to a living unit.
        unsafe { (self.unit.api.clang_Type_getSizeOf)(self.raw) }
    }

    /// How many elements an array has; negative where that is not known.
    pub fn array_size(self) -> i64 {
        // SAFETY: the type belongs to a living unit.
        unsafe { (self.unit.api.clang_getArraySize)(self.raw) }
    }

    /// Where the type is declared.
    pub fn declaration(self) -> Option<Cursor<'u>> {
        // SAFETY: the type belongs to a living unit.
        let raw = unsafe { (self.unit.api.clang_getTypeDeclaration)(self.raw) };
        Cursor { unit: self.unit, raw }.with(raw)
    }

    /// The integer type behind an enumeration.
    pub fn enum_integer(self) -> Self {
        let api = self.unit.api;
        // SAFETY: the type belongs to a living unit.
        let raw = unsafe { (api.clang_getEnumDeclIntegerType)((api.clang_getTypeDeclaration)(self.raw)) };
        self.with(raw).canonical()
    }

    /// As it is written where it was declared, or as clang would write it; the same wherever the project lies.
    pub fn spelling(self) -> String {
        unnamed::without_folders(&self.spelling_with_folders())
    }

    /// Tells types without a name apart that files of the same name declare.
    pub fn spelling_with_folders(self) -> String {
        // SAFETY: the type belongs to a living unit.
        self.unit.string(unsafe { (self.unit.api.clang_getTypeSpelling)(self.raw) })
    }

    pub fn is_variadic(self) -> bool {
        // SAFETY: the type belongs to a living unit.
        unsafe { (self.unit.api.clang_isFunctionTypeVariadic)(self.raw) != 0 }
    }

    /// Of a function's type.
    pub fn result(self) -> Self {
        // SAFETY: the type belongs to a living unit.
        self.with(unsafe { (self.unit.api.clang_getResultType)(self.raw) })
    }

    /// Of a function's type.
    pub fn parameters(self) -> Vec<Self> {
        // SAFETY: the type belongs to a living unit, and has so many.
        unsafe {
            let count = u32::try_from((self.unit.api.clang_getNumArgTypes)(self.raw)).unwrap_or(0);
            (0..count).map(|index| self.with((self.unit.api.clang_getArgType)(self.raw, index))).collect()
        }
    }

    pub fn is_scoped_enum(self) -> bool {
        let api = self.unit.api;
        // SAFETY: the type belongs to a living unit.
        unsafe { (api.clang_EnumDecl_isScoped)((api.clang_getTypeDeclaration)(self.raw)) != 0 }
    }
}

/// Clang names files as they were included; this makes them absolute.
pub fn absolute(directory: &Path, name: &Path) -> PathBuf {
    let joined = directory.join(name);
    joined.canonicalize().unwrap_or(joined)
}
