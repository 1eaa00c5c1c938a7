//! The objects of a call with their values, and the call: C statements in a function.

use super::declared::{DeclaredObject, Room, Stream};
use super::image::Image;
use super::literal::{literal, NumberKind};
use super::names::free;
use super::stand_ins::{StandIns, MAP_REGISTER};
use super::types::{Atom, Types, ValuePath};
use super::Differing;
use crate::native::floats::Tolerance;
use crate::native::layout::{Layout, Link, ObjectKind};
use crate::native::leaf::{Leaf, LeafKind};
use perturb_csrc::{Shape, Signature, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// In larger arrays, trailing zeros are omitted.
const MOST_SAID: u64 = 128;

/// Objects with values, and the call that gets them.
#[derive(Debug)]
pub struct Stage<'s> {
    pub(super) types: Types<'s>,
    pub(super) signature: &'s Signature,
    pub(super) layout: &'s Layout,
    pub(super) input: Image,
    /// Leaves that set the target or the offset of a pointer, with their values.
    chosen: BTreeMap<usize, u64>,
    /// The declaration of each object; `None` if nothing points to it.
    pub(super) reached: Vec<Option<DeclaredObject>>,
    /// The streams declared so far.
    pub(super) streams: Vec<Stream>,
    pub(super) rooms: Vec<Room>,
    taken: BTreeSet<String>,
    /// The definitions at file level.
    pub stand_ins: StandIns<'s>,
    /// The statements that declare objects and fill them.
    pub statements: Vec<String>,
    /// The call, which assigns the result, if there is one, to the variable of this name.
    pub call: String,
    pub result: Option<String>,
    pub(super) tolerance: Option<Tolerance>,
}

impl<'s> Stage<'s> {
    /// Writes the statements for an input. `reserved` are names in other use.
    pub fn new(differing: Differing<'s>, reserved: &[&str]) -> Self {
        let Differing { signatures, signature, layout, by, tolerance, .. } = differing;
        let stand_ins = StandIns::new(signatures, signature, layout);
        let mut taken: BTreeSet<String> = reserved.iter().map(ToString::to_string).collect();
        taken.insert(signature.name.clone());
        taken.extend(signature.globals.iter().map(|global| global.name.clone()));
        taken.extend(signatures.types.iter().flat_map(|ty| type_names(&ty.spelling)));
        taken.extend(stand_ins.names());
        let mut stage = Self {
            types: Types(signatures),
            signature,
            layout,
            input: Image::of(layout, layout.leaves.iter().filter(|leaf| !leads(leaf)), &given(layout, &by.input)),
            chosen: chosen(layout, &by.input),
            reached: vec![None; layout.objects.len()],
            streams: Vec::new(),
            rooms: Vec::new(),
            taken,
            stand_ins,
            statements: Vec::new(),
            call: String::new(),
            result: None,
            tolerance,
        };
        stage.map_registers();
        stage.fill_globals();
        stage.fill_stand_ins(by);
        let called = stage.stand_ins.caller.clone().unwrap_or_else(|| signature.name.clone());
        stage.call = format!("{called}({})", stage.arguments().join(", "));
        if *stage.types.shape(signature.result) != Shape::Void {
            let name = stage.fresh("result");
            stage.call = format!("{} = {}", stage.types.declared(signature.result, &name), stage.call);
            stage.result = Some(name);
        }
        stage.call.push(';');
        stage
    }

    /// A name like this one that is not taken.
    pub(super) fn fresh(&mut self, like: &str) -> String {
        free(like, &mut self.taken)
    }

    /// The arguments. A pointer into the object of another is declared after it. Variadic arguments come last.
    fn arguments(&mut self) -> Vec<String> {
        let is_inside = |at: &usize| self.layout.links.iter().any(|link| link.object == *at && link.place.is_some());
        let (inside, others): (Vec<usize>, Vec<usize>) = (0..self.signature.parameters.len()).partition(is_inside);
        let list = self.layout.list;
        let order = others.into_iter().chain(inside).filter(|at| list.is_none_or(|list| list.parameter != *at));
        let named: BTreeMap<usize, String> = order.map(|at| (at, self.argument(at))).collect();
        let listed = list.map(|list| self.list_arguments(list));
        named.into_values().chain(listed.into_iter().flatten()).collect()
    }

    /// The argument of a parameter: a number literally, a record by name, a pointer to its declared target.
    fn argument(&mut self, at: usize) -> String {
        let parameter = &self.signature.parameters[at];
        match self.types.shape(parameter.ty) {
            Shape::Pointer { to } => self.pointer(at, 0, *to),
            Shape::Struct { .. } | Shape::Union { .. } => {
                let name = self.fresh(&parameter.name);
                self.declare(at, DeclaredObject { name: name.clone(), ty: Some(parameter.ty), count: 1 });
                name
            }
            _ => self.value(parameter.ty, at, 0).unwrap_or_else(|| "0".to_string()),
        }
    }

    /// The value of a pointer in an object; its target is declared first.
    fn pointer(&mut self, object: usize, offset: u64, to: TypeId) -> String {
        let link = self.layout.links.iter().find(|link| link.object == object && link.offset == offset);
        let Some((link, target)) = link.and_then(|link| Some((link, self.target(link)?))) else {
            return "NULL".to_string();
        };
        if let Some(stream) = self.stream(target, to) {
            return stream;
        }
        let known = &self.layout.objects[target];
        if known.kind == ObjectKind::Function {
            return self.stand_ins.callback(&known.name).unwrap_or("NULL").to_string();
        }
        if self.reached[target].is_none() {
            let own = self.layout.larger.get(&target).copied().unwrap_or(to);
            let size = self.types.size(own);
            let is_plain = size == 0 || *self.types.shape(own) == Shape::Void;
            let (ty, count) = if is_plain { (None, known.size.max(1)) } else { (Some(own), known.size / size) };
            let name = self.fresh(&known.name);
            self.declare(target, DeclaredObject { name, ty, count });
        }
        let steps = |leaf| self.chosen.get(&leaf).copied().unwrap_or(0);
        let behind = link.place.map_or(0, |(leaf, step)| step * steps(leaf));
        self.reached[target].as_ref().map(|reached| self.inside(reached, to, behind)).unwrap_or_default()
    }

    /// A pointer into an object at an offset.
    fn inside(&self, reached: &DeclaredObject, to: TypeId, behind: u64) -> String {
        let is_void = *self.types.shape(to) == Shape::Void;
        let is_same = reached.ty.is_some_and(|ty| self.types.declared(ty, "") == self.types.declared(to, ""));
        let start = reached.address();
        let place = match behind {
            0 => start,
            _ if is_same => format!("{start} + {}", behind / self.types.size(to)),
            _ => format!("(char *){start} + {behind}"),
        };
        match (is_void || is_same, behind) {
            (true, _) => place,
            // The target has another type, or an unknown one.
            (false, 0) => format!("(void *){place}"),
            (false, _) => format!("(void *)({place})"),
        }
    }

    /// The target of a pointer.
    pub(super) fn target(&self, link: &Link) -> Option<usize> {
        if link.null.is_some_and(|null| self.chosen.contains_key(&null)) {
            return None;
        }
        let other = link.alias.filter(|(_, leaf)| self.chosen.contains_key(leaf));
        other.map(|(other, _)| other).or(link.target)
    }

    /// Declares an object with its values, after all targets of its pointers.
    pub(super) fn declare(&mut self, object: usize, reached: DeclaredObject) {
        let name = &reached.name;
        let declared = match (reached.ty, reached.is_array()) {
            (None, _) => format!("unsigned char {name}[{}]", reached.count),
            (Some(ty), true) => self.types.declared(ty, &format!("{name}[{}]", reached.count)),
            (Some(ty), false) => self.types.declared(ty, name),
        };
        let values: Vec<String> = (0..reached.count)
            .map(|at| match reached.ty {
                Some(ty) => self.value(ty, object, at * self.types.size(ty)),
                None => self.number(NumberKind::Unsigned, object, at, 1),
            })
            .map(|value| value.unwrap_or_else(|| "0".to_string()))
            .collect();
        let is_record = values.iter().any(|value| value.starts_with('{'));
        let values = match reached.is_array() {
            // One line for each.
            true if is_record => format!("{{\n    {},\n}}", values.join(",\n    ")),
            true => format!("{{{}}}", values.join(", ")),
            false => values.concat(),
        };
        self.statements.push(format!("{declared} = {values};"));
        for (at, path) in reached.values() {
            let Some(ty) = reached.ty else { break };
            for (place, atom) in self.types.atoms(ty, &path, at * self.types.size(ty)) {
                if atom == Atom::Raw {
                    self.copy_bytes(object, &place);
                }
            }
        }
        self.reached[object] = Some(reached);
    }

    /// The initialiser of a value; `None` if there is none.
    pub(super) fn value(&mut self, ty: TypeId, object: usize, offset: u64) -> Option<String> {
        match self.types.shape(ty).clone() {
            Shape::Pointer { to } => Some(self.pointer(object, offset, to)),
            Shape::Array { of, count } => {
                let size = self.types.size(of);
                let value = |stage: &mut Self, at| {
                    stage.value(of, object, offset + at * size).unwrap_or_else(|| "0".to_string())
                };
                let mut values: Vec<String> = (0..count).map(|at| value(self, at)).collect();
                // Omitted elements are zero.
                while count > MOST_SAID && values.len() > 1 && values.last().is_some_and(|last| last == "0") {
                    values.pop();
                }
                Some(format!("{{{}}}", values.join(", ")))
            }
            Shape::Struct { fields } => {
                let mut parts = Vec::new();
                for member in self.types.members(&fields) {
                    let at = offset + member.from / 8;
                    let part = match (member.bits, self.types.shape(member.ty).clone()) {
                        (Some(count), _) => {
                            let bits = self.bits(object, offset, member.from, count, self.types.is_signed(member.ty));
                            bits.map(|value| format!(".{} = {value}", member.name))
                        }
                        (None, Shape::Union { fields }) if member.name.is_empty() => {
                            self.union_part(member.ty, &fields, object, at)
                        }
                        (None, _) => {
                            self.value(member.ty, object, at).map(|value| format!(".{} = {value}", member.name))
                        }
                    };
                    parts.extend(part);
                }
                Some(if parts.is_empty() { "{0}".to_string() } else { format!("{{{}}}", parts.join(", ")) })
            }
            Shape::Union { fields } => Some(
                self.union_part(ty, &fields, object, offset).map_or("{0}".to_string(), |part| format!("{{{part}}}")),
            ),
            _ => self.types.number(ty).and_then(|number| self.number(number, object, offset, self.types.size(ty))),
        }
    }

    /// `.whole = 3`, if one member has all bytes of a union.
    fn union_part(&mut self, ty: TypeId, fields: &[perturb_csrc::Field], object: usize, offset: u64) -> Option<String> {
        let field = self.types.whole_member(ty, fields)?;
        let value = self.value(field.ty, object, offset)?;
        Some(format!(".{} = {value}", field.name))
    }

    fn number(&self, number: NumberKind, object: usize, offset: u64, size: u64) -> Option<String> {
        Some(literal(number, size, self.input.bits(object, offset, size)?))
    }

    /// The value of a bit-field at a bit offset in its record.
    fn bits(&self, object: usize, offset: u64, from: u64, count: u32, is_signed: bool) -> Option<String> {
        let size = (from % 8 + u64::from(count)).div_ceil(8);
        let bytes = self.input.bytes(object, offset + from / 8, size)?;
        Some(bit_field(&bytes, from % 8, count, is_signed))
    }

    pub(super) fn copy_bytes(&mut self, object: usize, place: &ValuePath) {
        if let Some(bytes) = self.input.bytes(object, place.offset, place.size) {
            let bytes = super::listed(&bytes);
            self.statements.push(format!(
                "__builtin_memcpy(&{}, (const unsigned char[]){{{bytes}}}, {});",
                place.path, place.size
            ));
        }
    }

    fn map_registers(&mut self) {
        for known in &self.layout.objects {
            if let ObjectKind::Register { address } = known.kind {
                self.statements.push(format!("{MAP_REGISTER}({address:#x}, {});", known.size));
            }
        }
    }

    /// Assigns variables of the program; pointers in them stay as they are.
    fn fill_globals(&mut self) {
        for (object, known) in self.layout.objects.iter().enumerate() {
            let global = self.signature.globals.iter().find(|global| global.name == known.name);
            let (ObjectKind::Global | ObjectKind::Register { .. }, Some(global)) = (&known.kind, global) else {
                continue;
            };
            // The hardware writes registers that a program may only read. They start with zeros.
            let is_read_only =
                matches!(known.kind, ObjectKind::Register { .. }) && !self.types.is_assignable(global.ty);
            self.reached[object] = Some(DeclaredObject { name: known.name.clone(), ty: Some(global.ty), count: 1 });
            if !self.input.knows(object) {
                continue;
            }
            for (place, atom) in self.types.atoms(global.ty, &known.name, 0) {
                let value = match atom {
                    Atom::Number(_) if is_read_only => {
                        let set = self.number(NumberKind::Unsigned, object, place.offset, place.size);
                        self.statements.extend(
                            set.filter(|value| value != "0").map(|value| {
                                format!("*(volatile {} *)&{} = {value};", unsigned(place.size), place.path)
                            }),
                        );
                        None
                    }
                    Atom::Number(number) => self.number(number, object, place.offset, place.size),
                    Atom::Bits { from, count, is_signed } => self.bits(object, place.offset, from, count, is_signed),
                    Atom::Pointer { .. } | Atom::Text => None,
                    Atom::Raw => {
                        self.copy_bytes(object, &place);
                        None
                    }
                };
                self.statements.extend(value.map(|value| format!("{} = {value};", place.path)));
            }
        }
    }
}

/// The unsigned type of this size.
fn unsigned(size: u64) -> &'static str {
    match size {
        1 => "unsigned char",
        2 => "unsigned short",
        4 => "unsigned int",
        _ => "unsigned long",
    }
}

/// The names in the spelling of a type that a variable would hide; tags after `struct` are not hidden. An unnamed type
/// is never written: the words that describe it are no names.
fn type_names(spelling: &str) -> Vec<String> {
    if ["(unnamed ", "(anonymous "].iter().any(|description| spelling.contains(description)) {
        return Vec::new();
    }
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words: Vec<&str> = spelling.split(|letter| !is_letter(letter)).filter(|word| !word.is_empty()).collect();
    let is_tag = |at: usize| at > 0 && matches!(words[at - 1], "struct" | "union" | "enum");
    (0..words.len()).filter(|at| !is_tag(*at)).map(|at| words[at].to_string()).collect()
}

/// The value of a bit-field at a bit offset in these bytes.
pub(super) fn bit_field(bytes: &[u8], from: u64, count: u32, is_signed: bool) -> String {
    let all = bytes.iter().rev().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    let bits = all >> from & ((1 << count) - 1);
    let is_negative = is_signed && bits >> (count - 1) & 1 == 1;
    let value = if is_negative { bits as i128 - (1 << count) } else { bits as i128 };
    let number = if is_signed { NumberKind::Signed } else { NumberKind::Unsigned };
    literal(number, 8, value as u64)
}

/// An input without the leaves that set targets and offsets of pointers.
fn given(layout: &Layout, input: &[u8]) -> Vec<u8> {
    parts(layout, input)
        .filter(|(leaf, _)| !leads(&layout.leaves[*leaf]))
        .flat_map(|(_, bytes)| bytes.to_vec())
        .collect()
}

fn chosen(layout: &Layout, input: &[u8]) -> BTreeMap<usize, u64> {
    let value = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    let leading = parts(layout, input).filter(|(leaf, _)| leads(&layout.leaves[*leaf]));
    leading.map(|(leaf, bytes)| (leaf, value(bytes))).filter(|(_, value)| *value != 0).collect()
}

/// Whether a leaf sets the target or the offset of a pointer.
fn leads(leaf: &Leaf) -> bool {
    matches!(leaf.kind, LeafKind::Choice | LeafKind::Offset)
}

/// The bytes of each leaf.
pub(super) fn parts<'p>(layout: &'p Layout, input: &'p [u8]) -> impl Iterator<Item = (usize, &'p [u8])> {
    let mut at = 0;
    layout.leaves.iter().enumerate().map_while(move |(leaf, known)| {
        let own = input.get(at..at + known.size as usize)?;
        at += known.size as usize;
        Some((leaf, own))
    })
}
