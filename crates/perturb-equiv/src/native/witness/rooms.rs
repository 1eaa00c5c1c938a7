//! Untyped memory that stubs return, as C: an array for each stub, with a row for each call; and the checks of its
//! contents.

use super::declared::Room;
use super::image::Image;
use super::literal::quoted;
use super::stage::Stage;
use crate::native::stub::ROOM;
use crate::native::ObservedTarget;

/// The unit in which the driver observes it.
const WORD: u64 = 8;

impl Room {
    /// `&malloc_memory[0][8]`, for an offset from the start of the object.
    fn place(&self, offset: u64) -> Option<String> {
        let (call, at) = (offset / ROOM, offset % ROOM);
        let row = format!("{}[{call}]", self.name);
        self.calls.contains(&call).then(|| if at == 0 { row } else { format!("&{row}[{at}]") })
    }

    /// The check that a range has these contents.
    fn check(&self, offset: u64, expected: &str, size: usize) -> Option<String> {
        Some(format!("__builtin_memcmp({}, {expected}, {size}) == 0", self.place(offset)?))
    }
}

/// What the original leaves in a word.
enum Word {
    Plain(Vec<u8>),
    /// The address of an object plus an offset.
    Inside(usize, i64),
}

/// The original's word, if a mutant leaves another one, and if it does not depend on the program.
fn differing_word(object: usize, offset: u64, original: &Image, others: &[Image]) -> Option<Word> {
    let bytes = |image: &Image| image.bytes(object, offset, WORD);
    let own = bytes(original)?;
    others.iter().any(|other| bytes(other).is_some_and(|other| other != own)).then_some(())?;
    match ObservedTarget::of(own.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))) {
        ObservedTarget::Inside { object, offset } => Some(Word::Inside(object, i64::from(offset))),
        ObservedTarget::Elsewhere(bits) if may_be_address(bits) => None,
        ObservedTarget::Null | ObservedTarget::Elsewhere(_) => Some(Word::Plain(own)),
        ObservedTarget::Fresh { .. } | ObservedTarget::Freed => None,
    }
}

/// Whether it may be an address in the driver's code or stack: a test has others.
fn may_be_address(bits: u64) -> bool {
    bits >> 61 == 1 || bits >> 40 == 0x7f
}

impl Stage<'_> {
    /// An address in memory that a stub returns.
    pub(super) fn place_in_room(&self, object: usize, offset: i64) -> Option<String> {
        let room = self.rooms.iter().find(|room| room.object == object)?;
        room.place(u64::try_from(offset).ok()?)
    }

    /// Checks the words that mutants leave different. Any other word may be a number or an address.
    pub(super) fn room_checks(&self, original: &Image, others: &[Image]) -> Vec<String> {
        let rows = self.rooms.iter().flat_map(|room| room.calls.iter().map(move |call| (room, call * ROOM)));
        rows.flat_map(|(room, start)| self.row_checks(room, start, original, others)).collect()
    }

    /// The same for the memory of one call: addresses one by one, and all else in runs.
    fn row_checks(&self, room: &Room, start: u64, original: &Image, others: &[Image]) -> Vec<String> {
        let offsets = (start..start + ROOM).step_by(WORD as usize);
        let words = offsets.filter_map(|at| Some((at, differing_word(room.object, at, original, others)?)));
        let (mut found, mut runs): (Vec<String>, Vec<(u64, Vec<u8>)>) = (Vec::new(), Vec::new());
        for (at, word) in words {
            match (word, runs.last_mut()) {
                (Word::Inside(object, behind), _) => {
                    let address = self.address_of(object, behind).map(|place| format!("&(void *){{{place}}}"));
                    found.extend(address.and_then(|address| room.check(at, &address, WORD as usize)));
                }
                (Word::Plain(bytes), Some((from, run))) if *from + run.len() as u64 == at => run.extend(bytes),
                (Word::Plain(bytes), _) => runs.push((at, bytes)),
            }
        }
        found.extend(runs.iter().filter_map(|(from, run)| room.check(*from, &quoted(run), run.len())));
        found
    }

    /// An address in a declared object.
    fn address_of(&self, object: usize, offset: i64) -> Option<String> {
        if let Some(place) = self.place_in_room(object, offset) {
            return Some(place);
        }
        let start = self.reached.get(object)?.as_ref()?.address();
        Some(if offset == 0 { start } else { format!("(char *){start} + {offset}") })
    }
}
