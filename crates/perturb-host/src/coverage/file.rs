//! Reads coverage data that others have collected. The file name decides which format it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::coverage::gcov::{self, Gcov, GcovPair, GcovVersion};
use crate::coverage::lcov;
use crate::coverage::line_counts::LineCounts;
use crate::error::HostError;

/// No report is larger than this; a compressed one that claims to be is not believed.
const LARGEST: usize = 1 << 30;

/// How the data of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverageFormat {
    Lcov,
    GcovJson,
    PackedGcovJson,
    /// gcov's own data, which need the notes of their compilation.
    GcovData,
}

impl CoverageFormat {
    /// The endings of names, the longer before the shorter.
    const ENDINGS: [(&'static str, CoverageFormat); 6] = [
        (".gcov.json.gz", Self::PackedGcovJson),
        (".json.gz", Self::PackedGcovJson),
        (".gcov.json", Self::GcovJson),
        (".json", Self::GcovJson),
        (".info", Self::Lcov),
        (".gcda", Self::GcovData),
    ];

    /// The format of a file, and its name without the suffix that shows it.
    pub fn of(name: &str) -> Option<(CoverageFormat, &str)> {
        Self::ENDINGS.iter().find_map(|(ending, format)| Some((*format, name.strip_suffix(ending)?)))
    }
}

/// Reads coverage data.
#[derive(Debug)]
pub struct CoverageReader {
    compilers: Vec<PathBuf>,
    scratch: PathBuf,
    gcovs: BTreeMap<GcovVersion, Gcov>,
}

impl CoverageReader {
    /// `compilers` are the project's own, beside which gcov is looked for; `scratch` is a folder to work in.
    pub fn new(compilers: Vec<PathBuf>, scratch: PathBuf) -> CoverageReader {
        CoverageReader { compilers, scratch, gcovs: BTreeMap::new() }
    }

    /// What all of these files say together. `home` is the folder that stands for the root where data were collected
    /// with `GCOV_PREFIX`. An error if one of them cannot be read.
    pub fn read(&mut self, files: &[(PathBuf, CoverageFormat)], home: &Path) -> Result<LineCounts, HostError> {
        let mut counts = LineCounts::default();
        let mut pairs: BTreeMap<GcovVersion, Vec<GcovPair>> = BTreeMap::new();
        for (path, format) in files {
            let unread = |reason: String| HostError::CoverageUnread { reason: format!("{}: {reason}", path.display()) };
            if *format == CoverageFormat::GcovData {
                let notes = notes_of(path, home).ok_or_else(|| unread("its .gcno file is not beside it".into()))?;
                let pair = GcovPair { notes, data: Some(path.clone()) };
                let head = pair.head().map_err(|reason| HostError::CoverageUnread { reason })?;
                pairs.entry(head.version).or_default().push(pair);
            } else {
                let text = fs::read(path).map_err(HostError::io("read", path))?;
                counts.merge(&parse(&text, *format).map_err(unread)?);
            }
        }
        for (version, pairs) in pairs {
            if !self.gcovs.contains_key(&version) {
                self.gcovs.insert(version, pairs[0].gcov(&self.compilers)?);
            }
            let read = self.gcovs[&version].read(&pairs, &self.scratch)?;
            read.iter().for_each(|of_pair| counts.merge(of_pair));
        }
        Ok(counts)
    }
}

fn parse(text: &[u8], format: CoverageFormat) -> Result<LineCounts, String> {
    let reports = match format {
        CoverageFormat::Lcov => return lcov::read(text),
        CoverageFormat::PackedGcovJson => gcov::read_json(&unpacked(text).ok_or("not a whole gzip file")?)?,
        CoverageFormat::GcovJson | CoverageFormat::GcovData => gcov::read_json(text)?,
    };
    if reports.is_empty() {
        return Err("there is no report in it".to_string());
    }
    let mut counts = LineCounts::default();
    reports.iter().for_each(|report| counts.merge(&report.counts));
    Ok(counts)
}

/// The notes beside data, or where data that were moved by `GCOV_PREFIX` would have been.
fn notes_of(data: &Path, home: &Path) -> Option<PathBuf> {
    let beside = data.with_extension("gcno");
    let moved = data.strip_prefix(home).ok().map(|path| Path::new("/").join(path).with_extension("gcno"));
    std::iter::once(beside).chain(moved).find(|path| path.is_file())
}

/// The content of a gzip file of one member (RFC 1952).
fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let (head, mut rest) = bytes.split_at_checked(10)?;
    let (magic, method, flags) = (&head[..2], head[2], head[3]);
    if magic != b"\x1f\x8b" || method != 8 || flags & 0xe0 != 0 {
        return None;
    }
    if flags & 4 != 0 {
        let (length, after) = rest.split_at_checked(2)?;
        rest = after.get(usize::from(u16::from_le_bytes([length[0], length[1]]))..)?;
    }
    // The name and a comment, each ended by a zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..)?;
    }
    let packed = rest.len().checked_sub(8)?;
    let text = miniz_oxide::inflate::decompress_to_vec_with_limit(&rest[..packed], LARGEST).ok()?;
    let length = u32::from_le_bytes(rest[packed + 4..].try_into().ok()?);
    (length == text.len() as u32).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    fn packed(text: &[u8], flags: u8, extra: &[u8]) -> Vec<u8> {
        let head = [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3], extra].concat();
        let body = miniz_oxide::deflate::compress_to_vec(text, 6);
        [&head[..], &body, &[0; 4], &(text.len() as u32).to_le_bytes()].concat()
    }

    #[test]
    fn a_gzip_file_is_unpacked_with_and_without_a_name() {
        assert_eq!(unpacked(&packed(b"{}", 0, b"")).unwrap(), b"{}");
        assert_eq!(unpacked(&packed(b"{}", 4 | 8 | 16 | 2, b"\x03\0abcname\0comment\0cr")).unwrap(), b"{}");
    }

    #[test]
    fn a_gzip_file_that_is_cut_off_or_odd_is_none_and_never_a_panic() {
        let whole = packed(br#"{"files": []}"#, 4 | 8, b"\x02\0xxname\0");
        for length in 0..whole.len() {
            assert_eq!(unpacked(&whole[..length]), None, "{length}");
        }
        for flags in 0..=255 {
            let mut odd = whole.clone();
            odd[3] = flags;
            let _ = unpacked(&odd);
        }
        assert_eq!(unpacked(&[0x1f; 40]), None);
    }

    #[test]
    fn formats_are_told_by_the_ends_of_names() {
        let of = |name: &str| CoverageFormat::of(name).map(|(format, stem)| (format, stem.to_string()));
        assert_eq!(of("a.b.info"), Some((CoverageFormat::Lcov, "a.b".to_string())));
        assert_eq!(of("t.gcov.json.gz"), Some((CoverageFormat::PackedGcovJson, "t".to_string())));
        assert_eq!(of("t.json"), Some((CoverageFormat::GcovJson, "t".to_string())));
        assert_eq!((of("t.gcno"), of("info")), (None, None));
    }

    #[test]
    fn fuzzed_packed_reports_are_read_or_refused() {
        let report = br#"{"files": [{"file": "a.c", "lines": [{"line_number": 3, "count": 2}]}]}"#;
        let examples = [packed(report, 0, b""), packed(report, 4 | 8 | 16 | 2, b"\x03\0abcname\0comment\0cr")];
        perturb_fuzz::survives("packed gcov report", Share::All, &examples, |bytes| {
            let _ = parse(bytes, CoverageFormat::PackedGcovJson);
        });
    }
}
