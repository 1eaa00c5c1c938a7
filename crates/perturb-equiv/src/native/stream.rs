//! The functions of the C library that read and write streams. They are called for real: all streams of a function are
//! over bytes in memory, and the standard streams trap on access.

use perturb_csrc::Signature;
use std::collections::BTreeSet;

#[rustfmt::skip]
const READING: &[&str] = &[
    "fgetc", "getc", "_IO_getc", "getc_unlocked", "fgetc_unlocked", "__uflow", "fgets", "fgets_unlocked", "fread",
    "fread_unlocked", "ungetc", "fscanf", "vfscanf", "__isoc99_fscanf", "__isoc23_fscanf",
];

#[rustfmt::skip]
const WRITING: &[&str] = &[
    "fputc", "putc", "_IO_putc", "putc_unlocked", "fputc_unlocked", "__overflow", "fputs", "fputs_unlocked", "fwrite",
    "fwrite_unlocked", "fprintf", "vfprintf",
];

/// Functions for both. `fclose` is not among them: a stub replaces it, so that the stream can be observed after the
/// call.
#[rustfmt::skip]
const ANY: &[&str] = &[
    "feof", "ferror", "clearerr", "feof_unlocked", "ferror_unlocked", "clearerr_unlocked", "rewind", "fseek", "ftell",
    "fseeko", "ftello", "fflush",
];

/// The standard streams, which the driver replaces.
pub const OF_PROCESS: &[&str] = &["stdin", "stdout", "stderr"];

/// Whether a function of the library reads or writes streams.
pub fn is_streaming(name: &str) -> bool {
    [READING, WRITING, ANY].iter().any(|names| names.contains(&name))
}

/// How a function uses its streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StreamMode {
    #[default]
    Reads,
    Writes,
    Both,
}

impl StreamMode {
    /// Derived from the calls of the function and of linked functions.
    pub fn of(signature: &Signature, linked: &BTreeSet<String>) -> Self {
        let calls = |names: &[&str]| {
            let own = signature.externals.iter().any(|external| names.contains(&external.name.as_str()));
            own || names.iter().any(|name| linked.contains(*name))
        };
        match (calls(READING), calls(WRITING)) {
            (true, true) => Self::Both,
            (false, true) => Self::Writes,
            (_, false) => Self::Reads,
        }
    }

    /// The mode of `fmemopen`. Reading and writing changes the bytes, but not their number.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reads => "r",
            Self::Writes => "w",
            Self::Both => "r+",
        }
    }

    pub fn reads(self) -> bool {
        self != Self::Writes
    }

    pub fn writes(self) -> bool {
        self != Self::Reads
    }
}
