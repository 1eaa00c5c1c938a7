//! Measures free space on disks and in memory, and the size of files; recognises that a disk is full.

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// With less free space than this, no build can be expected to succeed.
const LEAST_BYTES: u64 = 1 << 20;

/// The bytes that an ordinary user may still write to the file system of a folder. `None` if the system cannot say.
pub fn free_space(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: `statvfs` is a plain structure of integers, for which all zeros is a value.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero, and both pointers are to values that live longer than the call.
    let is_known = unsafe { libc::statvfs(path.as_ptr(), &mut found) } == 0;
    #[allow(clippy::useless_conversion, reason = "on some machines the numbers are narrower")]
    is_known.then(|| u64::from(found.f_bavail).saturating_mul(u64::from(found.f_frsize)))
}

/// How many bytes a process may map (`ulimit -v`). None if there is no limit.
pub fn address_space_limit() -> Option<u64> {
    let mut found = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the pointer is to a value that lives longer than the call.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut found) } == 0;
    #[allow(clippy::useless_conversion, reason = "on some machines the numbers are narrower")]
    (is_known && found.rlim_cur != libc::RLIM_INFINITY).then(|| u64::from(found.rlim_cur))
}

/// The bytes that a file or folder occupies on its disk; 0 if it does not exist.
pub fn used_space(path: &Path) -> u64 {
    let Ok(data) = fs::symlink_metadata(path) else { return 0 };
    let own = data.blocks() * 512;
    if !data.is_dir() {
        return own;
    }
    let items = fs::read_dir(path).into_iter().flatten().flatten();
    own + items.map(|item| used_space(&item.path())).sum::<u64>()
}

/// Whether a command failed because a disk was full, where its log is or elsewhere.
pub(crate) fn is_full(log: &Path) -> bool {
    let folder = log.parent().unwrap_or(log);
    free_space(folder).is_some_and(|free| free < LEAST_BYTES) || tells_of_full_disk(log)
}

/// As the C library words it, for compilers and linkers that had nowhere to write.
fn tells_of_full_disk(log: &Path) -> bool {
    const WORDS: &[u8] = b"No space left on device";
    fs::read(log).is_ok_and(|text| text.windows(WORDS.len()).any(|part| part == WORDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_is_counted_below_a_folder_and_nothing_takes_none() {
        let place = tempfile::tempdir().unwrap();
        fs::create_dir(place.path().join("a")).unwrap();
        fs::write(place.path().join("a/b"), vec![1; 100_000]).unwrap();
        assert!((100_000..400_000).contains(&used_space(place.path())));
        assert_eq!(used_space(&place.path().join("none")), 0);
        assert!(free_space(place.path()).is_some());
        assert_eq!(free_space(&place.path().join("none")), None);
    }

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
