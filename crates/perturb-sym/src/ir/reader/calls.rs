//! Parses calls: of functions by name and by address, of intrinsics, and of inline assembly.

use super::cursor::{Read, Token};
use super::parser::Parser;
use super::{literal, words};
use crate::ir::instruction::{Argument, Assembly, Call, Callee, Operation};
use crate::ir::types::{FunctionType, Type};
use crate::ir::value::{Constant, ConstantKind, Operand};
use std::sync::Arc;

impl Parser<'_, '_> {
    /// Parses a call after `call`, and returns the type of its result. The start of the instruction is needed if it is
    /// not supported. `None` for an intrinsic that only serves debuggers.
    pub fn call(&mut self, start: usize) -> Read<Option<(Operation, Type)>> {
        let fast = words::fast_math(&mut self.cursor);
        let (_, result_attributes) = self.before_result()?;
        let wrong = self.cursor.complaint("a function to call");
        let (result, signature) = self.signature()?;
        let callee = self.callee()?;
        if let Callee::Intrinsic(name) = &callee {
            if name.starts_with("llvm.dbg.") {
                return Ok(None);
            }
        }
        let arguments = self.arguments()?;
        let attributes = self.attributes()?;
        if self.cursor.peek() == Token::Sign('[') {
            return Ok(Some((self.other("call", start)?, result)));
        }
        let fixed = match signature {
            None => None,
            Some(signature) => {
                if !are_accepted(&signature, &arguments) {
                    return Err(wrong());
                }
                signature.is_variadic.then_some(signature.parameters.len())
            }
        };
        let call = Call { callee, result: result.clone(), result_attributes, arguments, fixed, fast, attributes };
        Ok(Some((Operation::Call(call), result)))
    }

    /// The result of a call instruction that is not parsed.
    pub fn result_of_call(&mut self) -> Read<Type> {
        words::fast_math(&mut self.cursor);
        self.before_result()?;
        self.signature().map(|(result, _)| result)
    }

    /// The result type, or the function type if it is variadic.
    fn signature(&mut self) -> Read<(Type, Option<Arc<FunctionType>>)> {
        let wrong = self.cursor.complaint("a type to return");
        match self.ty()? {
            Type::Function(function) => Ok((function.result.clone(), Some(function))),
            Type::Void => Ok((Type::Void, None)),
            Type::Token => Ok((Type::Token, None)),
            ty if ty.is_value() => Ok((ty, None)),
            _ => Err(wrong()),
        }
    }

    fn callee(&mut self) -> Read<Callee> {
        if self.cursor.eat_word("asm") {
            return self.assembly().map(Callee::Assembly);
        }
        Ok(match self.value(&Type::Pointer)? {
            Operand::Constant(Constant { kind: ConstantKind::Global(name), .. }) if name.starts_with("llvm.") => {
                Callee::Intrinsic(name)
            }
            Operand::Constant(Constant { kind: ConstantKind::Global(name), .. }) => Callee::Direct(name),
            other => Callee::Indirect(other),
        })
    }

    fn assembly(&mut self) -> Read<Assembly> {
        let mut has_side_effect = false;
        while let Token::Word(word) = self.cursor.peek() {
            match word {
                "sideeffect" => has_side_effect = true,
                "alignstack" | "inteldialect" | "unwind" => {}
                _ => return Err(self.cursor.unexpected("assembly")),
            }
            self.cursor.take();
        }
        let template = self.text()?;
        self.cursor.expect(',')?;
        let constraints = self.text()?;
        Ok(Assembly { template, constraints, has_side_effect })
    }

    fn text(&mut self) -> Read<Arc<[u8]>> {
        let wrong = self.cursor.complaint("a string");
        match self.cursor.take() {
            Token::Text(text) => literal::bytes(text).map(Arc::from).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }

    fn arguments(&mut self) -> Read<Vec<Argument>> {
        self.cursor.expect('(')?;
        let mut arguments = Vec::new();
        while self.cursor.peek() != Token::Sign(')') {
            let ty = self.ty()?;
            let attributes = self.parameter_attributes()?;
            let value = if ty == Type::Metadata { self.metadata_argument()? } else { self.value(&ty)? };
            arguments.push(Argument { value, attributes });
            if !self.cursor.eat(',') {
                break;
            }
        }
        self.cursor.expect(')')?;
        Ok(arguments)
    }

    /// Metadata, or a value wrapped in metadata, which has its own type.
    fn metadata_argument(&mut self) -> Read<Operand> {
        match self.cursor.peek() {
            Token::Metadata(_) => self.constant(&Type::Metadata).map(Operand::Constant),
            _ => Err(self.cursor.fail("a value as metadata")),
        }
    }
}

fn are_accepted(signature: &FunctionType, arguments: &[Argument]) -> bool {
    let fits = signature.parameters.iter().zip(arguments).all(|(ty, argument)| ty == argument.value.ty());
    let enough = arguments.len() >= signature.parameters.len();
    fits && enough && (signature.is_variadic || arguments.len() == signature.parameters.len())
}
