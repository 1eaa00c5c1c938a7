//! The properties of a type that the operators need, and that are the same in every version of clang.

use super::Number;
use crate::libclang::ClangType;
use clang_sys::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeClass {
    Void,
    Bool,
    Integer {
        signed: bool,
    },
    Floating,
    Complex,
    Enum {
        scoped: bool,
    },
    Pointer,
    FunctionPointer,
    NullPointer,
    Record,
    Array,
    /// Known only when a template is instantiated.
    Dependent,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Type {
    pub class: TypeClass,
    pub is_const: bool,
    pub is_volatile: bool,
    /// It points to what is known only when a template is instantiated.
    pub points_to_dependent: bool,
    /// The numeric type; for an enumeration, its underlying type.
    pub number: Option<Number>,
    /// How many bits a number has.
    pub bits: u8,
}

impl Type {
    pub const NONE: Type = Type {
        class: TypeClass::Other,
        is_const: false,
        is_volatile: false,
        points_to_dependent: false,
        number: None,
        bits: 0,
    };

    pub fn of(raw: ClangType<'_>) -> Self {
        let canonical = raw.canonical();
        let class = class_of(canonical);
        let points_to_dependent =
            class == TypeClass::Pointer && class_of(canonical.pointee().canonical()) == TypeClass::Dependent;
        let plain = if let TypeClass::Enum { .. } = class { canonical.enum_integer() } else { canonical };
        let number = Number::of(plain.kind());
        let bits = number.map_or(0, |_| u8::try_from(plain.size().max(0) * 8).unwrap_or(0));
        Self {
            class,
            is_const: canonical.is_const(),
            is_volatile: canonical.is_volatile(),
            points_to_dependent,
            number,
            bits,
        }
    }

    /// Integers proper, `bool` and unscoped enumerations: what `%`, `&` and `<<` take.
    pub fn is_integral(self) -> bool {
        matches!(self.class, TypeClass::Bool | TypeClass::Integer { .. } | TypeClass::Enum { scoped: false })
    }

    pub fn is_arithmetic(self) -> bool {
        self.is_integral() || self.class == TypeClass::Floating
    }

    pub fn is_enum(self) -> bool {
        matches!(self.class, TypeClass::Enum { .. })
    }

    pub fn is_pointer(self) -> bool {
        matches!(self.class, TypeClass::Pointer | TypeClass::FunctionPointer)
    }

    pub fn is_dependent(self) -> bool {
        self.class == TypeClass::Dependent
    }
}

fn class_of(canonical: ClangType<'_>) -> TypeClass {
    match canonical.kind() {
        CXType_Void => TypeClass::Void,
        CXType_Bool => TypeClass::Bool,
        CXType_Char_S | CXType_SChar | CXType_Short | CXType_Int | CXType_Long | CXType_LongLong | CXType_Int128 => {
            TypeClass::Integer { signed: true }
        }
        CXType_Char_U | CXType_UChar | CXType_UShort | CXType_UInt | CXType_ULong | CXType_ULongLong
        | CXType_UInt128 | CXType_Char16 | CXType_Char32 | CXType_WChar => TypeClass::Integer { signed: false },
        CXType_Float | CXType_Double | CXType_LongDouble | CXType_Float128 | CXType_Half | CXType_Float16 => {
            TypeClass::Floating
        }
        CXType_Complex => TypeClass::Complex,
        CXType_Enum => TypeClass::Enum { scoped: canonical.is_scoped_enum() },
        CXType_Pointer => match canonical.pointee().kind() {
            CXType_FunctionProto | CXType_FunctionNoProto => TypeClass::FunctionPointer,
            _ => TypeClass::Pointer,
        },
        CXType_NullPtr => TypeClass::NullPointer,
        CXType_Record => TypeClass::Record,
        CXType_ConstantArray | CXType_IncompleteArray | CXType_VariableArray | CXType_DependentSizedArray => {
            TypeClass::Array
        }
        // Template parameters and what depends on them are "unexposed" in some versions.
        CXType_Dependent | CXType_Overload | CXType_Unexposed => TypeClass::Dependent,
        _ => TypeClass::Other,
    }
}

/// Whether the type is or contains a pointer: a `0` in its initialiser may be a null pointer.
pub fn holds_pointers(raw: ClangType<'_>) -> bool {
    let canonical = raw.canonical();
    match class_of(canonical) {
        TypeClass::Array => holds_pointers(canonical.element()),
        TypeClass::Record => canonical.fields().into_iter().any(holds_pointers),
        class => matches!(class, TypeClass::Pointer | TypeClass::FunctionPointer | TypeClass::Dependent),
    }
}

/// The values that an integer type holds, for checks of narrowing and of bit-field widths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntegerRange {
    pub min: i128,
    pub max: i128,
}

impl IntegerRange {
    pub fn of(raw: ClangType<'_>) -> Option<Self> {
        let canonical = raw.canonical();
        let bits = u32::try_from(canonical.size()).ok().filter(|&bytes| (1..=8).contains(&bytes))? * 8;
        match class_of(canonical) {
            TypeClass::Bool => Some(Self { min: 0, max: 1 }),
            TypeClass::Integer { signed: true } => {
                Some(Self { min: -(1i128 << (bits - 1)), max: (1i128 << (bits - 1)) - 1 })
            }
            TypeClass::Integer { signed: false } => Some(Self { min: 0, max: (1i128 << bits) - 1 }),
            _ => None,
        }
    }

    /// The range common to all integers in an aggregate: a C++ brace initialiser may have these values without
    /// narrowing.
    pub fn of_all_in(raw: ClangType<'_>) -> Option<Self> {
        let canonical = raw.canonical();
        match class_of(canonical) {
            TypeClass::Array => Self::of_all_in(canonical.element()),
            TypeClass::Record => {
                let fields = canonical.fields();
                fields
                    .into_iter()
                    .filter_map(Self::of_all_in)
                    .reduce(|a, b| Self { min: a.min.max(b.min), max: a.max.min(b.max) })
            }
            _ => Self::of(canonical),
        }
    }

    pub fn holds(self, value: i128) -> bool {
        (self.min..=self.max).contains(&value)
    }
}
