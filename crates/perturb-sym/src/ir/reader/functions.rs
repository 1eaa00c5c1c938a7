//! Parses functions: the head, then block by block.

use super::cursor::{Cursor, Read, Token};
use super::parser::{Context, Parser};
use super::verify;
use crate::ir::attributes::{Attributes, ParameterAttributes};
use crate::ir::function::{Block, Body, Definition, Function, Linkage, Parameter};
use crate::ir::instruction::BlockId;
use crate::ir::types::Type;
use crate::ir::Unsupported;
use std::sync::Arc;

/// Parses a definition, from `define` to `}`, or the line of a declaration. `None` if not even the name can be parsed.
pub(super) fn function(context: &Context<'_>, text: &str, line: u32) -> Option<Function> {
    let cursor = Cursor::new(text, line);
    let mut function = unread(name(cursor)?, line);
    let mut parser = Parser::new(context, cursor);
    let is_definition = parser.cursor.take() == Token::Word("define");
    let read = parser.head(&mut function).and_then(|numbered| {
        if !is_definition {
            return parser.end().map(|()| Body::Declared);
        }
        let blocks = parser.find_blocks(text, line, numbered)?;
        parser.body(blocks, &function.result).map(Body::Defined)
    });
    function.body = read.unwrap_or_else(Body::Unsupported);
    Some(function)
}

/// The name is the first one followed by parameters.
fn name(mut cursor: Cursor<'_>) -> Option<Arc<str>> {
    loop {
        match cursor.take() {
            Token::Global(name) if cursor.peek() == Token::Sign('(') => {
                return super::literal::name(name).map(Arc::from)
            }
            Token::End => return None,
            _ if !cursor.is_on_same_line() => return None,
            _ => {}
        }
    }
}

/// A function with only its name parsed.
fn unread(name: Arc<str>, line: u32) -> Function {
    Function {
        name,
        linkage: Linkage::External,
        parameters: Vec::new(),
        is_variadic: false,
        result: Type::Void,
        result_attributes: ParameterAttributes::default(),
        attributes: Attributes::default(),
        position: None,
        line,
        body: Body::Declared,
    }
}

impl<'t> Parser<'_, 't> {
    /// Parses the head up to the brace. Returns the number of unnamed parameters, which determines the number of the
    /// first block.
    fn head(&mut self, function: &mut Function) -> Read<usize> {
        self.head_attachments(function)?;
        (function.linkage, function.result_attributes) = self.before_result()?;
        let wrong = self.cursor.complaint("the result of a function");
        function.result = self.ty()?;
        if !(function.result == Type::Void || function.result.is_value() || function.result == Type::Token) {
            return Err(wrong());
        }
        let Token::Global(_) = self.cursor.take() else { return Err(wrong()) };
        let numbered = self.parameters(function)?;
        self.after_parameters(function)?;
        Ok(numbered)
    }

    fn parameters(&mut self, function: &mut Function) -> Read<usize> {
        self.cursor.expect('(')?;
        let mut numbered = 0;
        while self.cursor.peek() != Token::Sign(')') {
            if self.cursor.eat_token(Token::Ellipsis) {
                function.is_variadic = true;
                break;
            }
            let wrong = self.cursor.complaint("a parameter");
            let line = self.cursor.line();
            let ty = self.ty()?;
            if !(ty.is_value() || matches!(ty, Type::Metadata | Type::Token)) {
                return Err(wrong());
            }
            let attributes = self.parameter_attributes()?;
            match self.cursor.peek() {
                Token::Local(name) => {
                    self.cursor.take();
                    numbered += usize::from(is_number(name));
                    self.scope.define(name, ty.clone(), line)?;
                }
                _ => {
                    numbered += 1;
                    self.scope.define_nameless(ty.clone());
                }
            }
            function.parameters.push(Parameter { ty, attributes });
            if !self.cursor.eat(',') {
                break;
            }
        }
        self.cursor.expect(')')?;
        Ok(numbered)
    }

    /// Attributes, section and the like, most of which do not matter.
    fn after_parameters(&mut self, function: &mut Function) -> Read<()> {
        while self.cursor.is_on_same_line() {
            match self.cursor.peek() {
                Token::Metadata(_) => self.head_attachments(function)?,
                Token::Word("addrspace") => self.default_address_space()?,
                Token::Word("prefix" | "prologue") => return Err(self.cursor.fail("data before a function's code")),
                Token::Word("personality") => {
                    self.cursor.take();
                    self.typed_constant()?;
                }
                Token::Word("section" | "partition" | "gc" | "align") => {
                    self.cursor.take();
                    self.cursor.take();
                }
                Token::Hash(_) | Token::Word(_) | Token::Text(_) => self.attribute(&mut function.attributes)?,
                Token::Sign('{') => return Ok(()),
                _ => return Err(self.cursor.unexpected("an attribute of a function")),
            }
        }
        Ok(())
    }

    /// `!dbg !12`, which precedes a declaration or follows the head of a definition.
    fn head_attachments(&mut self, function: &mut Function) -> Read<()> {
        while let Token::Metadata(kind) = self.cursor.peek() {
            self.cursor.take();
            let wrong = self.cursor.complaint("metadata");
            let Token::Metadata(node) = self.cursor.take() else { return Err(wrong()) };
            if kind == "dbg" {
                function.position = node.parse().ok().and_then(|node| self.context.debug.subprogram(node));
            }
            if matches!(self.cursor.peek(), Token::Sign('(' | '{')) && node.parse::<u32>().is_err() {
                self.cursor.skip_bracket()?;
            }
        }
        Ok(())
    }

    fn end(&self) -> Read<()> {
        match self.cursor.peek() {
            Token::End => Ok(()),
            _ => Err(self.cursor.unexpected("the end")),
        }
    }

    /// Finds the blocks before their instructions are parsed. Only labels start at the start of a line. The first block
    /// may have none, and then has the number after the parameters.
    fn find_blocks(&mut self, text: &str, line: u32, numbered: usize) -> Read<Vec<Block>> {
        let mut blocks = Vec::new();
        for (text, line) in text.lines().zip(line..).skip(1) {
            let is_indented = text.starts_with([' ', '\t']);
            if text.is_empty() || text.starts_with(['}', ';', '\r']) || is_indented && !blocks.is_empty() {
                continue;
            }
            let name: Arc<str> = if is_indented {
                numbered.to_string().into()
            } else {
                let mut cursor = Cursor::new(text, line);
                label(&mut cursor).ok_or_else(|| cursor.unexpected("a label"))?.into()
            };
            self.scope.add_block(name.clone(), line)?;
            blocks.push(Block { name, instructions: Vec::new() });
        }
        Ok(blocks)
    }

    fn body(mut self, mut blocks: Vec<Block>, result: &Type) -> Read<Definition> {
        let line = self.cursor.line();
        self.cursor.expect('{')?;
        self.is_constant = false;
        let mut at = None;
        while !self.cursor.eat('}') {
            let mut ahead = self.cursor;
            if let Some(name) = label(&mut ahead) {
                at = Some(at.map_or(0, |at| at + 1));
                if at != self.scope.block(name).map(BlockId::index) {
                    return Err(self.cursor.fail(format!("a label {name} within a line")));
                }
                self.cursor = ahead;
                continue;
            }
            let instruction = self.instruction(result)?;
            let block = blocks.get_mut(*at.get_or_insert(0));
            block.ok_or_else(|| self.cursor.fail("an instruction in no block"))?.instructions.extend(instruction);
        }
        self.end()?;
        let definition = Definition { registers: self.scope.finish()?, blocks };
        verify::definition(&definition).map_err(|what| Unsupported { what, line })?;
        Ok(definition)
    }
}

/// Takes a label and its colon. A quoted name keeps its quotes, as in its uses.
fn label<'t>(cursor: &mut Cursor<'t>) -> Option<&'t str> {
    let start = cursor.start();
    let (Token::Word(_) | Token::Number(_) | Token::Text(_)) = cursor.take() else { return None };
    let name = cursor.text_since(start);
    cursor.eat(':').then_some(name)
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}
