//! The checks of outputs against those of the original: one C condition for each value.

use super::declared::DeclaredObject;
use super::image::Image;
use super::literal::{literal, quoted, NumberKind};
use super::stage::{bit_field, Stage};
use super::types::{Atom, ValuePath};
use crate::native::floats::comparing;
use crate::native::heap_contents::{HeapContents, HeapValue, ObservedValue};
use crate::native::{LeafKind, ObjectKind, ObservedTarget};
use perturb_csrc::TypeId;
use perturb_model::Difference;

/// Of a larger object, only differences are checked.
const LARGEST: u64 = 512;

/// If there are at most this many values behind pointers, all are checked; otherwise those that differ.
const FEW: usize = 12;

/// An observable value.
pub(super) struct SeenPlace {
    pub is_of_result: bool,
    /// The call changed it.
    pub is_changed: bool,
    /// One of the mutants leaves another value.
    pub differs: bool,
}

impl Stage<'_> {
    /// The conditions that hold for the original, in order: on its result, pointer targets, variables, and calls of
    /// stubs.
    pub fn checks(&self, by: &Difference) -> Vec<String> {
        let is_counted = self.memory(by, &[by]).is_some();
        self.checks_where(by, &[by], is_counted, |_| true)
    }

    /// The informative ones of these: on the result, on what the call changes, and on values that one of the mutants
    /// leaves different.
    pub fn telling_checks(&self, by: &Difference, others: &[&Difference]) -> Vec<String> {
        let is_counted = self.memory(by, others).is_some_and(|memory| memory.is_needed);
        self.checks_where(by, others, is_counted, |seen| seen.is_of_result || seen.is_changed || seen.differs)
    }

    fn checks_where(
        &self,
        by: &Difference,
        others: &[&Difference],
        is_counted: bool,
        is_wanted: impl Fn(&SeenPlace) -> bool,
    ) -> Vec<String> {
        let image = |bytes| Image::of(self.layout, self.layout.result.iter().chain(&self.layout.views), bytes);
        let original = image(&by.original);
        let others_left: Vec<Image> =
            others.iter().filter(|other| !other.other.is_empty()).map(|other| image(&other.other)).collect();
        let result = self.result.iter().map(|name| {
            (
                self.layout.objects.len(),
                DeclaredObject { name: name.clone(), ty: Some(self.signature.result), count: 1 },
            )
        });
        // Arguments passed by value are not observable.
        let is_seen = |object: &usize| !matches!(self.layout.objects[*object].kind, ObjectKind::Argument(_));
        // Nor is freed memory.
        let freed = self.layout.heap_contents(&by.original).map_or(Vec::new(), |fresh| fresh.freed);
        let objects = (0..self.reached.len()).filter(is_seen).filter(|object| !freed.contains(object));
        let objects = objects.filter_map(|object| Some((object, self.reached[object].clone()?)));
        let mut found = Vec::new();
        for (object, reached) in result.chain(objects) {
            let is_large = self.layout.objects.get(object).is_some_and(|known| known.size > LARGEST);
            for (place, atom) in self.atoms_of(object, &reached) {
                let Some(bytes) = original.bytes(object, place.offset, place.size) else { continue };
                let is_otherwise =
                    |other: &Image| other.bytes(object, place.offset, place.size).is_some_and(|other| other != bytes);
                let seen = SeenPlace {
                    is_of_result: object == self.layout.objects.len(),
                    is_changed: !self.is_as_given(object, &place, atom, &bytes),
                    differs: others_left.iter().any(is_otherwise),
                };
                if is_wanted(&seen) && (!is_large || seen.differs) {
                    found.extend(self.check(&place, atom, &bytes, is_counted));
                }
            }
        }
        found.extend(self.stream_checks(&original, &others_left, is_wanted));
        found.extend(self.room_checks(&original, &others_left));
        found.extend(self.checks_behind_pointers(by, others, is_counted));
        found.extend(self.call_checks(by));
        found
    }

    /// Whether the value is unchanged by the call.
    fn is_as_given(&self, object: usize, place: &ValuePath, atom: Atom, bytes: &[u8]) -> bool {
        let Atom::Pointer { .. } = atom else {
            return self.input.bytes(object, place.offset, place.size).is_some_and(|given| given == bytes);
        };
        let mut links = self.layout.links.iter();
        let Some(link) = links.find(|link| link.object == object && link.offset == place.offset) else { return false };
        match (self.target(link), ObservedTarget::of(bits_of(bytes))) {
            (None, ObservedTarget::Null) => true,
            (Some(target), ObservedTarget::Inside { object, offset: 0 }) => target == object,
            _ => false,
        }
    }

    /// Checks memory that the call allocated, and constants, behind pointers.
    fn checks_behind_pointers(&self, by: &Difference, others: &[&Difference], is_counted: bool) -> Vec<String> {
        let Some(fresh) = self.layout.heap_contents(&by.original) else { return Vec::new() };
        let left: Vec<HeapContents> =
            others.iter().filter_map(|other| self.layout.heap_contents(&other.other)).collect();
        let of = |fresh: &HeapContents, name: &str| {
            fresh.values.iter().find(|seen| seen.name == name).map(|seen| seen.value.clone())
        };
        let differs = |seen: &HeapValue| left.iter().any(|other| of(other, &seen.name).as_ref() != Some(&seen.value));
        let is_few = fresh.values.len() <= FEW;
        let telling = fresh.values.iter().filter(|seen| is_few || differs(seen));
        telling.filter_map(|seen| self.check_behind(seen, is_counted)).collect()
    }

    /// `result->next->value == 3`
    fn check_behind(&self, seen: &HeapValue, is_counted: bool) -> Option<String> {
        let path = self.as_declared(seen)?;
        Some(match &seen.value {
            ObservedValue::Number { kind: LeafKind::Float, size, bits } => {
                format!("{}({path}, {})", comparing(self.tolerance, *size), literal(NumberKind::Float, *size, *bits))
            }
            ObservedValue::Number { kind, size, bits } => {
                let number = if *kind == LeafKind::Signed { NumberKind::Signed } else { NumberKind::Unsigned };
                format!("{path} == {}", literal(number, *size, *bits))
            }
            ObservedValue::Pointer(ObservedTarget::Null) => format!("{path} == NULL"),
            ObservedValue::Pointer(ObservedTarget::Fresh { .. }) => is_new(&path, is_counted),
            ObservedValue::Pointer(_) | ObservedValue::Unwritten => return None,
            ObservedValue::Bytes(bytes) => {
                // Up to the first uninitialised byte.
                let bytes: Vec<u8> = bytes.iter().map_while(|byte| *byte).collect();
                match bytes.split_last() {
                    None => return None,
                    Some((0, letters)) if !letters.contains(&0) => {
                        format!("__builtin_strcmp((const char *)({path}), {}) == 0", quoted(letters))
                    }
                    Some(_) => format!("__builtin_memcmp({path}, {}, {}) == 0", quoted(&bytes), bytes.len()),
                }
            }
        })
    }

    /// The expression of a value behind a pointer, in the names declared here.
    fn as_declared(&self, seen: &HeapValue) -> Option<String> {
        let root = self.layout.heap.as_ref()?.roots.get(seen.root)?;
        let own = match self.reached.get(root.object) {
            None => self.result.clone()?,
            Some(reached) => {
                let atoms = self.atoms_of(root.object, reached.as_ref()?);
                atoms.into_iter().find(|(place, _)| place.offset == root.offset)?.0.path
            }
        };
        let own = if own.starts_with('*') { format!("({own})") } else { own };
        Some(seen.expression.as_ref()?.replacen(&root.name, &own, 1))
    }

    fn atoms_of(&self, object: usize, reached: &DeclaredObject) -> Vec<(ValuePath, Atom)> {
        if self.is_list_text(object) {
            return vec![(ValuePath { path: reached.name.clone(), offset: 0, size: reached.count }, Atom::Text)];
        }
        let of = |(at, path): (u64, String)| match reached.ty {
            Some(ty) => self.types.atoms(ty, &path, at * self.types.size(ty)),
            None => vec![(ValuePath { path, offset: at, size: 1 }, Atom::Number(NumberKind::Unsigned))],
        };
        reached.values().flat_map(of).collect()
    }

    /// `values[2] == 3`
    fn check(&self, place: &ValuePath, atom: Atom, bytes: &[u8], is_counted: bool) -> Option<String> {
        let ValuePath { path, size, .. } = place;
        let bits = bits_of(bytes);
        Some(match atom {
            Atom::Number(NumberKind::Float) => {
                let name = comparing(self.tolerance, *size);
                // The driver reports every NaN with all bits set.
                let bits = match (size, bits) {
                    (4, 0xffff_ffff) => 0x7fc0_0000,
                    (8, u64::MAX) => 0x7ff8_0000_0000_0000,
                    _ => bits,
                };
                format!("{name}({path}, {})", literal(NumberKind::Float, *size, bits))
            }
            Atom::Number(number) => format!("{path} == {}", literal(number, *size, bits)),
            Atom::Bits { from, count, is_signed } => format!("{path} == {}", bit_field(bytes, from, count, is_signed)),
            Atom::Pointer { to } => match ObservedTarget::of(bits) {
                ObservedTarget::Fresh { .. } => is_new(path, is_counted),
                place => format!("{path} == {}", self.pointed(to, place)?),
            },
            Atom::Text => match ObservedTarget::of(bits) {
                ObservedTarget::Null | ObservedTarget::Elsewhere(_) => {
                    // The literal adds a zero at the end.
                    let letters = bytes.strip_suffix(&[0]).unwrap_or(bytes);
                    format!("__builtin_memcmp({path}, {}, {size}) == 0", quoted(letters))
                }
                _ => return None,
            },
            Atom::Raw => {
                format!("__builtin_memcmp(&{path}, (const unsigned char[]){{{}}}, {size}) == 0", super::listed(bytes))
            }
        })
    }

    /// The target of a pointer as a C expression; `None` if it has none.
    fn pointed(&self, ty: TypeId, place: ObservedTarget) -> Option<String> {
        let (object, offset) = match place {
            ObservedTarget::Null => return Some("NULL".to_string()),
            ObservedTarget::Fresh { .. } | ObservedTarget::Freed | ObservedTarget::Elsewhere(_) => return None,
            ObservedTarget::Inside { object, offset } => (object, i64::from(offset)),
        };
        if let Some(stream) = self.stream_over(object) {
            return Some(stream.name.clone());
        }
        if let Some(place) = self.place_in_room(object, offset) {
            return Some(format!("(void *){place}"));
        }
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
            (_, 0) if is_alike => format!("{address}{}", steps(offset / size)),
            _ => format!("(void *)((char *){address}{})", steps(offset)),
        })
    }
}

/// `p + 2`, `p - 2`
fn steps(steps: i64) -> String {
    format!(" {} {}", if steps < 0 { '-' } else { '+' }, steps.unsigned_abs())
}

/// The check of a pointer to memory that the call allocated, which a program may count.
fn is_new(path: &str, is_counted: bool) -> String {
    match is_counted {
        true => format!("test_memory_is_new({path})"),
        false => format!("{path} != NULL"),
    }
}

/// The lowest eight bytes as a number.
fn bits_of(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}
