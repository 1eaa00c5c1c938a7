//! Compact encodings of large values: sets of mutants, statement counts, texts.
//!
//! Reading refuses bytes that writing never produces, and never uses more memory than the caller allows.

use perturb_model::{MutantIdx, MutantSet, StatementCount};

/// The error for a blob that no version of perturb wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a value that was not written so")]
pub(super) struct Malformed;

/// A fast level, which gives most of the compression.
const LEVEL: u8 = 4;

pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(bytes, LEVEL)
}

pub(super) fn inflated(deflated: &[u8], length: usize) -> Result<Vec<u8>, Malformed> {
    let bytes = miniz_oxide::inflate::decompress_to_vec_with_limit(deflated, length).map_err(|_| Malformed)?;
    if bytes.len() == length {
        Ok(bytes)
    } else {
        Err(Malformed)
    }
}

/// Encodes a set as runs of indices: the length of the gap before each run, then the run's length. Tests usually reach
/// long runs of indices in a file.
pub(super) fn from_set(set: &MutantSet) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut end = 0;
    let mut indices = set.iter().map(MutantIdx::get).peekable();
    while let Some(first) = indices.next() {
        let mut past = first + 1;
        while indices.next_if_eq(&past).is_some() {
            past += 1;
        }
        put(&mut bytes, (first - end) as u64);
        put(&mut bytes, (past - first) as u64);
        end = past;
    }
    bytes
}

/// Decodes a set of a list of `count` mutants.
pub(super) fn to_set(bytes: &[u8], count: usize) -> Result<MutantSet, Malformed> {
    let mut numbers = Numbers(bytes);
    let mut set = MutantSet::default();
    let mut end = 0;
    while let Some(gap) = numbers.next()? {
        let length = numbers.required()?;
        let first = u64::checked_add(end, gap).ok_or(Malformed)?;
        end = first.checked_add(length).filter(|&past| past <= count as u64).ok_or(Malformed)?;
        set.extend((first as usize..end as usize).map(MutantIdx::new));
    }
    Ok(set)
}

/// Encodes each line as the difference to the line before, followed by its count.
pub(super) fn from_counts(counts: &[StatementCount]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(counts.len() * 2);
    let mut above = 0;
    for &StatementCount { line, count } in counts {
        // Lines are in ascending order. If they were not, wrapping would still restore them.
        put(&mut bytes, u64::from(line.wrapping_sub(above)));
        put(&mut bytes, count);
        above = line;
    }
    bytes
}

pub(super) fn to_counts(bytes: &[u8]) -> Result<Vec<StatementCount>, Malformed> {
    let mut numbers = Numbers(bytes);
    let mut counts = Vec::new();
    let mut line = 0_u32;
    while let Some(step) = numbers.next()? {
        line = line.wrapping_add(u32::try_from(step).map_err(|_| Malformed)?);
        counts.push(StatementCount { line, count: numbers.required()? });
    }
    Ok(counts)
}

/// Appends a number as LEB128: seven bits in each byte, the lowest first.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads numbers that `put` has written.
pub(super) struct Numbers<'b>(pub(super) &'b [u8]);

impl<'b> Numbers<'b> {
    pub(super) fn next(&mut self) -> Result<Option<u64>, Malformed> {
        if self.0.is_empty() {
            return Ok(None);
        }
        self.required().map(Some)
    }

    pub(super) fn required(&mut self) -> Result<u64, Malformed> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let (&byte, rest) = self.0.split_first().ok_or(Malformed)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Malformed)
    }

    /// Reads `count` raw bytes.
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'b [u8], Malformed> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn sets_survive_a_round_trip_and_long_runs_are_small() {
        let check = |indices: &[usize]| {
            let set: MutantSet = indices.iter().copied().map(MutantIdx::new).collect();
            assert_eq!(to_set(&from_set(&set), 20_000), Ok(set), "{indices:?}");
        };
        check(&[]);
        check(&[0]);
        check(&[5, 6, 7, 64, 200, 19_999]);
        let half: MutantSet = (1000..11_000).map(MutantIdx::new).collect();
        assert_eq!(from_set(&half).len(), 4);
        let alternating: MutantSet = (0..20_000).step_by(2).map(MutantIdx::new).collect();
        assert!(from_set(&alternating).len() <= 20_000);
    }

    #[test]
    fn counts_survive_a_round_trip() {
        let counts: Vec<_> =
            [(1, 0), (1, 5), (300, u64::MAX), (70_000, 1)].map(|(line, count)| StatementCount { line, count }).to_vec();
        assert_eq!(to_counts(&from_counts(&counts)), Ok(counts));
    }

    #[test]
    fn texts_survive_a_round_trip_and_only_with_their_exact_length() {
        let text = "int main(void) { return 0; }\n".repeat(100);
        let small = deflated(text.as_bytes());
        assert!(small.len() < text.len() / 10);
        assert_eq!(inflated(&small, text.len()).as_deref(), Ok(text.as_bytes()));
        assert_eq!(inflated(&small, text.len() - 1), Err(Malformed));
        assert_eq!(inflated(&small, text.len() + 1), Err(Malformed));
        assert_eq!(inflated(b"\xff\xff", 10), Err(Malformed));
    }

    #[test]
    fn malformed_blobs_are_refused() {
        for bytes in [&[0x80][..], &[1], &[0, 200], &[0xff; 11]] {
            assert_eq!(to_set(bytes, 100), Err(Malformed), "{bytes:?}");
        }
        assert_eq!(to_counts(&[1]), Err(Malformed));
    }

    #[test]
    fn fuzzed_blobs_are_read_or_refused() {
        let set: MutantSet = [1, 2, 3, 70, 99].map(MutantIdx::new).into_iter().collect();
        let counts = [(1, 0), (300, u64::MAX)].map(|(line, count)| StatementCount { line, count });
        let examples = [from_set(&set), from_counts(&counts), deflated(&[7; 500])];
        perturb_fuzz::survives("blobs of the store", Share::All, &examples, |bytes| {
            if let Ok(set) = to_set(bytes, 100) {
                assert!(set.iter().all(|mutant| mutant.get() < 100));
            }
            if let Ok(counts) = to_counts(bytes) {
                assert_eq!(to_counts(&from_counts(&counts)), Ok(counts));
            }
            assert!(
                inflated(bytes, 500).is_err_and(|_| true) || inflated(bytes, 500).is_ok_and(|text| text.len() == 500)
            );
        });
    }

    #[test]
    fn fuzzed_sets_and_counts_come_back() {
        let indices = prop::collection::btree_set(0..2000_usize, 0..60);
        let counts = prop::collection::vec(any::<(u32, u64)>(), 0..20);
        perturb_fuzz::holds("blobs of the store, round trip", Share::All, (indices, counts), |(indices, counts)| {
            let set: MutantSet = indices.into_iter().map(MutantIdx::new).collect();
            assert_eq!(to_set(&from_set(&set), 2000), Ok(set));
            let counts: Vec<_> = counts.into_iter().map(|(line, count)| StatementCount { line, count }).collect();
            assert_eq!(to_counts(&from_counts(&counts)), Ok(counts));
        });
    }
}
