//! The outline of a function: where its body is, and whether it can be written again under another name.

use super::function::{FunctionShape, Inlining, Outline};
use super::liveness::last_uses;
use crate::lexer;
use crate::libclang::Cursor;
use crate::source::SourceRange;
use crate::tree::build::FileView;
use clang_sys::*;
use std::collections::BTreeSet;

/// None where the function or its body is not written in the file as a whole.
pub(crate) fn shape_of(cursor: Cursor<'_>, view: &FileView, is_cpp: bool) -> Option<FunctionShape> {
    let range = view.range_of(cursor)?;
    let body = view.body_of(cursor).filter(|body| range.contains(*body))?;
    let outline = if is_cpp { None } else { outline(cursor, view, range, body) };
    let mut calls = Vec::new();
    if outline.is_some() {
        add_calls(cursor, view, &mut calls);
        calls.sort_unstable();
        calls.dedup();
    }
    let last_uses = if is_cpp { BTreeSet::new() } else { last_uses(cursor, view, body) };
    Some(FunctionShape { range, body, outline, calls, last_uses })
}

/// Where functions are called by their own names, and no macro has a part in it.
fn add_calls(cursor: Cursor<'_>, view: &FileView, calls: &mut Vec<SourceRange>) {
    if cursor.kind() == CXCursor_CallExpr {
        let text = view.source.text();
        let called = cursor.referenced().filter(|called| called.kind() == CXCursor_FunctionDecl);
        if let (Some(called), Some(range)) = (called, view.range_of(cursor)) {
            let name = lexer::token_at(text, range.start);
            let is_its_name = name.text(text) == called.spelling().as_bytes();
            if is_its_name && view.macros.covering(range.start).next().is_none() {
                calls.push(SourceRange::new(name.start, name.end));
            }
        }
    }
    cursor.for_each_child(|child| add_calls(child, view, calls));
}

fn outline(cursor: Cursor<'_>, view: &FileView, range: SourceRange, body: SourceRange) -> Option<Outline> {
    let text = view.source.text();
    let name = cursor.spelling();
    if name == "main" || cursor.type_of().is_variadic() {
        return None;
    }
    let tokens: Vec<_> = lexer::tokens(text, range.start, body.start).collect();
    let at = tokens.iter().position(|token| token.text(text) == name.as_bytes())?;
    let open = tokens.get(at + 1).filter(|token| token.text(text) == b"(")?.start;
    let close = lexer::matching_bracket(text, open).filter(|close| *close < body.start)?;
    let between = SourceRange::new(open + 1, close);
    // What stands between the parameters and the body belongs to an old style of definition.
    if lexer::token_at(text, close + 1).start != body.start || text[open as usize..close as usize].contains(&b'#') {
        return None;
    }
    let mut arguments = Vec::new();
    let mut all_named = true;
    cursor.for_each_child(|child| {
        if child.kind() == CXCursor_ParmDecl {
            arguments.push(child.spelling());
            // A parameter that a macro writes has a name that may not be seen.
            all_named &= view.range_of(child).is_some_and(|range| between.contains(range));
        }
    });
    all_named &= arguments.iter().all(|argument| !argument.is_empty());
    let result = cursor.result_type().spelling();
    let is_plain = !result.contains(['(', '[']) && !result.contains("anonymous") && !result.contains("unnamed");
    let words = lexer::tokens(text, between.start, between.end).map(|token| token.text(text));
    let parameters = words.collect::<Vec<_>>().join(&b' ');
    let inlining = Inlining::default();
    (all_named && is_plain).then_some(Outline { name, result, parameters, arguments, inlining })
}
