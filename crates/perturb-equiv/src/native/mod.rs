//! Comparing by calling: original and others in one program, given the same inputs, boundary values and constants
//! first, and all there are where they are few.
//!
//! This makes the texts and reads the answers; compiling and running, confined, is for who uses it. The driver is
//! `c/driver.c`, what it is told of a function comes from `layout` and is written by `glue`.

mod answer;
mod capture;
mod floats;
mod fresh;
mod glue;
mod kept;
mod layout;
mod stream;
mod stub;
mod witness;

pub use answer::{hex, read, unhex, Answer, Difference, Kind, Place};
pub use capture::{capture_head, Captured};
pub use floats::{float_helpers, Tolerance};
pub use fresh::{is_allocating, wraps, Fresh, Heap, Seen, Value, ALLOCATING, COMPARING};
pub use glue::{glue, head, Functions};
pub use kept::{Given, GivenValue, KeptParameter, Part, PartKind, Step, StubCall};
pub use layout::{Layout, Leaf, LeafKind, Link, Object, ObjectKind, Others, Unsupported, Zeros};
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
    glue::without_macros(include_str!("../../c/library.c"))
}
