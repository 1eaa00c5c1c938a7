//! Disks that are full.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// With less than this no build can be expected to end well.
const LEAST_BYTES: u64 = 1 << 20;

/// Whether a command that failed did so for want of space, where its log is or elsewhere.
pub(crate) fn is_full(log: &Path) -> bool {
    let folder = log.parent().unwrap_or(log);
    free_bytes(folder).is_some_and(|free| free < LEAST_BYTES) || tells_of_full_disk(log)
}

/// As the C library words it, for compilers and linkers that had nowhere to write.
fn tells_of_full_disk(log: &Path) -> bool {
    const WORDS: &[u8] = b"No space left on device";
    fs::read(log).is_ok_and(|text| text.windows(WORDS.len()).any(|part| part == WORDS))
}

/// What an unprivileged user can still write there.
fn free_bytes(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: `statvfs` is a plain structure of integers, for which all zeros is a value.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero byte, and both live longer than the call.
    let is_found = unsafe { libc::statvfs(path.as_ptr(), &mut found) } == 0;
    is_found.then(|| found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_tells_of_a_full_disk_is_believed() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        fs::write(&log, "a.c: error: expected ';'\n").unwrap();
        assert!(!is_full(&log));
        fs::write(&log, "cc1: fatal error: error writing to /tmp/a.s: No space left on device\n").unwrap();
        assert!(is_full(&log));
    }
}
