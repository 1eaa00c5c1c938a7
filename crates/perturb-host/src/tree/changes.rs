//! Asks git which lines a change touches.
//!
//! The change is the difference between the working tree and the merge base with the given revision, so that commits of
//! others on that branch do not count. Reads the repository; writes nothing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::HostError;
use crate::process::tools::{require_program, run};

/// Changed and new lines by file, relative to `root`. Files that git does not track yet count as new as a whole.
pub fn changed_lines(root: &Path, revision: &str) -> Result<BTreeMap<PathBuf, Vec<RangeInclusive<u32>>>, HostError> {
    if revision.is_empty() || revision.starts_with('-') {
        return Err(HostError::Git { revision: revision.to_string(), reason: "that is no revision".to_string() });
    }
    let base = git(root, revision, &["merge-base", revision, "HEAD"])?;
    let base = base.trim();
    let options =
        ["diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", "--relative", "--src-prefix=a/"];
    let diff = git(root, revision, &[&options[..], &["--dst-prefix=b/", base, "--", "."]].concat())?;
    let mut changed = parse(&diff);
    let untracked = git(root, revision, &["ls-files", "--others", "--exclude-standard", "-z", "--", "."])?;
    for name in untracked.split('\0').filter(|name| !name.is_empty()) {
        changed.entry(PathBuf::from(name)).or_default().push(1..=u32::MAX);
    }
    Ok(changed)
}

fn git(root: &Path, revision: &str, arguments: &[&str]) -> Result<String, HostError> {
    let mut command = Command::new(require_program("git")?);
    // With every byte beyond ASCII quoted, names of any encoding survive; without a refresh, the index stays as it is.
    let settings = ["-c", "core.quotepath=on", "-c", "diff.autoRefreshIndex=false"];
    command.arg("-C").arg(root).args(settings).args(arguments).env("LC_ALL", "C");
    let finished = run(&mut command)?;
    if finished.status.success() {
        return Ok(finished.stdout);
    }
    let reason = finished.stderr.lines().next().unwrap_or("git failed").to_string();
    Err(HostError::Git { revision: revision.to_string(), reason })
}

/// Reads `+++ b/FILE` and `@@ -a,b +c,d @@` of a diff without context.
fn parse(diff: &str) -> BTreeMap<PathBuf, Vec<RangeInclusive<u32>>> {
    let mut changed: BTreeMap<PathBuf, Vec<RangeInclusive<u32>>> = BTreeMap::new();
    let mut file: Option<PathBuf> = None;
    let mut lines = diff.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("+++ ") {
            file = new_name(name);
        } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(Hunk::read) {
            // The text of a change may look like a header: an added line `++ b/x.c` does.
            let is_text = |line: &&str| !line.starts_with('\\');
            lines.by_ref().filter(is_text).take(hunk.removed.saturating_add(hunk.added)).for_each(drop);
            if let Some(file) = &file {
                changed.entry(file.clone()).or_default().push(hunk.new_lines());
            }
        }
    }
    changed
}

/// The file of a `+++` line; `None` for one that is gone.
fn new_name(name: &str) -> Option<PathBuf> {
    // git ends a name that holds a space with a tab, outside of the quotes.
    let name = name.strip_suffix('\t').unwrap_or(name);
    let bytes = match name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        Some(quoted) => unquoted(quoted),
        None => name.as_bytes().to_vec(),
    };
    let path = bytes.strip_prefix(b"b/")?.to_vec();
    Some(PathBuf::from(OsString::from_vec(path)))
}

/// Undoes what git does to odd names, as C writes strings: `\"`, `\\`, `\t` and bytes in octal.
fn unquoted(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let [escape, after @ ..] = rest else { break };
        rest = after;
        bytes.push(match escape {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            b'0'..=b'3' => {
                let digits = rest.iter().take(2).take_while(|digit| matches!(digit, b'0'..=b'7')).count();
                let (more, after) = rest.split_at(digits);
                rest = after;
                more.iter().fold(escape - b'0', |value, digit| value * 8 + (digit - b'0'))
            }
            other => *other,
        });
    }
    bytes
}

/// The numbers of `@@ -a,removed +start,added @@`.
struct Hunk {
    removed: usize,
    start: u32,
    added: usize,
}

impl Hunk {
    fn read(text: &str) -> Option<Hunk> {
        let mut words = text.split_whitespace();
        let (_, removed) = range(words.next()?.strip_prefix('-')?)?;
        let (start, added) = range(words.next()?.strip_prefix('+')?)?;
        Some(Hunk { removed, start, added })
    }

    /// The lines of the new file; where lines were only removed, those on both sides of the gap.
    fn new_lines(&self) -> RangeInclusive<u32> {
        let added = u32::try_from(self.added).unwrap_or(u32::MAX);
        match added {
            0 => self.start.max(1)..=self.start.saturating_add(1),
            _ => self.start..=self.start.saturating_add(added - 1),
        }
    }
}

/// `start,count`, or `start` for a single line.
fn range(text: &str) -> Option<(u32, usize)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;

    #[test]
    fn hunks_name_the_lines_of_the_new_file() {
        let diff = "diff --git a/a b.c b/a b.c\n--- a/a b.c\t\n+++ b/a b.c\t\n@@ -4 +4 @@ int f(void)\n-x\n+y\n\
                    @@ -10,2 +9,0 @@\n-a\n-b\n@@ -20,0 +19,3 @@\n+a\n+b\n+c\n\
                    --- a/gone.c\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n";
        let changed = parse(diff);
        assert_eq!(changed.len(), 1, "{changed:?}");
        assert_eq!(changed[Path::new("a b.c")], [4..=4, 9..=10, 19..=21]);
    }
    #[test]
    fn names_that_git_quotes_are_unquoted() {
        for (written, expected) in [
            ("\"b/src/gr\\303\\266\\303\\237e \\\"x\\\".c\"\t", "src/größe \"x\".c"),
            (r#""b/a\\b\tc\n.c""#, "a\\b\tc\n.c"),
            (r#""b/\0011\177.c""#, "\u{1}1\u{7f}.c"),
            ("b/plain.c", "plain.c"),
            ("b/a b.c\t", "a b.c"),
            (r#"b/half".c"#, "half\".c"),
        ] {
            assert_eq!(new_name(written).as_deref(), Some(Path::new(expected)), "{written}");
        }
        assert_eq!(new_name("/dev/null"), None);
        assert_eq!(unquoted("end\\"), b"end");
    }

    #[test]
    fn bytes_that_are_no_text_are_kept() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(new_name(r#""b/\377.c""#).unwrap().as_os_str().as_bytes(), b"\xff.c");
    }

    #[test]
    fn changed_text_that_looks_like_a_header_is_text() {
        let diff = "+++ b/a.c\n@@ -1 +1,2 @@\n--- a/x.c\n+++ b/x.c\n+@@ -1 +1 @@\n@@ -9 +11 @@\n-x\n\
                    \\ No newline at end of file\n+++ b/y.c\n\\ No newline at end of file\n+++ b/b.c\n@@ -1 +1 @@\n";
        let expected = [(PathBuf::from("a.c"), vec![1..=2, 11..=11]), (PathBuf::from("b.c"), vec![1..=1])];
        assert_eq!(parse(diff), BTreeMap::from(expected));
    }

    #[test]
    fn numbers_beyond_any_file_are_read() {
        let most = u64::MAX;
        let diff = format!("+++ b/a.c\n@@ -1,{most} +4294967295,0 @@\n+++ b/b.c\n@@ -1,{most} +1,{most} @@\n");
        assert_eq!(parse(&diff)[Path::new("a.c")], [u32::MAX..=u32::MAX]);
    }

    #[test]
    fn fuzzed_diffs_are_read() {
        let examples = [
            "diff --git a/a b.c b/a b.c\n--- a/a b.c\t\n+++ b/a b.c\t\n@@ -3 +4 @@ int f\n-x\n+y\n@@ -9,0 +9,2 @@\n\
             +a\n+b\n",
            "+++ \"b/src/gr\\303\\266.c\"\n@@ -1,2 +0,0 @@\n-a\n-b\n+++ /dev/null\n@@ -1 +4294967295 @@\n",
        ];
        perturb_fuzz::survives("diff of git", Share::All, &examples, |diff| {
            for ranges in parse(&String::from_utf8_lossy(diff)).values() {
                assert!(ranges.iter().all(|range| !range.is_empty()));
            }
        });
    }

    #[test]
    fn fuzzed_names_are_unquoted_to_what_they_were() {
        use std::os::unix::ffi::OsStrExt;
        perturb_fuzz::holds("names of git, round trip", Share::All, perturb_fuzz::bytes(), |name| {
            let octal: String = name.iter().map(|byte| format!("\\{byte:03o}")).collect();
            assert_eq!(new_name(&format!("\"b/{octal}\"\t")).unwrap().as_os_str().as_bytes(), name);
        });
    }
}
