//! Parses computations, in instructions and constant expressions, and checks their types.

use super::cursor::{Read, Token};
use super::parser::{Parser, Style};
use super::words;
use crate::ir::types::Type;
use crate::ir::value::computation::{Cast, Computation, GetElementPointer, Index};
use crate::ir::value::{Constant, ConstantKind, Operand};

impl Parser<'_, '_> {
    /// Parses what follows an opcode. `None` if the opcode is no computation.
    pub fn computation(&mut self, opcode: &str, style: Style) -> Option<Read<Computation>> {
        let binary = words::integer_op(opcode).is_some() || words::float_op(opcode).is_some();
        Some(match opcode {
            _ if binary => self.binary(opcode, style),
            _ if words::cast(opcode).is_some() => self.cast(opcode, style),
            "fneg" => self.negate(style),
            "icmp" | "fcmp" => self.compare(opcode, style),
            "getelementptr" => self.get_element_pointer(style).map(Computation::Address),
            "select" => self.select(style),
            "freeze" => self.freeze(style),
            "extractvalue" => self.extract_value(style),
            "insertvalue" => self.insert_value(style),
            "extractelement" => self.extract_element(style),
            "insertelement" => self.insert_element(style),
            "shufflevector" => self.shuffle_vector(style),
            _ => return None,
        })
    }

    fn open(&mut self, style: Style) -> Read<()> {
        if style == Style::Expression {
            self.cursor.expect('(')
        } else {
            Ok(())
        }
    }

    fn close(&mut self, style: Style) -> Read<()> {
        if style == Style::Expression {
            self.cursor.expect(')')
        } else {
            Ok(())
        }
    }

    /// The second of two operands of the same type, which an instruction does not repeat.
    fn same(&mut self, first: &Operand, style: Style) -> Read<Operand> {
        self.cursor.expect(',')?;
        if style == Style::Instruction {
            return self.value(first.ty());
        }
        let wrong = self.cursor.complaint("an operand of the same type");
        let second = self.operand()?;
        if second.ty() == first.ty() {
            Ok(second)
        } else {
            Err(wrong())
        }
    }

    fn pair(&mut self, style: Style, allowed: fn(&Type) -> bool) -> Read<(Operand, Operand)> {
        self.open(style)?;
        let left = self.operand_if(allowed)?;
        let right = self.same(&left, style)?;
        self.close(style)?;
        Ok((left, right))
    }

    /// An operand of a permitted type, or a vector of one.
    pub fn operand_if(&mut self, allowed: fn(&Type) -> bool) -> Read<Operand> {
        let wrong = self.cursor.complaint("an operand of another type");
        let operand = self.operand()?;
        if allowed(operand.ty().scalar()) {
            Ok(operand)
        } else {
            Err(wrong())
        }
    }

    fn binary(&mut self, opcode: &str, style: Style) -> Read<Computation> {
        match (words::integer_op(opcode), words::float_op(opcode)) {
            (Some(op), _) => {
                let flags = words::integer_flags(&mut self.cursor);
                let (left, right) = self.pair(style, is_int)?;
                Ok(Computation::Integer { op, flags, left, right })
            }
            (None, Some(op)) => {
                let fast = words::fast_math(&mut self.cursor);
                let (left, right) = self.pair(style, is_float)?;
                Ok(Computation::Float { op, fast, left, right })
            }
            (None, None) => Err(self.cursor.fail(format!("opcode {opcode}"))),
        }
    }

    fn negate(&mut self, style: Style) -> Read<Computation> {
        let fast = words::fast_math(&mut self.cursor);
        self.open(style)?;
        let operand = self.operand_if(is_float)?;
        self.close(style)?;
        Ok(Computation::Negate { fast, operand })
    }

    fn compare(&mut self, opcode: &str, style: Style) -> Read<Computation> {
        let (flags, fast) = (words::integer_flags(&mut self.cursor), words::fast_math(&mut self.cursor));
        let wrong = self.cursor.complaint("a predicate");
        let Token::Word(word) = self.cursor.take() else { return Err(wrong()) };
        if opcode == "icmp" {
            let predicate = words::integer_predicate(word).ok_or_else(wrong)?;
            let (left, right) = self.pair(style, |ty| is_int(ty) || *ty == Type::Pointer)?;
            return Ok(Computation::CompareIntegers { predicate, flags, left, right });
        }
        let predicate = words::float_predicate(word).ok_or_else(wrong)?;
        let (left, right) = self.pair(style, is_float)?;
        Ok(Computation::CompareFloats { predicate, fast, left, right })
    }

    fn cast(&mut self, opcode: &str, style: Style) -> Read<Computation> {
        let wrong = self.cursor.complaint("a possible conversion");
        let (flags, fast) = (words::integer_flags(&mut self.cursor), words::fast_math(&mut self.cursor));
        self.open(style)?;
        let operand = self.operand()?;
        self.cursor.expect_word("to")?;
        let to = self.value_type()?;
        self.close(style)?;
        let cast = words::cast(opcode).filter(|cast| self.is_possible(*cast, operand.ty(), &to)).ok_or_else(wrong)?;
        Ok(Computation::Cast { cast, flags, fast, operand, to })
    }

    fn is_possible(&self, cast: Cast, from: &Type, to: &Type) -> bool {
        let (a, b) = (from.scalar(), to.scalar());
        let bits = |ty| self.context.layout.bits(ty);
        let kinds = match cast {
            Cast::Trunc => is_int(a) && is_int(b) && bits(a) > bits(b),
            Cast::ZExt | Cast::SExt => is_int(a) && is_int(b) && bits(a) < bits(b),
            Cast::FpTrunc => is_float(a) && is_float(b) && bits(a) > bits(b),
            Cast::FpExt => is_float(a) && is_float(b) && bits(a) < bits(b),
            Cast::FpToUi | Cast::FpToSi => is_float(a) && is_int(b),
            Cast::UiToFp | Cast::SiToFp => is_int(a) && is_float(b),
            Cast::PtrToInt => *a == Type::Pointer && is_int(b),
            Cast::IntToPtr => is_int(a) && *b == Type::Pointer,
            // A bit cast may change the number of elements. Pointers stay pointers.
            Cast::BitCast => {
                let pointers = (*a == Type::Pointer) == (*b == Type::Pointer);
                return pointers && bits(from).is_some() && bits(from) == bits(to);
            }
        };
        kinds && from.lanes() == to.lanes()
    }

    fn select(&mut self, style: Style) -> Read<Computation> {
        let fast = words::fast_math(&mut self.cursor);
        self.open(style)?;
        let condition = self.operand_if(|ty| *ty == Type::BOOL)?;
        self.cursor.expect(',')?;
        let wrong = self.cursor.complaint("two values of one type");
        let if_true = self.operand()?;
        self.cursor.expect(',')?;
        let if_false = self.operand()?;
        self.close(style)?;
        let lanes = condition.ty().lanes();
        if if_true.ty() != if_false.ty() || !if_true.ty().is_value() || lanes.is_some() && lanes != if_true.ty().lanes()
        {
            return Err(wrong());
        }
        Ok(Computation::Select { fast, condition, if_true, if_false })
    }

    fn freeze(&mut self, style: Style) -> Read<Computation> {
        self.open(style)?;
        let operand = self.operand_if(Type::is_value)?;
        self.close(style)?;
        Ok(Computation::Freeze(operand))
    }

    /// An address, as the base of an access or of a computation.
    pub fn pointer(&mut self) -> Read<Operand> {
        let wrong = self.cursor.complaint("a pointer");
        let operand = self.operand()?;
        if *operand.ty() == Type::Pointer {
            Ok(operand)
        } else {
            Err(wrong())
        }
    }

    fn get_element_pointer(&mut self, style: Style) -> Read<GetElementPointer> {
        let flags = words::address_flags(&mut self.cursor)?;
        self.open(style)?;
        let source = self.value_type()?;
        self.cursor.expect(',')?;
        let base = self.operand_if(|ty| *ty == Type::Pointer)?;
        let mut lanes = base.ty().lanes();
        let (mut indices, mut walked) = (Vec::new(), None);
        while self.cursor.peek() == Token::Sign(',') && !matches!(self.cursor.peek_second(), Token::Metadata(_)) {
            self.cursor.take();
            // A promise about the result that older versions attach to an index.
            self.cursor.eat_word("inrange");
            let wrong = self.cursor.complaint("an index");
            let index = self.operand_if(is_int)?;
            match (index.ty().lanes(), lanes) {
                (Some(own), Some(others)) if own != others => return Err(wrong()),
                (own, others) => lanes = others.or(own),
            }
            let (step, next) = self.step(walked, &source, index).ok_or_else(wrong)?;
            indices.push(step);
            walked = Some(next);
        }
        self.close(style)?;
        Ok(GetElementPointer { base, source, indices, flags })
    }

    /// The offset that an index adds, and the type for the next one. The first index counts whole values of the source
    /// type.
    fn step(&self, walked: Option<Type>, source: &Type, index: Operand) -> Option<(Index, Type)> {
        let layout = &self.context.layout;
        let element = match walked {
            None => source.clone(),
            Some(Type::Array(array)) => array.element.clone(),
            Some(Type::Struct(structure)) => {
                let number = index.as_int().and_then(|number| u32::try_from(number).ok())?;
                let offset = layout.offset(&structure, number)?;
                let field = structure.fields.get(number as usize)?.clone();
                return Some((Index::Field { number, offset }, field));
            }
            // Elements of fractional bytes have no addresses.
            Some(Type::Vector(vector)) if layout.size(&vector.element)? * 8 == layout.bits(&vector.element)? => {
                vector.element.clone()
            }
            Some(_) => return None,
        };
        let stride = layout.size(&element)?;
        Some((Index::Element { index, stride }, element))
    }

    /// `, 0, 1`: the indices of a part of an aggregate.
    fn parts(&mut self) -> Read<Vec<u32>> {
        let mut parts = Vec::new();
        while self.cursor.peek() == Token::Sign(',') && matches!(self.cursor.peek_second(), Token::Number(_)) {
            self.cursor.take();
            parts.push(self.cursor.number()?);
        }
        if parts.is_empty() {
            Err(self.cursor.unexpected("the number of a part"))
        } else {
            Ok(parts)
        }
    }

    fn extract_value(&mut self, style: Style) -> Read<Computation> {
        self.open(style)?;
        let wrong = self.cursor.complaint("a value with such a part");
        let aggregate = self.operand()?;
        let indices = self.parts()?;
        self.close(style)?;
        part_at(aggregate.ty(), &indices).ok_or_else(wrong)?;
        Ok(Computation::ExtractValue { aggregate, indices })
    }

    fn insert_value(&mut self, style: Style) -> Read<Computation> {
        self.open(style)?;
        let wrong = self.cursor.complaint("a value with such a part");
        let aggregate = self.operand()?;
        self.cursor.expect(',')?;
        let element = self.operand()?;
        let indices = self.parts()?;
        self.close(style)?;
        part_at(aggregate.ty(), &indices).filter(|part| *part == element.ty()).ok_or_else(wrong)?;
        Ok(Computation::InsertValue { aggregate, element, indices })
    }

    fn vector(&mut self) -> Read<Operand> {
        let wrong = self.cursor.complaint("a vector");
        let vector = self.operand()?;
        if vector.ty().lanes().is_some() {
            Ok(vector)
        } else {
            Err(wrong())
        }
    }

    fn lane(&mut self) -> Read<Operand> {
        self.cursor.expect(',')?;
        let wrong = self.cursor.complaint("the number of an element");
        let index = self.operand()?;
        if is_int(index.ty()) {
            Ok(index)
        } else {
            Err(wrong())
        }
    }

    fn extract_element(&mut self, style: Style) -> Read<Computation> {
        self.open(style)?;
        let vector = self.vector()?;
        let index = self.lane()?;
        self.close(style)?;
        Ok(Computation::ExtractElement { vector, index })
    }

    fn insert_element(&mut self, style: Style) -> Read<Computation> {
        self.open(style)?;
        let vector = self.vector()?;
        self.cursor.expect(',')?;
        let wrong = self.cursor.complaint("an element of the vector");
        let element = self.operand()?;
        if element.ty() != vector.ty().scalar() {
            return Err(wrong());
        }
        let index = self.lane()?;
        self.close(style)?;
        Ok(Computation::InsertElement { vector, element, index })
    }

    fn shuffle_vector(&mut self, style: Style) -> Read<Computation> {
        self.open(style)?;
        let left = self.vector()?;
        self.cursor.expect(',')?;
        let wrong = self.cursor.complaint("two vectors of one type and a mask");
        let right = self.operand()?;
        self.cursor.expect(',')?;
        let mask = self.typed_constant()?;
        self.close(style)?;
        let most = left.ty().lanes().unwrap_or_default() * 2;
        let mask = mask_of(&mask, most).filter(|_| left.ty() == right.ty()).ok_or_else(wrong)?;
        Ok(Computation::ShuffleVector { left, right, mask })
    }
}

fn is_int(ty: &Type) -> bool {
    matches!(ty, Type::Int(_))
}

fn is_float(ty: &Type) -> bool {
    matches!(ty, Type::Float(_))
}

fn part_at<'a>(ty: &'a Type, indices: &[u32]) -> Option<&'a Type> {
    indices.iter().try_fold(ty, |ty, index| ty.part(*index))
}

/// The elements that a shuffle selects, all below `most`.
fn mask_of(mask: &Constant, most: u32) -> Option<Vec<Option<u32>>> {
    let Type::Vector(vector) = &mask.ty else { return None };
    if vector.element != Type::Int(32) {
        return None;
    }
    let all = |element| Some(vec![element; vector.count as usize]);
    match &mask.kind {
        ConstantKind::Zero => all(Some(0)),
        ConstantKind::Undef | ConstantKind::Poison => all(None),
        ConstantKind::Aggregate(elements) => elements.iter().map(|element| lane_of(element, most)).collect(),
        _ => None,
    }
}

/// An element of a mask: a number in range, or undefined.
fn lane_of(element: &Constant, most: u32) -> Option<Option<u32>> {
    match element.kind {
        ConstantKind::Int(number) => u32::try_from(number).ok().filter(|number| *number < most).map(Some),
        ConstantKind::Undef | ConstantKind::Poison => Some(None),
        _ => None,
    }
}
