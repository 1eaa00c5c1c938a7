//! Types of values. Pointers are opaque, as in LLVM from version 15 on: loads and stores have the type at the address.
//! Only address space 0 is supported; scalable vectors and target-specific formats are not.

use std::fmt;
use std::sync::Arc;

/// The greatest number of elements of a vector: no machine has as many.
pub const MAX_VECTOR: u64 = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    Void,
    /// Its width, at least 1.
    Int(u32),
    Float(FloatKind),
    Pointer,
    Array(Arc<ArrayType>),
    Struct(Arc<StructType>),
    Vector(Arc<VectorType>),
    Function(Arc<FunctionType>),
    Label,
    Metadata,
    Token,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatKind {
    Half,
    BFloat,
    Single,
    Double,
    /// `x86_fp80`: 80 bits with an explicit leading one.
    X87,
    Quad,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayType {
    pub element: Type,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorType {
    pub element: Type,
    pub count: u32,
}

/// A struct, laid out: [`super::DataLayout::structure`] makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructType {
    pub name: Option<Arc<str>>,
    pub is_packed: bool,
    pub fields: Vec<Type>,
    /// `None` for an opaque struct.
    pub(super) shape: Option<StructLayout>,
}

/// The offsets of the fields in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StructLayout {
    pub offsets: Vec<u64>,
    pub size: u64,
    pub alignment: u64,
    /// The nesting depth of structs and arrays.
    pub depth: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionType {
    pub result: Type,
    pub parameters: Vec<Type>,
    pub is_variadic: bool,
}

impl FloatKind {
    pub fn bits(self) -> u32 {
        match self {
            Self::Half | Self::BFloat => 16,
            Self::Single => 32,
            Self::Double => 64,
            Self::X87 => 80,
            Self::Quad => 128,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::BFloat => "bfloat",
            Self::Single => "float",
            Self::Double => "double",
            Self::X87 => "x86_fp80",
            Self::Quad => "fp128",
        }
    }
}

impl StructType {
    /// Whether it is opaque, with unknown fields.
    pub fn is_opaque(&self) -> bool {
        self.shape.is_none()
    }
}

impl Type {
    pub const BOOL: Self = Self::Int(1);

    pub fn vector(element: Self, count: u32) -> Self {
        Self::Vector(Arc::new(VectorType { element, count }))
    }

    pub fn array(element: Self, count: u64) -> Self {
        Self::Array(Arc::new(ArrayType { element, count }))
    }

    /// The type of one element where it is a vector, itself where not.
    pub fn scalar(&self) -> &Self {
        match self {
            Self::Vector(vector) => &vector.element,
            other => other,
        }
    }

    /// The number of elements of a vector.
    pub fn lanes(&self) -> Option<u32> {
        match self {
            Self::Vector(vector) => Some(vector.count),
            _ => None,
        }
    }

    /// The type with as many elements as this one, each of another type.
    pub fn with_scalar(&self, scalar: Self) -> Self {
        match self.lanes() {
            Some(count) => Self::vector(scalar, count),
            None => scalar,
        }
    }

    /// The type of a part of an array or struct, if there is one of that number.
    pub fn part(&self, number: u32) -> Option<&Self> {
        match self {
            Self::Array(array) => (u64::from(number) < array.count).then_some(&array.element),
            Self::Struct(structure) => structure.fields.get(number as usize),
            _ => None,
        }
    }

    /// Whether values of it can be in registers and in memory.
    pub fn is_value(&self) -> bool {
        match self {
            Self::Int(_) | Self::Float(_) | Self::Pointer | Self::Array(_) | Self::Vector(_) => true,
            Self::Struct(structure) => !structure.is_opaque(),
            Self::Void | Self::Function(_) | Self::Label | Self::Metadata | Self::Token => false,
        }
    }

    /// The nesting depth of structs and arrays.
    pub(super) fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.element.depth() + 1,
            Self::Struct(structure) => structure.shape.as_ref().map_or(0, |shape| shape.depth),
            _ => 0,
        }
    }
}

/// As LLVM writes it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Void => f.write_str("void"),
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::Float(kind) => f.write_str(kind.name()),
            Self::Pointer => f.write_str("ptr"),
            Self::Array(array) => write!(f, "[{} x {}]", array.count, array.element),
            Self::Vector(vector) => write!(f, "<{} x {}>", vector.count, vector.element),
            Self::Struct(structure) => structure.fmt(f),
            Self::Function(function) => function.fmt(f),
            Self::Label => f.write_str("label"),
            Self::Metadata => f.write_str("metadata"),
            Self::Token => f.write_str("token"),
        }
    }
}

impl fmt::Display for StructType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = if self.is_packed { ("<{", "}>") } else { ("{", "}") };
        match &self.name {
            Some(name) => write!(f, "%{name}"),
            None if self.fields.is_empty() => write!(f, "{open}{close}"),
            None => {
                write!(f, "{open} ")?;
                list(f, &self.fields)?;
                write!(f, " {close}")
            }
        }
    }
}

impl fmt::Display for FunctionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.result)?;
        list(f, &self.parameters)?;
        f.write_str(match (self.is_variadic, self.parameters.is_empty()) {
            (true, true) => "...)",
            (true, false) => ", ...)",
            (false, _) => ")",
        })
    }
}

fn list(f: &mut fmt::Formatter<'_>, types: &[Type]) -> fmt::Result {
    for (at, ty) in types.iter().enumerate() {
        write!(f, "{}{ty}", if at == 0 { "" } else { ", " })?;
    }
    Ok(())
}
