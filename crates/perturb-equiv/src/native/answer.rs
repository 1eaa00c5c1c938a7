//! Parses the reports of the driver.

pub use perturb_model::Difference;
pub use perturb_model::Kind;
/// The target of a pointer that was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObservedTarget {
    Null,
    /// This many bytes from the start of an object, possibly past its end.
    Inside {
        object: usize,
        offset: i32,
    },
    /// The same for memory that the call allocated. Blocks are counted from 1 in the order in which they are reached; 0
    /// is a block that nothing else points to.
    Fresh {
        block: usize,
        offset: i32,
    },
    /// Memory that it allocated and freed.
    Freed,
    /// Nothing that the function was given.
    Elsewhere(u64),
}

impl ObservedTarget {
    /// In the driver's encoding.
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

/// The number of a version of the function in a program that compares it: the original, or one of its mutants, which
/// follow in the order of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VersionIdx(usize);

impl VersionIdx {
    pub const ORIGINAL: Self = Self(0);

    pub const fn new(index: usize) -> Self {
        Self(index)
    }

    pub const fn get(self) -> usize {
        self.0
    }

    /// The numbers of the mutants, in order and without end.
    pub fn of_mutants() -> impl Iterator<Item = Self> {
        (1..).map(Self)
    }
}

impl std::fmt::Display for VersionIdx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverReport {
    Different {
        version: VersionIdx,
        by: Difference,
    },
    /// All inputs were tried without a difference.
    Exhausted {
        version: VersionIdx,
    },
    /// All inputs were tried: the mutant has undefined behaviour on some, and is the same on all others.
    OnlyUndefined {
        version: VersionIdx,
    },
    /// On some inputs the original exceeded the step limit: their result is unknown.
    Unfinished,
    /// There are too many inputs to try them all.
    Large,
    /// Replay of an input: both behave the same.
    Same {
        version: VersionIdx,
    },
    /// Replay of an input: the original has undefined behaviour on it.
    Excluded {
        version: VersionIdx,
    },
    /// Replay of an input on each function; nothing if the original has undefined behaviour on it.
    Row(Vec<Option<Kind>>),
    /// An input, simplified.
    Plain(Vec<u8>),
    /// The number of inputs tried, and of those on which the original has defined behaviour.
    Done {
        inputs: u64,
        defined: u64,
    },
}

/// The lines that can be parsed, in order. A driver that finished reports [`DriverReport::Done`] last.
pub fn read(output: &str) -> Vec<DriverReport> {
    output.lines().filter_map(line).collect()
}

fn line(text: &str) -> Option<DriverReport> {
    let words: Vec<&str> = text.split(' ').collect();
    let version = |word: &str| word.parse().ok().map(VersionIdx::new);
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
            DriverReport::Different { version: version(which)?, by }
        }
        ["exhausted", which] => DriverReport::Exhausted { version: version(which)? },
        ["undefined", which] => DriverReport::OnlyUndefined { version: version(which)? },
        ["unfinished"] => DriverReport::Unfinished,
        ["large"] => DriverReport::Large,
        ["same", which] => DriverReport::Same { version: version(which)? },
        ["excluded", which] => DriverReport::Excluded { version: version(which)? },
        ["row", letters] => DriverReport::Row(letters.chars().map(kind_of).collect()),
        ["plain", input] => DriverReport::Plain(bytes(input)?),
        ["done", inputs, defined] => {
            DriverReport::Done { inputs: inputs.parse().ok()?, defined: defined.parse().ok()? }
        }
        _ => return None,
    })
}

/// `None` if it behaves the same, or its behaviour is unknown.
fn kind_of(letter: char) -> Option<Kind> {
    match letter {
        'o' => Some(Kind::Output),
        'u' => Some(Kind::Undefined),
        'e' => Some(Kind::Endless),
        'x' => Some(Kind::Ended),
        _ => None,
    }
}

/// `-` if there are none.
fn bytes(text: &str) -> Option<Vec<u8>> {
    if text == "-" {
        return Some(Vec::new());
    }
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?, 16).ok())
        .collect()
}

/// Encodes bytes as the driver does.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    bytes(text)
}

/// In the encoding that [`bytes`] decodes.
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
        let text = "different 3 output 0a00 01 02\nnoise\ndifferent 4 endless - 01 -\nexhausted 2\nundefined \
            5\nunfinished\nlarge\nsame 7\nexcluded 8\nrow o=eux\nrow \nplain 0a\ndone 10 9\ndifferent 1 out";
        let by = |kind, input: &[u8], original: &[u8], other: &[u8]| Difference {
            kind,
            input: input.to_vec(),
            original: original.to_vec(),
            other: other.to_vec(),
        };
        let expected = [
            DriverReport::Different { version: VersionIdx::new(3), by: by(Kind::Output, &[10, 0], &[1], &[2]) },
            DriverReport::Different { version: VersionIdx::new(4), by: by(Kind::Endless, &[], &[1], &[]) },
            DriverReport::Exhausted { version: VersionIdx::new(2) },
            DriverReport::OnlyUndefined { version: VersionIdx::new(5) },
            DriverReport::Unfinished,
            DriverReport::Large,
            DriverReport::Same { version: VersionIdx::new(7) },
            DriverReport::Excluded { version: VersionIdx::new(8) },
            DriverReport::Row(vec![
                Some(Kind::Output),
                None,
                Some(Kind::Endless),
                Some(Kind::Undefined),
                Some(Kind::Ended),
            ]),
            DriverReport::Row(Vec::new()),
            DriverReport::Plain(vec![10]),
            DriverReport::Done { inputs: 10, defined: 9 },
        ];
        assert_eq!(read(text), expected);
        assert_eq!(bytes(&hex(&[1, 0xff, 0x20])), Some(vec![1, 0xff, 0x20]));
    }

    #[test]
    fn a_pointer_is_told_by_its_object_however_far_from_its_start() {
        assert_eq!(ObservedTarget::of(0), ObservedTarget::Null);
        assert_eq!(ObservedTarget::of(0x40_4010), ObservedTarget::Elsewhere(0x40_4010));
        assert_eq!(ObservedTarget::of(1 << 63 | 3 << 32 | 8), ObservedTarget::Inside { object: 3, offset: 8 });
        assert_eq!(ObservedTarget::of(1 << 63 | 0xffff_fffc), ObservedTarget::Inside { object: 0, offset: -4 });
        assert_eq!(ObservedTarget::of(1 << 62 | 2 << 32 | 1), ObservedTarget::Fresh { block: 2, offset: 1 });
        assert_eq!(ObservedTarget::of(0x7fff_ffff << 32), ObservedTarget::Freed);
    }

    #[test]
    fn fuzzed_answers_are_read_or_passed_over() {
        let examples = ["different 3 output 0a00 01 02\ndone 10 9\n", "exhausted 2\nlarge\nsame 7\n"];
        perturb_fuzz::survives("driver answers", Share::All, &examples, |text| {
            drop(read(&String::from_utf8_lossy(text)))
        });
    }
}
