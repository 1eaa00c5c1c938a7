//! The headers of notes and data: the kind of file, the compiler version, and a stamp of the compilation.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The part of the header that notes and data of one compilation share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GcovHead {
    pub version: GcovVersion,
    pub stamp: [u8; 4],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GcovFileKind {
    Notes,
    Data,
}

/// The compiler's version, as it is encoded there: `B22*` is 12.2, `408*` is 4.8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct GcovVersion([u8; 4]);

impl GcovVersion {
    pub fn major(self) -> Option<u32> {
        let digit = |byte: u8| char::from(byte).to_digit(10);
        match self.0[0] {
            tens @ b'A'..=b'Z' => Some(u32::from(tens - b'A') * 10 + digit(self.0[1])?),
            ones => digit(ones),
        }
    }
}

/// The head of a file of this kind; `None` if it is no such file.
pub(super) fn read(path: &Path, kind: GcovFileKind) -> Option<GcovHead> {
    let mut words = [0; 12];
    File::open(path).and_then(|mut file| file.read_exact(&mut words)).ok()?;
    parse(&words, kind)
}

/// Words are in the byte order of the machine that wrote them.
pub(super) fn parse(words: &[u8; 12], kind: GcovFileKind) -> Option<GcovHead> {
    let magic: [u8; 4] = if kind == GcovFileKind::Notes { *b"gcno" } else { *b"gcda" };
    let word = |at: usize| -> [u8; 4] { words[at..at + 4].try_into().expect("four bytes") };
    let reversed = |mut word: [u8; 4]| {
        word.reverse();
        word
    };
    if word(0) == magic {
        Some(GcovHead { version: GcovVersion(word(4)), stamp: word(8) })
    } else if reversed(word(0)) == magic {
        Some(GcovHead { version: GcovVersion(reversed(word(4))), stamp: reversed(word(8)) })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_in_either_byte_order_and_other_files_are_none() {
        let little = parse(b"oncg*22B\x01\x02\x03\x04", GcovFileKind::Notes).unwrap();
        assert_eq!(little, parse(b"gcnoB22*\x04\x03\x02\x01", GcovFileKind::Notes).unwrap());
        assert_eq!(parse(b"oncg*22B\x01\x02\x03\x04", GcovFileKind::Data), None);
        assert_eq!(parse(&[0; 12], GcovFileKind::Notes), None);
        for (text, major) in [(b"B22*", Some(12)), (b"A94*", Some(9)), (b"B03*", Some(10)), (b"408*", Some(4))] {
            assert_eq!(GcovVersion(*text).major(), major);
        }
        assert_eq!(GcovVersion(*b"A**\xff").major(), None);
        assert_eq!(GcovVersion([0xff; 4]).major(), None);
    }

    #[test]
    fn a_file_that_ends_too_early_has_no_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gcda");
        for length in 0..12 {
            std::fs::write(&path, &b"adcg*22Bstmp"[..length]).unwrap();
            assert_eq!(read(&path, GcovFileKind::Data), None, "{length}");
        }
        assert_eq!(read(&folder.path().join("none"), GcovFileKind::Data), None);
    }
}
