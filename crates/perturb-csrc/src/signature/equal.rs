//! Pointers that a function compares for equality. Equal pointers take another path through the function, which a
//! caller that gives each its own object never tests.

use super::within::is_pointer;
use crate::lexer;
use crate::libclang::Cursor;
use clang_sys::*;
use std::collections::{BTreeMap, BTreeSet};

/// Two pointers by the names of the parameters, or of the members, that they are: `item` and `child` in `item ==
/// parent->child`.
pub type Equal = (String, String);

/// The pairs that a function compares by `==` or `!=`, each once.
pub fn equal(function: Cursor<'_>, text: &[u8]) -> Vec<Equal> {
    let file = function.location().file;
    let mut reader = EqualityReader { text, file, names: BTreeMap::new(), pairs: BTreeSet::new() };
    reader.read(function);
    // In a loop, a variable may be compared before the text says what it comes to be.
    reader.read(function);
    reader.pairs.into_iter().collect()
}

struct EqualityReader<'r> {
    text: &'r [u8],
    file: CXFile,
    /// The values that variables of the function get, by the offset of their declaration.
    names: BTreeMap<u32, BTreeSet<String>>,
    pairs: BTreeSet<Equal>,
}

impl EqualityReader<'_> {
    fn read(&mut self, cursor: Cursor<'_>) {
        cursor.for_each_child(|child| {
            match child.kind() {
                CXCursor_VarDecl => {
                    if let Some(value) = child.initializer() {
                        self.give(child, value);
                    }
                }
                CXCursor_BinaryOperator => self.operation(child),
                _ => {}
            }
            self.read(child);
        });
    }

    fn operation(&mut self, cursor: Cursor<'_>) {
        let children = cursor.children();
        let [left, right] = children.as_slice() else { return };
        let behind = left.extent().1;
        if behind.file != self.file {
            return;
        }
        match lexer::token_at(self.text, behind.offset).text(self.text) {
            b"=" => {
                if let Some(variable) = left.referenced().filter(|_| left.kind() == CXCursor_DeclRefExpr) {
                    self.give(variable, *right);
                }
            }
            b"==" | b"!=" => {
                let others = self.names(*right);
                for one in self.names(*left) {
                    let pair = |other: &String| (one.clone().min(other.clone()), one.clone().max(other.clone()));
                    self.pairs.extend(others.iter().map(pair));
                }
            }
            _ => {}
        }
    }

    fn give(&mut self, variable: Cursor<'_>, value: Cursor<'_>) {
        if variable.kind() == CXCursor_VarDecl {
            let names = self.names(value);
            self.names.entry(variable.location().offset).or_default().extend(names);
        }
    }

    fn names(&self, cursor: Cursor<'_>) -> BTreeSet<String> {
        let nothing = BTreeSet::new;
        if !is_pointer(cursor.type_of()) {
            return nothing();
        }
        match cursor.kind() {
            CXCursor_MemberRefExpr => BTreeSet::from([cursor.spelling()]),
            CXCursor_UnexposedExpr | CXCursor_ParenExpr | CXCursor_CStyleCastExpr => {
                cursor.children().last().map_or_else(nothing, |inner| self.names(*inner))
            }
            CXCursor_DeclRefExpr => match cursor.referenced() {
                Some(declared) if declared.kind() == CXCursor_ParmDecl => BTreeSet::from([declared.spelling()]),
                Some(declared) => self.names.get(&declared.location().offset).cloned().unwrap_or_default(),
                None => nothing(),
            },
            _ => nothing(),
        }
    }
}
