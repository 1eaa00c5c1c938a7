//! Builds a layout: follows types down to the numbers in them.

use super::super::heap::{is_allocating, TypedRoot};
use super::super::stream::StreamMode;
use super::super::stub::{self, Answers, Stub, CALLS, ROOM};
use super::list;
use super::names::{element, general, member};
use super::union::{chosen_member, holds_pointer};
use super::{
    InputLimits, Layout, Leaf, LeafKind, Link, Object, ObjectKind, Others, Unsupported, Zeros, LARGEST_GLOBAL,
    MOST_BYTES, MOST_LEAVES, MOST_RESULT,
};
use crate::contract::{counted_by, counts, measures, named, Contract, PermittedValues, Size, ARRAY_SIZE};
use perturb_csrc::{CType, Field, Shape, Signature, Signatures, TypeId};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) struct Maker<'m> {
    pub signatures: &'m Signatures,
    pub contract: &'m Contract,
    pub layout: Layout,
    /// How streams are used.
    pub mode: StreamMode,
    reach: InputLimits,
    /// The number of pointers on the way to the current value.
    depth: usize,
    /// The number of stub symbols so far.
    symbols: usize,
    /// The observable pointers.
    pub roots: Vec<TypedRoot>,
    pub is_allocating: bool,
}

/// The position of a value.
#[derive(Clone)]
pub(super) struct Spot {
    pub name: String,
    pub object: usize,
    pub offset: u64,
    is_element: bool,
    pub given: PermittedValues,
    /// A number beside it is probably the number of elements behind it.
    is_counted: bool,
}

impl Spot {
    pub fn new(name: String, object: usize) -> Self {
        Self { name, object, offset: 0, is_element: false, given: PermittedValues::Any, is_counted: false }
    }
}

impl<'m> Maker<'m> {
    pub fn new(signatures: &'m Signatures, contract: &'m Contract, reach: InputLimits) -> Self {
        let (layout, mode, roots) = (Layout::default(), StreamMode::default(), Vec::new());
        Self { signatures, contract, layout, mode, reach, depth: 0, symbols: 0, roots, is_allocating: false }
    }
}

impl Maker<'_> {
    pub fn ty(&self, id: TypeId) -> &CType {
        self.signatures.ty(id)
    }

    pub fn arguments(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for parameter in &signature.parameters {
            let is_list = self.signatures.list(parameter.ty).is_some();
            let size = if is_list { list::WORDS * list::WORD_SIZE } else { self.size_of(parameter.ty) };
            can_be_made(&parameter.name, size)?;
            self.object(parameter.name.clone(), size, ObjectKind::Argument(parameter.ty));
        }
        // A pointer into the target of another comes after it.
        let (inside, others): (Vec<usize>, Vec<usize>) =
            (0..signature.parameters.len()).partition(|index| self.start_of(signature, *index).is_some());
        for index in others.into_iter().chain(inside) {
            self.argument(signature, index)?;
        }
        Ok(())
    }

    fn argument(&mut self, signature: &Signature, index: usize) -> Result<(), Unsupported> {
        let parameter = &signature.parameters[index];
        if let Some(by) = self.signatures.list(parameter.ty) {
            return self.list(signature, index, by);
        }
        let contract = self.contract.parameter(index);
        let given = contract.value;
        let spot = Spot { given, ..Spot::new(parameter.name.clone(), index) };
        let Some(to) = self.pointee(parameter.ty) else {
            if contract.within.is_some() {
                return Err(Unsupported::Contract(parameter.name.clone()));
            }
            let given = self.counted(signature, index).unwrap_or(given);
            self.value(parameter.ty, Spot { given, ..spot })?;
            if signature.parameters.iter().any(|other| self.pointee(other.ty).is_some()) {
                self.measure(&parameter.name, parameter.ty);
            }
            return Ok(());
        };
        if let Some(start) = self.start_of(signature, index) {
            match self.target_within(signature, index, &start) {
                Some((target, step)) => {
                    self.inside(signature, index, &start, (target, step));
                    return Ok(());
                }
                None if contract.within.is_some() => {
                    return Err(Unsupported::Within { name: parameter.name.clone(), other: start });
                }
                None => {}
            }
        }
        let larger = self.larger(signature, index);
        let count = match contract.size {
            Some(Size::Elements(count)) => u64::from(count),
            Some(Size::Parameter(_)) => u64::from(self.contract.array_size()),
            None if larger.is_some() => 1,
            None => parameter.count.unwrap_or_else(|| self.elements(signature, index, to)),
        };
        let to = larger.unwrap_or(to);
        self.pointer(to, spot, count, contract.is_nullable)?;
        if let Some(other) = contract.alias {
            self.alias(signature, index, other)?;
        }
        Ok(())
    }

    /// The default number of elements behind a parameter: one, if it points to a record that the function uses as a
    /// single one, or to a node with pointers.
    fn elements(&self, signature: &Signature, index: usize, to: TypeId) -> u64 {
        let is_record = matches!(self.ty(to).shape, Shape::Struct { .. } | Shape::Union { .. });
        let is_alone = !signature.parameters[index].is_indexed || holds_pointer(self.signatures, to);
        match counted_by(self.signatures, &signature.parameters, index) {
            None if is_record && is_alone && self.contract.array_size.is_none() => 1,
            _ => self.reach.elements,
        }
    }

    /// The same for a pointer that is not a parameter.
    fn elements_within(&self, to: TypeId, is_counted: bool) -> u64 {
        match self.ty(to).shape {
            Shape::Void => self.reach.elements,
            Shape::Integer { .. } if self.ty(to).size == 1 => self.reach.elements,
            _ if is_counted && !holds_pointer(self.signatures, to) => self.reach.elements,
            _ => 1,
        }
    }

    /// Marks the last number, if it is named like a length or an index, as one that probably fits the targets of
    /// pointers.
    fn measure(&mut self, name: &str, ty: TypeId) {
        let is_number = matches!(self.ty(ty).shape, Shape::Integer { .. }) && self.ty(ty).size > 1;
        if is_number && measures(name) {
            self.is_likely(0, self.reach.elements as i64);
        }
    }

    /// Sets the values that are tried most often for the last number.
    pub fn is_likely(&mut self, low: i64, high: i64) {
        let Some(last) = self.layout.leaves.len().checked_sub(1) else { return };
        if self.layout.leaves[last].range.is_none() {
            self.layout.likely.insert(last, (low, high));
        }
    }

    pub fn assume(&mut self, assumption: String) {
        if !self.layout.assumptions.contains(&assumption) {
            self.layout.assumptions.push(assumption);
        }
    }

    /// Lets a parameter point to the target of an earlier one.
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

    /// The pointer to the start of the object that a parameter points into: by its contract, or else by what the
    /// function does.
    fn start_of(&self, signature: &Signature, index: usize) -> Option<String> {
        let contract = self.contract.parameter(index);
        let is_said = contract.size.is_some() || contract.alias.is_some() || contract.value != PermittedValues::Any;
        let derived = signature.parameters[index].within.filter(|_| !is_said);
        contract.within.or_else(|| derived.map(|start| named(&signature.parameters, start)))
    }

    /// The object that a parameter points into, and the distance of two of its possible offsets in bytes.
    fn target_within(&self, signature: &Signature, index: usize, start: &str) -> Option<(usize, u64)> {
        let target = |object| {
            let mut links = self.layout.links.iter();
            links.find(|link| link.object == object && link.offset == 0)?.target
        };
        let name = start.trim_start_matches('*');
        let at = signature.parameters.iter().position(|parameter| parameter.name == name).filter(|at| *at != index)?;
        let target = if start.starts_with('*') { target(target(at)?)? } else { target(at)? };
        let to = self.pointee(signature.parameters[index].ty)?;
        let step = if self.ty(to).shape == Shape::Void { 1 } else { self.size_of(to) };
        let is_pointed = self.layout.objects[target].kind == ObjectKind::Pointed;
        (is_pointed && step > 0).then_some((target, step))
    }

    /// Adds a parameter that points into the target of another pointer, or right past its end.
    fn inside(&mut self, signature: &Signature, index: usize, start: &str, (target, step): (usize, u64)) {
        let name = &signature.parameters[index].name;
        let null = self.contract.parameter(index).is_nullable.then(|| self.choice(format!("{name} == NULL"), index, 0));
        let most = i128::from(self.layout.objects[target].size / step);
        let (kind, range, named) = (LeafKind::Offset, Some((0, most)), format!("{name} - {start}"));
        let leaf = Leaf { name: named, kind, size: 2, object: index, offset: 0, is_element: false, range };
        self.layout.leaves.push(leaf);
        let place = Some((self.layout.leaves.len() - 1, step));
        self.layout.links.push(Link { object: index, offset: 0, target: Some(target), null, alias: None, place });
        self.assume(format!("{name} leads into what {start} leads to, or right behind it"));
    }

    /// Adds a leaf that selects the target of a pointer.
    pub fn choice(&mut self, name: String, object: usize, offset: u64) -> usize {
        let kind = LeafKind::Choice;
        self.layout.leaves.push(Leaf { name, kind, size: 1, object, offset, is_element: false, range: None });
        self.layout.leaves.len() - 1
    }

    /// The values of a parameter that holds the number of elements behind another one.
    fn counted(&self, signature: &Signature, index: usize) -> Option<PermittedValues> {
        let name = &signature.parameters[index].name;
        let is_counted = |of: &&crate::contract::ParameterContract| of.size == Some(Size::Parameter(name.clone()));
        let found = self.contract.parameters.iter().find(is_counted)?;
        let own = self.contract.parameter(index).value;
        let most = i128::from(self.contract.array_size());
        (found.size.is_some() && own == PermittedValues::Any).then_some(PermittedValues::Range { low: 0, high: most })
    }

    pub fn globals(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for global in &signature.globals {
            if let Some(address) = global.address {
                self.variable(&global.name, global.ty, ObjectKind::Register { address })?;
                continue;
            }
            if !global.is_defined && global.is_of_system {
                self.library_variable(global)?;
                continue;
            }
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

    pub fn global(&mut self, name: &str, ty: TypeId) -> Result<(), Unsupported> {
        self.variable(name, ty, ObjectKind::Global)
    }

    /// Adds a variable as an input that is also observed.
    fn variable(&mut self, name: &str, ty: TypeId, kind: ObjectKind) -> Result<(), Unsupported> {
        let size = self.size_of(ty);
        can_be_made(name, size)?;
        let object = self.object(name.to_string(), size, kind);
        let spot = Spot::new(name.to_string(), object);
        if size > LARGEST_GLOBAL {
            self.assume(format!("{name} is as it is initialised"));
            self.bytes(&spot, 0..size, false);
            return Ok(());
        }
        self.value(ty, spot)
    }

    pub fn object(&mut self, name: String, size: u64, kind: ObjectKind) -> usize {
        self.layout.objects.push(Object { name, size, kind });
        self.layout.objects.len() - 1
    }

    /// Adds static local variables as inputs: they may have any state.
    pub fn statics(&mut self, signature: &Signature) -> Result<(), Unsupported> {
        for (at, variable) in signature.statics.iter().enumerate() {
            let name = &variable.name;
            let is_taken = signature.globals.iter().any(|global| global.name == *name)
                || signature.statics[..at].iter().any(|other| other.name == *name);
            // A large variable that can be set from outside would lose its initial value.
            let is_large = self.size_of(variable.ty) > LARGEST_GLOBAL;
            let is_lost = is_large && !variable.start.as_ref().is_some_and(|start| start.iter().all(|byte| *byte == 0));
            if is_taken || is_lost || variable.written.is_none() {
                return Err(Unsupported::Memory { name: name.clone(), line: variable.line });
            }
            self.global(name, variable.ty)?;
            self.layout.statics.push(variable.clone());
        }
        Ok(())
    }

    pub fn result(&mut self, ty: TypeId) -> Result<(), Unsupported> {
        let mut inner = Maker::new(self.signatures, self.contract, self.reach);
        let name = "the result".to_string();
        within(&name, self.size_of(ty), MOST_RESULT)?;
        if self.ty(ty).shape != Shape::Void {
            inner.value(ty, Spot::new(name, usize::MAX))?;
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

    /// The target type of a parameter; an array parameter is a pointer.
    fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.ty(id).shape {
            Shape::Pointer { to } => Some(to),
            _ => None,
        }
    }

    fn value(&mut self, id: TypeId, spot: Spot) -> Result<(), Unsupported> {
        let ty = self.ty(id);
        let size = ty.size as u32;
        match ty.shape.clone() {
            Shape::Bool => self.leaf(LeafKind::Bool, 1, &spot),
            Shape::Integer { signed } | Shape::Enum { signed, .. } if size <= 8 => {
                self.leaf(if signed { LeafKind::Signed } else { LeafKind::Unsigned }, size, &spot)
            }
            Shape::Float => self.leaf(LeafKind::Float, size, &spot),
            Shape::Pointer { to } => {
                let count = self.elements_within(to, spot.is_counted);
                self.pointer(to, spot, count, true)
            }
            Shape::Array { of, count } => self.array(of, count, &spot),
            Shape::Struct { fields } => self.fields(&fields, &spot),
            Shape::Union { .. } if !holds_pointer(self.signatures, id) => {
                let (size, given) = (ty.size, ty.size.min(self.reach.array));
                self.bytes(&spot, 0..given, true);
                self.bytes(&spot, given..size, false);
                self.zeros(&spot, "bytes", given..size, 1);
                Ok(())
            }
            Shape::Union { fields } => match chosen_member(self.signatures, id, &fields) {
                Some(field) => self.union(id, field, &spot),
                None => Err(self.no_value(&spot.name, id)),
            },
            _ => Err(self.no_value(&spot.name, id)),
        }
    }

    /// Adds an array inside of another object.
    fn array(&mut self, of: TypeId, count: u64, spot: &Spot) -> Result<(), Unsupported> {
        let step = self.size_of(of);
        let is_number =
            matches!(self.ty(of).shape, Shape::Bool | Shape::Integer { .. } | Shape::Enum { .. } | Shape::Float);
        let given = if is_number { count.min(self.reach.array) } else { count };
        let most = if given < count { count } else { count.min(MOST_LEAVES as u64 + 1) };
        for at in 0..most {
            let (name, offset) = (element(&spot.name, at), spot.offset + at * step);
            self.value(of, Spot { name, offset, is_element: true, ..spot.clone() })?;
            if at >= given {
                // It is observed, but is no input.
                self.layout.leaves.pop();
            }
        }
        self.zeros(spot, "elements", given..count, step);
        Ok(())
    }

    /// Most of a large object is no input.
    fn zeros(&mut self, spot: &Spot, what: &str, range: Range<u64>, step: u64) {
        if !range.is_empty() {
            self.assume(format!("all but the first {} {what} of {} are zero", range.start, general(&spot.name)));
            let (offset, size) = (spot.offset + range.start * step, (range.end - range.start) * step);
            self.layout.zeros.push(Zeros { object: spot.object, offset, size });
        }
    }

    fn no_value(&self, name: &str, id: TypeId) -> Unsupported {
        Unsupported::Type { what: name.to_string(), ty: self.ty(id).spelling.clone() }
    }

    /// Adds a union by one of its members; what is written to the others is observed, too.
    fn union(&mut self, id: TypeId, field: &Field, spot: &Spot) -> Result<(), Unsupported> {
        self.assume(format!("{} holds its member {}", general(&spot.name), field.name));
        let before = self.layout.views.len();
        let name = member(&spot.name, &field.name);
        self.value(field.ty, Spot { name, is_element: false, ..spot.clone() })?;
        if self.is_argument(spot.object) {
            return Ok(());
        }
        let own = self.layout.views[before..].iter_mut().filter(|view| view.object == spot.object);
        let mut seen = BTreeSet::new();
        for view in own {
            seen.extend(view.offset..view.offset + u64::from(view.size));
            // As another member, these bits may have any value.
            if view.kind == LeafKind::Float {
                view.kind = LeafKind::Unsigned;
            }
        }
        for at in (spot.offset..spot.offset + self.size_of(id)).filter(|at| !seen.contains(at)) {
            let (name, kind) = (format!("{} (byte {})", spot.name, at - spot.offset), LeafKind::Unsigned);
            let (object, offset, is_element) = (spot.object, at, false);
            self.layout.views.push(Leaf { name, kind, size: 1, object, offset, is_element, range: None });
        }
        Ok(())
    }

    /// Whether an object is an argument, which is not observed.
    fn is_argument(&self, object: usize) -> bool {
        matches!(self.layout.objects.get(object), Some(Object { kind: ObjectKind::Argument(_), .. }))
    }

    fn fields(&mut self, fields: &[Field], spot: &Spot) -> Result<(), Unsupported> {
        let mut written: Option<u64> = None;
        let is_number = |field: &Field| matches!(self.ty(field.ty).shape, Shape::Integer { .. });
        let is_counted = fields.iter().any(|field| is_number(field) && counts(&field.name));
        let has_pointer = fields.iter().any(|field| self.pointee(field.ty).is_some());
        for field in fields {
            let name = member(&spot.name, &field.name);
            let offset = spot.offset + field.offset_bits / 8;
            match field.bits {
                // A flexible array member has no elements in an object of exactly its type's size.
                None if self.pointee(field.ty).is_some() && self.ty(field.ty).size == 0 => {}
                None => {
                    self.value(field.ty, Spot { name, offset, is_element: false, is_counted, ..spot.clone() })?;
                    if has_pointer {
                        self.measure(&field.name, field.ty);
                    }
                }
                Some(0) => {}
                Some(bits) => {
                    // Bit-fields share bytes: adds each byte once.
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

    fn leaf(&mut self, kind: LeafKind, size: u32, spot: &Spot) -> Result<(), Unsupported> {
        let range = match (spot.given, kind) {
            (PermittedValues::Any, _) => None,
            (PermittedValues::Integer(value), LeafKind::Signed | LeafKind::Unsigned | LeafKind::Bool) => {
                Some((value, value))
            }
            (PermittedValues::Range { low, high }, LeafKind::Signed | LeafKind::Unsigned | LeafKind::Bool) => {
                Some((low, high))
            }
            (PermittedValues::Integer(value), LeafKind::Float) => Some(float_range(value as f64, size)),
            (PermittedValues::Float(bits), LeafKind::Float) => Some(float_range(f64::from_bits(bits), size)),
            _ => return Err(Unsupported::Contract(spot.name.clone())),
        };
        if let Some((low, high)) = range.filter(|range| !holds(kind, size, *range)) {
            return Err(Unsupported::Range { name: spot.name.clone(), low, high });
        }
        let (name, object, offset, is_element) = (spot.name.clone(), spot.object, spot.offset, spot.is_element);
        let leaf = Leaf { name, kind, size, object, offset, is_element, range };
        if !self.is_argument(object) {
            self.layout.views.push(Leaf { range: None, ..leaf.clone() });
        }
        self.layout.leaves.push(leaf);
        Ok(())
    }

    /// Adds untyped memory.
    pub fn bytes(&mut self, spot: &Spot, range: Range<u64>, is_input: bool) {
        for at in range {
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
        if !self.is_argument(object) {
            let name = spot.name.clone();
            self.roots.push(TypedRoot { name: name.clone(), object, offset, to });
            let (kind, is_element) = (LeafKind::Pointer, false);
            self.layout.views.push(Leaf { name, kind, size: 8, object, offset, is_element, range: None });
        }
        let kind = self.layout.objects.get(object).map(|object| &object.kind);
        let is_global = matches!(kind, Some(ObjectKind::Global | ObjectKind::Register { .. }));
        if object == usize::MAX {
            return Ok(());
        }
        if is_global {
            self.assume(format!("{} points where it is initialised to", spot.name));
            return Ok(());
        }
        if self.depth >= self.reach.deepest && !self.is_stream(to) {
            self.assume(format!("pointers behind {} others are null", self.depth));
            self.layout.links.push(Link { object, offset, target: None, null: None, alias: None, place: None });
            return Ok(());
        }
        let null = is_nullable.then(|| self.choice(format!("{} == NULL", spot.name), object, offset));
        if self.is_stream(to) {
            return self.stream(&spot, null);
        }
        let shape = self.ty(to).shape.clone();
        if let Shape::Function { .. } = shape {
            let target = match self.allocator(to, object) {
                Some(symbol) => self.allocating(symbol, &spot.name),
                None => self.callback(to, &spot.name)?,
            };
            self.layout.links.push(Link { object, offset, target: Some(target), null, alias: None, place: None });
            return Ok(());
        }
        let (step, name) = (self.size_of(to), format!("*{}", spot.name));
        let size = if shape == Shape::Void { count } else { step.saturating_mul(count) };
        can_be_made(&name, size)?;
        let target = self.object(name, size, ObjectKind::Pointed);
        self.layout.links.push(Link { object, offset, target: Some(target), null, alias: None, place: None });
        self.depth += 1;
        let pointed = Spot { object: target, offset: 0, is_element: true, ..spot };
        match shape {
            Shape::Void => self.bytes(&pointed, 0..count, true),
            // The target is opaque.
            Shape::Other if step == 0 => {}
            _ => {
                for at in 0..count {
                    let name = if count == 1 { format!("*{}", pointed.name) } else { element(&pointed.name, at) };
                    self.value(to, Spot { name, offset: at * step, ..pointed.clone() })?;
                }
                self.end_text(to);
            }
        }
        self.depth -= 1;
        Ok(())
    }
}

/// Stubs.
impl Maker<'_> {
    /// The last of several characters is probably the zero that ends a string.
    fn end_text(&mut self, to: TypeId) {
        if matches!(self.ty(to).shape, Shape::Integer { .. }) && self.ty(to).size == 1 {
            self.is_likely(0, 0);
        }
    }

    fn symbol(&mut self) -> String {
        self.symbols += 1;
        format!("perturb_stub_{}", self.symbols - 1)
    }

    pub fn externals(&mut self, signature: &Signature, others: &Others) -> Result<(), Unsupported> {
        self.is_allocating |= others.linked.iter().any(|name| is_allocating(name));
        for external in &signature.externals {
            let name = &external.name;
            if is_allocating(name) {
                self.is_allocating = true;
                continue;
            }
            let is_library = stub::is_known(name) && !others.own.contains(name);
            if is_library || others.linked.contains(name) {
                continue;
            }
            let refuse = |why| Unsupported::External { name: name.clone(), why };
            if let Some(why) = stub::why_not(name) {
                return Err(refuse(why));
            }
            let symbol = self.symbol();
            let (returns, is_beside) = (external.returns, others.beside.contains(name));
            let stub = Stub { returns, is_beside, ..self.stub(external.ty, name, symbol).map_err(refuse)? };
            if !stub.is_errno() {
                self.assume(stub.assumption());
            }
            self.layout.stubs.push(stub);
        }
        Ok(())
    }

    /// Adds the target of a function pointer.
    fn callback(&mut self, ty: TypeId, name: &str) -> Result<usize, Unsupported> {
        let symbol = self.symbol();
        let stub = self.stub(ty, name, symbol.clone()).map_err(|_| self.no_value(name, ty))?;
        let stub = Stub { is_callback: true, ..stub };
        self.assume(stub.assumption());
        self.layout.stubs.push(stub);
        Ok(self.object(symbol, 0, ObjectKind::Function))
    }

    /// The allocator of the driver that fits the type of a function pointer in an object.
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
            // Many functions take an address; one beside an allocator frees memory.
            [start] if is_void(*result) && is_address(start) && is_beside("perturb_malloc") => Some("perturb_free"),
            _ => None,
        }
    }

    fn allocating(&mut self, symbol: &str, name: &str) -> usize {
        self.is_allocating = true;
        self.assume(format!("{name} does what {} does", symbol.trim_start_matches("perturb_")));
        let known = self.layout.objects.iter().position(|object| object.name == symbol);
        known.unwrap_or_else(|| self.object(symbol.to_string(), 0, ObjectKind::Function))
    }

    fn stub(&mut self, ty: TypeId, name: &str, symbol: String) -> Result<Stub, &'static str> {
        let mut stub = Stub::new(name, symbol, &self.ty(ty).shape).ok_or("its arguments are not known")?;
        if stub.is_errno() {
            let to = self.made("errno".to_string(), 4, 1, |maker, spot| maker.leaf(LeafKind::Signed, 4, &spot))?;
            stub.answers = Some(Answers::Errno(to));
            return Ok(stub);
        }
        // Stubs may return function pointers. Their answers are short, even if the inputs of the function are not.
        let reach = self.reach;
        self.reach.elements = reach.elements.min(u64::from(ARRAY_SIZE));
        self.depth += 1;
        let made = self.answers(&mut stub);
        self.depth -= 1;
        self.reach = reach;
        made.map(|()| stub)
    }

    fn answers(&mut self, stub: &mut Stub) -> Result<(), &'static str> {
        let called = format!("{}()", stub.name);
        stub.answers = match self.ty(stub.result).shape.clone() {
            Shape::Void => None,
            Shape::Pointer { to } if !self.is_stream(to) => {
                let is_null = format!("{called} == NULL");
                let nulls = self.made(is_null, 1, CALLS, |maker, spot| maker.leaf(LeafKind::Bool, 1, &spot))?;
                match self.ty(to).shape {
                    Shape::Void => Some(self.memory(nulls, &called)?),
                    _ => Some(Answers::Pointers { nulls, to: self.pointed_answer(to, format!("*{called}"))? }),
                }
            }
            _ => Some(Answers::Values(self.answer(stub.result, called.clone())?)),
        };
        for (index, parameter) in stub.parameters.clone().into_iter().enumerate() {
            if let Some(to) = self.pointee(parameter).filter(|to| self.is_written_through(*to)) {
                let object = self.answer(to, format!("what {called} writes to its argument {}", index + 1))?;
                stub.writes.push((index, object));
            }
        }
        Ok(())
    }

    /// Untyped memory for each call: the function may store anything there.
    fn memory(&mut self, nulls: usize, called: &str) -> Result<Answers, &'static str> {
        let filled = format!("what *{called} is filled with");
        let fills = self.made(filled, 1, CALLS, |maker, spot| maker.leaf(LeafKind::Unsigned, 1, &spot))?;
        let to = self.object(self.made_name(), ROOM * CALLS, ObjectKind::Made);
        for at in 0..ROOM * CALLS / 8 {
            let name = format!("*{called} in call {} (byte {})", at * 8 / ROOM + 1, at * 8 % ROOM);
            let (kind, object, offset) = (LeafKind::Pointer, to, 8 * at);
            self.layout.views.push(Leaf { name, kind, size: 8, object, offset, is_element: false, range: None });
        }
        Ok(Answers::Memory { nulls, fills, to })
    }

    /// The target of a returned pointer, for each call.
    fn pointed_answer(&mut self, to: TypeId, name: String) -> Result<usize, &'static str> {
        let (count, step) = (self.elements_within(to, false), self.size_of(to));
        if count == 1 {
            return self.answer(to, name);
        }
        self.made(name, step * count, CALLS, |maker, spot| {
            for at in 0..count {
                let (name, offset) = (element(&spot.name, at), spot.offset + at * step);
                maker.value(to, Spot { name, offset, is_element: true, ..spot.clone() })?;
            }
            maker.end_text(to);
            Ok(())
        })
    }

    /// The values that a stub returns or writes, for each call.
    fn answer(&mut self, ty: TypeId, name: String) -> Result<usize, &'static str> {
        match (&self.ty(ty).shape, self.size_of(ty)) {
            (Shape::Void | Shape::Function { .. }, _) => Err("what it returns has no size"),
            // The target is opaque.
            (_, 0) => Ok(self.object(self.made_name(), CALLS, ObjectKind::Made)),
            (_, size) => self.made(name, size, CALLS, |maker, spot| maker.value(ty, spot)),
        }
    }

    pub fn made_name(&self) -> String {
        format!("perturb_object_{}", self.layout.objects.len())
    }

    /// Adds an object of the glue with several values of one type.
    fn made(
        &mut self,
        name: String,
        size: u64,
        count: u64,
        mut put: impl FnMut(&mut Self, Spot) -> Result<(), Unsupported>,
    ) -> Result<usize, &'static str> {
        can_be_made(&name, size.saturating_mul(count)).map_err(|_| "what it gives is too large")?;
        let object = self.object(self.made_name(), size * count, ObjectKind::Made);
        for at in 0..count {
            let name = if count == 1 { name.clone() } else { format!("{name} in call {}", at + 1) };
            let spot = Spot { offset: at * size, ..Spot::new(name, object) };
            put(self, spot).map_err(|_| "no value can be made up for what it gives")?;
        }
        Ok(object)
    }

    /// Whether a stub writes through a pointer to this type: to numbers and records of numbers. The number of
    /// characters behind a pointer is unknown.
    fn is_written_through(&self, to: TypeId) -> bool {
        let ty = self.ty(to);
        let is_number = match ty.shape {
            Shape::Integer { .. } => ty.size > 1,
            Shape::Float | Shape::Bool | Shape::Enum { .. } => true,
            Shape::Struct { .. } => !holds_pointer(self.signatures, to),
            _ => false,
        };
        is_number && !ty.is_const && !ty.is_volatile && ty.size > 0
    }
}

/// Refuses an object that is too large before leaves are made for it.
fn can_be_made(name: &str, size: u64) -> Result<(), Unsupported> {
    within(name, size, MOST_BYTES)
}

fn within(name: &str, size: u64, most: u64) -> Result<(), Unsupported> {
    match size <= most {
        true => Ok(()),
        false => Err(Unsupported::Large { name: name.to_string(), size, most }),
    }
}

/// Whether a leaf of this kind can hold all numbers of the range.
fn holds(kind: LeafKind, size: u32, (low, high): (i128, i128)) -> bool {
    let bits = 8 * size;
    let (lowest, highest) = match kind {
        LeafKind::Signed => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        LeafKind::Unsigned => (0, (1 << bits) - 1),
        LeafKind::Bool => (0, 1),
        LeafKind::Float
        | LeafKind::Choice
        | LeafKind::Offset
        | LeafKind::Pointer
        | LeafKind::Length
        | LeafKind::Refusal => return true,
    };
    low >= lowest && high <= highest
}

/// As bits, which the driver copies.
fn float_range(value: f64, size: u32) -> (i128, i128) {
    let bits = if size == 4 { i128::from((value as f32).to_bits()) } else { i128::from(value.to_bits() as i64) };
    (bits, bits)
}
