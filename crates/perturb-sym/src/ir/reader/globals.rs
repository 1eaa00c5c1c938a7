//! Parses global variables and aliases, each on one line.

use super::cursor::{Cursor, Read, Token};
use super::parser::{Context, Parser};
use super::words;
use super::{literal, types};
use crate::ir::function::{Global, GlobalKind, Linkage, Variable};
use crate::ir::types::Type;
use std::sync::Arc;

/// `None` if not even the name can be parsed.
pub(super) fn global(context: &Context<'_>, text: &str, line: u32) -> Option<Global> {
    let mut cursor = Cursor::new(text, line);
    let Token::Global(name) = cursor.take() else { return None };
    let name: Arc<str> = literal::name(name)?.into();
    let mut global = Global { name, linkage: Linkage::External, line, kind: GlobalKind::Unsupported(cursor.fail("")) };
    let read = Parser::new(context, cursor).global(&mut global.linkage);
    global.kind = read.unwrap_or_else(GlobalKind::Unsupported);
    Some(global)
}

impl Parser<'_, '_> {
    fn global(&mut self, linkage: &mut Linkage) -> Read<GlobalKind> {
        self.cursor.expect('=')?;
        let (mut is_thread_local, mut written) = (false, None);
        loop {
            let wrong = self.cursor.complaint("a global variable");
            let Token::Word(word) = self.cursor.peek() else { return Err(wrong()) };
            match word {
                "addrspace" => {
                    self.default_address_space()?;
                    continue;
                }
                "ifunc" | "externally_initialized" => return Err(self.cursor.fail(word)),
                _ => drop(self.cursor.take()),
            }
            match word {
                "global" | "constant" => break self.variable(word == "constant", is_thread_local, written),
                "alias" => break self.alias(),
                "thread_local" => {
                    is_thread_local = true;
                    if self.cursor.peek() == Token::Sign('(') {
                        self.cursor.skip_bracket()?;
                    }
                }
                "dso_local" | "dso_preemptable" | "default" | "hidden" | "protected" | "dllimport" | "dllexport"
                | "unnamed_addr" | "local_unnamed_addr" => {}
                _ => {
                    *linkage = words::linkage(word).ok_or_else(wrong)?;
                    written = Some(*linkage);
                }
            }
        }
    }

    /// Only an explicit linkage makes a variable external.
    fn variable(&mut self, is_constant: bool, is_thread_local: bool, written: Option<Linkage>) -> Read<GlobalKind> {
        let ty = self.ty()?;
        let is_elsewhere = matches!(written, Some(Linkage::External | Linkage::ExternWeak));
        // A declaration may have an unknown type.
        let is_declared = is_elsewhere && matches!(ty, Type::Struct(_));
        if !ty.is_value() && !is_declared {
            return Err(self.cursor.fail(format!("a variable of type {ty}")));
        }
        let initialiser = if is_elsewhere { None } else { Some(self.constant(&ty)?) };
        let mut alignment = self.context.layout.alignment(&ty).unwrap_or(1);
        while self.cursor.peek() != Token::End {
            self.cursor.expect(',')?;
            match self.cursor.peek() {
                Token::Word("align") => {
                    self.cursor.take();
                    alignment = self.alignment()?;
                }
                Token::Word(_) | Token::Metadata(_) => self.skip_property()?,
                _ => return Err(self.cursor.unexpected("a property of a variable")),
            }
        }
        Ok(GlobalKind::Variable(Variable { ty, is_constant, is_thread_local, initialiser, alignment }))
    }

    /// Up to the next comma: a section, a comdat, metadata.
    fn skip_property(&mut self) -> Read<()> {
        while !matches!(self.cursor.peek(), Token::Sign(',') | Token::End) {
            match self.cursor.peek() {
                Token::Sign('(' | '{') => self.cursor.skip_bracket()?,
                _ => drop(self.cursor.take()),
            }
        }
        Ok(())
    }

    fn alias(&mut self) -> Read<GlobalKind> {
        let ty = self.ty()?;
        self.cursor.expect(',')?;
        let wrong = self.cursor.complaint("an address");
        // An expression has an explicit type.
        let is_typed = types::starts(self.cursor.peek());
        let aliasee = if is_typed { self.typed_constant()? } else { self.constant(&Type::Pointer)? };
        self.skip_property()?;
        if aliasee.ty == Type::Pointer {
            Ok(GlobalKind::Alias { ty, aliasee })
        } else {
            Err(wrong())
        }
    }
}
