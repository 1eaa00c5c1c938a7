//! lcov's tracefiles (`.info`), as lcov, gcovr, fastcov, llvm-cov and others write them: how often each line was
//! executed.
//!
//! Only line records are read: those of functions and branches add nothing that decides a mutant.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::command_line::normalise;
use crate::coverage::line_counts::{count_of, LineCounts};

/// Reads a tracefile. One that is not whole is an error: half of it would say of lines that they were not executed.
pub(crate) fn read(text: &[u8]) -> Result<LineCounts, String> {
    let mut counts = LineCounts::default();
    let mut file: Option<PathBuf> = None;
    let mut has_ended = false;
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let line = line.trim_ascii();
        if let Some(path) = line.strip_prefix(b"SF:") {
            if file.is_some() {
                return Err(format!("line {number}: a file begins before the one above has ended"));
            }
            file = Some(normalise(Path::new(OsStr::from_bytes(path))));
        } else if let Some(record) = line.strip_prefix(b"DA:") {
            let file = file.as_deref().ok_or_else(|| format!("line {number}: it belongs to no file"))?;
            let (line, count) =
                line_record(record).ok_or_else(|| format!("line {number}: not a line and its count"))?;
            counts.add(file, line, count);
        } else if line == b"end_of_record" {
            file.take().ok_or_else(|| format!("line {number}: nothing ends here"))?;
            has_ended = true;
        }
    }
    match (file, has_ended) {
        (Some(_), _) => Err("it is cut off: the last file has no end".to_string()),
        (None, false) => Err("there is no file in it".to_string()),
        (None, true) => Ok(counts),
    }
}

/// `12,3` or `12,3,checksum`.
fn line_record(record: &[u8]) -> Option<(u32, u64)> {
    let mut fields = std::str::from_utf8(record).ok()?.split(',').map(str::trim);
    let line = fields.next()?.parse().ok().filter(|line| *line > 0)?;
    let count = fields.next()?;
    let count =
        count.parse().ok().or_else(|| count.parse().ok().filter(|number: &f64| number.is_finite()).map(count_of));
    Some((line, count?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    const TRACE: &str = "TN:first\nSF:/p/src/a.c\nFN:3,f\nFNDA:2,f\nBRDA:3,0,0,-\nDA:3,2\nDA:4,0,X2c=\nLF:2\nLH:1\n\
                         end_of_record\nSF:./src/x/../b.c\nDA:1,1e3\r\nDA:2,-1\nend_of_record\n";

    #[test]
    fn lines_are_read_and_all_else_is_passed_over() {
        let counts = read(TRACE.as_bytes()).unwrap();
        let lines = |file: &str| counts.files[Path::new(file)].clone().into_iter().collect::<Vec<_>>();
        assert_eq!(lines("/p/src/a.c"), [(3, 2), (4, 0)]);
        assert_eq!(lines("src/b.c"), [(1, 1000), (2, 1)]);
    }

    #[test]
    fn a_trace_that_is_cut_off_is_an_error_or_whole_up_to_a_file() {
        for length in 0..TRACE.len() {
            let whole = TRACE[..length].matches("end_of_record").count();
            match read(&TRACE.as_bytes()[..length]) {
                Ok(counts) => assert_eq!(counts.files.len(), whole, "{length}"),
                Err(reason) => assert!(!reason.is_empty(), "{length}"),
            }
        }
    }

    #[test]
    fn odd_traces_are_errors_and_never_a_panic() {
        for text in [
            "",
            "\0\0",
            "end_of_record",
            "DA:1,1\n",
            "SF:a\nDA:0,1\nend_of_record",
            "SF:a\nDA:1\nend_of_record",
            "SF:a\nDA:1,\nend_of_record",
            "SF:a\nDA:,1\nend_of_record",
            "SF:a\nDA:99999999999,1\nend_of_record",
            "SF:a\nDA:1,inf\nend_of_record",
            "SF:a\nDA:1,=\nend_of_record",
            "SF:a\nSF:b\nend_of_record",
            "SF:a\nDA:1,1\n",
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read(b"SF:a\nDA:\xff,1\nend_of_record").is_err());
        let odd = read(b"SF:\xff\xfe\nDA:1,99999999999999999999999\nend_of_record").unwrap();
        assert_eq!(odd.files.len(), 1);
    }

    #[test]
    fn fuzzed_traces_are_read_or_refused() {
        perturb_fuzz::survives("lcov trace", Share::All, &[TRACE], |text| match read(text) {
            Ok(counts) => assert!(counts.files.values().all(|lines| !lines.contains_key(&0))),
            Err(reason) => assert!(!reason.is_empty()),
        });
    }

    #[test]
    fn fuzzed_counts_come_back_from_their_trace() {
        let lines = prop::collection::btree_map(1_u32.., any::<u64>(), 1..6);
        let files = prop::collection::btree_map("/[a-z é]{1,6}x", lines, 1..4);
        perturb_fuzz::holds("lcov trace, round trip", Share::All, files, |files| {
            let (mut text, mut expected) = (String::from("TN:\n"), LineCounts::default());
            for (file, lines) in &files {
                text += &format!("SF:{file}\n");
                for (line, count) in lines {
                    text += &format!("DA:{line},{count}\n");
                    expected.add(Path::new(file), *line, *count);
                }
                text += "end_of_record\n";
            }
            assert_eq!(read(text.as_bytes()), Ok(expected));
        });
    }
}
