//! Attributes of parameters, arguments and results.

use super::cursor::{Read, Token};
use super::parser::Parser;
use super::{types, words};
use crate::ir::attributes::ParameterAttributes;
use crate::ir::function::Linkage;
use crate::ir::types::Type;

impl Parser<'_, '_> {
    /// The attributes between the type of a parameter or argument and its value.
    pub fn parameter_attributes(&mut self) -> Read<ParameterAttributes> {
        let mut attributes = ParameterAttributes::default();
        loop {
            match self.cursor.peek() {
                Token::Word(word) if !is_value(word) => self.parameter_attribute(word, &mut attributes)?,
                Token::Text(_) => self.skip_attribute()?,
                _ => return Ok(attributes),
            }
        }
    }

    /// What precedes the type of a result: linkage, visibility, calling convention and attributes.
    pub fn before_result(&mut self) -> Read<(Linkage, ParameterAttributes)> {
        let (mut linkage, mut attributes) = (Linkage::External, ParameterAttributes::default());
        while !types::starts(self.cursor.peek()) {
            match self.cursor.peek() {
                Token::Word("cc") => {
                    self.cursor.take();
                    self.cursor.take();
                }
                Token::Word("addrspace") => self.default_address_space()?,
                Token::Word(word) => match words::linkage(word) {
                    Some(found) => {
                        self.cursor.take();
                        linkage = found;
                    }
                    None => self.parameter_attribute(word, &mut attributes)?,
                },
                Token::Text(_) => self.skip_attribute()?,
                _ => return Err(self.cursor.unexpected("a type")),
            }
        }
        Ok((linkage, attributes))
    }

    /// `addrspace(0)` is the default.
    pub fn default_address_space(&mut self) -> Read<()> {
        self.cursor.expect_word("addrspace")?;
        self.cursor.expect('(')?;
        let other = self.cursor.fail("another address space");
        let space: u64 = self.cursor.number()?;
        self.cursor.expect(')')?;
        if space == 0 {
            Ok(())
        } else {
            Err(other)
        }
    }

    fn parameter_attribute(&mut self, word: &str, attributes: &mut ParameterAttributes) -> Read<()> {
        match word {
            "signext" => attributes.is_signext = true,
            "zeroext" => attributes.is_zeroext = true,
            "nonnull" => attributes.is_nonnull = true,
            "noalias" => attributes.is_noalias = true,
            "noundef" => attributes.is_noundef = true,
            "byval" | "sret" | "elementtype" => {
                let ty = Some(self.type_of_attribute()?);
                match word {
                    "byval" => attributes.byval = ty,
                    "sret" => attributes.sret = ty,
                    _ => attributes.element = ty,
                }
                return Ok(());
            }
            "align" => {
                self.cursor.take();
                let in_parentheses = self.cursor.eat('(');
                attributes.alignment = Some(self.alignment()?);
                return if in_parentheses { self.cursor.expect(')') } else { Ok(()) };
            }
            // These change what a call does.
            "inalloca" | "preallocated" | "byref" | "nest" | "swifterror" | "swiftself" | "swiftasync" => {
                return Err(self.cursor.fail(format!("the attribute {word}")));
            }
            _ => {}
        }
        self.skip_attribute()
    }

    fn type_of_attribute(&mut self) -> Read<Type> {
        self.cursor.take();
        self.cursor.expect('(')?;
        let ty = self.value_type()?;
        self.cursor.expect(')')?;
        Ok(ty)
    }

    /// A word or string, with its arguments.
    fn skip_attribute(&mut self) -> Read<()> {
        super::parser::attribute(&mut self.cursor).map(drop)
    }
}

/// Whether a word is or starts a value, and is no attribute.
fn is_value(word: &str) -> bool {
    let literal =
        ["true", "false", "null", "none", "undef", "poison", "zeroinitializer", "splat", "blockaddress", "asm"];
    let other = ["dso_local_equivalent", "no_cfi", "ptrauth"];
    let expression = [
        "fneg",
        "icmp",
        "fcmp",
        "getelementptr",
        "select",
        "extractvalue",
        "insertvalue",
        "extractelement",
        "insertelement",
        "shufflevector",
    ];
    literal.contains(&word)
        || other.contains(&word)
        || expression.contains(&word)
        || words::cast(word).is_some()
        || words::integer_op(word).is_some()
        || words::float_op(word).is_some()
}
