//! Parameters that point to more than their types say: a record that the function casts to a larger one
//! (`container_of`), or untyped memory that it uses as a record.

use super::within::{is_pointer, parameters, PointerReader};
use crate::libclang::{ClangType, Cursor};
use clang_sys::*;

/// So deep functions are followed that it calls.
const DEEPEST: usize = 2;

/// For each parameter the type of its target, if that is a larger one.
pub fn larger<'u>(function: Cursor<'u>, text: &[u8]) -> Vec<Option<ClangType<'u>>> {
    larger_within(function, text, DEEPEST)
}

fn larger_within<'u>(function: Cursor<'u>, text: &[u8], depth: usize) -> Vec<Option<ClangType<'u>>> {
    let parameters = parameters(function);
    let mut found = vec![None; parameters.len()];
    let reader = PointerReader::of(function, &parameters, text);
    // The first parameter that a pointer started from.
    let from = |cursor: Cursor<'u>| Some(reader.start(cursor).filter(|start| !start.is_behind)?.parameter);
    each_below(function, &mut |cursor| match cursor.kind() {
        // The latter are those that C makes by itself.
        CXCursor_CStyleCastExpr | CXCursor_UnexposedExpr => {
            let to = cursor.type_of().canonical().pointee().canonical();
            if let Some(at) = from(cursor).filter(|at| is_start(parameters[*at].type_of(), to)) {
                found[at].get_or_insert(to);
            }
        }
        CXCursor_CallExpr if depth > 0 => {
            let given = cursor.children().into_iter().skip(1).map(from);
            let given: Vec<Option<usize>> = given.map(|at| at.filter(|at| found[*at].is_none())).collect();
            let called = cursor.referenced().and_then(Cursor::definition);
            let is_near = |called: &Cursor<'u>| called.location().file == function.location().file;
            let Some(called) = called.filter(is_near).filter(|_| given.iter().any(Option::is_some)) else { return };
            for (at, to) in given.into_iter().zip(larger_within(called, text, depth - 1)) {
                if let (Some(at), Some(to)) =
                    (at, to.filter(|to| at.is_some_and(|at| is_start(parameters[at].type_of(), *to))))
                {
                    found[at].get_or_insert(to);
                }
            }
        }
        _ => {}
    });
    found
}

fn each_below<'u>(cursor: Cursor<'u>, visit: &mut dyn FnMut(Cursor<'u>)) {
    cursor.for_each_child(|child| {
        visit(child);
        each_below(child, visit);
    });
}

/// Whether a pointer's target may be the start of a record.
fn is_start(pointer: ClangType<'_>, of: ClangType<'_>) -> bool {
    let own = pointer.canonical().pointee().canonical();
    if !is_pointer(pointer) || of.kind() != CXType_Record || of.size() <= 0 {
        return false;
    }
    let first = || of.fields().first().map(|field| field.canonical());
    own.kind() == CXType_Void || first().is_some_and(|first| are_same(own, first)) && of.size() > own.size()
}

fn are_same(one: ClangType<'_>, other: ClangType<'_>) -> bool {
    matches!((one.declaration(), other.declaration()), (Some(one), Some(other)) if one.is_same(other))
}
