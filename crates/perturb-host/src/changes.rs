//! Which lines a change touches, as git tells.
//!
//! The change is all that differs between the working tree and the point where it left the given revision, so that what
//! others did on that branch meanwhile does not count. Reads the repository; writes nothing.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::HostError;
use crate::tools::{require_program, run};

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
    // Quoted names would have to be unquoted again.
    command.arg("-C").arg(root).args(["-c", "core.quotepath=off"]).args(arguments).env("LC_ALL", "C");
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
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ ") {
            // git ends a name that holds a space with a tab.
            let name = name.strip_suffix('\t').unwrap_or(name).trim_matches('"');
            file = name.strip_prefix("b/").map(PathBuf::from);
        } else if let (Some(range), Some(file)) = (line.strip_prefix("@@ ").and_then(new_lines), &file) {
            changed.entry(file.clone()).or_default().push(range);
        }
    }
    changed
}

/// The lines of the new file; where lines were only removed, those on both sides of the gap.
fn new_lines(hunk: &str) -> Option<RangeInclusive<u32>> {
    let new = hunk.split_whitespace().nth(1)?.strip_prefix('+')?;
    let (start, count) = new.split_once(',').unwrap_or((new, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    Some(if count == 0 { start.max(1)..=start + 1 } else { start..=start + count - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_name_the_lines_of_the_new_file() {
        let diff = "diff --git a/a b.c b/a b.c\n--- a/a b.c\t\n+++ b/a b.c\t\n@@ -4 +4 @@ int f(void)\n-x\n+y\n\
                    @@ -10,2 +9,0 @@\n-a\n-b\n@@ -20,0 +19,3 @@\n+a\n+b\n+c\n\
                    --- a/gone.c\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-a\n";
        let changed = parse(diff);
        assert_eq!(changed.len(), 1, "{changed:?}");
        assert_eq!(changed[Path::new("a b.c")], [4..=4, 9..=10, 19..=21]);
    }
}
