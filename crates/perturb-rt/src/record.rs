//! The record of a run: a file that perturb lays out, the program under test maps and writes, and perturb reads again.
//!
//! All values have the byte order of the machine, on which the program runs. The same layout is in `c/perturb.h`.

use std::collections::BTreeMap;

const MAGIC: u32 = 0x5052_5442;
const VERSION: u32 = 2;
const HEAD_WORDS: usize = 4;
const REGION_WORDS: usize = 9;

/// How many of each thing an instrumented file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileTables {
    pub functions: u32,
    pub statements: u32,
    pub points: u32,
    pub mutants: u32,
}

/// Where the parts of each file are in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordLayout {
    files: BTreeMap<u32, Region>,
    size: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Region {
    tables: FileTables,
    on: u32,
    counts: u32,
    reached: u32,
    infected: u32,
}

/// The results of a run in one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileRecord {
    /// Per statement: how often it was executed.
    pub counts: Vec<u32>,
    /// Per point: whether it was reached while something was asked of it.
    pub reached: Vec<bool>,
    /// Per mutant: whether it made a difference where it stands, or was not asked about.
    pub infected: Vec<bool>,
}

/// The results of a run, by the key of each file.
pub type Record = BTreeMap<u32, FileRecord>;

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RecordError {
    #[error("the record of a run has no longer {expected} bytes: the program under test has resized it")]
    Resized { expected: u32, found: usize },
    #[error("the head of a run's record has been overwritten: the program under test writes where it should not")]
    Overwritten,
}

impl RecordLayout {
    /// The layout for the files with these keys; None if there is more than a record holds (4 GiB).
    pub fn new(files: impl IntoIterator<Item = (u32, FileTables)>) -> Option<Self> {
        let files: BTreeMap<u32, FileTables> = files.into_iter().collect();
        let mut end = u64::try_from((HEAD_WORDS + files.len() * REGION_WORDS) * 4).ok()?;
        let mut take = |bytes: u64| {
            let start = end;
            // Words are aligned, whatever comes before them.
            end += bytes.next_multiple_of(8);
            u32::try_from(end).ok().and(u32::try_from(start).ok())
        };
        let mut regions = BTreeMap::new();
        for (key, tables) in files {
            let on = take(u64::from(tables.functions))?;
            let counts = take(u64::from(tables.statements) * 4)?;
            let reached = take(u64::from(tables.points))?;
            let infected = take(u64::from(tables.mutants))?;
            regions.insert(key, Region { tables, on, counts, reached, infected });
        }
        Some(Self { files: regions, size: u32::try_from(end).ok()? })
    }

    /// An empty record. `is_on` says for each file and function whether its instrumented version runs, `is_asked` for
    /// each file and mutant whether somebody wants to know about it: the others count as known.
    pub fn blank(&self, is_on: &dyn Fn(u32, u32) -> bool, is_asked: &dyn Fn(u32, u32) -> bool) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.resize(self.size as usize, 0);
        for (&key, region) in &self.files {
            for function in 0..region.tables.functions {
                bytes[(region.on + function) as usize] = u8::from(is_on(key, function));
            }
            for mutant in 0..region.tables.mutants {
                bytes[(region.infected + mutant) as usize] = u8::from(!is_asked(key, mutant));
            }
        }
        bytes
    }

    /// How many bytes each record has.
    pub fn size(&self) -> u32 {
        self.size
    }

    fn head(&self) -> Vec<u8> {
        let mut words = vec![MAGIC, VERSION, self.files.len() as u32, self.size];
        for (&key, region) in &self.files {
            let FileTables { functions, statements, points, mutants } = region.tables;
            words.extend([key, functions, statements, points, mutants]);
            words.extend([region.on, region.counts, region.reached, region.infected]);
        }
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    /// Reads what a program has filled in.
    pub fn read(&self, bytes: &[u8]) -> Result<Record, RecordError> {
        if bytes.len() != self.size as usize {
            return Err(RecordError::Resized { expected: self.size, found: bytes.len() });
        }
        if !bytes.starts_with(&self.head()) {
            return Err(RecordError::Overwritten);
        }
        let words = |start: u32, count: u32| -> Vec<u32> {
            let part = &bytes[start as usize..(start + count * 4) as usize];
            part.chunks_exact(4).map(|word| u32::from_ne_bytes(word.try_into().expect("four bytes"))).collect()
        };
        let flags = |start: u32, count: u32| -> Vec<bool> {
            bytes[start as usize..(start + count) as usize].iter().map(|byte| *byte != 0).collect()
        };
        let file = |region: &Region| FileRecord {
            counts: words(region.counts, region.tables.statements),
            reached: flags(region.reached, region.tables.points),
            infected: flags(region.infected, region.tables.mutants),
        };
        Ok(self.files.iter().map(|(&key, region)| (key, file(region))).collect())
    }
}

/// The program's side, for tests that play it.
#[cfg(any(test, feature = "faults"))]
impl RecordLayout {
    /// Writes how often each statement of a file was executed.
    pub fn write_counts(&self, bytes: &mut [u8], key: u32, counts: &[u32]) {
        let start = self.files[&key].counts as usize;
        for (at, count) in counts.iter().enumerate() {
            bytes[start + 4 * at..start + 4 * at + 4].copy_from_slice(&count.to_ne_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    fn layout() -> RecordLayout {
        let tables = |n| FileTables { functions: n, statements: n + 1, points: n + 2, mutants: n + 3 };
        RecordLayout::new([(7, tables(1)), (3, tables(4))]).expect("it is small")
    }

    #[test]
    fn a_blank_record_reads_as_nothing_done() {
        let layout = layout();
        let record = layout.read(&layout.blank(&|_, _| true, &|key, mutant| key == 7 && mutant != 2)).unwrap();
        assert_eq!(record.keys().collect::<Vec<_>>(), [&3, &7]);
        assert_eq!(record[&7].infected, [false, false, true, false]);
        assert!(record
            .values()
            .all(|file| file.counts.iter().all(|count| *count == 0) && !file.reached.contains(&true)));
    }

    #[test]
    fn a_record_that_was_cut_extended_or_overwritten_is_refused() {
        let layout = layout();
        let mut bytes = layout.blank(&|_, _| false, &|_, _| true);
        bytes[0] ^= 1;
        assert_eq!(layout.read(&bytes), Err(RecordError::Overwritten));
        bytes[0] ^= 1;
        bytes.push(0);
        assert!(matches!(layout.read(&bytes), Err(RecordError::Resized { .. })));
        bytes.truncate(bytes.len() - 2);
        assert!(matches!(layout.read(&bytes), Err(RecordError::Resized { .. })));
    }

    #[test]
    fn fuzzed_records_are_read_or_refused() {
        let layout = layout();
        let example = layout.blank(&|_, _| true, &|_, _| true);
        perturb_fuzz::survives("record of a run", Share::All, &[&example], |bytes| match layout.read(bytes) {
            Ok(record) => {
                assert_eq!(bytes.len(), example.len());
                assert_eq!(record.keys().collect::<Vec<_>>(), [&3, &7]);
                let size = |file: &FileRecord| (file.counts.len(), file.reached.len(), file.infected.len());
                assert_eq!((size(&record[&3]), size(&record[&7])), ((5, 6, 7), (2, 3, 4)));
            }
            Err(RecordError::Resized { found, .. }) => assert_eq!(found, bytes.len()),
            Err(RecordError::Overwritten) => assert_ne!(bytes[..layout.head().len()], layout.head()),
        });
    }

    #[test]
    fn fuzzed_tables_never_overlap_and_what_is_recorded_comes_back() {
        let tables = (0..9_u32, 0..9_u32, 0..9_u32, 0..9_u32);
        let tables = tables.prop_map(|(functions, statements, points, mutants)| FileTables {
            functions,
            statements,
            points,
            mutants,
        });
        let files = prop::collection::btree_map(any::<u32>(), tables, 0..5);
        perturb_fuzz::holds("record of a run, round trip", Share::All, (files, any::<u8>()), |(files, salt)| {
            let layout = RecordLayout::new(files.clone()).expect("it is small");
            let mut bytes = layout.blank(&|_, _| false, &|_, _| true);
            let mut expected = Record::new();
            for (key, region) in &layout.files {
                let counts: Vec<u32> = (0..region.tables.statements).map(|at| at * 77 + u32::from(salt)).collect();
                layout.write_counts(&mut bytes, *key, &counts);
                let mut flags = |start: u32, count: u32| -> Vec<bool> {
                    let flags: Vec<bool> = (0..count).map(|at| (u32::from(salt) >> (at % 8)) & 1 == 1).collect();
                    flags.iter().enumerate().for_each(|(at, flag)| bytes[start as usize + at] = u8::from(*flag));
                    flags
                };
                let reached = flags(region.reached, region.tables.points);
                let infected = flags(region.infected, region.tables.mutants);
                expected.insert(*key, FileRecord { counts, reached, infected });
            }
            assert_eq!(layout.read(&bytes), Ok(expected));
        });
    }
}
