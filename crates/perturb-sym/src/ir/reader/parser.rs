//! The state that all parsers share: the position in the text, the context of the module, and the registers and blocks
//! of the function.

use super::cursor::{Cursor, Read, Token};
use super::debug::DebugInfo;
use super::{literal, types};
use crate::ir::attributes::Attributes;
use crate::ir::instruction::BlockId;
use crate::ir::layout::DataLayout;
use crate::ir::types::Type;
use crate::ir::value::Register;
use crate::ir::Unsupported;
use std::collections::HashMap;
use std::sync::Arc;

/// The context of a module, before its functions and globals are parsed.
#[derive(Debug)]
pub(super) struct Context<'t> {
    pub layout: DataLayout,
    pub types: types::TypeTable<'t>,
    pub groups: HashMap<&'t str, Arc<[Box<str>]>>,
    pub debug: DebugInfo,
}

/// The notation of operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `add i32 %a, %b`
    Instruction,
    /// `add (i32 1, i32 2)`
    Expression,
}

#[derive(Debug)]
pub(super) struct Parser<'c, 't> {
    pub context: &'c Context<'t>,
    pub cursor: Cursor<'t>,
    pub scope: Scope<'t>,
    /// There are no registers in a constant.
    pub is_constant: bool,
    /// The nesting depth of constants.
    pub depth: u32,
}

impl<'c, 't> Parser<'c, 't> {
    pub fn new(context: &'c Context<'t>, cursor: Cursor<'t>) -> Self {
        Self { context, cursor, scope: Scope::default(), is_constant: true, depth: 0 }
    }

    pub fn ty(&mut self) -> Read<Type> {
        types::read(&mut self.cursor, &self.context.layout, &self.context.types)
    }

    /// A first-class type.
    pub fn value_type(&mut self) -> Read<Type> {
        let wrong = self.cursor.complaint("a type with values");
        let ty = self.ty()?;
        if ty.is_value() {
            Ok(ty)
        } else {
            Err(wrong())
        }
    }

    pub fn name(&self, written: &str) -> Read<Arc<str>> {
        literal::name(written).map(Arc::from).ok_or_else(|| self.cursor.fail(format!("the name @{written}")))
    }

    /// A comma and this word, or neither.
    pub fn eat_after_comma(&mut self, word: &str) -> bool {
        let is_next = self.cursor.peek() == Token::Sign(',') && self.cursor.peek_second() == Token::Word(word);
        if is_next {
            self.cursor.take();
            self.cursor.take();
        }
        is_next
    }

    /// `, align 8` if it is there.
    pub fn alignment_after_comma(&mut self) -> Read<Option<u64>> {
        if !self.eat_after_comma("align") {
            return Ok(None);
        }
        self.alignment().map(Some)
    }

    /// A power of two.
    pub fn alignment(&mut self) -> Read<u64> {
        let wrong = self.cursor.complaint("an alignment");
        let alignment: u64 = self.cursor.number()?;
        if alignment.is_power_of_two() && alignment <= 1 << 32 {
            Ok(alignment)
        } else {
            Err(wrong())
        }
    }

    /// The attributes of a call: groups and words, up to something else.
    pub fn attributes(&mut self) -> Read<Attributes> {
        let mut attributes = Attributes::default();
        while self.cursor.is_on_same_line()
            && matches!(self.cursor.peek(), Token::Hash(_) | Token::Word(_) | Token::Text(_))
        {
            self.attribute(&mut attributes)?;
        }
        Ok(attributes)
    }

    /// An attribute group or a single attribute.
    pub fn attribute(&mut self, attributes: &mut Attributes) -> Read<()> {
        if let Token::Hash(number) = self.cursor.peek() {
            let group = self.context.groups.get(number).cloned();
            attributes.groups.push(group.ok_or_else(|| self.cursor.fail(format!("attributes #{number}")))?);
            self.cursor.take();
        } else {
            attributes.groups.push([attribute(&mut self.cursor)?].into());
        }
        Ok(())
    }
}

/// An attribute of a group or a function: a word, with something in parentheses or a value, or a string with one.
pub(super) fn attribute(cursor: &mut Cursor<'_>) -> Read<Box<str>> {
    let start = cursor.start();
    cursor.take();
    if cursor.is_on_same_line() && cursor.peek() == Token::Sign('(') {
        cursor.skip_bracket()?;
    }
    if cursor.is_on_same_line() && cursor.eat('=') {
        cursor.take();
    }
    Ok(cursor.text_since(start).into())
}

/// The registers of a function, which may be used before they are defined, and its blocks.
#[derive(Debug, Default)]
pub(super) struct Scope<'t> {
    registers: HashMap<&'t str, Register>,
    types: Vec<Option<Type>>,
    /// Uses before the definition, with their lines.
    early: Vec<(Register, Type, u32)>,
    blocks: HashMap<Arc<str>, BlockId>,
}

impl<'t> Scope<'t> {
    pub fn used(&mut self, name: &'t str, ty: &Type, line: u32) -> Read<Register> {
        let register = self.register(name);
        match self.types.get(register.index()) {
            Some(Some(defined)) if defined == ty => {}
            Some(Some(defined)) => return Err(wrong_type(name, ty, defined, line)),
            _ => self.early.push((register, ty.clone(), line)),
        }
        Ok(register)
    }

    pub fn define(&mut self, name: &'t str, ty: Type, line: u32) -> Read<Register> {
        let register = self.register(name);
        match self.types.get_mut(register.index()) {
            Some(free @ None) => *free = Some(ty),
            _ => return Err(Unsupported { what: format!("%{name} is defined twice"), line }),
        }
        Ok(register)
    }

    /// An unnamed register.
    pub fn define_nameless(&mut self, ty: Type) -> Register {
        self.types.push(Some(ty));
        Register(self.types.len() as u32 - 1)
    }

    fn register(&mut self, name: &'t str) -> Register {
        *self.registers.entry(name).or_insert_with(|| {
            self.types.push(None);
            Register(self.types.len() as u32 - 1)
        })
    }

    /// Blocks are known before the instructions, in their order.
    pub fn add_block(&mut self, name: Arc<str>, line: u32) -> Read<()> {
        let id = BlockId(self.blocks.len() as u32);
        match self.blocks.insert(name.clone(), id) {
            None => Ok(()),
            Some(_) => Err(Unsupported { what: format!("two blocks %{name}"), line }),
        }
    }

    pub fn block(&self, name: &str) -> Option<BlockId> {
        self.blocks.get(name).copied()
    }

    /// The type of every register, if all are defined and used with the same type.
    pub fn finish(self) -> Read<Vec<Type>> {
        let name = |register: Register| {
            let named = self.registers.iter().find(|(_, other)| **other == register);
            named.map_or("?", |(name, _)| name)
        };
        for (register, ty, line) in &self.early {
            match &self.types[register.index()] {
                Some(defined) if defined == ty => {}
                Some(defined) => return Err(wrong_type(name(*register), ty, defined, *line)),
                None => return Err(Unsupported { what: format!("%{} is not defined", name(*register)), line: *line }),
            }
        }
        Ok(self.types.into_iter().flatten().collect())
    }
}

fn wrong_type(name: &str, ty: &Type, defined: &Type, line: u32) -> Unsupported {
    Unsupported { what: format!("%{name} is of type {defined}, not {ty}"), line }
}
