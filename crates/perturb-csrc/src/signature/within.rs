//! Parameters that point into one object: pointers that the function compares with each other or subtracts, which C
//! allows within one object only.

use crate::lexer;
use crate::libclang::{ClangType, Cursor};
use clang_sys::*;
use std::collections::BTreeMap;

/// A pointer to the start of an object: a parameter, or the pointer that it points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Start {
    pub parameter: usize,
    /// It is `*parameter`.
    pub is_behind: bool,
}

/// For each parameter the start of the object that it points into, if that is another parameter's.
pub fn starts(function: Cursor<'_>, text: &[u8]) -> Vec<Option<Start>> {
    let parameters = parameters(function);
    let reader = PointerReader::of(function, &parameters, text);
    let groups = groups(&reader.pairs);
    let start = |parameter| {
        let own = Start { parameter, is_behind: false };
        let group = groups.iter().find(|group| group.contains(&own))?;
        Some(first(group, &reader.pairs)).filter(|start| *start != own)
    };
    (0..parameters.len()).map(start).collect()
}

pub fn parameters(function: Cursor<'_>) -> Vec<Cursor<'_>> {
    function.children().into_iter().filter(|child| child.kind() == CXCursor_ParmDecl).collect()
}

/// Two pointers into one object: the first is not behind the second, as far as is known.
type Pair = (Start, Start);

/// Those that lead into the same object.
fn groups(pairs: &[Pair]) -> Vec<Vec<Start>> {
    let mut groups: Vec<Vec<Start>> = Vec::new();
    for (low, high) in pairs {
        let (mut own, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.contains(low) || group.contains(high));
        own.push(vec![*low, *high]);
        groups = others;
        let mut joined = own.concat();
        joined.sort();
        joined.dedup();
        groups.push(joined);
    }
    groups
}

/// The one that leads to the start: what is behind a parameter stays where that leads, and what is behind none of the
/// others comes first.
fn first(group: &[Start], pairs: &[Pair]) -> Start {
    let is_low = |start: &&Start| !pairs.iter().any(|(_, high)| high == *start);
    let behind = group.iter().find(|start| start.is_behind);
    *behind.or_else(|| group.iter().find(is_low)).unwrap_or(&group[0])
}

/// Follows pointers in a function back to its parameters.
pub struct PointerReader<'r, 'u> {
    parameters: &'r [Cursor<'u>],
    text: &'r [u8],
    /// Variables that start where a parameter leads, by where they are declared.
    locals: BTreeMap<u32, Start>,
    pairs: Vec<Pair>,
}

impl<'r, 'u> PointerReader<'r, 'u> {
    pub fn of(function: Cursor<'u>, parameters: &'r [Cursor<'u>], text: &'r [u8]) -> Self {
        let mut reader = Self { parameters, text, locals: BTreeMap::new(), pairs: Vec::new() };
        reader.read(function);
        reader
    }

    fn read(&mut self, cursor: Cursor<'u>) {
        cursor.for_each_child(|child| {
            match child.kind() {
                CXCursor_VarDecl if is_pointer(child.type_of()) => {
                    if let Some(start) = child.initializer().and_then(|value| self.start(value)) {
                        self.locals.insert(child.location().offset, start);
                    }
                }
                CXCursor_BinaryOperator => self.pairs.extend(self.pair(child)),
                _ => {}
            }
            self.read(child);
        });
    }

    fn pair(&self, cursor: Cursor<'u>) -> Option<Pair> {
        let children = cursor.children();
        let [left, right] = children.as_slice() else { return None };
        let (one, other) = (self.start(*left)?, self.start(*right)?);
        let behind = left.extent().1;
        let is_of_this_file = behind.file == self.parameters[0].location().file;
        let operator = is_of_this_file.then(|| lexer::token_at(self.text, behind.offset).text(self.text))?;
        let pair = match operator {
            b"<" | b"<=" => (one, other),
            b">" | b">=" | b"-" => (other, one),
            _ => return None,
        };
        (one != other).then_some(pair)
    }

    /// Where a pointer started from, whatever was added to it since.
    pub fn start(&self, cursor: Cursor<'u>) -> Option<Start> {
        let ty = cursor.type_of();
        if !is_pointer(ty) {
            return None;
        }
        let children = cursor.children();
        match cursor.kind() {
            CXCursor_DeclRefExpr => self.named(cursor.referenced()?),
            CXCursor_UnexposedExpr | CXCursor_ParenExpr | CXCursor_CStyleCastExpr => self.start(*children.last()?),
            CXCursor_UnaryOperator => {
                let of = *children.first()?;
                let start = self.start(of)?;
                let (own, its) = (ty.canonical(), of.type_of().canonical());
                let is_own = |ty: ClangType<'_>| ty.spelling_with_folders() == own.spelling_with_folders();
                match is_own(its.pointee().canonical()) {
                    true => (!start.is_behind).then_some(Start { is_behind: true, ..start }),
                    false => is_own(its).then_some(start),
                }
            }
            CXCursor_BinaryOperator => match children.as_slice() {
                [one, other] if !is_pointer(other.type_of()) => self.start(*one),
                [one, other] if !is_pointer(one.type_of()) => self.start(*other),
                _ => None,
            },
            _ => None,
        }
    }

    fn named(&self, declared: Cursor<'u>) -> Option<Start> {
        let parameter = self.parameters.iter().position(|parameter| parameter.is_same(declared));
        let own = parameter.map(|parameter| Start { parameter, is_behind: false });
        own.or_else(|| self.locals.get(&declared.location().offset).copied())
    }
}

pub fn is_pointer(ty: ClangType<'_>) -> bool {
    ty.canonical().kind() == CXType_Pointer
}
