//! Follows types down to the numbers in them.

use super::super::fresh::{is_allocating, Heap, TypedRoot, REFUSALS};
use super::super::stub::{self, Answers, Stub, CALLS, WORDS};
use super::{
    Layout, Leaf, LeafKind, Link, Object, ObjectKind, Unsupported, DEEPEST, LARGEST_GLOBAL, MOST_BYTES, MOST_LEAVES,
};
use crate::contract::{Contract, Given, Size};
use perturb_csrc::{CType, Field, Shape, Signature, Signatures, TypeId};
use std::collections::BTreeSet;

pub(super) struct Maker<'m> {
    pub signatures: &'m Signatures,
    pub contract: &'m Contract,
    pub layout: Layout,
    pub depth: usize,
    /// Pointers that can be seen afterwards.
    pub roots: Vec<TypedRoot>,
    pub is_allocating: bool,
}

/// Where a value is.
#[derive(Clone)]
struct Spot {
    name: String,
    object: usize,
    offset: u64,
    is_element: bool,
    given: Given,
}

impl Maker<'_> {
    fn ty(&self, id: TypeId) -> &CType {
        self.signatures.ty(id)
    }

    pub fn arguments(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for parameter in &signature.parameters {
            let size = self.size_of(parameter.ty);
            can_be_made(&parameter.name, size)?;
            self.object(parameter.name.clone(), size, ObjectKind::Argument(parameter.ty));
        }
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let contract = self.contract.parameter(index);
            let given = contract.value;
            let spot = Spot { name: parameter.name.clone(), object: index, offset: 0, is_element: false, given };
            let Some(to) = self.pointee(parameter.ty) else {
                let given = self.counted(signature, index).unwrap_or(given);
                self.value(parameter.ty, Spot { given, ..spot })?;
                continue;
            };
            let by_default = u64::from(self.contract.array_size());
            let count = match contract.size {
                Some(Size::Elements(count)) => u64::from(count),
                Some(Size::Parameter(_)) => by_default,
                None => parameter.count.unwrap_or(by_default),
            };
            self.pointer(to, spot, count, contract.is_nullable)?;
            if let Some(other) = contract.alias {
                self.alias(signature, index, other)?;
            }
        }
        Ok(())
    }

    /// A parameter may point where one before it does.
    fn alias(&mut self, signature: &Signature, index: usize, other: String) -> Result<(), Unsupported> {
        let name = signature.parameters[index].name.clone();
        let before = signature.parameters[..index].iter().position(|parameter| parameter.name == other);
        let link_of = |layout: &Layout, object| layout.links.iter().position(|link| link.object == object);
        let target = before.and_then(|object| self.layout.links[link_of(&self.layout, object)?].target);
        let (Some(target), Some(own)) = (target, link_of(&self.layout, index)) else {
            return Err(Unsupported::Alias { name, other });
        };
        let leaf = self.choice(format!("{name} == {other}"), index, 0);
        self.layout.links[own].alias = Some((target, leaf));
        Ok(())
    }

    /// A leaf that says which way a pointer leads.
    fn choice(&mut self, name: String, object: usize, offset: u64) -> usize {
        let kind = LeafKind::Choice;
        self.layout.leaves.push(Leaf { name, kind, size: 1, object, offset, is_element: false, range: None });
        self.layout.leaves.len() - 1
    }

    /// What a parameter may be that says how many elements there are behind another one.
    fn counted(&self, signature: &Signature, index: usize) -> Option<Given> {
        let name = &signature.parameters[index].name;
        let is_counted = |of: &&crate::contract::ParameterContract| of.size == Some(Size::Parameter(name.clone()));
        let found = self.contract.parameters.iter().find(is_counted)?;
        let own = self.contract.parameter(index).value;
        let most = i128::from(self.contract.array_size());
        (found.size.is_some() && own == Given::Any).then_some(Given::Range { low: 0, high: most })
    }

    pub fn globals(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for global in &signature.globals {
            if !global.is_defined {
                if !global.can_be_defined || self.size_of(global.ty) == 0 {
                    return Err(Unsupported::Elsewhere(global.name.clone()));
                }
                self.layout.elsewhere.push(global.name.clone());
            }
            self.global(&global.name, global.ty)?;
        }
        Ok(())
    }

    /// A variable is an input, and can be seen afterwards.
    fn global(&mut self, name: &str, ty: TypeId) -> Result<(), Unsupported> {
        let size = self.size_of(ty);
        can_be_made(name, size)?;
        let object = self.object(name.to_string(), size, ObjectKind::Global);
        let spot = Spot { name: name.to_string(), object, offset: 0, is_element: false, given: Given::Any };
        if size > LARGEST_GLOBAL {
            self.layout.assumptions.push(format!("{name} is as it is initialised"));
            self.bytes(&spot, size, false);
            return Ok(());
        }
        self.value(ty, spot)
    }

    fn object(&mut self, name: String, size: u64, kind: ObjectKind) -> usize {
        self.layout.objects.push(Object { name, size, kind });
        self.layout.objects.len() - 1
    }

    /// What functions keep from call to call is an input like all variables: any state that there may be.
    pub fn statics(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for (at, variable) in signature.statics.iter().enumerate() {
            let name = &variable.name;
            let is_taken = signature.globals.iter().any(|global| global.name == *name)
                || signature.statics[..at].iter().any(|other| other.name == *name);
            if is_taken || variable.written.is_none() {
                return Err(Unsupported::Memory { name: name.clone(), line: variable.line });
            }
            self.global(name, variable.ty)?;
            self.layout.statics.push(variable.clone());
        }
        Ok(())
    }

    pub fn result(&mut self, ty: TypeId) -> Result<(), Unsupported> {
        let mut inner = Maker {
            signatures: self.signatures,
            contract: self.contract,
            layout: Layout::default(),
            depth: DEEPEST,
            roots: Vec::new(),
            is_allocating: false,
        };
        let name = "the result".to_string();
        can_be_made(&name, self.size_of(ty))?;
        if self.ty(ty).shape != Shape::Void {
            inner.value(ty, Spot { name, object: usize::MAX, offset: 0, is_element: false, given: Given::Any })?;
        }
        self.layout.result = inner.layout.views;
        self.roots.splice(0..0, inner.roots);
        Ok(())
    }

    fn size_of(&self, id: TypeId) -> u64 {
        match self.ty(id).shape {
            Shape::Pointer { .. } => 8,
            _ => self.ty(id).size,
        }
    }

    /// What a parameter points to; an array as a parameter is a pointer.
    fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.ty(id).shape {
            Shape::Pointer { to } => Some(to),
            _ => None,
        }
    }

    fn value(&mut self, id: TypeId, spot: Spot) -> Result<(), Unsupported> {
        let ty = self.ty(id);
        if ty.is_volatile {
            return Err(Unsupported::Volatile(spot.name));
        }
        let size = ty.size as u32;
        match ty.shape.clone() {
            Shape::Bool => self.leaf(LeafKind::Bool, 1, &spot),
            Shape::Integer { signed } | Shape::Enum { signed, .. } if size <= 8 => {
                self.leaf(if signed { LeafKind::Signed } else { LeafKind::Unsigned }, size, &spot)
            }
            Shape::Float => self.leaf(LeafKind::Float, size, &spot),
            Shape::Pointer { to } => self.pointer(to, spot, 1, true),
            Shape::Array { of, count } => {
                let step = self.size_of(of);
                for at in 0..count.min(MOST_LEAVES as u64 + 1) {
                    let name = format!("{}[{at}]", spot.name);
                    self.value(of, Spot { name, offset: spot.offset + at * step, is_element: true, ..spot.clone() })?;
                }
                Ok(())
            }
            Shape::Struct { fields } => self.fields(&fields, &spot),
            Shape::Union { fields } if !fields.iter().any(|field| self.holds_pointer(field.ty)) => {
                let size = ty.size;
                self.bytes(&spot, size, true);
                Ok(())
            }
            _ => Err(Unsupported::Type { what: spot.name, ty: self.ty(id).spelling.clone() }),
        }
    }

    fn fields(&mut self, fields: &[Field], spot: &Spot) -> Result<(), Unsupported> {
        let mut written: Option<u64> = None;
        for field in fields {
            let name = match field.name.as_str() {
                "" => spot.name.clone(),
                name => format!("{}.{name}", spot.name),
            };
            let offset = spot.offset + field.offset_bits / 8;
            match field.bits {
                None => self.value(field.ty, Spot { name, offset, is_element: false, ..spot.clone() })?,
                Some(0) => {}
                Some(bits) => {
                    // Bit-fields share bytes: each of these once.
                    let last = spot.offset + (field.offset_bits + u64::from(bits) - 1) / 8;
                    for at in offset..=last {
                        if written.is_none_or(|written| at > written) {
                            let byte = Spot {
                                name: format!("{name} (byte {at})"),
                                offset: at,
                                is_element: false,
                                ..spot.clone()
                            };
                            self.leaf(LeafKind::Unsigned, 1, &byte)?;
                            written = Some(at);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn holds_pointer(&self, id: TypeId) -> bool {
        match &self.ty(id).shape {
            Shape::Pointer { .. } | Shape::Other => true,
            Shape::Array { of, .. } => self.holds_pointer(*of),
            Shape::Struct { fields } | Shape::Union { fields } => {
                fields.iter().any(|field| self.holds_pointer(field.ty))
            }
            _ => false,
        }
    }

    fn leaf(&mut self, kind: LeafKind, size: u32, spot: &Spot) -> Result<(), Unsupported> {
        let range = match (spot.given, kind) {
            (Given::Any, _) => None,
            (Given::Integer(value), LeafKind::Signed | LeafKind::Unsigned | LeafKind::Bool) => Some((value, value)),
            (Given::Range { low, high }, LeafKind::Signed | LeafKind::Unsigned | LeafKind::Bool) => Some((low, high)),
            (Given::Integer(value), LeafKind::Float) => Some(float_range(value as f64, size)),
            (Given::Float(bits), LeafKind::Float) => Some(float_range(f64::from_bits(bits), size)),
            _ => return Err(Unsupported::Contract(spot.name.clone())),
        };
        if let Some((low, high)) = range.filter(|range| !holds(kind, size, *range)) {
            return Err(Unsupported::Range { name: spot.name.clone(), low, high });
        }
        let (name, object, offset, is_element) = (spot.name.clone(), spot.object, spot.offset, spot.is_element);
        let leaf = Leaf { name, kind, size, object, offset, is_element, range };
        let is_argument = matches!(self.layout.objects.get(object), Some(Object { kind: ObjectKind::Argument(_), .. }));
        if !is_argument {
            self.layout.views.push(Leaf { range: None, ..leaf.clone() });
        }
        self.layout.leaves.push(leaf);
        Ok(())
    }

    /// Raw memory.
    fn bytes(&mut self, spot: &Spot, size: u64, is_input: bool) {
        for at in 0..size {
            let (name, offset) = (format!("{} (byte {at})", spot.name), spot.offset + at);
            let (kind, object) = (LeafKind::Unsigned, spot.object);
            let leaf = Leaf { name, kind, size: 1, object, offset, is_element: true, range: None };
            self.layout.views.push(leaf.clone());
            if is_input {
                self.layout.leaves.push(leaf);
            }
        }
    }

    fn pointer(&mut self, to: TypeId, spot: Spot, count: u64, is_nullable: bool) -> Result<(), Unsupported> {
        let (object, offset) = (spot.object, spot.offset);
        let is_parameter =
            matches!(self.layout.objects.get(object), Some(Object { kind: ObjectKind::Argument(_), .. }));
        if !is_parameter {
            let name = spot.name.clone();
            self.roots.push(TypedRoot { name: name.clone(), object, offset, to });
            let (kind, is_element) = (LeafKind::Pointer, false);
            self.layout.views.push(Leaf { name, kind, size: 8, object, offset, is_element, range: None });
        }
        let is_global = matches!(self.layout.objects.get(object), Some(Object { kind: ObjectKind::Global, .. }));
        if object == usize::MAX {
            return Ok(());
        }
        if is_global {
            self.layout.assumptions.push(format!("{} points where it is initialised to", spot.name));
            return Ok(());
        }
        if self.depth >= DEEPEST {
            self.layout.assumptions.push(format!("{} is null", spot.name));
            self.layout.links.push(Link { object, offset, target: None, null: None, alias: None });
            return Ok(());
        }
        let null = is_nullable.then(|| self.choice(format!("{} == NULL", spot.name), object, offset));
        let shape = self.ty(to).shape.clone();
        if let Shape::Function { .. } = shape {
            let target = match self.allocator(to, object) {
                Some(symbol) => self.allocating(symbol, &spot.name),
                None => self.callback(to, &spot.name)?,
            };
            self.layout.links.push(Link { object, offset, target: Some(target), null, alias: None });
            return Ok(());
        }
        let (step, name) = (self.size_of(to), format!("*{}", spot.name));
        let size = if shape == Shape::Void { count } else { step.saturating_mul(count) };
        can_be_made(&name, size)?;
        let target = self.object(name, size, ObjectKind::Pointed);
        self.layout.links.push(Link { object, offset, target: Some(target), null, alias: None });
        self.depth += 1;
        let pointed = Spot { object: target, offset: 0, is_element: true, ..spot };
        match shape {
            Shape::Void => self.bytes(&pointed, count, true),
            // Nobody can look behind it.
            Shape::Other if step == 0 => {}
            _ => {
                for at in 0..count {
                    let name =
                        if count == 1 { format!("*{}", pointed.name) } else { format!("{}[{at}]", pointed.name) };
                    self.value(to, Spot { name, offset: at * step, ..pointed.clone() })?;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }
}

/// Functions that stand in for others.
impl Maker<'_> {
    pub fn externals(&mut self, signature: &Signature, linked: &BTreeSet<String>) -> Result<(), Unsupported> {
        self.is_allocating |= linked.iter().any(|name| is_allocating(name));
        for external in &signature.externals {
            let name = &external.name;
            if is_allocating(name) {
                self.is_allocating = true;
                continue;
            }
            if stub::is_known(name) || linked.contains(name) {
                continue;
            }
            let refuse = |why| Unsupported::External { name: name.clone(), why };
            if stub::is_beyond(name) {
                return Err(refuse("it does what no function can"));
            }
            let symbol = format!("perturb_stub_{}", self.layout.stubs.len());
            let stub = Stub { returns: external.returns, ..self.stub(external.ty, name, symbol).map_err(refuse)? };
            if !stub.is_errno() {
                self.layout.assumptions.push(stub.assumption());
            }
            self.layout.stubs.push(stub);
        }
        Ok(())
    }

    /// What a pointer to a function leads to.
    fn callback(&mut self, ty: TypeId, name: &str) -> Result<usize, Unsupported> {
        let symbol = format!("perturb_stub_{}", self.layout.stubs.len());
        let refuse = |_| Unsupported::Type { what: name.to_string(), ty: self.signatures.ty(ty).spelling.clone() };
        let stub = self.stub(ty, name, symbol.clone());
        let stub = Stub { is_callback: true, ..stub.map_err(refuse)? };
        self.layout.assumptions.push(stub.assumption());
        self.layout.stubs.push(stub);
        Ok(self.object(symbol, 0, ObjectKind::Function))
    }

    /// The function of the driver that one in a pointer of an object is taken for, by what it takes and gives.
    fn allocator(&self, ty: TypeId, object: usize) -> Option<&'static str> {
        let Shape::Function { result, parameters, is_variadic: false } = &self.ty(ty).shape else { return None };
        let is_void = |id: TypeId| self.ty(id).shape == Shape::Void;
        let is_address = |id: &TypeId| self.pointee(*id).is_some_and(is_void);
        let is_size = |id: &TypeId| self.ty(*id).shape == Shape::Integer { signed: false } && self.ty(*id).size == 8;
        let is_beside = |symbol: &str| {
            let targets = self.layout.links.iter().filter(|link| link.object == object).filter_map(|link| link.target);
            targets.into_iter().any(|target| self.layout.objects[target].name == symbol)
        };
        match parameters.as_slice() {
            [size] if is_address(result) && is_size(size) => Some("perturb_malloc"),
            [start, size] if is_address(result) && is_address(start) && is_size(size) => Some("perturb_realloc"),
            // Many functions take an address: beside one that allocates, it frees.
            [start] if is_void(*result) && is_address(start) && is_beside("perturb_malloc") => Some("perturb_free"),
            _ => None,
        }
    }

    fn allocating(&mut self, symbol: &str, name: &str) -> usize {
        self.is_allocating = true;
        self.layout.assumptions.push(format!("{name} does what {} does", symbol.trim_start_matches("perturb_")));
        let known = self.layout.objects.iter().position(|object| object.name == symbol);
        known.unwrap_or_else(|| self.object(symbol.to_string(), 0, ObjectKind::Function))
    }

    fn stub(&mut self, ty: TypeId, name: &str, symbol: String) -> Result<Stub, &'static str> {
        let Shape::Function { result, parameters, is_variadic: false } = self.ty(ty).shape.clone() else {
            return Err("its arguments are not known");
        };
        let (name, is_callback) = (name.to_string(), false);
        let mut stub =
            Stub { name, symbol, result, parameters, is_callback, returns: true, answers: None, writes: Vec::new() };
        if stub.is_errno() {
            let to = self.made("errno".to_string(), 4, 1, |maker, spot| maker.leaf(LeafKind::Signed, 4, &spot))?;
            stub.answers = Some(Answers::Errno(to));
            return Ok(stub);
        }
        let called = format!("{}()", stub.name);
        stub.answers = match self.ty(result).shape.clone() {
            Shape::Void => None,
            Shape::Pointer { to } => {
                let is_null = format!("{called} == NULL");
                let nulls = self.made(is_null, 1, CALLS, |maker, spot| maker.leaf(LeafKind::Bool, 1, &spot))?;
                Some(Answers::Pointers { nulls, to: self.answer(to, format!("*{called}"))? })
            }
            _ => Some(Answers::Values(self.answer(result, called.clone())?)),
        };
        for (index, parameter) in stub.parameters.clone().into_iter().enumerate() {
            if let Some(to) = self.pointee(parameter).filter(|to| self.is_written_through(*to)) {
                let object = self.answer(to, format!("what {called} writes to its argument {}", index + 1))?;
                stub.writes.push((index, object));
            }
        }
        Ok(stub)
    }

    /// What comes out of each call.
    fn answer(&mut self, ty: TypeId, name: String) -> Result<usize, &'static str> {
        match (&self.ty(ty).shape, self.size_of(ty)) {
            (Shape::Void | Shape::Function { .. }, _) => Err("what it returns has no size"),
            // Nobody can look behind it.
            (_, 0) => Ok(self.object(format!("perturb_object_{}", self.layout.objects.len()), CALLS, ObjectKind::Made)),
            (_, size) => self.made(name, size, CALLS, |maker, spot| maker.value(ty, spot)),
        }
    }

    /// An object of the glue's, with so many values of one kind.
    fn made(
        &mut self,
        name: String,
        size: u64,
        count: u64,
        mut put: impl FnMut(&mut Self, Spot) -> Result<(), Unsupported>,
    ) -> Result<usize, &'static str> {
        can_be_made(&name, size.saturating_mul(count)).map_err(|_| "what it gives is too large")?;
        let object =
            self.object(format!("perturb_object_{}", self.layout.objects.len()), size * count, ObjectKind::Made);
        for at in 0..count {
            let name = if count == 1 { name.clone() } else { format!("{name} in call {}", at + 1) };
            let spot = Spot { name, object, offset: at * size, is_element: false, given: Given::Any };
            put(self, spot).map_err(|_| "no value can be made up for what it gives")?;
        }
        Ok(object)
    }

    /// Numbers, and what is made of nothing else, are. Of characters there are many behind a pointer, and nobody knows how many.
    fn is_written_through(&self, to: TypeId) -> bool {
        let ty = self.ty(to);
        let is_number = match ty.shape {
            Shape::Integer { .. } => ty.size > 1,
            Shape::Float | Shape::Bool | Shape::Enum { .. } => true,
            Shape::Struct { .. } => !self.holds_pointer(to),
            _ => false,
        };
        is_number && !ty.is_const && !ty.is_volatile && ty.size > 0
    }

    /// Pointers may lead to constants of the program.
    fn constants(&mut self, roots: Vec<TypedRoot>) {
        if !roots.is_empty() {
            self.layout.heap = Some(Heap::of(self.signatures, roots, false));
            let counts = "what a pointer to a constant leads to counts, and not which constant it is";
            self.layout.assumptions.push(counts.to_string());
        }
    }

    /// Memory that is allocated can be seen afterwards, and any allocation may fail.
    pub fn heap(&mut self) {
        let roots = std::mem::take(&mut self.roots);
        if !self.is_allocating {
            self.constants(roots);
            return;
        }
        let (name, kind, range) = ("the allocation that fails".to_string(), LeafKind::Refusal, Some((0, REFUSALS)));
        let leaf = Leaf { name, kind, size: 1, object: usize::MAX, offset: 0, is_element: false, range };
        self.layout.leaves.push(leaf);
        self.layout.heap = Some(Heap::of(self.signatures, roots, true));
        self.layout
            .assumptions
            .push(format!("no more than one allocation of memory fails, and none behind the first {REFUSALS}"));
        if self.layout.objects.iter().any(|object| object.kind == ObjectKind::Pointed) {
            self.layout.assumptions.push("what it is given may be freed".to_string());
        }
    }

    /// What functions that stand in for others were given can be seen afterwards.
    pub fn trace(&mut self) {
        if self.layout.stubs.is_empty() {
            return;
        }
        let calls = self.object("perturb_calls".to_string(), 4 * self.layout.stubs.len() as u64, ObjectKind::Made);
        for (at, stub) in self.layout.stubs.iter().enumerate() {
            let (name, kind, offset) = (format!("calls of {}", stub.name), LeafKind::Unsigned, 4 * at as u64);
            let leaf = Leaf { name, kind, size: 4, object: calls, offset, is_element: false, range: None };
            self.layout.views.push(leaf);
        }
        let trace = self.object("perturb_trace".to_string(), 8 * (WORDS + 1), ObjectKind::Made);
        for at in 0..=WORDS {
            let name = if at == 0 { "calls: words".to_string() } else { format!("calls: word {at}") };
            let (kind, object, offset) = (LeafKind::Unsigned, trace, 8 * at);
            self.layout.views.push(Leaf { name, kind, size: 8, object, offset, is_element: false, range: None });
        }
        self.layout.trace = Some((trace, calls));
    }
}

/// What is too large is refused before anything is made for each number in it.
fn can_be_made(name: &str, size: u64) -> Result<(), Unsupported> {
    match size {
        0..=MOST_BYTES => Ok(()),
        _ => Err(Unsupported::Large { name: name.to_string(), size }),
    }
}

/// Whether all numbers from one to the other are values of such a leaf.
fn holds(kind: LeafKind, size: u32, (low, high): (i128, i128)) -> bool {
    let bits = 8 * size;
    let (lowest, highest) = match kind {
        LeafKind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        LeafKind::Unsigned => (0, (1 << bits) - 1),
        LeafKind::Bool => (0, 1),
        LeafKind::Float | LeafKind::Choice | LeafKind::Pointer | LeafKind::Refusal => return true,
    };
    low >= lowest && high <= highest
}

/// By the bits, which the driver copies.
fn float_range(value: f64, size: u32) -> (i128, i128) {
    let bits = if size == 4 { i128::from((value as f32).to_bits()) } else { i128::from(value.to_bits() as i64) };
    (bits, bits)
}
