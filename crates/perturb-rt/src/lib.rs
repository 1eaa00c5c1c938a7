//! The C runtime of programs under test (`c/perturb.h`), the records that it writes, and the addition to gcov's own
//! runtime (`c/gcov.h`).
//!
//! The runtime's text is part of the program. This crate knows its interface: the variable that switches a mutant on,
//! and the layout of a record. It starts no process.

mod alternative;
mod assembled;
mod filter;
mod gcov;
mod record;
mod sheet;

pub use alternative::AlternativeCode;
pub use assembled::{assembled_header, runtime_source, trial_source};
pub use gcov::{gcov_header, has_counted_all, GCOV_PROCESSES, GCOV_VARIABLE};
pub use record::{FileRecord, FileTables, Record, RecordError, RecordLayout};
pub use sheet::{CopyEnd, CopyResult, Held, Living, Sheet, SheetLayout};

/// The runtime, as C and C++ headers that need nothing else: names and texts. A file includes the first.
pub const HEADERS: [(&str, &str); 2] =
    [("perturb.h", include_str!("../c/perturb.h")), ("split.h", include_str!("../c/split.h"))];

/// Names a record that the program fills in.
pub const RECORD_VARIABLE: &str = "PERTURB_RECORD";

/// Names the sheet of a run that splits.
pub const SPLIT_VARIABLE: &str = "PERTURB_SPLIT";

/// Switches a mutant on.
pub const MUTANT_VARIABLE: &str = "PERTURB_MUTANT";

/// The value of [`MUTANT_VARIABLE`] for one mutant of the file with this key.
pub fn mutant_value(key: u32, function: u32, point: u32, code: u8) -> String {
    format!("{key:08x}:{function}:{point}:{code}")
}
