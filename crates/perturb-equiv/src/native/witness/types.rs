//! C types: their spelling, and the numbers and pointers that they consist of.

use super::literal::NumberKind;
use crate::native::layout::union::{chosen_member, holds_pointer};
use perturb_csrc::{Field, Shape, Signatures, TypeId};

/// The smallest unit of assignments and checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Atom {
    Number(NumberKind),
    Pointer {
        to: TypeId,
    },
    /// A bit-field, at a bit offset from the start of the atom.
    Bits {
        from: u64,
        count: u32,
        is_signed: bool,
    },
    /// Bytes that may contain anything.
    Text,
    /// A union without a member that has all of its bytes.
    Raw,
}

/// The position of an atom: its C expression, and its bytes in the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ValuePath {
    pub path: String,
    pub offset: u64,
    pub size: u64,
}

/// A member of a record. Members of an anonymous struct are members of the record itself.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Empty for an anonymous union.
    pub name: String,
    pub ty: TypeId,
    /// The offset in bits from the start of the record.
    pub from: u64,
    pub bits: Option<u32>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Types<'t>(pub &'t Signatures);

impl Types<'_> {
    pub fn shape(&self, ty: TypeId) -> &Shape {
        &self.0.ty(ty).shape
    }

    pub fn size(&self, ty: TypeId) -> u64 {
        match self.shape(ty) {
            Shape::Pointer { .. } => 8,
            _ => self.0.ty(ty).size,
        }
    }

    /// `int (*name)[3]`. The outermost `const` is omitted, as the object has to be filled.
    pub fn declared(&self, ty: TypeId, name: &str) -> String {
        self.declarator(ty, name, false)
    }

    fn declarator(&self, ty: TypeId, name: &str, is_pointed: bool) -> String {
        match self.shape(ty) {
            // Only for parameters; nothing else is declared so.
            Shape::Pointer { to: of } | Shape::Array { of, .. } if *self.shape(*of) == Shape::VaList => {
                format!("va_list {name}")
            }
            Shape::Array { of, count } => self.declarator(*of, &format!("{name}[{count}]"), is_pointed),
            Shape::Pointer { to } => {
                let star = if is_pointed && self.0.ty(ty).is_const { "*const " } else { "*" };
                let is_inside = matches!(self.shape(*to), Shape::Array { .. } | Shape::Function { .. });
                let name = if is_inside { format!("({star}{name})") } else { format!("{star}{name}") };
                self.declarator(*to, &name, true)
            }
            Shape::Function { result, parameters, is_variadic } => {
                let mut parameters: Vec<String> =
                    parameters.iter().map(|ty| self.declared(*ty, "").trim_end().to_string()).collect();
                parameters.extend(is_variadic.then(|| "...".to_string()));
                let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
                self.declarator(*result, &format!("{name}({parameters})"), true)
            }
            _ => {
                let spelling = self.0.ty(ty).spelling.as_str();
                let base = if is_pointed { spelling } else { without_const(spelling) };
                format!("{base} {name}")
            }
        }
    }

    /// Whether C permits an assignment of the type.
    pub fn is_assignable(&self, ty: TypeId) -> bool {
        let is_free = |field: &Field| !self.0.ty(field.ty).is_const && self.is_filled(field.ty);
        match self.shape(ty) {
            Shape::Array { .. } => false,
            Shape::Struct { fields } | Shape::Union { fields } => fields.iter().all(is_free),
            _ => true,
        }
    }

    /// The same for a type that is assigned as part of a record.
    fn is_filled(&self, ty: TypeId) -> bool {
        match *self.shape(ty) {
            Shape::Array { of, .. } => self.is_filled(of),
            _ => self.is_assignable(ty),
        }
    }

    /// The target type of a pointer.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match self.shape(ty) {
            Shape::Pointer { to } => Some(*to),
            _ => None,
        }
    }

    /// Whether pointers to both types can be compared, ignoring `const`.
    pub fn are_alike(&self, one: TypeId, other: TypeId) -> bool {
        let spelling = |ty| without_const(&self.0.ty(ty).spelling);
        one == other || spelling(one) == spelling(other)
    }

    /// The kind of a number type.
    pub fn number(&self, ty: TypeId) -> Option<NumberKind> {
        let of = |signed: bool| if signed { NumberKind::Signed } else { NumberKind::Unsigned };
        match *self.shape(ty) {
            Shape::Integer { signed } if without_const(&self.0.ty(ty).spelling) == "char" => {
                Some(NumberKind::Letter { is_signed: signed })
            }
            Shape::Integer { signed } | Shape::Enum { signed, .. } => Some(of(signed)),
            Shape::Bool => Some(NumberKind::Unsigned),
            Shape::Float => Some(NumberKind::Float),
            _ => None,
        }
    }

    /// The members of a struct that hold values.
    pub fn members(&self, fields: &[Field]) -> Vec<Member> {
        let mut members = Vec::new();
        for field in fields {
            match (self.shape(field.ty), field.name.is_empty(), field.bits) {
                (_, true, Some(_)) | (_, _, Some(0)) => {}
                (Shape::Struct { fields }, true, None) => {
                    let inner = self.members(fields).into_iter();
                    members.extend(inner.map(|member| Member { from: member.from + field.offset_bits, ..member }));
                }
                _ => {
                    let (name, ty, from, bits) = (field.name.clone(), field.ty, field.offset_bits, field.bits);
                    members.push(Member { name, ty, from, bits });
                }
            }
        }
        members
    }

    /// For a union with pointers, the member that holds its value; for others, one that has all bytes as integers.
    pub fn whole_member<'f>(&self, union: TypeId, fields: &'f [Field]) -> Option<&'f Field> {
        if holds_pointer(self.0, union) {
            return chosen_member(self.0, union, fields);
        }
        let is_integer = |ty: TypeId| matches!(self.shape(ty), Shape::Integer { .. });
        let is_plain = |ty: TypeId| match *self.shape(ty) {
            Shape::Array { of, .. } => is_integer(of),
            _ => is_integer(ty),
        };
        let has_all = |field: &&Field| self.size(field.ty) == self.size(union) && field.bits.is_none();
        fields.iter().find(|field| !field.name.is_empty() && has_all(field) && is_plain(field.ty))
    }

    pub fn is_signed(&self, ty: TypeId) -> bool {
        matches!(self.shape(ty), Shape::Integer { signed: true } | Shape::Enum { signed: true, .. })
    }

    /// All atoms of a value, in order.
    pub fn atoms(&self, ty: TypeId, path: &str, offset: u64) -> Vec<(ValuePath, Atom)> {
        let mut found = Vec::new();
        self.collect(ty, ValuePath { path: path.to_string(), offset, size: self.size(ty) }, &mut found);
        found
    }

    fn collect(&self, ty: TypeId, place: ValuePath, found: &mut Vec<(ValuePath, Atom)>) {
        let ValuePath { path, offset, .. } = &place;
        match self.shape(ty) {
            Shape::Pointer { to } => found.push((place, Atom::Pointer { to: *to })),
            Shape::Array { of, count } => {
                for at in 0..*count {
                    let size = self.size(*of);
                    self.collect(
                        *of,
                        ValuePath { path: format!("{path}[{at}]"), offset: offset + at * size, size },
                        found,
                    );
                }
            }
            Shape::Struct { fields } => {
                for member in self.members(fields) {
                    self.collect_member(&member, &place, found);
                }
            }
            Shape::Union { fields } => match self.whole_member(ty, fields) {
                Some(field) => {
                    self.collect(field.ty, ValuePath { path: format!("{path}.{}", field.name), ..place }, found)
                }
                None => found.push((place, Atom::Raw)),
            },
            _ => found.extend(self.number(ty).map(|number| (place, Atom::Number(number)))),
        }
    }

    fn collect_member(&self, member: &Member, record: &ValuePath, found: &mut Vec<(ValuePath, Atom)>) {
        let path = format!("{}.{}", record.path, self.name_of(member));
        let offset = record.offset + member.from / 8;
        if let Some(count) = member.bits {
            let (from, is_signed) = (member.from % 8, self.is_signed(member.ty));
            let size = (from + u64::from(count)).div_ceil(8);
            found.push((ValuePath { path, offset, size }, Atom::Bits { from, count, is_signed }));
            return;
        }
        let size = self.size(member.ty);
        match self.shape(member.ty) {
            // Its members are the record's own.
            Shape::Union { fields } if member.name.is_empty() && self.whole_member(member.ty, fields).is_some() => {
                self.collect(member.ty, ValuePath { path: record.path.clone(), offset, size }, found);
            }
            _ => self.collect(member.ty, ValuePath { path, offset, size }, found),
        }
    }

    /// An anonymous union starts where its first member does.
    pub fn name_of(&self, member: &Member) -> String {
        match self.shape(member.ty) {
            Shape::Union { fields } if member.name.is_empty() => {
                fields.first().map(|field| field.name.clone()).unwrap_or_default()
            }
            _ => member.name.clone(),
        }
    }
}

fn without_const(spelling: &str) -> &str {
    spelling.strip_prefix("const ").unwrap_or(spelling)
}
