//! The arithmetic types of C by name: their conversions and spellings.

use clang_sys::*;

/// A type that numbers have, whatever names a program gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Number {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Float,
    Double,
    LongDouble,
}

impl Number {
    /// None for what is no number, and for those with names of their own in each compiler (`__int128`, `_Float16`).
    pub fn of(canonical: CXTypeKind) -> Option<Self> {
        Some(match canonical {
            CXType_Bool => Self::Bool,
            CXType_Char_S | CXType_Char_U => Self::Char,
            CXType_SChar => Self::SignedChar,
            CXType_UChar => Self::UnsignedChar,
            CXType_Short => Self::Short,
            CXType_UShort => Self::UnsignedShort,
            CXType_Int => Self::Int,
            CXType_UInt => Self::UnsignedInt,
            CXType_Long => Self::Long,
            CXType_ULong => Self::UnsignedLong,
            CXType_LongLong => Self::LongLong,
            CXType_ULongLong => Self::UnsignedLongLong,
            CXType_Float => Self::Float,
            CXType_Double => Self::Double,
            CXType_LongDouble => Self::LongDouble,
            _ => return None,
        })
    }

    /// Its spelling in C and C++; `bool` in C is `_Bool`.
    pub fn name(self, is_cpp: bool) -> &'static str {
        match self {
            Self::Bool if is_cpp => "bool",
            Self::Bool => "_Bool",
            Self::Char => "char",
            Self::SignedChar => "signed char",
            Self::UnsignedChar => "unsigned char",
            Self::Short => "short",
            Self::UnsignedShort => "unsigned short",
            Self::Int => "int",
            Self::UnsignedInt => "unsigned int",
            Self::Long => "long",
            Self::UnsignedLong => "unsigned long",
            Self::LongLong => "long long",
            Self::UnsignedLongLong => "unsigned long long",
            Self::Float => "float",
            Self::Double => "double",
            Self::LongDouble => "long double",
        }
    }

    /// Arithmetic makes an `int` of it.
    pub fn is_promoted(self) -> bool {
        self < Self::Int
    }

    pub fn promoted(self) -> Self {
        if self.is_promoted() {
            Self::Int
        } else {
            self
        }
    }

    pub fn is_floating(self) -> bool {
        self >= Self::Float
    }
}
