//! The calls of stubs, in order, as they are read back from the words that stubs record.

use super::kept::{PartKind, RecordedPart};
use super::layout::Layout;
use super::leaf::Leaf;
use super::stub::{TEXT_WORDS, WORDS};

/// A call of a stub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubCall<'l> {
    /// The index of the stub in the layout.
    pub stub: usize,
    /// The number of the call of this stub, from 0.
    pub number: usize,
    pub given: Vec<RecordedArgument<'l>>,
}

/// A recorded argument, or part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedArgument<'l> {
    pub parameter: usize,
    pub part: &'l RecordedPart,
    pub value: RecordedValue,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedValue {
    /// An integer, sign-extended, or the bits of a `double`.
    Bits(u64),
    Pointer {
        is_null: bool,
    },
    Text {
        letters: Vec<u8>,
        /// The recorded part is the whole string.
        is_whole: bool,
    },
}

impl Layout {
    /// The calls of stubs, in order, decoded from an output.
    pub fn stub_calls(&self, seen: &[u8]) -> Vec<StubCall<'_>> {
        let Some((trace, _)) = self.trace else { return Vec::new() };
        let words = self.numbers_of(seen, trace);
        let Some((count, words)) = words.split_first() else { return Vec::new() };
        let mut words = words.iter().copied().take(usize::try_from(*count).unwrap_or(usize::MAX));
        let mut calls: Vec<StubCall<'_>> = Vec::new();
        while let Some(call) = self.stub_call(&mut words, &calls) {
            calls.push(call);
        }
        calls
    }

    /// Whether the trace overflowed.
    pub fn is_trace_full(&self, seen: &[u8]) -> bool {
        self.trace.is_some_and(|(trace, _)| self.numbers_of(seen, trace).first().is_some_and(|count| *count > WORDS))
    }

    fn stub_call(&self, words: &mut impl Iterator<Item = u64>, before: &[StubCall<'_>]) -> Option<StubCall<'_>> {
        let stub = usize::try_from(words.next()?.checked_sub(1)?).ok()?;
        let number = before.iter().filter(|call| call.stub == stub).count();
        let mut given = Vec::new();
        for (parameter, kept) in self.kept.get(stub)?.iter().enumerate() {
            read_parts(parameter, &kept.parts, words, &mut given)?;
        }
        Some(StubCall { stub, number, given })
    }

    /// How often a stub was called; `None` if that was not observed.
    pub fn stub_call_count(&self, seen: &[u8], stub: usize) -> Option<u64> {
        let (_, calls) = self.trace?;
        self.numbers_of(seen, calls).get(stub).copied()
    }

    /// The numbers of an object in an output.
    fn numbers_of(&self, seen: &[u8], object: usize) -> Vec<u64> {
        let mut at = 0;
        let mut number = |leaf: &Leaf| {
            let own = seen.get(at..at + leaf.size as usize)?;
            at += leaf.size as usize;
            let bits = own.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
            Some((leaf.object, bits))
        };
        let all: Vec<(usize, u64)> = self.result.iter().chain(&self.views).map_while(&mut number).collect();
        all.into_iter().filter(|(own, _)| *own == object).map(|(_, bits)| bits).collect()
    }
}

/// `None` if the trace ends too early.
fn read_parts<'l>(
    parameter: usize,
    parts: &'l [RecordedPart],
    words: &mut impl Iterator<Item = u64>,
    given: &mut Vec<RecordedArgument<'l>>,
) -> Option<()> {
    for part in parts {
        let value = match &part.kind {
            PartKind::Integer { .. } | PartKind::Float { .. } => RecordedValue::Bits(words.next()?),
            PartKind::Pointer { .. } => RecordedValue::Pointer { is_null: words.next()? == 0 },
            PartKind::Text | PartKind::Message(_) => read_text(words)?,
        };
        let is_null = value == RecordedValue::Pointer { is_null: true };
        given.push(RecordedArgument { parameter, part, value });
        if let (PartKind::Pointer { behind }, false) = (&part.kind, is_null) {
            read_parts(parameter, behind, words, given)?;
        }
    }
    Some(())
}

/// Eight characters per word, the first in the highest byte; the last word ends with the zero.
fn read_text(words: &mut impl Iterator<Item = u64>) -> Option<RecordedValue> {
    let mut letters = Vec::new();
    for _ in 0..TEXT_WORDS {
        let word = words.next()?;
        letters.extend(word.to_be_bytes().into_iter().filter(|letter| *letter != 0));
        if word & 0xff == 0 {
            return Some(RecordedValue::Text { letters, is_whole: true });
        }
    }
    Some(RecordedValue::Text { letters, is_whole: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A string in the encoding of the trace.
    fn words(text: &str) -> Vec<u64> {
        let with_zero: Vec<u8> = text.bytes().chain([0]).take(8 * TEXT_WORDS as usize).collect();
        let word = |letters: &[u8]| letters.iter().fold(0, |word, letter| word << 8 | u64::from(*letter));
        with_zero.chunks(8).map(word).collect()
    }

    #[test]
    fn texts_are_read_as_far_as_they_are_kept() {
        let long = "a text that is far longer than what is kept of it";
        for (text, kept, is_whole) in [
            ("", "", true),
            ("on", "on", true),
            ("seven..", "seven..", true),
            ("eight...", "eight...", true),
            (&long[..23], &long[..23], true),
            (&long[..24], &long[..24], false),
            (long, &long[..24], false),
        ] {
            let mut words = words(text).into_iter();
            assert_eq!(read_text(&mut words), Some(RecordedValue::Text { letters: kept.into(), is_whole }), "{text}");
            assert_eq!(words.next(), None, "{text}");
        }
        assert_eq!(read_text(&mut words(long).into_iter().take(2)), None);
    }
}
