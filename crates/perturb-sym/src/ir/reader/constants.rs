//! Parses operands: registers, constants and constant expressions.

use super::cursor::{Read, Token};
use super::parser::{Parser, Style};
use super::{literal, types};
use crate::ir::types::Type;
use crate::ir::value::{Constant, ConstantKind, Operand};
use std::sync::Arc;

impl<'t> Parser<'_, 't> {
    /// A type and a value of it.
    pub fn operand(&mut self) -> Read<Operand> {
        let ty = self.ty()?;
        self.value(&ty)
    }

    /// A value whose type is known.
    pub fn value(&mut self, ty: &Type) -> Read<Operand> {
        match self.cursor.peek() {
            Token::Local(name) if !self.is_constant => {
                let register = self.scope.used(name, ty, self.cursor.line())?;
                self.cursor.take();
                Ok(Operand::Register { register, ty: ty.clone() })
            }
            _ => self.constant(ty).map(Operand::Constant),
        }
    }

    pub fn typed_constant(&mut self) -> Read<Constant> {
        let ty = self.ty()?;
        self.constant(&ty)
    }

    pub fn constant(&mut self, ty: &Type) -> Read<Constant> {
        if self.depth > types::MAX_NESTING {
            return Err(self.cursor.fail("constants nested too deep"));
        }
        self.depth += 1;
        let kind = self.constant_kind(ty);
        self.depth -= 1;
        Ok(Constant { ty: ty.clone(), kind: kind? })
    }

    fn constant_kind(&mut self, ty: &Type) -> Read<ConstantKind> {
        let start = self.cursor;
        let wrong = || start.unexpected(&format!("a constant of type {ty}"));
        match (self.cursor.take(), ty) {
            (Token::Number(text), Type::Int(bits)) => {
                literal::integer(text, *bits).map(ConstantKind::Int).ok_or_else(wrong)
            }
            (Token::Number(text), Type::Float(kind)) => {
                literal::float(text, *kind).map(ConstantKind::Float).ok_or_else(wrong)
            }
            (Token::Word("true"), Type::Int(1)) => Ok(ConstantKind::Int(1)),
            (Token::Word("false"), Type::Int(1)) => Ok(ConstantKind::Int(0)),
            (Token::Word("null"), Type::Pointer) => Ok(ConstantKind::Null),
            (Token::Word("none"), Type::Token) => Ok(ConstantKind::NoToken),
            (Token::Word("undef"), _) if ty.is_value() => Ok(ConstantKind::Undef),
            (Token::Word("poison"), _) if ty.is_value() => Ok(ConstantKind::Poison),
            (Token::Word("zeroinitializer"), Type::Int(_)) => Ok(ConstantKind::Int(0)),
            (Token::Word("zeroinitializer"), Type::Float(_)) => Ok(ConstantKind::Float(0)),
            (Token::Word("zeroinitializer"), Type::Pointer) => Ok(ConstantKind::Null),
            (Token::Word("zeroinitializer"), _) if ty.is_value() => Ok(ConstantKind::Zero),
            (Token::Word("splat"), Type::Vector(vector)) => {
                self.cursor.expect('(')?;
                let element = self.element(&vector.element)?;
                self.cursor.expect(')')?;
                Ok(ConstantKind::Aggregate(vec![element; vector.count as usize].into()))
            }
            (Token::Word("blockaddress"), Type::Pointer) => self.block_address(),
            (Token::Word(opcode), _) => self.expression(opcode, ty).unwrap_or_else(|| Err(wrong())),
            (Token::Global(name), Type::Pointer) => Ok(ConstantKind::Global(self.name(name)?)),
            (Token::Bytes(text), Type::Array(array)) if array.element == Type::Int(8) => {
                let bytes = literal::bytes(text).filter(|bytes| bytes.len() as u64 == array.count);
                bytes.map(|bytes| ConstantKind::Bytes(bytes.into())).ok_or_else(wrong)
            }
            (Token::Sign('[' | '{' | '<'), Type::Array(_) | Type::Struct(_) | Type::Vector(_)) => {
                self.cursor = start;
                self.aggregate(ty)
            }
            (Token::Metadata(_), Type::Metadata) => {
                self.cursor = start;
                self.metadata()
            }
            _ => Err(wrong()),
        }
    }

    /// A metadata argument, which is not parsed.
    fn metadata(&mut self) -> Read<ConstantKind> {
        let start = self.cursor.start();
        self.cursor.take();
        if matches!(self.cursor.peek(), Token::Sign('(' | '{')) {
            self.cursor.skip_bracket()?;
        } else if let Token::Text(_) = self.cursor.peek() {
            self.cursor.take();
        }
        Ok(ConstantKind::Metadata(self.cursor.text_since(start).into()))
    }

    fn block_address(&mut self) -> Read<ConstantKind> {
        self.cursor.expect('(')?;
        let wrong = self.cursor.complaint("a function and a block");
        let Token::Global(function) = self.cursor.take() else { return Err(wrong()) };
        let function = self.name(function)?;
        self.cursor.expect(',')?;
        let Token::Local(block) = self.cursor.take() else { return Err(wrong()) };
        self.cursor.expect(')')?;
        Ok(ConstantKind::Block { function, block: block.into() })
    }

    /// The elements of an aggregate, each with its type.
    fn aggregate(&mut self, ty: &Type) -> Read<ConstantKind> {
        let start = self.cursor;
        let wrong = || start.fail(format!("parts that are not those of {ty}"));
        let (close, count) = match ty {
            Type::Array(array) => ("]", array.count),
            Type::Vector(vector) => (">", u64::from(vector.count)),
            Type::Struct(structure) if structure.is_packed => ("}>", structure.fields.len() as u64),
            Type::Struct(structure) => ("}", structure.fields.len() as u64),
            _ => return Err(wrong()),
        };
        for _ in close.chars() {
            self.cursor.take();
        }
        let mut parts = Vec::new();
        while (parts.len() as u64) < count {
            if !parts.is_empty() {
                self.cursor.expect(',')?;
            }
            let expected = match ty {
                Type::Struct(structure) => structure.fields.get(parts.len()),
                Type::Array(array) => Some(&array.element),
                _ => Some(ty.scalar()),
            };
            parts.push(self.element(expected.ok_or_else(wrong)?)?);
        }
        close.chars().try_for_each(|sign| self.cursor.expect(sign))?;
        Ok(ConstantKind::Aggregate(parts.into()))
    }

    /// A constant that must have a type.
    fn element(&mut self, expected: &Type) -> Read<Constant> {
        let start = self.cursor;
        let constant = self.typed_constant()?;
        match constant.ty == *expected {
            true => Ok(constant),
            false => Err(start.unexpected(&format!("a constant of type {expected}"))),
        }
    }

    /// `None` if it is no constant.
    fn expression(&mut self, opcode: &str, ty: &Type) -> Option<Read<ConstantKind>> {
        let start = self.cursor;
        let outside = std::mem::replace(&mut self.is_constant, true);
        let computed = self.computation(opcode, Style::Expression);
        self.is_constant = outside;
        Some(computed?.and_then(|computation| {
            let found = computation.ty();
            if found != *ty {
                return Err(start.fail(format!("{opcode} of type {found} for {ty}")));
            }
            Ok(ConstantKind::Expression(Arc::new(computation)))
        }))
    }
}
