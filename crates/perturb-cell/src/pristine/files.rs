//! File operations that the standard library lacks: removing closed and very deep folders, setting times without
//! following links, and reading the clock of a file system.

use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::record::{FileKind, Stamp};
use crate::error::CellError;
use crate::wipe;

/// Two changes that are further apart than this have different times: the longest tick of a kernel.
const TICK_NS: i64 = 10_000_000;

/// The coarsest file system stamps in steps of two seconds. A clock that was set back is not waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Bytes of the longest list of attributes that a kernel hands out.
const MOST_ATTRIBUTES: usize = 64 << 10;

/// File systems that change the time of the inode with every change of a file, also through a shared mapping.
const WITH_RELIABLE_TIMES: [u32; 7] = [
    0xef53,      // ext2, ext3, ext4
    0x5846_5342, // XFS
    0x9123_683e, // Btrfs
    0x794c_7630, // overlayfs
    0xf2f5_2010, // F2FS
    0x2fc1_2fc1, // ZFS
    0xca45_1a4e, // bcachefs
];

/// Removes whatever is there, however deep or closed. Follows no link. Nothing to remove is no error.
pub fn remove_any(path: &Path) -> io::Result<()> {
    match Stamp::of(path)?.map(|stamp| stamp.kind()) {
        None => Ok(()),
        Some(FileKind::Folder) => {
            open_folder(path)?;
            wipe::wipe(&c_path(path)?).map_err(|failed| io::Error::from_raw_os_error(failed.errno))?;
            fs::remove_dir(path)
        }
        Some(_) => fs::remove_file(path),
    }
}

/// Lets us read and change a folder that was closed.
pub(super) fn open_folder(path: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(path)?.permissions().mode();
    match mode & 0o700 {
        0o700 => Ok(()),
        _ => set_mode(path, mode & 0o7777 | 0o700),
    }
}

/// Of anything but a symbolic link.
pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Sets the time of the last change of the contents; of a symbolic link, that of the link itself.
pub(super) fn set_mtime(path: &Path, mtime_ns: i64) -> io::Result<()> {
    let path = c_path(path)?;
    let kept = libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT };
    let set =
        libc::timespec { tv_sec: mtime_ns.div_euclid(1_000_000_000), tv_nsec: mtime_ns.rem_euclid(1_000_000_000) };
    let times = [kept, set];
    // SAFETY: the path ends with a zero, and there are two times.
    let result = unsafe { libc::utimensat(libc::AT_FDCWD, path.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW) };
    checked(result)
}

/// Makes a FIFO, an unconnected socket, or a device.
pub(super) fn make_special(path: &Path, mode: u32) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: the path ends with a zero. Only root may make a device, and it leads nowhere.
    checked(unsafe { libc::mknod(path.as_ptr(), mode, 0) })
}

/// The names of the extended attributes that a file has; none where the file system knows none.
pub(super) fn attributes(path: &Path) -> io::Result<Vec<CString>> {
    let path = c_path(path)?;
    let mut names = vec![0u8; MOST_ATTRIBUTES];
    // SAFETY: the path ends with a zero, and the buffer is as long as said.
    let length = unsafe { libc::llistxattr(path.as_ptr(), names.as_mut_ptr().cast(), names.len()) };
    match usize::try_from(length) {
        Ok(length) => {
            let names = names[..length].split_inclusive(|byte| *byte == 0);
            Ok(names.filter_map(|name| CString::from_vec_with_nul(name.to_vec()).ok()).collect())
        }
        Err(_) => match io::Error::last_os_error() {
            error if error.raw_os_error() == Some(libc::ENOTSUP) => Ok(Vec::new()),
            error => Err(error),
        },
    }
}

pub(super) fn remove_attribute(path: &Path, name: &CStr) -> io::Result<()> {
    let path = c_path(path)?;
    // SAFETY: both texts end with a zero.
    checked(unsafe { libc::lremovexattr(path.as_ptr(), name.as_ptr()) })
}

/// Whether every change of a file in this folder can be seen by its times. A mapping of a file in memory (tmpfs) can be
/// written to without any.
pub(super) fn has_reliable_times(folder: &Path) -> io::Result<bool> {
    let path = c_path(folder)?;
    // SAFETY: all zeroes is a value of this plain struct.
    let mut data: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path ends with a zero, and there is room for the answer.
    checked(unsafe { libc::statfs(path.as_ptr(), &mut data) })?;
    Ok(WITH_RELIABLE_TIMES.contains(&(data.f_type as u32)))
}

fn checked(result: libc::c_int) -> io::Result<()> {
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// The clock of a file system, read off a file of ours.
pub(super) struct Clock {
    path: PathBuf,
}

impl Clock {
    pub fn in_folder(folder: &Path) -> Clock {
        Clock { path: folder.join("clock") }
    }

    /// Waits until a change gets a time that is later by a tick. Where the clock was set back, it does not wait for
    /// long: changes get earlier times then, which differ as well.
    pub fn wait_past(&self, time_ns: i64) -> Result<(), CellError> {
        let begun = Instant::now();
        loop {
            fs::write(&self.path, "tick").map_err(CellError::io("write", &self.path))?;
            let now = Stamp::of(&self.path).map_err(CellError::io("read", &self.path))?;
            let now_ns = now.map_or(i64::MIN, |stamp| stamp.ctime_ns);
            if now_ns >= time_ns.saturating_add(TICK_NS) || begun.elapsed() > PATIENCE {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}
