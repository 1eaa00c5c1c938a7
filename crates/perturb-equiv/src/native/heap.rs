//! The types of allocated memory, and the pointers from which a call's result, arguments and variables reach it.

use super::leaf::LeafKind;
use perturb_csrc::{Field, Shape, Signatures, TypeId};
use std::collections::BTreeMap;

/// So many allocations are made to fail, one at a time.
pub const REFUSALS: i128 = 8;

/// The functions that allocate memory, or free it. The driver has its own: `__wrap_malloc` for `malloc`.
pub const ALLOCATING: &[&str] = &["malloc", "calloc", "realloc", "reallocarray", "free", "strdup", "strndup"];

/// The functions that compare texts. The driver's own tell it what they are given.
pub const COMPARING: &[&str] = &["strcmp", "strcasecmp", "strncmp", "strncasecmp", "memcmp"];

/// What tells the linker to lead calls of them to those that a program has of its own.
pub fn wraps() -> impl Iterator<Item = String> {
    ALLOCATING.iter().map(|name| format!("-Wl,--wrap={name}"))
}

pub fn is_allocating(name: &str) -> bool {
    ALLOCATING.contains(&name)
}

/// How memory that is allocated can be seen afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heap {
    /// The first is [`Type::Bytes`].
    pub types: Vec<Type>,
    pub roots: Vec<Root>,
    /// Whether anything is allocated. Where nothing is, pointers may still lead to constants of the program.
    pub allocates: bool,
}

/// What a block may hold. Other types are named by their place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Of which nobody knows what they are: there may be pointers among them.
    Bytes {
        size: u64,
    },
    Characters {
        size: u64,
    },
    Number {
        kind: LeafKind,
        size: u64,
    },
    Pointer {
        to: usize,
    },
    Array {
        of: usize,
        count: u64,
    },
    Record {
        members: Vec<Member>,
        size: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Empty where it has none.
    pub name: String,
    pub offset: u64,
    pub ty: usize,
    /// Of a bit-field: its first bit, and how many it has.
    pub bits: Option<(u32, u32)>,
}

/// A pointer that can be seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// As C would write it; the result of the function is `result`.
    pub name: String,
    pub object: usize,
    pub offset: u64,
    pub ty: usize,
}

/// A pointer that can be seen, by the type of what it leads to.
#[derive(Debug, Clone)]
pub(super) struct TypedRoot {
    pub name: String,
    pub object: usize,
    pub offset: u64,
    pub to: TypeId,
}

/// Collects the types that can be reached.
struct Collector<'c> {
    signatures: &'c Signatures,
    types: Vec<Type>,
    /// By what they are, and whether as what a pointer leads to.
    known: BTreeMap<(TypeId, bool), usize>,
}

impl Heap {
    pub(super) fn of(signatures: &Signatures, roots: Vec<TypedRoot>, allocates: bool) -> Self {
        let mut collector = Collector { signatures, types: vec![Type::Bytes { size: 1 }], known: BTreeMap::new() };
        let roots = roots.into_iter().map(|TypedRoot { name, object, offset, to }| {
            let name = name.replacen("the result", "result", 1);
            Root { name, object, offset, ty: collector.pointee(to) }
        });
        let roots = roots.collect();
        Self { types: collector.types, roots, allocates }
    }

    /// Whether it is known of every pointer that can be seen what it leads to.
    pub fn knows_all(&self) -> bool {
        self.roots.iter().all(|root| root.ty != 0)
    }

    pub(super) fn size(&self, ty: usize) -> u64 {
        match &self.types[ty] {
            Type::Bytes { size }
            | Type::Characters { size }
            | Type::Number { size, .. }
            | Type::Record { size, .. } => *size,
            Type::Pointer { .. } => 8,
            Type::Array { of, count } => self.size(*of) * count,
        }
    }
}

impl Collector<'_> {
    /// What a pointer leads to: many characters, or nobody knows what.
    fn pointee(&mut self, id: TypeId) -> usize {
        let ty = self.signatures.ty(id);
        match ty.shape {
            Shape::Integer { .. } if ty.size == 1 => self.add((id, true), |_| Type::Characters { size: 1 }),
            Shape::Void | Shape::Function { .. } => 0,
            _ if ty.size == 0 => 0,
            _ => self.value(id),
        }
    }

    fn value(&mut self, id: TypeId) -> usize {
        self.add((id, false), |collector| collector.made(id))
    }

    /// Known before it is made: it may lead to itself.
    fn add(&mut self, key: (TypeId, bool), make: impl FnOnce(&mut Self) -> Type) -> usize {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let at = self.types.len();
        self.types.push(Type::Bytes { size: 1 });
        self.known.insert(key, at);
        self.types[at] = make(self);
        at
    }

    fn made(&mut self, id: TypeId) -> Type {
        let ty = self.signatures.ty(id);
        let size = ty.size;
        let number = |kind| Type::Number { kind, size };
        match &ty.shape {
            Shape::Bool => number(LeafKind::Bool),
            Shape::Integer { signed } | Shape::Enum { signed, .. } if size <= 8 => {
                number(if *signed { LeafKind::Signed } else { LeafKind::Unsigned })
            }
            Shape::Float => number(LeafKind::Float),
            Shape::Pointer { to } => Type::Pointer { to: self.pointee(*to) },
            Shape::Array { of, .. } if is_character(self.signatures, *of) => Type::Characters { size },
            Shape::Array { of, count } => Type::Array { of: self.value(*of), count: *count },
            Shape::Struct { fields } => {
                let members = fields.iter().filter(|field| field.bits.is_none_or(|bits| bits > 0));
                Type::Record { members: members.map(|field| self.member(field)).collect(), size }
            }
            _ => Type::Bytes { size },
        }
    }

    fn member(&mut self, field: &Field) -> Member {
        let bits = field.bits.map(|bits| ((field.offset_bits % 8) as u32, bits));
        Member { name: field.name.clone(), offset: field.offset_bits / 8, ty: self.value(field.ty), bits }
    }
}

fn is_character(signatures: &Signatures, id: TypeId) -> bool {
    let ty = signatures.ty(id);
    ty.size == 1 && matches!(ty.shape, Shape::Integer { .. })
}
