//! The variables and functions outside of a function that its body uses.

use super::WrittenStatic;
use crate::lexer;
use crate::libclang::{ClangType, Cursor, Unit};
use crate::source::SourceRange;
use clang_sys::*;
use std::collections::{BTreeMap, BTreeSet};

/// The names that a function's own body uses.
#[derive(Debug, Default)]
pub struct Uses<'u> {
    pub variables: BTreeMap<String, UsedVariable<'u>>,
    pub functions: BTreeMap<String, Cursor<'u>>,
    pub statics: Vec<UsedStatic<'u>>,
    /// The line of the first assembly in it.
    pub assembly: Option<u32>,
    /// It has a variable that nothing is written to where it is declared.
    pub has_unwritten: bool,
    /// The volatile objects that it reads and writes, by name, except its own variables.
    pub volatiles: BTreeSet<String>,
    /// Targets of pointers whose address is a number in the text: registers.
    pub registers: BTreeMap<u64, ClangType<'u>>,
    /// Variables of which it was seen what they are initialised with.
    followed: BTreeSet<String>,
}

/// A variable outside of functions.
#[derive(Debug)]
pub struct UsedVariable<'u> {
    pub cursor: Cursor<'u>,
    /// More is done with it than to read what is in it: it may be written, there or wherever its address goes.
    pub may_be_written: bool,
}

#[derive(Debug)]
pub struct UsedStatic<'u> {
    pub cursor: Cursor<'u>,
    pub written: Option<WrittenStatic>,
}

impl<'u> Uses<'u> {
    pub fn of(function: Cursor<'u>, unit: &Unit<'_>) -> Self {
        let mut uses = Self::default();
        let file = function.location().file;
        let text = if file.is_null() { &[] } else { unit.file_text(file) };
        uses.collect(function, Done::Anything, text);
        uses
    }

    fn collect(&mut self, cursor: Cursor<'u>, done: Done, text: &[u8]) {
        let is_alone = cursor.kind() != CXCursor_UnexposedExpr || cursor.children().len() == 1;
        cursor.for_each_child(|child| {
            let done = if is_alone { done.with(cursor.kind(), child) } else { Done::Anything };
            self.volatiles.extend(volatile(child));
            match child.kind() {
                CXCursor_VarDecl if child.storage_class() == CX_SC_Static && !is_constant(child.type_of()) => {
                    self.statics.push(UsedStatic { cursor: child, written: written(child, text) });
                }
                CXCursor_VarDecl if child.storage_class() != CX_SC_Static => {
                    self.has_unwritten |= child.initializer().is_none();
                }
                CXCursor_DeclRefExpr => {
                    if let Some(declared) = child.referenced() {
                        self.add(declared, done, text);
                    }
                }
                CXCursor_CStyleCastExpr => {
                    if let Some((address, ty)) = register(child) {
                        let known = self.registers.entry(address).or_insert(ty);
                        *known = if known.size() < ty.size() { ty } else { *known };
                    }
                }
                CXCursor_AsmStmt | CXCursor_MSAsmStmt => {
                    self.assembly.get_or_insert(child.location().line);
                }
                _ => {}
            }
            self.collect(child, done, text);
        });
    }

    fn add(&mut self, declared: Cursor<'u>, done: Done, text: &[u8]) {
        match declared.kind() {
            CXCursor_FunctionDecl => {
                self.functions.insert(declared.spelling(), declared);
            }
            CXCursor_VarDecl => {
                let is_local = declared.semantic_parent().is_some_and(|parent| parent.kind() == CXCursor_FunctionDecl);
                if is_local {
                    return;
                }
                let is_elsewhere = declared.storage_class() == CX_SC_Extern && declared.definition().is_none();
                let defined = declared.definition().unwrap_or(declared);
                if !is_constant(declared.type_of()) || is_elsewhere {
                    let used = UsedVariable { cursor: declared, may_be_written: false };
                    let used = self.variables.entry(declared.spelling()).or_insert(used);
                    used.may_be_written |= done != Done::Read || leads_to_nameless(defined);
                }
                // What a table leads to may be used. One may lead to itself.
                if self.followed.insert(defined.spelling()) {
                    self.collect(defined, Done::Anything, text);
                }
            }
            _ => {}
        }
    }
}

/// What is done with the place that an expression stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    /// The value there is read, or not even that.
    Read,
    /// The array decays to a pointer, whose target is read.
    ElementRead,
    Anything,
}

impl Done {
    /// What is done with a part of an expression of this kind, of which this is done with the whole.
    fn with(self, whole: CXCursorKind, part: Cursor<'_>) -> Self {
        let ty = part.type_of().canonical();
        // There are conversions of arrays that are no reading, and of vectors.
        let is_whole_value = ty.element().kind() == CXType_Invalid;
        let is_converted = part.kind() == CXCursor_UnexposedExpr;
        match (whole, self) {
            (CXCursor_UnaryExpr, _) => Self::Read,
            (CXCursor_UnexposedExpr, _) if is_whole_value && !is_converted => Self::Read,
            (CXCursor_UnexposedExpr, Self::ElementRead) if !is_converted => Self::Read,
            (CXCursor_ArraySubscriptExpr | CXCursor_MemberRefExpr, Self::Read) if is_converted => Self::ElementRead,
            (CXCursor_ParenExpr | CXCursor_MemberRefExpr, Self::Read) if !is_converted => Self::Read,
            _ => Self::Anything,
        }
    }
}

/// An array is constant itself, and its elements are not, once names of types are seen through.
pub fn is_constant(ty: ClangType<'_>) -> bool {
    let mut ty = ty.canonical();
    while !ty.is_const() && ty.element().kind() != CXType_Invalid {
        ty = ty.element();
    }
    ty.is_const()
}

/// Whether what a variable is initialised with has an object without a name, `&(struct pair){1, 2}`: nobody sees what
/// is done with it.
fn leads_to_nameless(cursor: Cursor<'_>) -> bool {
    let is_one = |child: Cursor<'_>| child.kind() == CXCursor_CompoundLiteralExpr || leads_to_nameless(child);
    cursor.children().into_iter().any(is_one)
}

/// Whether it is a variable of a call's own, which nobody else knows of.
fn is_automatic(cursor: Cursor<'_>) -> bool {
    let declared = match cursor.kind() {
        CXCursor_VarDecl => Some(cursor),
        CXCursor_DeclRefExpr => cursor.referenced(),
        _ => None,
    };
    declared.is_some_and(|declared| match declared.kind() {
        CXCursor_ParmDecl => true,
        CXCursor_VarDecl => {
            let is_inside = declared.semantic_parent().is_some_and(|parent| parent.kind() == CXCursor_FunctionDecl);
            is_inside && !matches!(declared.storage_class(), CX_SC_Static | CX_SC_Extern)
        }
        _ => false,
    })
}

/// The name of what is volatile there.
fn volatile(cursor: Cursor<'_>) -> Option<String> {
    // Who has the address of a variable may know of it.
    if cursor.kind() == CXCursor_UnaryOperator && cursor.type_of().canonical().pointee().is_volatile() {
        let of = cursor.children().into_iter().next().filter(|of| of.kind() == CXCursor_DeclRefExpr);
        return of.filter(|of| of.type_of().canonical().is_volatile()).map(Cursor::spelling);
    }
    let has_type = matches!(
        cursor.kind(),
        CXCursor_VarDecl
            | CXCursor_DeclRefExpr
            | CXCursor_MemberRefExpr
            | CXCursor_ArraySubscriptExpr
            | CXCursor_UnaryOperator
    );
    let is_volatile = has_type && cursor.type_of().canonical().is_volatile() && !is_automatic(cursor);
    is_volatile.then(|| match cursor.kind() {
        CXCursor_VarDecl | CXCursor_DeclRefExpr | CXCursor_MemberRefExpr => cursor.spelling(),
        _ => "the target of a pointer".to_string(),
    })
}

/// Addresses that a program may have memory at, whatever else it has.
const ADDRESSES: std::ops::Range<i128> = 0x1_0000..0x4000_0000_0000;

/// The target of a number that is cast to a pointer, such as `(volatile uint32_t *)0x40021000`.
fn register(cast: Cursor<'_>) -> Option<(u64, ClangType<'_>)> {
    let of = cast.children().into_iter().last()?;
    let is_pointer = cast.type_of().canonical().kind() == CXType_Pointer;
    // By the names that the text has for types, unless the pointer itself has one.
    let ty = is_pointer.then(|| cast.type_of().pointee()).filter(|ty| ty.kind() != CXType_Invalid);
    let ty = ty.or_else(|| is_pointer.then(|| cast.type_of().canonical().pointee()))?;
    let is_number = of.type_of().canonical().kind() != CXType_Pointer;
    let address = is_number.then(|| of.integer_value()).flatten().filter(|address| ADDRESSES.contains(address))?;
    // What has no name cannot be written down once more.
    let is_known = ty.size() > 0 && !ty.canonical().spelling().contains('(');
    is_known.then_some((address as u64, ty))
}

/// Where the words of a declaration stand, if they stand there as they are.
fn written(variable: Cursor<'_>, text: &[u8]) -> Option<WrittenStatic> {
    let (start, end) = variable.extent();
    if start.file != variable.location().file || end.offset as usize > text.len() || start.offset >= end.offset {
        return None;
    }
    let tokens: Vec<_> = lexer::tokens(text, start.offset, end.offset).collect();
    let name = variable.location().offset;
    let word = tokens.iter().find(|token| token.text(text) == b"static").filter(|token| token.start < name)?;
    let is_named = tokens.iter().any(|token| token.start == name && token.text(text) == variable.spelling().as_bytes());
    let sign = tokens.iter().find(|token| token.start > name && token.text(text) == b"=");
    let initialiser = sign.map(|sign| SourceRange::new(sign.start, end.offset));
    is_named.then_some(WrittenStatic { word: SourceRange::new(word.start, word.end), initialiser })
}

/// Whether a function comes back to who calls it, as far as its declaration says.
pub fn returns(declared: Cursor<'_>) -> bool {
    let says = |text: &str| text.to_ascii_lowercase().contains("noreturn");
    !says(&declared.type_of().spelling()) && !says(&String::from_utf8_lossy(declared.text()))
}
