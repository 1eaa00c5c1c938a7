//! Data layout: byte order, pointer size and alignments, as `target datalayout` specifies them.
//!
//! The rules are those of LLVM's class `DataLayout`. An unknown specification is an error, since sizes would be
//! guesses.

use super::types::{StructLayout, StructType, Type};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The greatest size in a supported address space.
const MAX_SIZE: u64 = 1 << 60;

/// The greatest nesting depth of structs and arrays, so that recursion over types is safe.
const MAX_DEPTH: u32 = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataLayout {
    pub is_big_endian: bool,
    pub pointer_bits: u32,
    /// The width of the indices of a `getelementptr`.
    pub index_bits: u32,
    pointer_alignment: u64,
    /// Alignments of integers, floats and vectors, in bytes, by width.
    integers: BTreeMap<u64, u64>,
    floats: BTreeMap<u64, u64>,
    vectors: BTreeMap<u64, u64>,
    /// The smallest alignment of a struct.
    aggregate: u64,
}

impl Default for DataLayout {
    /// The defaults.
    fn default() -> Self {
        Self {
            is_big_endian: false,
            pointer_bits: 64,
            index_bits: 64,
            pointer_alignment: 8,
            integers: BTreeMap::from([(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)]),
            floats: BTreeMap::from([(16, 2), (32, 4), (64, 8), (128, 16)]),
            vectors: BTreeMap::from([(64, 8), (128, 16)]),
            aggregate: 1,
        }
    }
}

impl DataLayout {
    /// Parses a specification such as `e-m:e-p270:32:32-i64:64-f80:128-n8:16:32:64-S128`. The error is the unknown
    /// part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut layout = Self::default();
        for part in text.split('-').filter(|part| !part.is_empty()) {
            layout.specify(part).ok_or_else(|| format!("target datalayout: {part}"))?;
        }
        Ok(layout)
    }

    fn specify(&mut self, part: &str) -> Option<()> {
        let kind = part.chars().next().filter(char::is_ascii)?;
        let mut fields = part[1..].split(':');
        let first = fields.next()?;
        match kind {
            'e' if part == "e" => self.is_big_endian = false,
            'E' if part == "E" => self.is_big_endian = true,
            'p' if matches!(first, "" | "0") => {
                self.pointer_bits =
                    number(fields.next()?).filter(|bits: &u32| (8..=64).contains(bits) && bits.is_multiple_of(8))?;
                self.pointer_alignment = alignment(fields.next()?)?;
                let index = fields.nth(1).map_or(Some(self.pointer_bits), number)?;
                self.index_bits = Some(index).filter(|bits| (1..=self.pointer_bits).contains(bits))?;
            }
            // Other address spaces are not supported.
            'p' => drop(number::<u32>(first)?),
            'i' => drop(self.integers.insert(number(first)?, alignment(fields.next()?)?)),
            'f' => drop(self.floats.insert(number(first)?, alignment(fields.next()?)?)),
            'v' => drop(self.vectors.insert(number(first)?, alignment(fields.next()?)?)),
            'a' if matches!(first, "" | "0") => match fields.next()? {
                "0" => self.aggregate = 1,
                bits => self.aggregate = alignment(bits)?,
            },
            // The address spaces of functions, globals and local variables: only 0 is supported.
            'A' | 'P' | 'G' => return (number::<u32>(first)? == 0).then_some(()),
            // Name mangling, native integers, the alignment of the stack and of functions, and non-integral pointers in
            // other address spaces do not affect the layout.
            'm' | 'n' | 'S' | 'F' => {}
            _ => return None,
        }
        Some(())
    }

    /// The distance of elements in an array in bytes, `sizeof`. `None` for types that cannot be in memory.
    pub fn size(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Array(array) => self.size(&array.element)?.checked_mul(array.count).filter(|size| *size <= MAX_SIZE),
            Type::Struct(structure) => structure.shape.as_ref().map(|shape| shape.size),
            _ => Some(self.store_size(ty)?.next_multiple_of(self.alignment(ty)?)),
        }
    }

    /// The number of bytes that a load or store accesses: 10 for an `x86_fp80`, whose size is 12 or 16.
    pub fn store_size(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Array(_) | Type::Struct(_) => self.size(ty),
            _ => Some(self.bits(ty)?.div_ceil(8)),
        }
    }

    /// The width of a value that is no array and no struct.
    pub fn bits(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Int(bits) => Some(u64::from(*bits)),
            Type::Float(kind) => Some(u64::from(kind.bits())),
            Type::Pointer => Some(u64::from(self.pointer_bits)),
            Type::Vector(vector) => Some(self.bits(&vector.element)? * u64::from(vector.count)),
            _ => None,
        }
    }

    /// The ABI alignment, in bytes.
    pub fn alignment(&self, ty: &Type) -> Option<u64> {
        match ty {
            // That of the next larger integer listed, or of the largest.
            Type::Int(bits) => {
                let larger = self.integers.range(u64::from(*bits)..).next();
                larger.or_else(|| self.integers.iter().next_back()).map(|(_, alignment)| *alignment)
            }
            Type::Float(kind) => Some(self.listed_or_natural(&self.floats, u64::from(kind.bits()))),
            Type::Pointer => Some(self.pointer_alignment),
            Type::Vector(_) => Some(self.listed_or_natural(&self.vectors, self.bits(ty)?)),
            Type::Array(array) => self.alignment(&array.element),
            Type::Struct(structure) => structure.shape.as_ref().map(|shape| shape.alignment),
            Type::Void | Type::Function(_) | Type::Label | Type::Metadata | Type::Token => None,
        }
    }

    fn listed_or_natural(&self, listed: &BTreeMap<u64, u64>, bits: u64) -> u64 {
        listed.get(&bits).copied().unwrap_or_else(|| bits.div_ceil(8).next_power_of_two())
    }

    /// The offset of a struct field.
    pub fn offset(&self, structure: &StructType, field: u32) -> Option<u64> {
        structure.shape.as_ref()?.offsets.get(field as usize).copied()
    }

    /// Lays out a struct. `None` if a field has no size, or the struct is too large.
    pub fn structure(&self, name: Option<Arc<str>>, fields: Vec<Type>, is_packed: bool) -> Option<StructType> {
        let (mut size, mut alignment, mut depth) = (0_u64, 1, 0);
        let mut offsets = Vec::with_capacity(fields.len());
        for field in &fields {
            let of_field = if is_packed { 1 } else { self.alignment(field)? };
            let offset = size.next_multiple_of(of_field);
            size = offset.checked_add(self.size(field)?).filter(|size| *size <= MAX_SIZE)?;
            offsets.push(offset);
            alignment = alignment.max(of_field);
            depth = depth.max(field.depth());
        }
        let alignment = if is_packed { 1 } else { alignment.max(self.aggregate) };
        let size = size.next_multiple_of(alignment);
        let shape = StructLayout { offsets, size, alignment, depth: depth + 1 };
        (depth < MAX_DEPTH).then_some(StructType { name, is_packed, fields, shape: Some(shape) })
    }

    /// Whether an array of these is within the limits on depth and size.
    pub(super) fn allows_array(&self, element: &Type, count: u64) -> bool {
        let size = self.size(element).and_then(|size| size.checked_mul(count));
        element.depth() < MAX_DEPTH && size.is_some_and(|size| size <= MAX_SIZE)
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Option<N> {
    text.parse().ok()
}

/// Converts bits to bytes.
fn alignment(text: &str) -> Option<u64> {
    let bits: u64 = number(text)?;
    let bytes = bits / 8;
    (bits.is_multiple_of(8) && bytes.is_power_of_two() && bytes <= 1 << 16).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::types::FloatKind;
    use super::*;

    const X86_64: &str = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";
    const I386: &str = "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-f64:32:64-f80:32-n8:16:32-S128";
    const S390X: &str = "E-m:e-i1:8:16-i8:8:16-i64:64-f128:64-v128:64-a:8:16-n32:64";

    fn sizes(layout: &str, ty: &Type) -> (u64, u64, u64) {
        let layout = DataLayout::parse(layout).unwrap();
        (layout.size(ty).unwrap(), layout.store_size(ty).unwrap(), layout.alignment(ty).unwrap())
    }

    #[test]
    fn sizes_and_alignments_follow_the_target() {
        let x87 = Type::Float(FloatKind::X87);
        for (layout, ty, expected) in [
            (X86_64, Type::Int(1), (1, 1, 1)),
            (X86_64, Type::Int(24), (4, 3, 4)),
            (X86_64, Type::Int(64), (8, 8, 8)),
            (X86_64, Type::Int(65), (16, 9, 16)),
            (X86_64, Type::Int(128), (16, 16, 16)),
            (X86_64, Type::Int(129), (32, 17, 16)),
            (X86_64, x87.clone(), (16, 10, 16)),
            (X86_64, Type::Pointer, (8, 8, 8)),
            (X86_64, Type::vector(Type::Int(32), 3), (16, 12, 16)),
            (X86_64, Type::vector(Type::Int(1), 4), (1, 1, 1)),
            (X86_64, Type::array(Type::Int(16), 5), (10, 10, 2)),
            (I386, Type::Int(64), (8, 8, 4)),
            (I386, Type::Float(FloatKind::Double), (8, 8, 4)),
            (I386, x87, (12, 10, 4)),
            (I386, Type::Pointer, (4, 4, 4)),
            (S390X, Type::Float(FloatKind::Quad), (16, 16, 8)),
        ] {
            assert_eq!(sizes(layout, &ty), expected, "{ty} in {layout}");
        }
        assert!(DataLayout::parse(S390X).unwrap().is_big_endian);
        assert!(!DataLayout::parse(X86_64).unwrap().is_big_endian);
    }

    #[test]
    fn fields_are_aligned_unless_packed() {
        let layout = DataLayout::parse(X86_64).unwrap();
        let fields = vec![Type::Int(8), Type::Int(32), Type::Int(16), Type::Pointer, Type::Int(8)];
        let offsets = |packed| {
            let made = layout.structure(None, fields.clone(), packed).unwrap();
            let offsets: Vec<_> = (0..6).map_while(|field| layout.offset(&made, field)).collect();
            let ty = Type::Struct(Arc::new(made));
            (offsets, layout.size(&ty).unwrap(), layout.alignment(&ty).unwrap())
        };
        assert_eq!(offsets(false), (vec![0, 4, 8, 16, 24], 32, 8));
        assert_eq!(offsets(true), (vec![0, 1, 5, 7, 15], 16, 1));
        assert!(layout.structure(None, vec![Type::Void], false).is_none());
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for wrong in ["x", "p:7:8", "i64", "i64:7", "A5", "p:64:64:64:65", "é", "e1", "i64:24"] {
            assert!(DataLayout::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(DataLayout::parse(""), Ok(DataLayout::default()));
    }

    #[test]
    fn nothing_is_larger_than_an_address_space() {
        let layout = DataLayout::default();
        assert_eq!(layout.size(&Type::array(Type::Int(64), 1 << 61)), None);
        assert_eq!(layout.size(&Type::array(Type::Int(8), u64::MAX)), None);
        let large = Type::array(Type::Int(8), MAX_SIZE);
        assert!(layout.structure(None, vec![large.clone(), large], false).is_none());
    }
}
