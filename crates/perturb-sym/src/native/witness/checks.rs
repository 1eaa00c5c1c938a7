//! What is seen after a call, against what the original leaves: one condition of C for each value.

use super::image::Image;
use super::literal::{literal, Number};
use super::stage::{bit_field, Reached, Stage};
use super::types::{Atom, Place};
use crate::native::{Difference, ObjectKind, Place as Pointed};
use perturb_csrc::TypeId;

/// Of an object that is larger, only what differs is looked at.
const LARGEST: u64 = 512;

impl Stage<'_> {
    /// The conditions that hold for the original, in order: of its result, of what pointers lead to, of variables, of what it calls.
    pub fn checks(&self, by: &Difference) -> Vec<String> {
        let image = |bytes| Image::of(self.layout, self.layout.result.iter().chain(&self.layout.views), bytes);
        let (original, other) = (image(&by.original), image(&by.other));
        let result = self.result.iter().map(|name| {
            (self.layout.objects.len(), Reached { name: name.clone(), ty: Some(self.signature.result), count: 1 })
        });
        // What is passed by value nobody sees again.
        let is_seen = |object: &usize| !matches!(self.layout.objects[*object].kind, ObjectKind::Argument(_));
        let objects = (0..self.reached.len()).filter(is_seen);
        let objects = objects.filter_map(|object| Some((object, self.reached[object].clone()?)));
        let mut found = Vec::new();
        for (object, reached) in result.chain(objects) {
            let is_large = self.layout.objects.get(object).is_some_and(|known| known.size > LARGEST);
            for (place, atom) in self.atoms_of(&reached) {
                let bytes = original.bytes(object, place.offset, place.size);
                if is_large && bytes == other.bytes(object, place.offset, place.size) {
                    continue;
                }
                found.extend(bytes.and_then(|bytes| self.check(&place, atom, &bytes)));
            }
        }
        found.extend(self.call_checks(by));
        found
    }

    fn atoms_of(&self, reached: &Reached) -> Vec<(Place, Atom)> {
        let of = |(at, path): (u64, String)| match reached.ty {
            Some(ty) => self.types.atoms(ty, &path, at * self.types.size(ty)),
            None => vec![(Place { path, offset: at, size: 1 }, Atom::Number(Number::Unsigned))],
        };
        reached.values().flat_map(of).collect()
    }

    /// `values[2] == 3`
    fn check(&self, place: &Place, atom: Atom, bytes: &[u8]) -> Option<String> {
        let Place { path, size, .. } = place;
        let bits = bytes.iter().take(8).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
        Some(match atom {
            Atom::Number(Number::Float) => {
                let name = if *size == 4 { "same_float" } else { "same_double" };
                // All that are no numbers are one, with all bits set.
                let bits = match (size, bits) {
                    (4, 0xffff_ffff) => 0x7fc0_0000,
                    (8, u64::MAX) => 0x7ff8_0000_0000_0000,
                    _ => bits,
                };
                format!("{name}({path}, {})", literal(Number::Float, *size, bits))
            }
            Atom::Number(number) => format!("{path} == {}", literal(number, *size, bits)),
            Atom::Bits { from, count, is_signed } => format!("{path} == {}", bit_field(bytes, from, count, is_signed)),
            Atom::Pointer { to } => format!("{path} == {}", self.pointed(to, Pointed::of(bits))?),
            Atom::Raw => {
                format!("__builtin_memcmp(&{path}, (const unsigned char[]){{{}}}, {size}) == 0", super::listed(bytes))
            }
        })
    }

    /// Where a pointer of a type leads, as C says it; none where that has no name.
    fn pointed(&self, ty: TypeId, place: Pointed) -> Option<String> {
        let (object, offset) = match place {
            Pointed::Null => return Some("NULL".to_string()),
            Pointed::Fresh { .. } | Pointed::Freed | Pointed::Elsewhere(_) => return None,
            Pointed::Inside { object, offset } => (object, i64::from(offset)),
        };
        let known = self.layout.objects.get(object)?;
        if known.kind == ObjectKind::Function {
            return self.stand_ins.callback(&known.name).map(String::from);
        }
        let reached = self.reached[object].as_ref()?;
        let address = reached.address();
        let size = reached.ty.map_or(1, |ty| self.types.size(ty) as i64).max(1);
        let is_alike = reached.ty.is_some_and(|own| self.types.are_alike(own, ty));
        Some(match (offset, offset % size) {
            (0, _) if is_alike => address,
            (0, _) => format!("(void *){address}"),
            (_, 0) if is_alike => format!("{address} + {}", offset / size),
            _ => format!("(void *)((char *){address} + {offset})"),
        })
    }
}
