//! Compact forms of what is large: sets of mutants, statement counts, texts.
//!
//! Reading refuses what writing never makes, and never takes more memory than it was told the result needs.

use perturb_model::{MutantIdx, MutantSet, StatementCount};

/// A blob that no version of ours wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a value that was not written so")]
pub(super) struct Malformed;

/// Fast, and most of the gain.
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

/// Indices as runs: how many are left out, how many follow. Tests reach whole stretches of a file.
pub(super) fn from_set(set: &MutantSet) -> Vec<u8> {
    let (mut bytes, mut end) = (Vec::new(), 0);
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

/// The set, of a list of `count` mutants.
pub(super) fn to_set(bytes: &[u8], count: usize) -> Result<MutantSet, Malformed> {
    let (mut numbers, mut set, mut end) = (Numbers(bytes), MutantSet::default(), 0);
    while let Some(gap) = numbers.next()? {
        let length = numbers.required()?;
        let first = u64::checked_add(end, gap).ok_or(Malformed)?;
        end = first.checked_add(length).filter(|&past| past <= count as u64).ok_or(Malformed)?;
        set.extend((first as usize..end as usize).map(MutantIdx::new));
    }
    Ok(set)
}

/// Lines as steps from the one before, each with its count.
pub(super) fn from_counts(counts: &[StatementCount]) -> Vec<u8> {
    let (mut bytes, mut above) = (Vec::with_capacity(counts.len() * 2), 0);
    for &StatementCount { line, count } in counts {
        // Lines ascend; what does not is kept all the same.
        put(&mut bytes, u64::from(line.wrapping_sub(above)));
        put(&mut bytes, count);
        above = line;
    }
    bytes
}

pub(super) fn to_counts(bytes: &[u8]) -> Result<Vec<StatementCount>, Malformed> {
    let (mut numbers, mut counts, mut line) = (Numbers(bytes), Vec::new(), 0_u32);
    while let Some(step) = numbers.next()? {
        line = line.wrapping_add(u32::try_from(step).map_err(|_| Malformed)?);
        counts.push(StatementCount { line, count: numbers.required()? });
    }
    Ok(counts)
}

/// LEB128: seven bits a byte, the lowest first.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads what `put` has written.
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

    /// So many bytes that are no numbers.
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
    fn sets_come_back_and_stretches_are_small() {
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
    fn counts_come_back() {
        let counts: Vec<_> =
            [(1, 0), (1, 5), (300, u64::MAX), (70_000, 1)].map(|(line, count)| StatementCount { line, count }).to_vec();
        assert_eq!(to_counts(&from_counts(&counts)), Ok(counts));
    }

    #[test]
    fn texts_come_back_and_never_grow_beyond_what_was_said() {
        let text = "int main(void) { return 0; }\n".repeat(100);
        let small = deflated(text.as_bytes());
        assert!(small.len() < text.len() / 10);
        assert_eq!(inflated(&small, text.len()).as_deref(), Ok(text.as_bytes()));
        assert_eq!(inflated(&small, text.len() - 1), Err(Malformed));
        assert_eq!(inflated(&small, text.len() + 1), Err(Malformed));
        assert_eq!(inflated(b"\xff\xff", 10), Err(Malformed));
    }

    #[test]
    fn what_was_never_written_is_refused() {
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
