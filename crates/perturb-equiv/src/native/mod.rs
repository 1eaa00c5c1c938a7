//! Compares by calling: original and mutants are in one program and get the same inputs. Boundary values and constants
//! come first; where there are few inputs, all are tried.
//!
//! This module writes the C and reads the driver's reports; its users compile and run it, confined. The driver is
//! `c/driver.c`; `layout` describes a function to it, and `glue` writes that down as C.

mod answer;
mod call_trace;
mod capture;
mod floats;
mod glue;
mod heap;
mod heap_contents;
mod kept;
mod layout;
mod leaf;
mod macros;
mod stream;
mod stub;
mod stub_code;
mod witness;

pub use answer::{hex, read, unhex, Difference, DriverReport, Kind, ObservedTarget, VersionIdx};
pub use call_trace::{RecordedArgument, RecordedValue, StubCall};
pub use capture::{capture_head, Captured};
pub use floats::{float_helpers, Tolerance};
pub use glue::{glue, head, Functions};
pub use heap::{is_allocating, wraps, Heap, ALLOCATING, COMPARING};
pub use heap_contents::{HeapContents, HeapValue, ObservedValue};
pub use kept::{KeptParameter, PartKind, PathStep, RecordedPart};
pub use layout::{Layout, Link, Object, ObjectKind, Others, Unsupported, Zeros};
pub use leaf::{Leaf, LeafKind};
pub use stream::{is_streaming, OF_PROCESS};
pub use stub::{is_known, Stub};
pub use witness::{witness, wrapped, Differing, MemoryStatements, Stage, StandIns, TEST_MEMORY, UNIT_MACRO};

/// The sources of the driver, by the names under which they include each other. The first one is compiled.
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
/// The header that driver and glue share.
const HEADER: &str = include_str!("../../c/driver.h");

/// Definitions of functions of the C library, for symbolic execution.
pub fn library() -> String {
    macros::without_macros(include_str!("../../c/library.c"))
}
