//! The streams of a call, as C: each over the bytes of an array; and the checks of their state afterwards.

use super::checks::SeenPlace;
use super::declared::Stream;
use super::image::Image;
use super::literal::{literal, quoted, NumberKind};
use super::stage::Stage;
use crate::native::layout::stream::{HAS_FAILED, IS_AT_END, LENGTH, PLACE};
use crate::native::layout::ObjectKind;
use perturb_csrc::TypeId;

impl Stage<'_> {
    /// The stream over an object, declared when first needed; `None` if the object is no stream.
    pub(super) fn stream(&mut self, object: usize, ty: TypeId) -> Option<String> {
        let known = &self.layout.objects[object];
        let ObjectKind::Stream { mode, state } = known.kind else { return None };
        if let Some(declared) = self.stream_over(object) {
            return Some(declared.name.clone());
        }
        let name = self.fresh(&known.name);
        let bytes = self.fresh(&format!("{name}_bytes"));
        let length = if mode.reads() { self.input.bits(state, LENGTH, 1).unwrap_or(0) } else { known.size };
        let (array, size) = match mode.reads() {
            true => {
                let own = self.input.bytes(object, 0, length).unwrap_or_default();
                (format!("char {bytes}[] = {};", quoted(&own)), length.to_string())
            }
            false => (format!("char {bytes}[{length}] = \"\";"), format!("sizeof {bytes}")),
        };
        let declared = self.types.declared(ty, &format!("*{name}"));
        self.statements.push(array);
        self.statements.push(format!("{declared} = fmemopen({bytes}, {size}, \"{}\");", mode.word()));
        self.streams.push(Stream { name: name.clone(), bytes, mode, object, state, length });
        Some(name)
    }

    /// The stream over an object, if it is declared.
    pub(super) fn stream_over(&self, object: usize) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.object == object)
    }

    /// The statements right after the call, which flush output to the bytes.
    pub fn after_call(&self) -> Vec<String> {
        let written = self.streams.iter().filter(|stream| stream.mode.writes());
        written.map(|stream| format!("fflush({});", stream.name)).collect()
    }

    /// The statements at the end, after all checks.
    pub fn at_end(&self) -> Vec<String> {
        let is_replaced = self.layout.stubs.iter().any(|stub| stub.name == "fclose");
        let streams = self.streams.iter().filter(|_| !is_replaced);
        streams.map(|stream| format!("fclose({});", stream.name)).collect()
    }

    /// Checks the state of streams.
    pub(super) fn stream_checks(
        &self,
        original: &Image,
        others: &[Image],
        is_wanted: impl Fn(&SeenPlace) -> bool,
    ) -> Vec<String> {
        let mut found = Vec::new();
        for stream in &self.streams {
            let Stream { name, state, object, length, .. } = stream;
            let mut add = |from: (usize, u64, u64), given: &[u8], check: &dyn Fn(&[u8]) -> String| {
                let bytes = |image: &Image| image.bytes(from.0, from.1, from.2);
                let Some(own) = bytes(original) else { return };
                let differs = others.iter().any(|other| bytes(other).is_some_and(|other| other != own));
                if is_wanted(&SeenPlace { is_of_result: false, is_changed: own != given, differs }) {
                    found.push(check(&own));
                }
            };
            if stream.mode.writes() && *length > 0 {
                let given = self.input.bytes(*object, 0, *length).unwrap_or_else(|| vec![0; *length as usize]);
                add((*object, 0, *length), &given, &|bytes| holds(&stream.bytes, bytes));
            }
            add((*state, PLACE, 8), &[0; 8], &|bytes| {
                let place = bytes.iter().rev().fold(0, |place, byte| place << 8 | u64::from(*byte));
                format!("ftell({name}) == {}", literal(NumberKind::Signed, 8, place))
            });
            for (at, function) in [(IS_AT_END, "feof"), (HAS_FAILED, "ferror")] {
                add((*state, at, 1), &[0], &|bytes| {
                    format!("{}{function}({name})", if bytes[0] == 0 { "!" } else { "" })
                });
            }
        }
        found
    }
}

/// The check of an array: as a string, if only zeros follow it.
fn holds(array: &str, bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let text = &bytes[..end];
    match end < bytes.len() && !text.contains(&0) {
        true => format!("__builtin_strcmp({array}, {}) == 0", quoted(text)),
        false => format!("__builtin_memcmp({array}, {}, {}) == 0", quoted(bytes), bytes.len()),
    }
}
