//! The types of allocated memory, and the pointers from which a call's result, arguments and variables reach it.

use super::leaf::LeafKind;
use perturb_csrc::{Field, Shape, Signatures, TypeId};
use std::collections::BTreeMap;

/// How many allocations can be made to fail, one at a time.
pub const REFUSALS: i128 = 8;

/// The functions that allocate or free memory. The driver replaces them: `__wrap_malloc` for `malloc`.
pub const ALLOCATING: &[&str] = &["malloc", "calloc", "realloc", "reallocarray", "free", "strdup", "strndup"];

/// The functions that compare strings. The driver's replacements report their arguments.
pub const COMPARING: &[&str] = &["strcmp", "strcasecmp", "strncmp", "strncasecmp", "memcmp"];

/// The linker options that redirect calls of them to a program's own versions.
pub fn wraps() -> impl Iterator<Item = String> {
    ALLOCATING.iter().map(|name| format!("-Wl,--wrap={name}"))
}

pub fn is_allocating(name: &str) -> bool {
    ALLOCATING.contains(&name)
}

/// How allocated memory can be observed after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heap {
    /// The first is [`HeapType::Bytes`].
    pub types: Vec<HeapType>,
    pub roots: Vec<Root>,
    /// Whether anything is allocated. Where nothing is, pointers may still point to constants of the program.
    pub allocates: bool,
}

/// The contents of a block. Types refer to each other by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapType {
    /// Bytes of unknown type: there may be pointers among them.
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
        members: Vec<HeapMember>,
        size: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapMember {
    /// Empty for an anonymous member.
    pub name: String,
    pub offset: u64,
    pub ty: usize,
    /// For a bit-field: its first bit, and its width.
    pub bits: Option<(u32, u32)>,
}

/// An observable pointer, from which allocated memory is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// As a C expression; the result of the function is `result`.
    pub name: String,
    pub object: usize,
    pub offset: u64,
    pub ty: usize,
}

/// An observable pointer, with the type of its target.
#[derive(Debug, Clone)]
pub(super) struct TypedRoot {
    pub name: String,
    pub object: usize,
    pub offset: u64,
    pub to: TypeId,
}

/// Collects all reachable types.
struct Collector<'c> {
    signatures: &'c Signatures,
    types: Vec<HeapType>,
    /// By type, and by whether the type is that of a pointer target.
    known: BTreeMap<(TypeId, bool), usize>,
}

impl Heap {
    pub(super) fn of(signatures: &Signatures, roots: Vec<TypedRoot>, allocates: bool) -> Self {
        let mut collector = Collector { signatures, types: vec![HeapType::Bytes { size: 1 }], known: BTreeMap::new() };
        let roots = roots.into_iter().map(|TypedRoot { name, object, offset, to }| {
            let name = name.replacen("the result", "result", 1);
            Root { name, object, offset, ty: collector.pointee(to) }
        });
        let roots = roots.collect();
        Self { types: collector.types, roots, allocates }
    }

    /// Whether the target type of every root is known.
    pub fn knows_all(&self) -> bool {
        self.roots.iter().all(|root| root.ty != 0)
    }

    pub(super) fn size(&self, ty: usize) -> u64 {
        match &self.types[ty] {
            HeapType::Bytes { size }
            | HeapType::Characters { size }
            | HeapType::Number { size, .. }
            | HeapType::Record { size, .. } => *size,
            HeapType::Pointer { .. } => 8,
            HeapType::Array { of, count } => self.size(*of) * count,
        }
    }
}

impl Collector<'_> {
    /// The type of a pointer target: characters, or bytes of unknown type.
    fn pointee(&mut self, id: TypeId) -> usize {
        let ty = self.signatures.ty(id);
        match ty.shape {
            Shape::Integer { .. } if ty.size == 1 => self.add((id, true), |_| HeapType::Characters { size: 1 }),
            Shape::Void | Shape::Function { .. } => 0,
            _ if ty.size == 0 => 0,
            _ => self.value(id),
        }
    }

    fn value(&mut self, id: TypeId) -> usize {
        self.add((id, false), |collector| collector.made(id))
    }

    /// Registered before it is built, as it may refer to itself.
    fn add(&mut self, key: (TypeId, bool), make: impl FnOnce(&mut Self) -> HeapType) -> usize {
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let at = self.types.len();
        self.types.push(HeapType::Bytes { size: 1 });
        self.known.insert(key, at);
        self.types[at] = make(self);
        at
    }

    fn made(&mut self, id: TypeId) -> HeapType {
        let ty = self.signatures.ty(id);
        let size = ty.size;
        let number = |kind| HeapType::Number { kind, size };
        match &ty.shape {
            Shape::Bool => number(LeafKind::Bool),
            Shape::Integer { signed } | Shape::Enum { signed, .. } if size <= 8 => {
                number(if *signed { LeafKind::Signed } else { LeafKind::Unsigned })
            }
            Shape::Float => number(LeafKind::Float),
            Shape::Pointer { to } => HeapType::Pointer { to: self.pointee(*to) },
            Shape::Array { of, .. } if is_character(self.signatures, *of) => HeapType::Characters { size },
            Shape::Array { of, count } => HeapType::Array { of: self.value(*of), count: *count },
            Shape::Struct { fields } => {
                let members = fields.iter().filter(|field| field.bits.is_none_or(|bits| bits > 0));
                HeapType::Record { members: members.map(|field| self.member(field)).collect(), size }
            }
            _ => HeapType::Bytes { size },
        }
    }

    fn member(&mut self, field: &Field) -> HeapMember {
        let bits = field.bits.map(|bits| ((field.offset_bits % 8) as u32, bits));
        HeapMember { name: field.name.clone(), offset: field.offset_bits / 8, ty: self.value(field.ty), bits }
    }
}

fn is_character(signatures: &Signatures, id: TypeId) -> bool {
    let ty = signatures.ty(id);
    ty.size == 1 && matches!(ty.shape, Shape::Integer { .. })
}
