//! Parses instructions.

use super::cursor::{Read, Token};
use super::parser::{Parser, Style};
use super::words;
use crate::ir::instruction::{Access, BlockId, Instruction, Operation, Ordering, UpdateOp};
use crate::ir::types::Type;
use crate::ir::value::{Constant, ConstantKind, Operand};
use std::collections::HashSet;

impl<'t> Parser<'_, 't> {
    /// The next instruction; `None` for one that only serves debuggers.
    pub fn instruction(&mut self, result: &Type) -> Read<Option<Instruction>> {
        if let Token::Hash(_) = self.cursor.peek() {
            self.cursor.take();
            self.skip_line();
            return Ok(None);
        }
        let (line, start) = (self.cursor.line(), self.cursor.start());
        let name = match self.cursor.peek() {
            Token::Local(name) => {
                self.cursor.take();
                self.cursor.expect('=')?;
                Some(name)
            }
            _ => None,
        };
        let wrong = self.cursor.complaint("an instruction");
        let Token::Word(opcode) = self.cursor.take() else { return Err(wrong()) };
        let Some((operation, ty)) = self.operation(opcode, start, result)? else {
            self.skip_line();
            return Ok(None);
        };
        let position = self.attachments()?.and_then(|number| self.context.debug.position(number));
        let result = match (name, ty) {
            (None, Type::Void) => None,
            (Some(_), Type::Void) => return Err(wrong()),
            (None, ty) => Some(self.scope.define_nameless(ty)),
            (Some(name), ty) => Some(self.scope.define(name, ty, line)?),
        };
        Ok(Some(Instruction { result, operation, position }))
    }

    /// Skips what follows the last token.
    fn skip_line(&mut self) {
        while self.cursor.is_on_same_line() {
            self.cursor.take();
        }
    }

    /// `, !dbg !12, !tbaa !3` up to the end of the line. Returns the number of the debug location.
    fn attachments(&mut self) -> Read<Option<u32>> {
        let mut position = None;
        while self.cursor.is_on_same_line() {
            self.cursor.expect(',')?;
            let wrong = self.cursor.complaint("metadata");
            let Token::Metadata(kind) = self.cursor.take() else { return Err(wrong()) };
            let Token::Metadata(node) = self.cursor.take() else { return Err(wrong()) };
            if matches!(self.cursor.peek(), Token::Sign('(' | '{')) && self.cursor.is_on_same_line() {
                self.cursor.skip_bracket()?;
            } else if kind == "dbg" {
                position = node.parse().ok();
            }
        }
        Ok(position)
    }

    /// Parses an operation and the type of its result. `None` if it has no effect.
    fn operation(&mut self, opcode: &str, start: usize, result: &Type) -> Read<Option<(Operation, Type)>> {
        if let Some(computation) = self.computation(opcode, Style::Instruction) {
            let computation = computation?;
            let ty = computation.ty();
            return Ok(Some((Operation::Compute(computation), ty)));
        }
        let ends = |operation| Ok(Some((operation, Type::Void)));
        match opcode {
            "phi" => self.phi().map(Some),
            "alloca" => self.allocate().map(Some),
            "load" => self.load().map(Some),
            "store" => self.store().map(Some),
            "fence" => {
                self.scope_of_synchronisation()?;
                ends(Operation::Fence(self.ordering()?))
            }
            "atomicrmw" => self.read_modify_write().map(Some),
            "cmpxchg" => self.compare_exchange().map(Some),
            "va_arg" => self.variadic_argument().map(Some),
            "br" => ends(self.branch()?),
            "switch" => ends(self.switch()?),
            "indirectbr" => ends(self.indirect_branch()?),
            "ret" => ends(self.returned(result)?),
            "unreachable" => ends(Operation::Unreachable),
            "tail" | "musttail" | "notail" => {
                self.cursor.expect_word("call")?;
                self.call(start)
            }
            "call" => self.call(start),
            "invoke" | "callbr" => {
                let ty = self.result_of_call()?;
                Ok(Some((self.other(opcode, start)?, ty)))
            }
            "landingpad" => {
                let ty = self.value_type()?;
                Ok(Some((self.other(opcode, start)?, ty)))
            }
            "catchpad" | "cleanuppad" | "catchswitch" => Ok(Some((self.other(opcode, start)?, Type::Token))),
            "resume" | "catchret" | "cleanupret" => ends(self.other(opcode, start)?),
            _ => Err(self.cursor.fail(format!("opcode {opcode}"))),
        }
    }

    /// Skips the rest of an instruction. Some go on in further lines, as their brackets or first words show. Attached
    /// metadata is part of the text.
    pub fn other(&mut self, opcode: &str, start: usize) -> Read<Operation> {
        loop {
            let goes_on = matches!(self.cursor.peek(), Token::Word("to" | "unwind" | "catch" | "cleanup" | "filter"));
            if !self.cursor.is_on_same_line() && !goes_on {
                break;
            }
            // Metadata comes last, and may have the position.
            if self.cursor.peek() == Token::Sign(',') && matches!(self.cursor.peek_second(), Token::Metadata(_)) {
                break;
            }
            match self.cursor.peek() {
                Token::Sign('(' | '[' | '{') => self.cursor.skip_bracket()?,
                _ => drop(self.cursor.take()),
            }
        }
        Ok(Operation::Other { opcode: opcode.into(), text: self.cursor.text_since(start).into() })
    }

    fn label(&mut self) -> Read<BlockId> {
        self.cursor.expect_word("label")?;
        self.block()
    }

    fn block(&mut self) -> Read<BlockId> {
        let wrong = self.cursor.complaint("a block of the function");
        match self.cursor.take() {
            Token::Local(name) => self.scope.block(name).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }

    fn phi(&mut self) -> Read<(Operation, Type)> {
        let fast = words::fast_math(&mut self.cursor);
        let ty = self.value_type()?;
        let mut incoming = Vec::new();
        loop {
            self.cursor.expect('[')?;
            let value = self.value(&ty)?;
            self.cursor.expect(',')?;
            incoming.push((self.block()?, value));
            self.cursor.expect(']')?;
            if self.cursor.peek() != Token::Sign(',') || self.cursor.peek_second() != Token::Sign('[') {
                break;
            }
            self.cursor.take();
        }
        Ok((Operation::Phi { ty: ty.clone(), fast, incoming }, ty))
    }

    fn allocate(&mut self) -> Read<(Operation, Type)> {
        let ty = self.value_type()?;
        let mut count = Operand::Constant(Constant { ty: Type::Int(32), kind: ConstantKind::Int(1) });
        let is_counted = self.cursor.peek() == Token::Sign(',')
            && matches!(self.cursor.peek_second(), Token::Word(word) if word != "align" && word != "addrspace");
        if is_counted {
            self.cursor.take();
            let wrong = self.cursor.complaint("how many");
            count = self.operand()?;
            if !matches!(count.ty(), Type::Int(_)) {
                return Err(wrong());
            }
        }
        let alignment = self.alignment_of(&ty)?;
        if self.eat_after_comma("addrspace") {
            return Err(self.cursor.fail("another address space"));
        }
        Ok((Operation::Allocate { ty, count, alignment }, Type::Pointer))
    }

    /// As written, or the alignment of the type.
    fn alignment_of(&mut self, ty: &Type) -> Read<u64> {
        let natural = self.context.layout.alignment(ty);
        self.alignment_after_comma()?.or(natural).ok_or_else(|| self.cursor.fail(format!("the alignment of {ty}")))
    }

    fn load(&mut self) -> Read<(Operation, Type)> {
        let is_atomic = self.cursor.eat_word("atomic");
        let is_volatile = self.cursor.eat_word("volatile");
        let ty = self.value_type()?;
        self.cursor.expect(',')?;
        let address = self.pointer()?;
        let access = self.access(&ty, is_atomic, is_volatile)?;
        Ok((Operation::Load { ty: ty.clone(), address, access }, ty))
    }

    fn store(&mut self) -> Read<(Operation, Type)> {
        let is_atomic = self.cursor.eat_word("atomic");
        let is_volatile = self.cursor.eat_word("volatile");
        let value = self.operand_if(Type::is_value)?;
        self.cursor.expect(',')?;
        let address = self.pointer()?;
        let access = self.access(value.ty(), is_atomic, is_volatile)?;
        Ok((Operation::Store { value, address, access }, Type::Void))
    }

    fn access(&mut self, ty: &Type, is_atomic: bool, is_volatile: bool) -> Read<Access> {
        let ordering = if is_atomic {
            self.scope_of_synchronisation()?;
            Some(self.ordering()?)
        } else {
            None
        };
        Ok(Access { alignment: self.alignment_of(ty)?, is_volatile, ordering })
    }

    /// The synchronisation scope is not kept.
    fn scope_of_synchronisation(&mut self) -> Read<()> {
        if self.cursor.eat_word("syncscope") {
            self.cursor.skip_bracket()
        } else {
            Ok(())
        }
    }

    fn ordering(&mut self) -> Read<Ordering> {
        let wrong = self.cursor.complaint("an ordering");
        match self.cursor.take() {
            Token::Word(word) => words::ordering(word).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }

    fn read_modify_write(&mut self) -> Read<(Operation, Type)> {
        let is_volatile = self.cursor.eat_word("volatile");
        let wrong = self.cursor.complaint("an update that is known");
        let Token::Word(word) = self.cursor.take() else { return Err(wrong()) };
        let op = words::update_op(word).ok_or_else(wrong)?;
        let address = self.pointer()?;
        self.cursor.expect(',')?;
        let value = self.operand()?;
        let is_float = matches!(op, UpdateOp::FAdd | UpdateOp::FSub | UpdateOp::FMax | UpdateOp::FMin);
        match value.ty() {
            Type::Int(_) if !is_float => {}
            Type::Float(_) if is_float || op == UpdateOp::Exchange => {}
            Type::Pointer if op == UpdateOp::Exchange => {}
            _ => return Err(wrong()),
        }
        let access = self.access(value.ty(), true, is_volatile)?;
        let ty = value.ty().clone();
        Ok((Operation::ReadModifyWrite { op, address, value, access }, ty))
    }

    fn compare_exchange(&mut self) -> Read<(Operation, Type)> {
        let is_weak = self.cursor.eat_word("weak");
        let is_volatile = self.cursor.eat_word("volatile");
        let address = self.pointer()?;
        self.cursor.expect(',')?;
        let wrong = self.cursor.complaint("two values of one type");
        let expected = self.operand()?;
        self.cursor.expect(',')?;
        let new = self.operand()?;
        if new.ty() != expected.ty() || !matches!(new.ty(), Type::Int(_) | Type::Pointer) {
            return Err(wrong());
        }
        self.scope_of_synchronisation()?;
        let (ordering, on_failure) = (Some(self.ordering()?), self.ordering()?);
        let access = Access { alignment: self.alignment_of(new.ty())?, is_volatile, ordering };
        let pair = self.context.layout.structure(None, vec![new.ty().clone(), Type::BOOL], false).ok_or_else(wrong)?;
        let operation = Operation::CompareExchange { address, expected, new, is_weak, access, on_failure };
        Ok((operation, Type::Struct(pair.into())))
    }

    fn variadic_argument(&mut self) -> Read<(Operation, Type)> {
        let list = self.pointer()?;
        self.cursor.expect(',')?;
        let ty = self.value_type()?;
        Ok((Operation::VariadicArgument { list, ty: ty.clone() }, ty))
    }

    fn branch(&mut self) -> Read<Operation> {
        if self.cursor.peek() == Token::Word("label") {
            return self.label().map(Operation::Jump);
        }
        let wrong = self.cursor.complaint("a condition");
        let condition = self.operand()?;
        if *condition.ty() != Type::BOOL {
            return Err(wrong());
        }
        self.cursor.expect(',')?;
        let if_true = self.label()?;
        self.cursor.expect(',')?;
        Ok(Operation::Branch { condition, if_true, if_false: self.label()? })
    }

    fn switch(&mut self) -> Read<Operation> {
        let wrong = self.cursor.complaint("an integer, and others that differ");
        let value = self.operand()?;
        self.cursor.expect(',')?;
        let default = self.label()?;
        self.cursor.expect('[')?;
        let (mut cases, mut seen) = (Vec::new(), HashSet::new());
        while !self.cursor.eat(']') {
            let case = self.typed_constant()?;
            let ConstantKind::Int(number) = case.kind else { return Err(wrong()) };
            if case.ty != *value.ty() || !seen.insert(number) {
                return Err(wrong());
            }
            self.cursor.expect(',')?;
            cases.push((number, self.label()?));
        }
        if !matches!(value.ty(), Type::Int(_)) {
            return Err(wrong());
        }
        Ok(Operation::Switch { value, default, cases })
    }

    fn indirect_branch(&mut self) -> Read<Operation> {
        let address = self.pointer()?;
        self.cursor.expect(',')?;
        self.cursor.expect('[')?;
        let mut targets = Vec::new();
        while self.cursor.peek() != Token::Sign(']') {
            targets.push(self.label()?);
            if !self.cursor.eat(',') {
                break;
            }
        }
        self.cursor.expect(']')?;
        Ok(Operation::IndirectBranch { address, targets })
    }

    fn returned(&mut self, result: &Type) -> Read<Operation> {
        let wrong = self.cursor.complaint("a value of the function's type");
        let ty = self.ty()?;
        match ty {
            _ if ty != *result => Err(wrong()),
            Type::Void => Ok(Operation::Return(None)),
            _ => self.value(&ty).map(|value| Operation::Return(Some(value))),
        }
    }
}
