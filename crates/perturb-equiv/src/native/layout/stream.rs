//! Makes the inputs for pointers to streams: each points to a stream over bytes in memory.

use super::super::stream::StreamMode;
use super::maker::{Maker, Spot};
use super::{Layout, Leaf, LeafKind, Link, ObjectKind, Unsupported};
use crate::contract::PermittedValues;
use perturb_csrc::{Global, Shape, TypeId};

/// The greatest number of bytes to read, and the room for output.
const MOST_READ: u64 = 16;
const ROOM: u64 = 128;

/// The offsets in the state of a stream (`c/streams.h`).
pub const PLACE: u64 = 0;
pub const IS_AT_END: u64 = 8;
pub const HAS_FAILED: u64 = 9;
pub const LENGTH: u64 = 10;
const STATE: u64 = 16;

impl Maker<'_> {
    /// Adds the target of a pointer to a stream; the caller has added whether it is null.
    pub fn stream(&mut self, spot: &Spot, null: Option<usize>) -> Result<(), Unsupported> {
        let (mode, name) = (self.mode, &spot.name);
        if spot.given != PermittedValues::Any {
            return Err(Unsupported::Contract(name.clone()));
        }
        let state = self.object(self.made_name(), STATE, ObjectKind::Made);
        let size = if mode.reads() { MOST_READ } else { ROOM };
        let target = self.object(format!("*{name}"), size, ObjectKind::Stream { mode, state });
        if mode.reads() {
            let (kind, range) = (LeafKind::Length, Some((0, i128::from(MOST_READ))));
            let name = format!("the number of bytes in {name}");
            self.layout.leaves.push(Leaf { kind, range, ..plain(name, state, LENGTH, 1) });
        }
        self.bytes(&Spot::new(name.clone(), target), 0..size, mode.reads());
        let place = Leaf { kind: LeafKind::Signed, ..plain(format!("the place in {name}"), state, PLACE, 8) };
        let flag =
            |what: &str, offset| Leaf { kind: LeafKind::Bool, ..plain(format!("{name} {what}"), state, offset, 1) };
        self.layout.views.extend([place, flag("is at its end", IS_AT_END), flag("has failed", HAS_FAILED)]);
        let (object, offset) = (spot.object, spot.offset);
        self.layout.links.push(Link { object, offset, target: Some(target), null, alias: None, place: None });
        self.assume(match mode {
            StreamMode::Reads | StreamMode::Both => {
                format!("{name} is a stream with at most {MOST_READ} bytes in memory")
            }
            StreamMode::Writes => format!("{name} is a stream with room for {ROOM} bytes in memory"),
        });
        Ok(())
    }

    /// Adds a variable of the C library: it is not set, but changes to it are observed.
    pub fn library_variable(&mut self, variable: &Global) -> Result<(), Unsupported> {
        self.assume(format!("{} is as it is when the program starts, and so is what it leads to", variable.name));
        if self.ty(variable.ty).is_const || self.ty(variable.ty).size == 0 {
            return Ok(());
        }
        let inputs = self.layout.leaves.len();
        self.global(&variable.name, variable.ty)?;
        self.layout.leaves.truncate(inputs);
        self.layout.likely.retain(|at, _| *at < inputs);
        Ok(())
    }

    /// Whether a pointer points to a stream.
    pub fn is_stream(&self, to: TypeId) -> bool {
        self.ty(to).shape == Shape::Stream
    }
}

impl Layout {
    /// Whether a leaf is a byte past the end of its stream in this input.
    pub fn is_beyond_stream(&self, leaf: &Leaf, input: &[u8]) -> bool {
        let kind = self.objects.get(leaf.object).map(|object| &object.kind);
        let Some(ObjectKind::Stream { state, .. }) = kind else { return false };
        let is_length = |other: &Leaf| other.kind == LeafKind::Length && other.object == *state;
        let before = self.leaves.iter().take_while(|other| !is_length(other));
        let at: usize = before.map(|other| other.size as usize).sum();
        input.get(at).is_some_and(|length| leaf.offset >= u64::from(*length))
    }
}

fn plain(name: String, object: usize, offset: u64, size: u32) -> Leaf {
    Leaf { name, kind: LeafKind::Unsigned, size, object, offset, is_element: false, range: None }
}
