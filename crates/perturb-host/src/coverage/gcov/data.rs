//! Checks that data are complete. A program that is killed while it writes them, or that finds the disk full, leaves a
//! truncated file, and gcov counts the missing part as zeros.

use super::head::GcovVersion;

/// From this version of GCC on, records state their length in bytes, not in words.
const IN_BYTES: u32 = 12;

const WORD: usize = 4;

/// Whether a data file is a list of records that ends where it should: with a zero in place of a tag.
pub(super) fn is_whole(data: &[u8], version: GcovVersion) -> bool {
    let is_little = data.starts_with(b"adcg");
    // The head has grown by a word on the way.
    match version.major() {
        Some(IN_BYTES..) => ends_well(data, 4 * WORD, 1, is_little),
        Some(_) => [3, 4].iter().any(|words| ends_well(data, words * WORD, WORD, is_little)),
        None => false,
    }
}

fn ends_well(data: &[u8], head: usize, unit: usize, is_little: bool) -> bool {
    let word = |at: usize| -> Option<u32> {
        let bytes: [u8; WORD] = data.get(at..at.checked_add(WORD)?)?.try_into().ok()?;
        Some(if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
    };
    let mut at = head;
    while let Some(tag) = word(at) {
        if tag == 0 {
            return at + WORD == data.len();
        }
        let Some(length) = word(at + WORD) else { return false };
        // Less than nothing: that many zeros, which are not written.
        let length = usize::try_from(length as i32).unwrap_or(0) * unit;
        at += 2 * WORD + length;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::head::{parse, GcovFileKind};
    use super::*;
    use perturb_fuzz::Share;

    fn words(list: &[u32]) -> Vec<u8> {
        list.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn file(version: &[u8; 4], head: usize, records: &[u32]) -> Vec<u8> {
        let start = [*b"adcg", *version, *b"stmp", *b"more"].concat();
        [&start[..head * WORD], &words(records)].concat()
    }

    fn check(data: &[u8]) -> bool {
        let head = data.get(..12).and_then(|head| parse(head.try_into().unwrap(), GcovFileKind::Data));
        head.is_some_and(|head| is_whole(data, head.version))
    }

    #[test]
    fn data_are_whole_if_they_end_with_a_zero_in_place_of_a_tag() {
        let in_bytes =
            [0xa100_0000, 8, 1, 1, 0x0100_0000, 4, 7, 0x01a1_0000, (-16_i32) as u32, 0x01a1_0000, 8, 1, 0, 0];
        let in_words = [0xa300_0000, 2, 1, 1, 0x0100_0000, 1, 7, 0];
        let files = [
            file(b"*22B", 4, &in_bytes),
            file(b"*49A", 3, &in_words),
            file(b"*21B", 4, &in_bytes),
            file(b"*10B", 4, &in_words),
        ];
        for data in &files {
            assert!(check(data));
            for length in 0..data.len() {
                assert!(!check(&data[..length]), "cut to {length} of {}", data.len());
            }
            assert!(!check(&[&data[..], &[0; 4]].concat()));
        }
    }

    #[test]
    fn odd_lengths_are_no_reason_to_panic() {
        for length in [u32::MAX, i32::MAX as u32, i32::MIN as u32, 1] {
            check(&file(b"*22B", 4, &[1, length, 0]));
            check(&file(b"*49A", 3, &[1, length, 0]));
        }
        assert!(!check(&file(b"????", 4, &[0])));
    }

    #[test]
    fn fuzzed_data_are_whole_or_not() {
        let examples = [
            file(b"*22B", 4, &[0xa100_0000, 8, 1, 1, 0x0100_0000, 4, 7, 0x01a1_0000, (-16_i32) as u32, 0]),
            file(b"*49A", 3, &[0xa300_0000, 2, 1, 1, 0x0100_0000, 1, 7, 0]),
        ];
        perturb_fuzz::survives("gcov data", Share::All, &examples, |data| {
            check(data);
        });
    }
}
