//! What parsers are given: arbitrary bytes, texts of given words, and valid documents that something has happened to.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, Index};
use std::ops::Range;

/// Any bytes.
pub fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..300)
}

/// Texts of these words, with other characters in between.
pub fn text_of(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![8 => select(words).prop_map(str::to_string), 1 => any::<char>().prop_map(String::from)];
    vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Documents that something has happened to, up to four times; now and then nothing.
pub fn spoiled(documents: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (documents, vec(damage(), 0..=4)).prop_map(|(mut document, damages)| {
        damages.iter().for_each(|damage| damage.happen_to(&mut document));
        document
    })
}

#[derive(Debug, Clone)]
enum Damage {
    Flip {
        at: Index,
        bit: u8,
    },
    Cut {
        at: Index,
    },
    Remove {
        from: Index,
        length: usize,
    },
    Double {
        from: Index,
        length: usize,
    },
    Insert {
        at: Index,
        what: Vec<u8>,
    },
    /// In place of as many bytes.
    Overwrite {
        at: Index,
        what: Vec<u8>,
    },
    /// In place of a number that stands there.
    Number {
        which: Index,
        what: Vec<u8>,
    },
    RemoveLine {
        which: Index,
    },
    DoubleLine {
        which: Index,
    },
    Windows,
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    prop_oneof![
        3 => (at(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip { at, bit }),
        1 => at().prop_map(|at| Damage::Cut { at }),
        2 => (at(), 1..80_usize).prop_map(|(from, length)| Damage::Remove { from, length }),
        2 => (at(), 1..80_usize).prop_map(|(from, length)| Damage::Double { from, length }),
        3 => (at(), trap()).prop_map(|(at, what)| Damage::Insert { at, what }),
        2 => (at(), trap()).prop_map(|(at, what)| Damage::Overwrite { at, what }),
        3 => (at(), number()).prop_map(|(which, what)| Damage::Number { which, what }),
        1 => at().prop_map(|which| Damage::RemoveLine { which }),
        1 => at().prop_map(|which| Damage::DoubleLine { which }),
        1 => Just(Damage::Windows),
    ]
}

/// At the edges of what a type holds, and beyond.
fn number() -> impl Strategy<Value = Vec<u8>> {
    let edges =
        [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 32, 1 << 53, 1 << 63, u64::MAX.into()];
    let edge = select(edges.to_vec()).prop_map(|edge: i128| edge.to_string());
    let odd = ["", "-1", "-9223372036854775808", "18446744073709551616", "1e999", "0.5", "00", "+1", "0x10", "1_0"];
    let word = select(odd.to_vec()).prop_map(str::to_string);
    prop_oneof![3 => edge, 2 => word, 1 => any::<i64>().prop_map(|any| any.to_string())].prop_map(String::into_bytes)
}

/// What parsers trip over.
fn trap() -> impl Strategy<Value = Vec<u8>> {
    let fixed: Vec<Vec<u8>> = [
        &b"\0"[..],
        b"\xff\xfe",
        b"\xc3",
        b"\xef\xbb\xbf",
        b"\r\n",
        b"\n\n",
        b"\t",
        b" ",
        b"\\",
        b"\"",
        b"'",
        b",",
        b":",
        b"=",
        b"@",
        b"#",
        b"*/",
        b"NaN",
        b"null",
        b"\x7f\x80\x80\x80\x80\x80\x80\x80\x80\x80",
    ]
    .iter()
    .map(|bytes| bytes.to_vec())
    .collect();
    let deep = (select(&["[", "{", "(", "{\"a\":", "a=[", "<", "\"", "/*"][..]), 1..3000_usize)
        .prop_map(|(open, depth)| open.repeat(depth).into_bytes());
    let long = (any::<u8>(), 1..5000_usize).prop_map(|(byte, length)| vec![byte; length]);
    let random = vec(any::<u8>(), 1..12);
    prop_oneof![6 => select(fixed), 2 => number(), 1 => deep, 1 => long, 2 => random]
}

impl Damage {
    fn happen_to(&self, document: &mut Vec<u8>) {
        let size = document.len();
        let range = |from: &Index, length: usize| {
            let start = from.index(size + 1);
            start..(start + length).min(size)
        };
        match self {
            Self::Flip { at, bit } if size > 0 => document[at.index(size)] ^= 1 << bit,
            Self::Flip { .. } => {}
            Self::Cut { at } => document.truncate(at.index(size + 1)),
            Self::Remove { from, length } => drop(document.drain(range(from, *length))),
            Self::Double { from, length } => {
                let range = range(from, *length);
                let part = document[range.clone()].to_vec();
                drop(document.splice(range.end..range.end, part));
            }
            Self::Insert { at, what } => {
                let at = at.index(size + 1);
                drop(document.splice(at..at, what.iter().copied()));
            }
            Self::Overwrite { at, what } => {
                drop(document.splice(range(at, what.len()), what.iter().copied()));
            }
            Self::Number { which, what } => {
                if let Some(range) = one_of(runs(document, u8::is_ascii_digit), which) {
                    drop(document.splice(range, what.iter().copied()));
                }
            }
            Self::RemoveLine { which } => {
                if let Some(range) = one_of(runs(document, |byte| *byte != b'\n'), which) {
                    drop(document.drain(range));
                }
            }
            Self::DoubleLine { which } => {
                if let Some(range) = one_of(runs(document, |byte| *byte != b'\n'), which) {
                    let line = [b"\n", &document[range.clone()]].concat();
                    drop(document.splice(range.end..range.end, line));
                }
            }
            Self::Windows => {
                *document = document.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
            }
        }
    }
}

/// Where bytes of a kind stand together.
fn runs(document: &[u8], is_of_kind: impl Fn(&u8) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in document.iter().enumerate().filter(|(_, byte)| is_of_kind(byte)) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn one_of(runs: Vec<Range<usize>>, which: &Index) -> Option<Range<usize>> {
    (!runs.is_empty()).then(|| runs[which.index(runs.len())].clone())
}
