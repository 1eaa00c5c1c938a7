//! The sheet of a run that splits: perturb writes which mutants live, the program under test notes what became of each.
//!
//! As a record it is a file that is mapped by the program, in the byte order of the machine. The same layout is in
//! `c/split.h`.

use crate::filter::filter;
use crate::record::FileTables;
use std::collections::BTreeMap;
use std::time::Duration;

const MAGIC: u32 = 0x5052_5453;
const VERSION: u32 = 1;
const CALLS: usize = 32;
/// Ten words, a time, and the calls.
const HEAD_BYTES: usize = 10 * 4 + 8 + CALLS * 4;
const PART_WORDS: usize = 7;
const RESULT_BYTES: u32 = 16;
const CLAIMED: usize = 7 * 4;
/// In a result.
const CPU: usize = 12;

/// The numbers of the system calls that the runtime makes, in its own order.
const NUMBERS: [i64; 21] = [
    libc::SYS_getpid,
    libc::SYS_getsid,
    libc::SYS_fcntl,
    libc::SYS_statx,
    libc::SYS_lseek,
    libc::SYS_openat,
    libc::SYS_read,
    libc::SYS_close,
    libc::SYS_dup3,
    libc::SYS_clone,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_ppoll,
    libc::SYS_clock_gettime,
    libc::SYS_getitimer,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_kill,
    libc::SYS_munmap,
];

/// What copies of the program may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SheetLimits {
    /// What each may take by the clock on the wall.
    pub wall: Duration,
    /// How many copies of copies there may be at the same time.
    pub deepest: u32,
}

/// A mutant that a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Living {
    /// The key of its file.
    pub file: u32,
    /// Its place in the runtime's table.
    pub mutant: u32,
    /// What its copy may take of the processor.
    pub cpu: Duration,
}

/// Where the parts of each file are in a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetLayout {
    files: BTreeMap<u32, Part>,
    filter: u32,
    filters: u32,
    instructions: Vec<u8>,
    size: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    tables: FileTables,
    living: u32,
    results: u32,
}

/// How the copy of a mutant ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyEnd {
    /// It was never another than the original.
    NoneMade,
    /// By itself, with this status as the kernel tells it.
    Ended {
        status: i32,
    },
    OutOfCpu,
}

/// Why a mutant has to be executed in another way. The same numbers are in `c/split.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Held {
    NotOurs = 1,
    Threads,
    Children,
    WritableFile,
    Channel,
    SharedMemory,
    Timer,
    OutputMoved,
    CalledOut,
    OutOfTime,
    TooDeep,
    NoCopy,
    NoProc,
}

impl Held {
    const ALL: [Self; 13] = [
        Self::NotOurs,
        Self::Threads,
        Self::Children,
        Self::WritableFile,
        Self::Channel,
        Self::SharedMemory,
        Self::Timer,
        Self::OutputMoved,
        Self::CalledOut,
        Self::OutOfTime,
        Self::TooDeep,
        Self::NoCopy,
        Self::NoProc,
    ];

    /// The end of a sentence that starts with "not split: ".
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotOurs => "the test runs it in another process than its own",
            Self::Threads => "the program has threads",
            Self::Children => "the program has processes of its own",
            Self::WritableFile => "a file is open for writing",
            Self::Channel => "a pipe, a socket or a device is open",
            Self::SharedMemory => "memory is shared with other processes",
            Self::Timer => "a timer is set",
            Self::OutputMoved => "standard output or error is not what it was at the start",
            Self::CalledOut => "it goes on to change files, to start a process or to speak to one",
            Self::OutOfTime => "it waits longer than the clock on the wall allows",
            Self::TooDeep => "its mutants part too often",
            Self::NoCopy => "the machine makes no more copies of it",
            Self::NoProc => "/proc cannot be read where it runs",
        }
    }
}

/// What became of one mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyResult {
    pub end: CopyEnd,
    /// Then the end means nothing.
    pub held: Option<Held>,
    pub cpu: Duration,
}

/// What a program has noted.
#[derive(Debug)]
pub struct Sheet<'s> {
    layout: &'s SheetLayout,
    bytes: Vec<u8>,
}

impl SheetLayout {
    /// The layout for the files with these keys; None if there is more than a sheet holds (4 GiB).
    pub fn new(files: impl IntoIterator<Item = (u32, FileTables)>) -> Option<Self> {
        let files: BTreeMap<u32, FileTables> = files.into_iter().collect();
        let (instructions, filters) = filter();
        let mut end = u64::try_from(HEAD_BYTES + files.len() * PART_WORDS * 4).ok()?;
        let mut take = |bytes: u64| {
            end = end.next_multiple_of(8);
            let start = end;
            end += bytes;
            u32::try_from(end).ok().and(u32::try_from(start).ok())
        };
        let filter = take(instructions.len() as u64)?;
        let mut parts = BTreeMap::new();
        for (key, tables) in files {
            let living = take(u64::from(tables.mutants))?;
            let results = take(u64::from(tables.mutants) * u64::from(RESULT_BYTES))?;
            parts.insert(key, Part { tables, living, results });
        }
        Some(Self { files: parts, filter, filters, instructions, size: u32::try_from(end).ok()? })
    }

    /// A sheet on which these mutants live.
    pub fn blank(&self, limits: SheetLimits, living: impl IntoIterator<Item = Living>) -> Vec<u8> {
        let mut bytes = self.head(limits);
        bytes.resize(self.size as usize, 0);
        let at = self.filter as usize;
        bytes[at..at + self.instructions.len()].copy_from_slice(&self.instructions);
        for Living { file, mutant, cpu } in living {
            let part = &self.files[&file];
            bytes[(part.living + mutant) as usize] = 1;
            let at = (part.results + mutant * RESULT_BYTES) as usize + CPU;
            let limit_us = u32::try_from(cpu.as_micros()).unwrap_or(u32::MAX);
            bytes[at..at + 4].copy_from_slice(&limit_us.to_ne_bytes());
        }
        bytes
    }

    fn head(&self, limits: SheetLimits) -> Vec<u8> {
        let pointer = size_of::<*const ()>() as u32;
        let head = [MAGIC, VERSION, self.files.len() as u32, self.size, pointer, self.filter, self.filters, 0, 0];
        let mut bytes: Vec<u8> = head.iter().chain([&limits.deepest]).flat_map(|word| word.to_ne_bytes()).collect();
        bytes.extend(u64::try_from(limits.wall.as_nanos()).unwrap_or(u64::MAX).to_ne_bytes());
        let mut numbers = NUMBERS.map(|number| number as u32).to_vec();
        numbers.resize(CALLS, u32::MAX);
        for (&key, part) in &self.files {
            let FileTables { functions, statements, points, mutants } = part.tables;
            numbers.extend([key, functions, statements, points, mutants, part.living, part.results]);
        }
        bytes.extend(numbers.iter().flat_map(|word| word.to_ne_bytes()));
        bytes
    }

    /// Reads what a program has noted; None if it is no longer a sheet, as the program wrote where it should not.
    pub fn read(&self, bytes: Vec<u8>) -> Option<Sheet<'_>> {
        let is_sheet = bytes.len() == self.size as usize && word(&bytes, 0) == MAGIC && word(&bytes, 12) == self.size;
        is_sheet.then_some(Sheet { layout: self, bytes })
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

impl Sheet<'_> {
    /// Whether a program of the test could split at all.
    pub fn is_claimed(&self) -> bool {
        word(&self.bytes, CLAIMED) != 0
    }

    /// What became of a mutant; None if what stands there means nothing.
    pub fn result(&self, key: u32, mutant: u32) -> Option<CopyResult> {
        let at = (self.layout.files.get(&key)?.results + mutant * RESULT_BYTES) as usize;
        let [end, status, held, cpu_us] = [0, 4, 8, CPU].map(|offset| word(&self.bytes, at + offset));
        let end = match end {
            0 => CopyEnd::NoneMade,
            1 => CopyEnd::Ended { status: status as i32 },
            2 => CopyEnd::OutOfCpu,
            _ => return None,
        };
        let held = match held {
            0 => None,
            number => Some(*Held::ALL.iter().find(|held| **held as u32 == number)?),
        };
        Some(CopyResult { end, held, cpu: Duration::from_micros(u64::from(cpu_us)) })
    }
}
