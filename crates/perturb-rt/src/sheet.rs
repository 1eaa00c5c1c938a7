//! The sheet of a split run: perturb writes which mutants run, the program under test writes the result of each.
//!
//! Like a record it is a file that the program maps, in the byte order of the machine. The same layout is in
//! `c/split.h`.

use crate::filter::{filter, Filter};
use crate::record::FileTables;
use std::collections::BTreeMap;
use std::time::Duration;

const MAGIC: u32 = 0x5052_5453;
const VERSION: u32 = 2;
const CALLS: usize = 32;
/// Ten words, a time, and the calls.
const HEAD_BYTES: usize = 10 * 4 + 8 + CALLS * 4;
const PART_WORDS: usize = 7;
const RESULT_BYTES: u32 = 16;
const CLAIMED: usize = 7 * 4;
/// In a result.
const CPU: usize = 12;

/// The numbers of the system calls that the runtime makes, in its own order.
const NUMBERS: [i64; 27] = [
    libc::SYS_getpid,
    libc::SYS_getsid,
    libc::SYS_fcntl,
    libc::SYS_statx,
    libc::SYS_lseek,
    libc::SYS_openat,
    libc::SYS_pread64,
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
    libc::SYS_rt_sigpending,
    libc::SYS_mprotect,
    libc::SYS_tgkill,
    libc::SYS_socketpair,
    libc::SYS_read,
    libc::SYS_write,
];

/// A mutant that a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Living {
    /// The key of its file.
    pub file: u32,
    /// Its index in the runtime's table.
    pub mutant: u32,
    /// The processor time that its copy may use.
    pub cpu: Duration,
}

/// Where the parts of each file are in a sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetLayout {
    files: BTreeMap<u32, FileParts>,
    filter: u32,
    instructions: Filter,
    size: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileParts {
    tables: FileTables,
    living: u32,
    results: u32,
}

/// How the copy of a mutant ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyEnd {
    /// It was never another than the original.
    NoneMade,
    /// By itself, with this status as the kernel reports it.
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
    NoCopy,
    NoProc,
    Signal,
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
        Self::NoCopy,
        Self::NoProc,
        Self::Signal,
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
            Self::CalledOut => {
                "it goes on to what a copy may not do: change files, start processes, ask for its own time"
            }
            Self::OutOfTime => "it waits longer than the clock on the wall allows",
            Self::NoCopy => "the machine makes no more copies of it",
            Self::NoProc => "/proc cannot be read where it runs",
            Self::Signal => "a signal waits to be let in",
        }
    }
}

/// The result of one mutant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyResult {
    pub end: CopyEnd,
    /// Then the end means nothing.
    pub held: Option<Held>,
    pub cpu: Duration,
}

/// The content of a sheet after a run.
#[derive(Debug)]
pub struct Sheet<'s> {
    layout: &'s SheetLayout,
    bytes: Vec<u8>,
}

impl SheetLayout {
    /// The layout for the files with these keys; None if there is more than a sheet holds (4 GiB).
    pub fn new(files: impl IntoIterator<Item = (u32, FileTables)>) -> Option<Self> {
        let files: BTreeMap<u32, FileTables> = files.into_iter().collect();
        let instructions = filter();
        let mut end = u64::try_from(HEAD_BYTES + files.len() * PART_WORDS * 4).ok()?;
        let mut take = |bytes: u64| {
            end = end.next_multiple_of(8);
            let start = end;
            end += bytes;
            u32::try_from(end).ok().and(u32::try_from(start).ok())
        };
        let filter = take(instructions.bytes.len() as u64)?;
        let mut parts = BTreeMap::new();
        for (key, tables) in files {
            let living = take(u64::from(tables.mutants))?;
            let results = take(u64::from(tables.mutants) * u64::from(RESULT_BYTES))?;
            parts.insert(key, FileParts { tables, living, results });
        }
        Some(Self { files: parts, filter, instructions, size: u32::try_from(end).ok()? })
    }

    /// A sheet on which these mutants live. `wall` is what each copy may take by the clock on the wall.
    pub fn blank(&self, wall: Duration, living: impl IntoIterator<Item = Living>) -> Vec<u8> {
        let mut bytes = self.head(wall);
        bytes.resize(self.size as usize, 0);
        let at = self.filter as usize;
        bytes[at..at + self.instructions.bytes.len()].copy_from_slice(&self.instructions.bytes);
        for Living { file, mutant, cpu } in living {
            let part = &self.files[&file];
            bytes[(part.living + mutant) as usize] = 1;
            let at = (part.results + mutant * RESULT_BYTES) as usize + CPU;
            let limit_us = u32::try_from(cpu.as_micros()).unwrap_or(u32::MAX);
            bytes[at..at + 4].copy_from_slice(&limit_us.to_ne_bytes());
        }
        bytes
    }

    /// How many bytes each sheet has.
    pub fn size(&self) -> u32 {
        self.size
    }

    fn head(&self, wall: Duration) -> Vec<u8> {
        let pointer = size_of::<*const ()>() as u32;
        let Filter { count, own, .. } = self.instructions;
        let head = [MAGIC, VERSION, self.files.len() as u32, self.size, pointer, self.filter, count, 0, own, 0];
        let mut bytes: Vec<u8> = head.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.extend(u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX).to_ne_bytes());
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

/// The program's side, for tests that play it.
#[cfg(any(test, feature = "faults"))]
impl SheetLayout {
    /// Says that a program of the test can split.
    pub fn claim(&self, bytes: &mut [u8]) {
        put(bytes, CLAIMED, &[1]);
    }

    /// The keys of files and the mutants that a run is for.
    pub fn living(&self, bytes: &[u8]) -> Vec<(u32, u32)> {
        let of_file = |(&key, part): (&u32, &FileParts)| {
            let start = part.living;
            let lives = move |mutant: &u32| bytes[(start + mutant) as usize] == 1;
            (0..part.tables.mutants).filter(lives).map(move |mutant| (key, mutant)).collect::<Vec<_>>()
        };
        self.files.iter().flat_map(of_file).collect()
    }

    /// Writes what became of a mutant.
    pub fn write_result(&self, bytes: &mut [u8], (key, mutant): (u32, u32), result: CopyResult) {
        let (end, status) = match result.end {
            CopyEnd::NoneMade => (0, 0),
            CopyEnd::Ended { status } => (1, status as u32),
            CopyEnd::OutOfCpu => (2, 0),
        };
        let held = result.held.map_or(0, |held| held as u32);
        let at = (self.files[&key].results + mutant * RESULT_BYTES) as usize;
        put(bytes, at, &[end, status, held, u32::try_from(result.cpu.as_micros()).unwrap_or(u32::MAX)]);
    }
}

#[cfg(any(test, feature = "faults"))]
fn put(bytes: &mut [u8], at: usize, words: &[u32]) {
    for (i, word) in words.iter().enumerate() {
        bytes[at + 4 * i..at + 4 * i + 4].copy_from_slice(&word.to_ne_bytes());
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

    /// The result of a mutant; `None` if the program has overwritten it with nonsense.
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

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    const WALL: Duration = Duration::from_secs(7);

    fn living(file: u32, mutant: u32) -> Living {
        Living { file, mutant, cpu: Duration::from_millis(1500) }
    }

    fn tables(mutants: u32) -> FileTables {
        FileTables { functions: 2, statements: 9, points: 5, mutants }
    }

    fn layout() -> SheetLayout {
        SheetLayout::new([(0xbeef, tables(7)), (0xcafe, tables(3))]).unwrap()
    }

    /// Writes a result as the runtime does.
    fn note(bytes: &mut [u8], layout: &SheetLayout, (key, mutant): (u32, u32), result: [u32; 4]) {
        put(bytes, (layout.files[&key].results + mutant * RESULT_BYTES) as usize, &result);
    }

    #[test]
    fn parts_follow_each_other_and_never_overlap() {
        let layout = layout();
        let mut parts = vec![(layout.filter, layout.instructions.bytes.len() as u32)];
        for part in layout.files.values() {
            parts.extend([(part.living, part.tables.mutants), (part.results, part.tables.mutants * RESULT_BYTES)]);
        }
        let mut end = (HEAD_BYTES + layout.files.len() * PART_WORDS * 4) as u32;
        for (start, bytes) in parts {
            assert!(start >= end && start % 8 == 0, "{start} {end}");
            end = start + bytes;
        }
        assert_eq!(layout.size, end);
        assert_eq!(layout.instructions.bytes.len(), layout.instructions.count as usize * 8);
        assert!(SheetLayout::new([(1, tables(u32::MAX / 16))]).is_none(), "more than a sheet holds");
    }

    /// Where the runtime looks for them, as `struct __perturb_sheet` and `struct __perturb_part` say.
    #[test]
    fn a_blank_sheet_says_what_the_runtime_reads() {
        let layout = layout();
        let bytes = layout.blank(WALL, [living(0xbeef, 2), living(0xcafe, 0)]);
        assert_eq!(bytes.len(), layout.size as usize);
        let words: Vec<u32> = (0..10).map(|i| word(&bytes, i * 4)).collect();
        let pointer = size_of::<*const ()>() as u32;
        let Filter { count, own, .. } = layout.instructions;
        assert_eq!(words[..7], [MAGIC, VERSION, 2, layout.size, pointer, layout.filter, count]);
        assert_eq!(words[7..], [0, own, 0], "claimed by nobody, and where the filter has the id of the process");
        let time = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!(time(40), 7_000_000_000);
        assert_eq!(word(&bytes, 48), libc::SYS_getpid as u32);
        assert_eq!(word(&bytes, 48 + 4 * (NUMBERS.len() - 1)), libc::SYS_write as u32);
        assert_eq!(word(&bytes, 48 + 4 * NUMBERS.len()), u32::MAX, "no call of the kernel");
        let part: Vec<u32> = (0..PART_WORDS).map(|i| word(&bytes, HEAD_BYTES + i * 4)).collect();
        let first = layout.files[&0xbeef];
        assert_eq!(part, [0xbeef, 2, 9, 5, 7, first.living, first.results]);
        let lives = |key: u32, count: usize| &bytes[layout.files[&key].living as usize..][..count];
        assert_eq!((lives(0xbeef, 7), lives(0xcafe, 3)), (&[0, 0, 1, 0, 0, 0, 0][..], &[1, 0, 0][..]));
        let limit = |at: u32| word(&bytes, (layout.files[&0xbeef].results + at * RESULT_BYTES) as usize + CPU);
        assert_eq!([limit(1), limit(2)], [0, 1_500_000]);
    }

    #[test]
    fn a_time_without_end_is_the_longest_there_is() {
        let bytes = layout().blank(Duration::MAX, []);
        assert_eq!(u64::from_ne_bytes(bytes[40..48].try_into().unwrap()), u64::MAX);
    }

    #[test]
    fn nothing_has_become_of_the_mutants_of_a_blank_sheet() {
        let layout = layout();
        let sheet = layout.read(layout.blank(WALL, [])).unwrap();
        assert!(!sheet.is_claimed());
        let nothing = CopyResult { end: CopyEnd::NoneMade, held: None, cpu: Duration::ZERO };
        assert!((0..7).all(|mutant| sheet.result(0xbeef, mutant) == Some(nothing)));
        assert_eq!(sheet.result(0xdead, 0), None, "no such file");
    }

    #[test]
    fn what_a_program_notes_is_read_back() {
        let layout = layout();
        let mut bytes = layout.blank(WALL, []);
        bytes[CLAIMED..CLAIMED + 4].copy_from_slice(&4711u32.to_ne_bytes());
        note(&mut bytes, &layout, (0xbeef, 0), [1, 3 << 8, 0, 250]);
        note(&mut bytes, &layout, (0xbeef, 6), [2, 9, 0, 1_600_000]);
        note(&mut bytes, &layout, (0xcafe, 2), [1, 31, Held::CalledOut as u32, 5]);
        let sheet = layout.read(bytes).unwrap();
        assert!(sheet.is_claimed());
        let ended = CopyEnd::Ended { status: 3 << 8 };
        let result = |end, held, cpu| Some(CopyResult { end, held, cpu: Duration::from_micros(cpu) });
        assert_eq!(sheet.result(0xbeef, 0), result(ended, None, 250));
        assert_eq!(sheet.result(0xbeef, 6), result(CopyEnd::OutOfCpu, None, 1_600_000));
        let held = result(CopyEnd::Ended { status: 31 }, Some(Held::CalledOut), 5);
        assert_eq!(sheet.result(0xcafe, 2), held);
    }

    #[test]
    fn a_sheet_that_was_cut_or_written_over_is_refused() {
        let layout = layout();
        let blank = layout.blank(WALL, []);
        assert!(layout.read(blank[..blank.len() - 1].to_vec()).is_none(), "cut");
        assert!(layout.read(Vec::new()).is_none(), "empty");
        assert!(layout.read([&blank[..], &[0]].concat()).is_none(), "extended");
        for at in [0, 12] {
            let mut bytes = blank.clone();
            bytes[at] ^= 0xff;
            assert!(layout.read(bytes).is_none(), "byte {at}");
        }
    }

    #[test]
    fn a_result_that_means_nothing_is_none() {
        let layout = layout();
        let mut bytes = layout.blank(WALL, []);
        note(&mut bytes, &layout, (0xbeef, 1), [3, 0, 0, 0]);
        note(&mut bytes, &layout, (0xbeef, 2), [1, 0, Held::ALL.len() as u32 + 1, 0]);
        note(&mut bytes, &layout, (0xbeef, 3), [0x0707_0707; 4]);
        let sheet = layout.read(bytes).unwrap();
        assert!((1..4).all(|mutant| sheet.result(0xbeef, mutant).is_none()));
    }

    /// The number behind a `#define` of the runtime.
    fn defined(name: &str) -> usize {
        let text = include_str!("../c/split.h");
        let (_, rest) = text.split_once(&format!("#define {name} ")).unwrap();
        rest.split_whitespace().next().unwrap().trim_end_matches('u').parse().unwrap()
    }

    #[test]
    fn the_runtime_has_room_for_all_that_a_copy_needs() {
        let text = include_str!("../c/split.h");
        let (_, rest) = text.split_once("enum {\n\tPERTURB_GETPID").unwrap();
        let calls = 1 + rest.split_once("PERTURB_CALLS").unwrap().0.matches("PERTURB_").count();
        assert_eq!(calls, NUMBERS.len());
        assert_eq!(defined("PERTURB_SHEET_VERSION"), VERSION as usize);
        let count = layout().instructions.count as usize;
        assert!(count <= defined("PERTURB_MOST_FILTERS"), "{count} instructions");
    }

    #[test]
    fn every_reason_has_the_number_that_the_runtime_gives_it() {
        let text = include_str!("../c/split.h");
        let (_, rest) = text.split_once("PERTURB_NOT_OURS = 1,").unwrap();
        let (names, _) = rest.split_once("};").unwrap();
        let count = 1 + names.matches("PERTURB_").count();
        assert_eq!(Held::ALL.map(|held| held as u32).to_vec(), (1..=count as u32).collect::<Vec<_>>());
        let last = names.rsplit("PERTURB_").next().unwrap().trim();
        assert_eq!((last, Held::Signal as usize), ("SIGNAL", count));
    }

    #[test]
    fn fuzzed_sheets_are_read_or_refused() {
        let layout = layout();
        let mut example = layout.blank(WALL, [living(0xbeef, 1), living(0xcafe, 2)]);
        note(&mut example, &layout, (0xbeef, 1), [1, 256, 0, 1500]);
        note(&mut example, &layout, (0xcafe, 2), [2, 0, Held::Threads as u32, 9]);
        perturb_fuzz::survives("sheet of a run that splits", Share::All, &[&example], |bytes| {
            let Some(sheet) = layout.read(bytes.to_vec()) else { return };
            assert_eq!(bytes.len(), example.len());
            sheet.is_claimed();
            for (key, mutants) in [(0xbeef, 7), (0xcafe, 3), (0xdead, 1)] {
                let known = (0..mutants).filter_map(|mutant| sheet.result(key, mutant)).count() as u32;
                assert!(known <= mutants && (key != 0xdead || known == 0));
            }
        });
    }
}
