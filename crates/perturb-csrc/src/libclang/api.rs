//! The functions of libclang that we call, looked up once in the library that was loaded.
//!
//! `clang-sys` gives the types. Its own loader is not used: it picks the library through an environment variable and
//! keeps it per thread, while we choose one file, share it between threads, and load several versions side by side in
//! the tests that compare them.

use clang_sys::*;
use std::os::raw::{c_char, c_int, c_longlong, c_uint, c_ulonglong, c_void};

macro_rules! api {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)+) => {
        #[derive(Debug)]
        #[allow(non_snake_case)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)+
            // Keeps the code behind the pointers mapped.
            _library: libloading::Library,
        }

        impl Api {
            /// # Safety
            /// `library` must be a libclang with the C interface of version 12 or later.
            pub unsafe fn new(library: libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the signatures are those of clang-c/Index.h.
                    $($name: unsafe { *library.get(stringify!($name).as_bytes())? },)+
                    _library: library,
                })
            }
        }
    };
}

api! {
    clang_getClangVersion() -> CXString;
    clang_getCString(CXString) -> *const c_char;
    clang_disposeString(CXString);
    clang_createIndex(c_int, c_int) -> CXIndex;
    clang_disposeIndex(CXIndex);
    clang_parseTranslationUnit2(
        CXIndex, *const c_char, *const *const c_char, c_int, *mut CXUnsavedFile, c_uint,
        CXTranslationUnit_Flags, *mut CXTranslationUnit) -> CXErrorCode;
    clang_disposeTranslationUnit(CXTranslationUnit);
    clang_getTranslationUnitCursor(CXTranslationUnit) -> CXCursor;
    clang_getNumDiagnostics(CXTranslationUnit) -> c_uint;
    clang_getDiagnostic(CXTranslationUnit, c_uint) -> CXDiagnostic;
    clang_disposeDiagnostic(CXDiagnostic);
    clang_getDiagnosticSeverity(CXDiagnostic) -> CXDiagnosticSeverity;
    clang_getDiagnosticSpelling(CXDiagnostic) -> CXString;
    clang_getDiagnosticLocation(CXDiagnostic) -> CXSourceLocation;
    clang_getDiagnosticOption(CXDiagnostic, *mut CXString) -> CXString;
    clang_getInclusions(CXTranslationUnit, CXInclusionVisitor, CXClientData);
    clang_getFileName(CXFile) -> CXString;
    clang_getFileContents(CXTranslationUnit, CXFile, *mut usize) -> *const c_char;
    clang_visitChildren(CXCursor, CXCursorVisitor, CXClientData) -> c_uint;
    clang_getCursorExtent(CXCursor) -> CXSourceRange;
    clang_getCursorLocation(CXCursor) -> CXSourceLocation;
    clang_getRangeStart(CXSourceRange) -> CXSourceLocation;
    clang_getRangeEnd(CXSourceRange) -> CXSourceLocation;
    clang_getFileLocation(CXSourceLocation, *mut CXFile, *mut c_uint, *mut c_uint, *mut c_uint);
    clang_Location_isInSystemHeader(CXSourceLocation) -> c_int;
    clang_getCursorSpelling(CXCursor) -> CXString;
    clang_getCursorReferenced(CXCursor) -> CXCursor;
    clang_getCursorDefinition(CXCursor) -> CXCursor;
    clang_getCursorSemanticParent(CXCursor) -> CXCursor;
    clang_getCursorType(CXCursor) -> CXType;
    clang_getCursorResultType(CXCursor) -> CXType;
    clang_getCanonicalType(CXType) -> CXType;
    clang_getPointeeType(CXType) -> CXType;
    clang_getTypeDeclaration(CXType) -> CXCursor;
    clang_isConstQualifiedType(CXType) -> c_uint;
    clang_isVolatileQualifiedType(CXType) -> c_uint;
    clang_getArrayElementType(CXType) -> CXType;
    clang_Type_visitFields(CXType, CXFieldVisitor, ClientData) -> c_uint;
    clang_Type_getSizeOf(CXType) -> c_longlong;
    clang_getArraySize(CXType) -> c_longlong;
    clang_Cursor_getOffsetOfField(CXCursor) -> c_longlong;
    clang_getFieldDeclBitWidth(CXCursor) -> c_int;
    clang_getTypeSpelling(CXType) -> CXString;
    clang_isFunctionTypeVariadic(CXType) -> c_uint;
    clang_getResultType(CXType) -> CXType;
    clang_getNumArgTypes(CXType) -> c_int;
    clang_getArgType(CXType, c_uint) -> CXType;
    clang_EnumDecl_isScoped(CXCursor) -> c_uint;
    clang_getEnumDeclIntegerType(CXCursor) -> CXType;
    clang_getEnumConstantDeclValue(CXCursor) -> c_longlong;
    clang_Cursor_getVarDeclInitializer(CXCursor) -> CXCursor;
    clang_Cursor_getStorageClass(CXCursor) -> CX_StorageClass;
    clang_Cursor_isBitField(CXCursor) -> c_uint;
    clang_isCursorDefinition(CXCursor) -> c_uint;
    clang_Cursor_Evaluate(CXCursor) -> CXEvalResult;
    clang_EvalResult_getKind(CXEvalResult) -> CXEvalResultKind;
    clang_EvalResult_getAsLongLong(CXEvalResult) -> c_longlong;
    clang_EvalResult_isUnsignedInt(CXEvalResult) -> c_uint;
    clang_EvalResult_getAsUnsigned(CXEvalResult) -> c_ulonglong;
    clang_EvalResult_getAsDouble(CXEvalResult) -> f64;
    clang_EvalResult_dispose(CXEvalResult);
    clang_equalCursors(CXCursor, CXCursor) -> c_uint;
}

/// What a visitor callback gets as client data.
pub type ClientData = *mut c_void;
