//! The functions of the C library that read and write streams. They are called as they are: all streams that a function
//! can come by are over bytes in memory, and those of the process trap where they are touched.

use perturb_csrc::Signature;
use std::collections::BTreeSet;

#[rustfmt::skip]
const READING: &[&str] = &[
    "fgetc", "getc", "_IO_getc", "getc_unlocked", "fgetc_unlocked", "__uflow", "fgets", "fgets_unlocked", "fread", "fread_unlocked", "ungetc", "fscanf", "vfscanf",
    "__isoc99_fscanf", "__isoc23_fscanf",
];

#[rustfmt::skip]
const WRITING: &[&str] = &[
    "fputc", "putc", "_IO_putc", "putc_unlocked", "fputc_unlocked", "__overflow", "fputs", "fputs_unlocked", "fwrite", "fwrite_unlocked", "fprintf", "vfprintf",
];

/// What is for both. `fclose` is none of them: something stands in for it, so that a stream lives as long as somebody
/// looks at it.
#[rustfmt::skip]
const ANY: &[&str] = &[
    "feof", "ferror", "clearerr", "feof_unlocked", "ferror_unlocked", "clearerr_unlocked", "rewind", "fseek", "ftell", "fseeko", "ftello", "fflush",
];

/// The streams that every process has. The driver has others in their place.
pub const OF_PROCESS: &[&str] = &["stdin", "stdout", "stderr"];

/// Whether a function of the library reads or writes streams.
pub fn is_streaming(name: &str) -> bool {
    [READING, WRITING, ANY].iter().any(|names| names.contains(&name))
}

/// What a function does with the streams that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Reads,
    Writes,
    Both,
}

impl Mode {
    /// By what the function, and what it calls, calls.
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

    /// As `fmemopen` wants it. To read and write changes what is there, and not how much of it.
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
