//! Executes single instructions.

use super::flow::{choice, PathState};
use super::machine::{Machine, RegisterValue};
use super::memory::{Cell, ObjectId};
use super::pointer::{resolve, PointerTarget};
use super::ExecutionError;
use crate::ir::{
    Cast, Computation, Constant, ConstantKind, FloatKind, FloatOp, FloatPredicate, GetElementPointer, Index,
    Instruction, IntegerOp, IntegerPredicate, Operand, Operation, Type, UpdateOp,
};
use crate::term::Term;

impl<'m> Machine<'m> {
    /// Executes an instruction, except for control flow.
    pub(super) fn step(
        &mut self,
        state: &mut PathState,
        instruction: &'m Instruction,
        locals: &mut Vec<ObjectId>,
    ) -> Result<(), ExecutionError> {
        let value = match &instruction.operation {
            Operation::Compute(computation) => Some(self.compute(Some(&*state), computation)?),
            Operation::Phi { .. } => return Ok(()),
            Operation::Allocate { ty, count, .. } => Some(self.allocate(state, ty, count, locals)?),
            // Volatile memory is ordinary memory, as long as nothing else accesses it.
            Operation::Load { ty, address, .. } => {
                let address = self.term(state, address)?;
                Some(self.load(state, address, ty)?)
            }
            Operation::Store { value, address, .. } => {
                let address = self.term(state, address)?;
                let ty = value.ty().clone();
                let value = self.operand(state, value)?;
                self.store(state, address, &ty, &value)?;
                None
            }
            Operation::Call(call) => self.call_instruction(state, call)?,
            Operation::Jump(_)
            | Operation::Branch { .. }
            | Operation::Switch { .. }
            | Operation::Return(_)
            | Operation::Unreachable => None,
            Operation::IndirectBranch { .. } => {
                return Err(ExecutionError::unsupported("a jump to where a value says"))
            }
            Operation::ReadModifyWrite { op, address, value, access } if access.is_volatile => {
                Some(self.update(state, *op, address, value)?)
            }
            Operation::Fence(_) | Operation::ReadModifyWrite { .. } | Operation::CompareExchange { .. } => {
                return Err(ExecutionError::unsupported("an atomic access"));
            }
            Operation::VariadicArgument { .. } => return Err(ExecutionError::unsupported("variable arguments")),
            Operation::Other { opcode, .. } => return Err(ExecutionError::unsupported(format!("`{opcode}`"))),
        };
        if let Some(register) = instruction.result {
            state.registers[register.index()] = value;
        }
        Ok(())
    }

    /// An atomic read-modify-write: there is only one thread.
    fn update(
        &mut self,
        state: &mut PathState,
        op: UpdateOp,
        address: &Operand,
        value: &Operand,
    ) -> Result<RegisterValue, ExecutionError> {
        let (at, ty) = (self.term(state, address)?, value.ty());
        let before = self.load(state, at, ty)?;
        let (RegisterValue::Term(old), given) = (&before, self.term(state, value)?) else {
            return Err(ExecutionError::unsupported("an atomic access"));
        };
        let terms = &mut self.terms;
        let new = match op {
            UpdateOp::Exchange => given,
            UpdateOp::Add => terms.add(*old, given),
            UpdateOp::Sub => terms.sub(*old, given),
            UpdateOp::And => terms.and(*old, given),
            UpdateOp::Or => terms.or(*old, given),
            UpdateOp::Xor => terms.xor(*old, given),
            _ => return Err(ExecutionError::unsupported("an atomic access")),
        };
        self.store(state, at, ty, &RegisterValue::Term(new))?;
        Ok(before)
    }

    pub(super) fn operand(&mut self, state: &PathState, operand: &Operand) -> Result<RegisterValue, ExecutionError> {
        match operand {
            Operand::Register { register, .. } => {
                let value = state.registers[register.index()].clone();
                value.ok_or_else(|| ExecutionError::unsupported("a value that is not there on every way"))
            }
            Operand::Constant(constant) => self.constant(constant),
        }
    }

    pub(super) fn term(&mut self, state: &PathState, operand: &Operand) -> Result<Term, ExecutionError> {
        match self.operand(state, operand)? {
            RegisterValue::Term(term) => Ok(term),
            RegisterValue::Aggregate(_) => Err(ExecutionError::unsupported("a value of many parts")),
        }
    }

    pub(super) fn width(&self, ty: &Type) -> Result<u32, ExecutionError> {
        match ty {
            Type::Int(bits) if *bits <= 128 => Ok(*bits),
            Type::Float(FloatKind::Single) => Ok(32),
            Type::Float(FloatKind::Double) => Ok(64),
            Type::Pointer if self.module.layout.bits(ty) == Some(64) => Ok(64),
            other => Err(ExecutionError::unsupported(format!("values of type {other}"))),
        }
    }

    pub(super) fn constant(&mut self, constant: &Constant) -> Result<RegisterValue, ExecutionError> {
        let term = match &constant.kind {
            ConstantKind::Int(value) | ConstantKind::Float(value) => {
                let width = self.width(&constant.ty)?;
                self.terms.constant(*value, width)
            }
            ConstantKind::Null => self.terms.constant(0, 64),
            ConstantKind::Global(name) => {
                let object = self.global(name);
                self.address(object)
            }
            ConstantKind::Expression(computation) => return self.compute(None, computation),
            ConstantKind::Zero | ConstantKind::Undef | ConstantKind::Poison | ConstantKind::Aggregate(_) => {
                return self.parts(constant);
            }
            _ => return Err(ExecutionError::unsupported("a constant of its kind")),
        };
        Ok(RegisterValue::Term(term))
    }

    /// An aggregate constant. Its undefined parts are assigned by the code that builds it.
    fn parts(&mut self, constant: &Constant) -> Result<RegisterValue, ExecutionError> {
        let types: Vec<Type> = match &constant.ty {
            Type::Struct(structure) => structure.fields.clone(),
            Type::Array(array) => vec![array.element.clone(); array.count as usize],
            other => {
                let is_zero = constant.kind == ConstantKind::Zero;
                let width = self.width(other)?;
                // An undefined value may be anything.
                let term = if is_zero { self.terms.constant(0, width) } else { self.fresh(width) };
                return Ok(RegisterValue::Term(term));
            }
        };
        let mut parts = Vec::new();
        for (at, ty) in types.into_iter().enumerate() {
            let part = match &constant.kind {
                ConstantKind::Aggregate(given) => self.constant(&given[at])?,
                kind => self.parts(&Constant { ty, kind: kind.clone() })?,
            };
            parts.push(part);
        }
        Ok(RegisterValue::Aggregate(parts.into()))
    }

    /// Without a state, only constants are available.
    pub(super) fn compute(
        &mut self,
        state: Option<&PathState>,
        computation: &Computation,
    ) -> Result<RegisterValue, ExecutionError> {
        if computation.ty().lanes().is_some() {
            return Err(ExecutionError::unsupported("vectors"));
        }
        let value = |machine: &mut Self, operand: &Operand| match (state, operand) {
            (Some(state), operand) => machine.operand(state, operand),
            (None, Operand::Constant(constant)) => machine.constant(constant),
            (None, Operand::Register { .. }) => Err(ExecutionError::unsupported("a constant that is none")),
        };
        let mut term = |machine: &mut Self, operand: &Operand| match value(machine, operand)? {
            RegisterValue::Term(term) => Ok(term),
            RegisterValue::Aggregate(_) => Err(ExecutionError::unsupported("a value of many parts")),
        };
        let term = match computation {
            Computation::Integer { op, left, right, .. } => {
                let (left, right) = (term(self, left)?, term(self, right)?);
                self.integer(*op, left, right)
            }
            Computation::Float { op, left, right, .. } => {
                self.width(left.ty())?;
                let (left, right) = (term(self, left)?, term(self, right)?);
                self.float(*op, left, right)?
            }
            Computation::Negate { operand, .. } => {
                let operand = term(self, operand)?;
                self.terms.fneg(operand)
            }
            Computation::CompareIntegers { predicate, left, right, .. } => {
                let (left, right) = (term(self, left)?, term(self, right)?);
                self.compare(*predicate, left, right)?
            }
            Computation::CompareFloats { predicate, left, right, .. } => {
                self.width(left.ty())?;
                let (left, right) = (term(self, left)?, term(self, right)?);
                self.compare_floats(*predicate, left, right)
            }
            Computation::Cast { cast, operand, to, .. } => {
                let from = operand.ty().clone();
                let operand = term(self, operand)?;
                self.cast(*cast, &from, operand, to)?
            }
            Computation::Address(address) => self.element_address(address, &mut term)?,
            Computation::Select { condition, if_true, if_false, .. } => {
                let condition = term(self, condition)?;
                let (one, other) = (value(self, if_true)?, value(self, if_false)?);
                return choice(self, condition, &one, &other)
                    .ok_or_else(|| ExecutionError::unsupported("a choice of values"));
            }
            Computation::Freeze(operand) => return value(self, operand),
            Computation::ExtractValue { aggregate, indices } => {
                return extract(value(self, aggregate)?, indices);
            }
            Computation::InsertValue { aggregate, element, indices } => {
                let (whole, element) = (value(self, aggregate)?, value(self, element)?);
                return insert(whole, element, indices);
            }
            Computation::ExtractElement { .. }
            | Computation::InsertElement { .. }
            | Computation::ShuffleVector { .. } => {
                return Err(ExecutionError::unsupported("vectors"));
            }
        };
        Ok(RegisterValue::Term(term))
    }

    fn integer(&mut self, op: IntegerOp, left: Term, right: Term) -> Term {
        let terms = &mut self.terms;
        match op {
            IntegerOp::Add => terms.add(left, right),
            IntegerOp::Sub => terms.sub(left, right),
            IntegerOp::Mul => terms.mul(left, right),
            IntegerOp::UDiv => terms.udiv(left, right),
            IntegerOp::SDiv => terms.sdiv(left, right),
            IntegerOp::URem => terms.urem(left, right),
            IntegerOp::SRem => terms.srem(left, right),
            IntegerOp::Shl => terms.shl(left, right),
            IntegerOp::LShr => terms.lshr(left, right),
            IntegerOp::AShr => terms.ashr(left, right),
            IntegerOp::And => terms.and(left, right),
            IntegerOp::Or => terms.or(left, right),
            IntegerOp::Xor => terms.xor(left, right),
        }
    }

    fn float(&mut self, op: FloatOp, left: Term, right: Term) -> Result<Term, ExecutionError> {
        let terms = &mut self.terms;
        Ok(match op {
            FloatOp::Add => terms.fadd(left, right),
            FloatOp::Sub => terms.fsub(left, right),
            FloatOp::Mul => terms.fmul(left, right),
            FloatOp::Div => terms.fdiv(left, right),
            FloatOp::Rem => return Err(ExecutionError::unsupported("the remainder of floats")),
        })
    }

    pub(super) fn compare(
        &mut self,
        predicate: IntegerPredicate,
        left: Term,
        right: Term,
    ) -> Result<Term, ExecutionError> {
        if self.terms.is_address(left) || self.terms.is_address(right) {
            return self.compare_pointers(predicate, left, right);
        }
        let terms = &mut self.terms;
        Ok(match predicate {
            IntegerPredicate::Eq => terms.eq(left, right),
            IntegerPredicate::Ne => terms.ne(left, right),
            IntegerPredicate::Ugt => terms.ult(right, left),
            IntegerPredicate::Uge => terms.ule(right, left),
            IntegerPredicate::Ult => terms.ult(left, right),
            IntegerPredicate::Ule => terms.ule(left, right),
            IntegerPredicate::Sgt => terms.slt(right, left),
            IntegerPredicate::Sge => terms.sle(right, left),
            IntegerPredicate::Slt => terms.slt(left, right),
            IntegerPredicate::Sle => terms.sle(left, right),
        })
    }

    /// Within one object by offset; pointers to different objects are not equal, and have no order.
    fn compare_pointers(
        &mut self,
        predicate: IntegerPredicate,
        left: Term,
        right: Term,
    ) -> Result<Term, ExecutionError> {
        let (ones, others) = (resolve(&mut self.terms, left)?, resolve(&mut self.terms, right)?);
        let mut result = self.terms.truth(false);
        for one in &ones {
            for other in &others {
                let when = self.terms.and(one.when, other.when);
                if self.terms.as_constant(when) == Some(0) {
                    continue;
                }
                let holds = if one.object == other.object {
                    // Offsets may be negative, and wrap in no object.
                    let predicate = match predicate {
                        IntegerPredicate::Ugt => IntegerPredicate::Sgt,
                        IntegerPredicate::Uge => IntegerPredicate::Sge,
                        IntegerPredicate::Ult => IntegerPredicate::Slt,
                        IntegerPredicate::Ule => IntegerPredicate::Sle,
                        other => other,
                    };
                    self.compare(predicate, one.offset, other.offset)?
                } else {
                    match predicate {
                        IntegerPredicate::Eq => self.terms.truth(false),
                        IntegerPredicate::Ne => self.terms.truth(true),
                        _ => return Err(ExecutionError::unsupported("the order of pointers to different objects")),
                    }
                };
                let both = self.terms.and(when, holds);
                result = self.terms.or(result, both);
            }
        }
        Ok(result)
    }

    fn compare_floats(&mut self, predicate: FloatPredicate, left: Term, right: Term) -> Term {
        let (one, other) = (self.terms.is_nan(left), self.terms.is_nan(right));
        let unordered = self.terms.or(one, other);
        let ordered = self.terms.not(unordered);
        let terms = &mut self.terms;
        match predicate {
            FloatPredicate::False => terms.truth(false),
            FloatPredicate::True => terms.truth(true),
            FloatPredicate::Ord => ordered,
            FloatPredicate::Uno => unordered,
            FloatPredicate::Oeq => terms.feq(left, right),
            FloatPredicate::Ogt => terms.flt(right, left),
            FloatPredicate::Oge => terms.fle(right, left),
            FloatPredicate::Olt => terms.flt(left, right),
            FloatPredicate::Ole => terms.fle(left, right),
            FloatPredicate::One => {
                let equal = terms.feq(left, right);
                let differ = terms.not(equal);
                terms.and(ordered, differ)
            }
            FloatPredicate::Une => {
                let equal = terms.feq(left, right);
                terms.not(equal)
            }
            FloatPredicate::Ueq
            | FloatPredicate::Ugt
            | FloatPredicate::Uge
            | FloatPredicate::Ult
            | FloatPredicate::Ule => {
                let holds = match predicate {
                    FloatPredicate::Ueq => terms.feq(left, right),
                    FloatPredicate::Ugt => terms.flt(right, left),
                    FloatPredicate::Uge => terms.fle(right, left),
                    FloatPredicate::Ult => terms.flt(left, right),
                    _ => terms.fle(left, right),
                };
                terms.or(unordered, holds)
            }
        }
    }

    fn cast(&mut self, cast: Cast, from: &Type, operand: Term, to: &Type) -> Result<Term, ExecutionError> {
        let (width, before) = (self.width(to)?, self.width(from)?);
        let terms = &mut self.terms;
        Ok(match cast {
            Cast::Trunc => terms.extract(operand, 0, width),
            Cast::ZExt => terms.zext(operand, width),
            Cast::SExt => terms.sext(operand, width),
            Cast::FpTrunc | Cast::FpExt => terms.fconvert(operand, width),
            Cast::FpToSi => terms.to_signed(operand, width),
            Cast::FpToUi => terms.to_unsigned(operand, width),
            Cast::SiToFp => terms.from_signed(operand, width),
            Cast::UiToFp => terms.from_unsigned(operand, width),
            Cast::PtrToInt | Cast::IntToPtr if width == before => operand,
            Cast::PtrToInt | Cast::IntToPtr => return Err(ExecutionError::unsupported("a part of an address")),
            Cast::BitCast => operand,
        })
    }

    fn element_address(
        &mut self,
        address: &GetElementPointer,
        term: &mut dyn FnMut(&mut Self, &Operand) -> Result<Term, ExecutionError>,
    ) -> Result<Term, ExecutionError> {
        let mut sum = term(self, &address.base)?;
        for index in &address.indices {
            let step = match index {
                Index::Field { offset, .. } => self.terms.constant(u128::from(*offset), 64),
                Index::Element { index, stride } => {
                    let index = term(self, index)?;
                    let wide = match self.terms.width(index) {
                        64 => index,
                        width if width < 64 => self.terms.sext(index, 64),
                        _ => return Err(ExecutionError::unsupported("an index of more than 64 bits")),
                    };
                    let stride = self.terms.constant(u128::from(*stride), 64);
                    self.terms.mul(wide, stride)
                }
            };
            sum = self.terms.add(sum, step);
        }
        Ok(sum)
    }

    fn allocate(
        &mut self,
        state: &mut PathState,
        ty: &Type,
        count: &Operand,
        locals: &mut Vec<ObjectId>,
    ) -> Result<RegisterValue, ExecutionError> {
        let count = self.term(state, count)?;
        let count =
            self.terms.as_constant(count).ok_or_else(|| ExecutionError::unsupported("an array of variable length"))?;
        let size = self.module.layout.size(ty).and_then(|size| size.checked_mul(u64::try_from(count).ok()?));
        let size = size.filter(|size| *size <= LARGEST_LOCAL).ok_or(ExecutionError::Limit("a large local variable"))?;
        let id = self.new_object();
        let object = self.unwritten(size);
        state.memory.add(id, object);
        locals.push(id);
        Ok(RegisterValue::Term(self.address(id)))
    }

    /// The objects and offsets of an access. If there are none, the behaviour is undefined.
    pub(super) fn places(
        &mut self,
        state: &mut PathState,
        address: Term,
        size: u64,
    ) -> Result<Vec<Accessed>, ExecutionError> {
        let mut places = Vec::new();
        let mut wrong = self.terms.truth(false);
        for PointerTarget { when, object, offset } in resolve(&mut self.terms, address)? {
            let length = object.and_then(|object| state.memory.object(object)).map(|object| object.cells.len() as u64);
            let (Some(object), Some(last)) = (object, length.and_then(|length| length.checked_sub(size))) else {
                wrong = self.terms.or(wrong, when);
                continue;
            };
            let choices = self.offsets(offset, last)?;
            let mut inside = self.terms.truth(false);
            for (is_it, _) in &choices {
                inside = self.terms.or(inside, *is_it);
            }
            let outside = self.terms.not(inside);
            let outside = self.terms.and(when, outside);
            wrong = self.terms.or(wrong, outside);
            places.push(Accessed { when, object, choices });
        }
        let undefined = self.terms.and(state.when, wrong);
        self.undefined_when(undefined);
        let right = self.terms.not(wrong);
        state.when = self.terms.and(state.when, right);
        Ok(places)
    }

    /// The possible offsets up to a maximum, each with its condition.
    fn offsets(&mut self, offset: Term, last: u64) -> Result<Vec<(Term, u64)>, ExecutionError> {
        if let Some(value) = self.terms.as_constant(offset) {
            let yes = self.terms.truth(true);
            let value = u64::try_from(value).unwrap_or(u64::MAX);
            return Ok(if value <= last { vec![(yes, value)] } else { Vec::new() });
        }
        let step = 1_u64 << self.terms.trailing_zeros(offset).min(12);
        if last / step > MOST_OFFSETS {
            return Err(ExecutionError::Limit("an access that may be anywhere in a large object"));
        }
        let mut choices = Vec::new();
        let mut at = 0;
        while at <= last {
            let here = self.terms.constant(u128::from(at), 64);
            let is_it = self.terms.eq(offset, here);
            if self.terms.as_constant(is_it) != Some(0) {
                choices.push((is_it, at));
            }
            at += step;
        }
        Ok(choices)
    }

    pub(super) fn load(
        &mut self,
        state: &mut PathState,
        address: Term,
        ty: &Type,
    ) -> Result<RegisterValue, ExecutionError> {
        if let Type::Struct(_) | Type::Array(_) = ty {
            return self.load_parts(state, address, ty);
        }
        let width = self.width(ty)?;
        let size = u64::from(width.div_ceil(8));
        let cells = self.read(state, address, size)?;
        let mut is_written = self.terms.truth(true);
        for cell in &cells {
            is_written = self.terms.and(is_written, cell.is_written);
        }
        let not = self.terms.not(is_written);
        let undefined = self.terms.and(state.when, not);
        self.undefined_when(undefined);
        state.when = self.terms.and(state.when, is_written);
        let whole = self.whole(&cells);
        let whole = if self.terms.width(whole) > width { self.terms.extract(whole, 0, width) } else { whole };
        Ok(RegisterValue::Term(whole))
    }

    fn load_parts(&mut self, state: &mut PathState, address: Term, ty: &Type) -> Result<RegisterValue, ExecutionError> {
        let mut parts = Vec::new();
        for (offset, part) in self.part_types(ty)? {
            let offset = self.terms.constant(u128::from(offset), 64);
            let at = self.terms.add(address, offset);
            parts.push(self.load(state, at, &part)?);
        }
        Ok(RegisterValue::Aggregate(parts.into()))
    }

    fn part_types(&self, ty: &Type) -> Result<Vec<(u64, Type)>, ExecutionError> {
        let layout = &self.module.layout;
        match ty {
            Type::Struct(structure) => {
                let offset = |at: usize| layout.offset(structure, at as u32).unwrap_or(0);
                Ok(structure.fields.iter().enumerate().map(|(at, field)| (offset(at), field.clone())).collect())
            }
            Type::Array(array) if array.count <= 64 => {
                let step = layout.size(&array.element).unwrap_or(0);
                Ok((0..array.count).map(|at| (at * step, array.element.clone())).collect())
            }
            _ => Err(ExecutionError::unsupported("a large value")),
        }
    }

    pub(super) fn read(
        &mut self,
        state: &mut PathState,
        address: Term,
        size: u64,
    ) -> Result<Vec<Cell>, ExecutionError> {
        let places = self.places(state, address, size)?;
        let mut result: Option<Vec<Cell>> = None;
        for Accessed { when, object, choices } in places {
            for (is_it, at) in choices {
                let object = state.memory.object(object).expect("it is one of those that are there");
                let cells = object.cells[at as usize..(at + size) as usize].to_vec();
                let here = self.terms.and(when, is_it);
                result = Some(match result {
                    None => cells,
                    Some(others) => {
                        let both = cells.into_iter().zip(others);
                        both.map(|(cell, other)| Cell::chosen(&mut self.terms, here, cell, other)).collect()
                    }
                });
            }
        }
        // There is nothing to read; this was recorded above.
        Ok(result.unwrap_or_else(|| {
            let value = self.terms.constant(0, 8);
            vec![self.written(value); size as usize]
        }))
    }

    pub(super) fn store(
        &mut self,
        state: &mut PathState,
        address: Term,
        ty: &Type,
        value: &RegisterValue,
    ) -> Result<(), ExecutionError> {
        match value {
            RegisterValue::Aggregate(parts) => {
                for ((offset, ty), part) in self.part_types(ty)?.into_iter().zip(parts.iter()) {
                    let offset = self.terms.constant(u128::from(offset), 64);
                    let at = self.terms.add(address, offset);
                    self.store(state, at, &ty, part)?;
                }
                Ok(())
            }
            RegisterValue::Term(term) => {
                let size = u64::from(self.width(ty)?.div_ceil(8));
                let cells = self.cells(*term, size);
                self.write(state, address, &cells)
            }
        }
    }

    pub(super) fn write(&mut self, state: &mut PathState, address: Term, cells: &[Cell]) -> Result<(), ExecutionError> {
        let places = self.places(state, address, cells.len() as u64)?;
        for Accessed { when, object: id, choices } in places {
            let object = state.memory.object(id).expect("it is one of those that are there");
            if object.is_constant {
                let undefined = self.terms.and(state.when, when);
                self.undefined_when(undefined);
                let not = self.terms.not(when);
                state.when = self.terms.and(state.when, not);
                continue;
            }
            let mut changed = object.cells.clone();
            for (is_it, at) in choices {
                let here = self.terms.and(when, is_it);
                for (index, cell) in cells.iter().enumerate() {
                    let position = at as usize + index;
                    changed[position] = Cell::chosen(&mut self.terms, here, *cell, changed[position]);
                }
            }
            if let Some(object) = state.memory.object_mut(id) {
                object.cells = changed;
            }
        }
        Ok(())
    }
}

/// The part of an aggregate at these indices.
fn extract(whole: RegisterValue, indices: &[u32]) -> Result<RegisterValue, ExecutionError> {
    let mut part = whole;
    for index in indices {
        let RegisterValue::Aggregate(parts) = &part else {
            return Err(ExecutionError::unsupported("a part of no whole"));
        };
        part = parts[*index as usize].clone();
    }
    Ok(part)
}

fn insert(whole: RegisterValue, element: RegisterValue, indices: &[u32]) -> Result<RegisterValue, ExecutionError> {
    let Some((first, rest)) = indices.split_first() else { return Ok(element) };
    let RegisterValue::Aggregate(parts) = whole else { return Err(ExecutionError::unsupported("a part of no whole")) };
    let mut parts = parts.to_vec();
    parts[*first as usize] = insert(parts[*first as usize].clone(), element, rest)?;
    Ok(RegisterValue::Aggregate(parts.into()))
}

/// A possible object of an access.
pub(super) struct Accessed {
    when: Term,
    object: ObjectId,
    /// The offsets in it, each with its condition.
    choices: Vec<(Term, u64)>,
}

const LARGEST_LOCAL: u64 = 16 << 10;
/// The greatest number of choices of an access.
const MOST_OFFSETS: u64 = 512;
