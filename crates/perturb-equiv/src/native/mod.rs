//! Comparing by calling: original and others in one program, given the same inputs, boundary values and constants
//! first, and all there are where they are few.
//!
//! This makes the texts and reads the answers; compiling and running, confined, is for who uses it. The driver is
//! `c/driver.c`, what it is told of a function comes from `layout` and is written by `glue`.

mod answer;
mod call_trace;
mod capture;
mod floats;
mod fresh;
mod glue;
mod heap;
mod kept;
mod layout;
mod leaf;
mod macros;
mod stream;
mod stub;
mod stub_code;
mod witness;

pub use answer::{hex, read, unhex, Answer, Difference, Kind, Place};
pub use call_trace::{Given, GivenValue, StubCall};
pub use capture::{capture_head, Captured};
pub use floats::{float_helpers, Tolerance};
pub use fresh::{Fresh, Seen, Value};
pub use glue::{glue, head, Functions};
pub use heap::{is_allocating, wraps, Heap, ALLOCATING, COMPARING};
pub use kept::{KeptParameter, Part, PartKind, Step};
pub use layout::{Layout, Link, Object, ObjectKind, Others, Unsupported, Zeros};
pub use leaf::{Leaf, LeafKind};
pub use stream::{is_streaming, OF_PROCESS};
pub use stub::{is_known, Stub};
pub use witness::{witness, wrapped, Differing, Memory, Stage, StandIns, TEST_MEMORY, UNIT_MACRO};

/// The driver's own text, and those of its parts, by the names that they include each other by. The first is what is
/// compiled.
pub const DRIVER: [(&str, &str); 11] = [
    ("driver.c", include_str!("../../c/driver.c")),
    ("driver.h", HEADER),
    ("steps.h", include_str!("../../c/steps.h")),
    ("streams.h", include_str!("../../c/streams.h")),
    ("objects.h", include_str!("../../c/objects.h")),
    ("heap.h", include_str!("../../c/heap.h")),
    ("guide.h", include_str!("../../c/guide.h")),
    ("values.h", include_str!("../../c/values.h")),
    ("compare.h", include_str!("../../c/compare.h")),
    ("search.h", include_str!("../../c/search.h")),
    ("choose.h", include_str!("../../c/choose.h")),
];
/// What it shares with the glue.
const HEADER: &str = include_str!("../../c/driver.h");

/// What functions of the C library do, for who reads code instead of running it.
pub fn library() -> String {
    macros::without_macros(include_str!("../../c/library.c"))
}
