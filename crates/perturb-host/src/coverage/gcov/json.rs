//! gcov's JSON: what GCC 9 and later write with `--json-format`, one or several reports after each other.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Number;

use crate::command_line::normalise;
use crate::coverage::line_counts::{count_of, LineCounts};

/// The counts of one pair of notes and data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GcovReport {
    /// The file that gcov was given.
    pub data_file: PathBuf,
    pub counts: LineCounts,
}

#[derive(Deserialize)]
struct RawReport {
    #[serde(default)]
    current_working_directory: String,
    #[serde(default)]
    data_file: String,
    files: Vec<RawFile>,
}

#[derive(Deserialize)]
struct RawFile {
    file: String,
    lines: Vec<RawLine>,
}

#[derive(Deserialize)]
struct RawLine {
    line_number: u32,
    count: Number,
}

/// Reads reports. A text that is not whole is an error: half of it would say of lines that they were not executed.
pub(crate) fn read(text: &[u8]) -> Result<Vec<GcovReport>, String> {
    let mut reports = Vec::new();
    for report in serde_json::Deserializer::from_slice(text).into_iter::<RawReport>() {
        let RawReport { current_working_directory, data_file, files } = report.map_err(|error| error.to_string())?;
        let mut counts = LineCounts::default();
        for RawFile { file, lines } in files {
            // Paths are as the compiler's command had them.
            let path = normalise(&Path::new(&current_working_directory).join(file));
            for RawLine { line_number, count } in lines {
                // Line 0 holds what belongs to no line.
                if line_number > 0 {
                    let count = count.as_u64().or(count.as_f64().map(count_of)).unwrap_or(1);
                    counts.add(&path, line_number, count);
                }
            }
        }
        reports.push(GcovReport { data_file: data_file.into(), counts });
    }
    Ok(reports)
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    const REPORT: &str = r#"{"gcc_version": "12.2.0", "format_version": "1",
        "current_working_directory": "/p/build", "data_file": "0.gcda", "files": [
            {"file": "../src/a.c", "functions": [], "lines": [
                {"line_number": 3, "count": 2, "unexecuted_block": false, "branches": []},
                {"line_number": 3, "count": 1, "function_name": "f<int>"},
                {"line_number": 4, "count": 0}, {"line_number": 5, "count": -1}, {"line_number": 0, "count": 9}]},
            {"file": "/usr/include/x.h", "lines": []}]}"#;

    #[test]
    fn reports_are_read_one_after_the_other() {
        let two = format!("{REPORT}\n{REPORT}\n");
        let reports = read(two.as_bytes()).unwrap();
        assert_eq!(reports.len(), 2);
        assert_eq!(reports[0].data_file, Path::new("0.gcda"));
        let lines = &reports[1].counts.files[Path::new("/p/src/a.c")];
        assert_eq!(lines.iter().map(|(line, count)| (*line, *count)).collect::<Vec<_>>(), [(3, 3), (4, 0), (5, 1)]);
    }

    #[test]
    fn a_report_that_is_cut_off_anywhere_is_an_error() {
        for length in 1..REPORT.len() {
            assert!(read(&REPORT.as_bytes()[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn odd_reports_are_errors_and_never_a_panic() {
        assert_eq!(read(b" \n"), Ok(Vec::new()));
        let deep = "[".repeat(100_000);
        for text in [
            "null",
            "[]",
            "{}",
            "{\"files\": 3}",
            "{\"files\": [{\"file\": 1, \"lines\": []}]}",
            "{\"files\": [{\"file\": \"a\", \"lines\": [{\"line_number\": -1, \"count\": 1}]}]}",
            "{\"files\": [{\"file\": \"a\", \"lines\": [{\"line_number\": 4294967296, \"count\": 1}]}]}",
            "{\"files\": [{\"file\": \"a\", \"lines\": [{\"line_number\": 1, \"count\": \"1\"}]}]}",
            "\u{feff}{\"files\": []}",
            &deep,
        ] {
            assert!(read(text.as_bytes()).is_err(), "{text:.60}");
        }
        assert!(read(b"{\"files\": []}\xff").is_err());
        let huge = br#"{"files": [{"file": "", "lines": [{"line_number": 1, "count": 1e999}]}]}"#;
        assert!(read(huge).is_err());
    }

    #[test]
    fn fuzzed_reports_are_read_or_refused() {
        perturb_fuzz::survives("gcov report", Share::All, &[REPORT, &format!("{REPORT}\n{REPORT}")], |text| {
            for report in read(text).unwrap_or_default() {
                assert!(report.counts.files.values().all(|lines| !lines.contains_key(&0)));
            }
        });
    }

    #[test]
    fn fuzzed_counts_come_back_from_their_report() {
        let lines = prop::collection::btree_map(1_u32.., any::<u64>(), 1..6);
        let files = prop::collection::btree_map("[a-z/.]{0,6}", lines, 0..4);
        perturb_fuzz::holds("gcov report, round trip", Share::All, files, |files| {
            let mut expected = LineCounts::default();
            let mut written = Vec::new();
            for (file, lines) in &files {
                let path = normalise(&Path::new("/p").join(file));
                lines.iter().for_each(|(line, count)| expected.add(&path, *line, *count));
                let lines: Vec<_> = lines
                    .iter()
                    .map(|(line, count)| serde_json::json!({"line_number": line, "count": count}))
                    .collect();
                written.push(serde_json::json!({"file": file, "lines": lines}));
            }
            let report =
                serde_json::json!({"current_working_directory": "/p", "data_file": "a.gcda", "files": written});
            let reports = read(report.to_string().as_bytes()).unwrap();
            assert_eq!(reports, [GcovReport { data_file: "a.gcda".into(), counts: expected }]);
        });
    }
}
