//! What the driver answers.

pub use perturb_model::Difference;
pub use perturb_model::Kind;
/// Where a pointer leads that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Null,
    /// So many bytes from the start of an object, which may be beyond its end.
    Inside {
        object: usize,
        offset: i32,
    },
    /// The same of memory that it allocated; blocks are counted from 1 on in the order in which they are reached, and 0
    /// is one that nothing else leads to.
    Fresh {
        block: usize,
        offset: i32,
    },
    /// To memory that it allocated and freed.
    Freed,
    /// To nothing that the function was given.
    Elsewhere(u64),
}

impl Place {
    /// As the driver writes it.
    pub fn of(bits: u64) -> Self {
        match bits {
            0 => Self::Null,
            _ if bits >> 63 == 1 => Self::Inside { object: (bits >> 32 & 0x7fff_ffff) as usize, offset: bits as i32 },
            _ if bits >> 32 == 0x7fff_ffff => Self::Freed,
            _ if bits >> 62 == 1 => Self::Fresh { block: (bits >> 32 & 0x3fff_ffff) as usize, offset: bits as i32 },
            _ => Self::Elsewhere(bits),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Different {
        function: usize,
        by: Difference,
    },
    /// All inputs were tried.
    Exhausted {
        function: usize,
    },
    /// All inputs were tried: it does something undefined on some, and the same on all others.
    OnlyUndefined {
        function: usize,
    },
    /// On some of all inputs the original took more steps than it may: of these nothing is known.
    Unfinished,
    /// There are too many inputs to try them all.
    Large,
    /// An input that was given: both do the same.
    Same {
        function: usize,
    },
    /// An input that was given: the original does something undefined with it.
    Excluded {
        function: usize,
    },
    /// What each function does with an input that was given; nothing if the original does something undefined with it.
    Row(Vec<Option<Kind>>),
    /// An input that was given, made plainer.
    Plain(Vec<u8>),
    /// So many inputs were tried, and the original came to a defined end on so many.
    Done {
        inputs: u64,
        defined: u64,
    },
}

/// The lines that can be read, in order. A driver that came to its end has a [`Answer::Done`] for the last.
pub fn read(output: &str) -> Vec<Answer> {
    output.lines().filter_map(line).collect()
}

fn line(text: &str) -> Option<Answer> {
    let words: Vec<&str> = text.split(' ').collect();
    let function = |word: &str| word.parse().ok();
    Some(match words.as_slice() {
        ["different", which, kind, input, original, other] => {
            let kind = match *kind {
                "output" => Kind::Output,
                "undefined" => Kind::Undefined,
                "endless" => Kind::Endless,
                "ended" => Kind::Ended,
                _ => return None,
            };
            let by = Difference { kind, input: bytes(input)?, original: bytes(original)?, other: bytes(other)? };
            Answer::Different { function: function(which)?, by }
        }
        ["exhausted", which] => Answer::Exhausted { function: function(which)? },
        ["undefined", which] => Answer::OnlyUndefined { function: function(which)? },
        ["unfinished"] => Answer::Unfinished,
        ["large"] => Answer::Large,
        ["same", which] => Answer::Same { function: function(which)? },
        ["excluded", which] => Answer::Excluded { function: function(which)? },
        ["row", letters] => Answer::Row(letters.chars().map(kind_of).collect()),
        ["plain", input] => Answer::Plain(bytes(input)?),
        ["done", inputs, defined] => Answer::Done { inputs: inputs.parse().ok()?, defined: defined.parse().ok()? },
        _ => return None,
    })
}

/// None where it does the same, or what it does is not known.
fn kind_of(letter: char) -> Option<Kind> {
    match letter {
        'o' => Some(Kind::Output),
        'u' => Some(Kind::Undefined),
        'e' => Some(Kind::Endless),
        'x' => Some(Kind::Ended),
        _ => None,
    }
}

/// `-` for none.
fn bytes(text: &str) -> Option<Vec<u8>> {
    if text == "-" {
        return Some(Vec::new());
    }
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok())
        .collect()
}

/// Bytes as the driver writes them.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    bytes(text)
}

/// As [`bytes`] reads them.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn every_answer_is_read_and_what_is_none_is_passed_over() {
        let text = "different 3 output 0a00 01 02\nnoise\ndifferent 4 endless - 01 -\nexhausted 2\nundefined 5\nunfinished\nlarge\nsame 7\nexcluded 8\nrow o=eux\nrow \nplain 0a\ndone 10 9\ndifferent 1 out";
        let by = |kind, input: &[u8], original: &[u8], other: &[u8]| Difference {
            kind,
            input: input.to_vec(),
            original: original.to_vec(),
            other: other.to_vec(),
        };
        let expected = [
            Answer::Different { function: 3, by: by(Kind::Output, &[10, 0], &[1], &[2]) },
            Answer::Different { function: 4, by: by(Kind::Endless, &[], &[1], &[]) },
            Answer::Exhausted { function: 2 },
            Answer::OnlyUndefined { function: 5 },
            Answer::Unfinished,
            Answer::Large,
            Answer::Same { function: 7 },
            Answer::Excluded { function: 8 },
            Answer::Row(vec![Some(Kind::Output), None, Some(Kind::Endless), Some(Kind::Undefined), Some(Kind::Ended)]),
            Answer::Row(Vec::new()),
            Answer::Plain(vec![10]),
            Answer::Done { inputs: 10, defined: 9 },
        ];
        assert_eq!(read(text), expected);
        assert_eq!(bytes(&hex(&[1, 0xff, 0x20])), Some(vec![1, 0xff, 0x20]));
    }

    #[test]
    fn a_pointer_is_told_by_its_object_however_far_from_its_start() {
        assert_eq!(Place::of(0), Place::Null);
        assert_eq!(Place::of(0x40_4010), Place::Elsewhere(0x40_4010));
        assert_eq!(Place::of(1 << 63 | 3 << 32 | 8), Place::Inside { object: 3, offset: 8 });
        assert_eq!(Place::of(1 << 63 | 0xffff_fffc), Place::Inside { object: 0, offset: -4 });
        assert_eq!(Place::of(1 << 62 | 2 << 32 | 1), Place::Fresh { block: 2, offset: 1 });
        assert_eq!(Place::of(0x7fff_ffff << 32), Place::Freed);
    }

    #[test]
    fn fuzzed_answers_are_read_or_passed_over() {
        let examples = ["different 3 output 0a00 01 02\ndone 10 9\n", "exhausted 2\nlarge\nsame 7\n"];
        perturb_fuzz::survives("driver answers", Share::All, &examples, |text| {
            drop(read(&String::from_utf8_lossy(text)))
        });
    }
}
