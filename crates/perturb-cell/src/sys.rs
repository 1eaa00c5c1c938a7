//! System calls for a process that was cloned from one with several threads.
//!
//! Another thread may have held the allocator's lock, or any other, when the process was cloned, and nothing in the
//! clone will release it. So nothing here allocates, locks, panics or unwinds, and operations that the C library
//! applies to all threads (changing the user) go directly to the kernel. Descriptors are plain numbers: they end with
//! the process.

mod confine;
mod mounts;
mod notices;
mod processes;
mod text;

use std::ffi::CStr;
use std::io;
use std::mem;
use std::ptr;

use libc::{c_int, c_long, c_uint};

pub(crate) use confine::*;
pub(crate) use mounts::*;
pub(crate) use notices::*;
pub(crate) use processes::*;
pub(crate) use text::*;

pub(crate) type Fd = c_int;

/// The step that failed, and the kernel's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SysError {
    pub step: &'static str,
    pub errno: i32,
}

impl std::fmt::Display for SysError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.step, io::Error::from_raw_os_error(self.errno))
    }
}

pub(crate) type SysResult<T = ()> = Result<T, SysError>;

pub(crate) fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

fn check(step: &'static str, result: c_long) -> SysResult<c_int> {
    match result {
        -1 => Err(SysError { step, errno: errno() }),
        value => Ok(value as c_int),
    }
}

fn or_null(text: Option<&CStr>) -> *const libc::c_char {
    text.map_or(ptr::null(), CStr::as_ptr)
}

pub(crate) fn close(fd: Fd) {
    // SAFETY: closes a number; the callers own it.
    unsafe { libc::close(fd) };
}

/// Closes all descriptors from `first` to `last`, both included.
pub(crate) fn close_range(first: Fd, last: Fd) {
    if first > last {
        return;
    }
    // SAFETY: only numbers.
    if unsafe { libc::syscall(libc::SYS_close_range, first as c_uint, last as c_uint, 0) } == 0 {
        return;
    }
    // SAFETY: only numbers.
    let open_max = unsafe { libc::sysconf(libc::_SC_OPEN_MAX) }.clamp(0, 1 << 20) as Fd;
    (first..=last.min(open_max)).for_each(close);
}

pub(crate) fn open(step: &'static str, at: Fd, path: &CStr, flags: c_int) -> SysResult<Fd> {
    // SAFETY: the path ends with a zero; no mode is needed as nothing is created.
    check(step, unsafe { libc::openat(at, path.as_ptr(), flags | libc::O_CLOEXEC) }.into())
}

pub(crate) fn open_folder(step: &'static str, at: Fd, path: &CStr) -> SysResult<Fd> {
    open(step, at, path, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW)
}

pub(crate) fn dup_onto(step: &'static str, from: Fd, onto: Fd) -> SysResult {
    // SAFETY: only numbers.
    check(step, unsafe { libc::dup2(from, onto) }.into()).map(drop)
}

/// How many bytes were read; 0 at the end of the file.
pub(crate) fn read(fd: Fd, buffer: &mut [u8]) -> SysResult<usize> {
    loop {
        // SAFETY: the buffer is as long as said.
        let read = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        if read >= 0 || errno() != libc::EINTR {
            return check("read", read as c_long).map(|read| read as usize);
        }
    }
}

/// Writes a short value, which the kernel takes as a whole.
pub(crate) fn write_all(step: &'static str, fd: Fd, value: &[u8]) -> SysResult {
    // SAFETY: the buffer is as long as said.
    check(step, unsafe { libc::write(fd, value.as_ptr().cast(), value.len()) } as c_long).map(drop)
}

/// Writes a value to a file in /proc or /sys, which the kernel takes only as a whole and from its beginning. Errors are
/// ignored: the value is a wish.
pub(crate) fn set_value(fd: Fd, value: &[u8]) {
    // SAFETY: the buffer is as long as said.
    unsafe { libc::pwrite(fd, value.as_ptr().cast(), value.len(), 0) };
}

/// The attributes of what `path` names, a symbolic link itself included; of `at` where the path is empty.
pub(crate) fn stat(at: Fd, path: &CStr) -> SysResult<libc::stat> {
    // SAFETY: all zeroes is a value of this plain struct.
    let mut data: libc::stat = unsafe { mem::zeroed() };
    let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
    // SAFETY: the path ends with a zero, and there is room for the answer.
    check("look at", unsafe { libc::fstatat(at, path.as_ptr(), &mut data, flags) }.into())?;
    Ok(data)
}

/// Makes a folder; one that is there already will do.
pub(crate) fn make_folder(step: &'static str, path: &CStr, mode: libc::mode_t) -> SysResult {
    // SAFETY: the path ends with a zero.
    match check(step, unsafe { libc::mkdir(path.as_ptr(), mode) }.into()) {
        Err(SysError { errno: libc::EEXIST, .. }) | Ok(_) => Ok(()),
        Err(failed) => Err(failed),
    }
}

pub(crate) fn remove_folder(step: &'static str, path: &CStr) -> SysResult {
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::rmdir(path.as_ptr()) }.into()).map(drop)
}

pub(crate) fn make_file(step: &'static str, path: &CStr) -> SysResult {
    let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero, and a mode is given.
    check(step, unsafe { libc::open(path.as_ptr(), flags, 0o600 as c_uint) }.into()).map(close)
}

pub(crate) fn set_length(step: &'static str, file: Fd, bytes: u64) -> SysResult {
    // SAFETY: only numbers.
    check(step, unsafe { libc::ftruncate(file, bytes as libc::off_t) }.into()).map(drop)
}

pub(crate) fn make_link(step: &'static str, path: &CStr, to: &CStr) -> SysResult {
    // SAFETY: both paths end with a zero.
    check(step, unsafe { libc::symlink(to.as_ptr(), path.as_ptr()) }.into()).map(drop)
}

pub(crate) fn change_mode(step: &'static str, at: Fd, path: &CStr, mode: libc::mode_t) -> SysResult {
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::fchmodat(at, path.as_ptr(), mode, 0) }.into()).map(drop)
}

pub(crate) fn change_owner(step: &'static str, path: &CStr, uid: u32, gid: u32) -> SysResult {
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::lchown(path.as_ptr(), uid, gid) }.into()).map(drop)
}

/// Changes the owner of an open file.
pub(crate) fn change_owner_of_open(fd: Fd, uid: u32, gid: u32) {
    // SAFETY: only numbers.
    unsafe { libc::fchown(fd, uid, gid) };
}

/// Sets the time of last change of a folder to that in `data`.
pub(crate) fn change_time(step: &'static str, path: &CStr, data: &libc::stat) -> SysResult {
    let time = libc::timespec { tv_sec: data.st_mtime, tv_nsec: data.st_mtime_nsec };
    // SAFETY: the path ends with a zero, and the call reads two times.
    check(step, unsafe { libc::utimensat(libc::AT_FDCWD, path.as_ptr(), [time, time].as_ptr(), 0) }.into()).map(drop)
}

pub(crate) fn unlink(at: Fd, name: &CStr, flags: c_int) -> Result<(), i32> {
    // SAFETY: the name ends with a zero.
    match unsafe { libc::unlinkat(at, name.as_ptr(), flags) } {
        0 => Ok(()),
        _ => Err(errno()),
    }
}

/// Fills the buffer with records of the folder's next entries; 0 at the end.
pub(crate) fn list(folder: Fd, buffer: &mut [u64]) -> SysResult<usize> {
    // SAFETY: the buffer is as long as said.
    let read = unsafe { libc::syscall(libc::SYS_getdents64, folder, buffer.as_mut_ptr(), mem::size_of_val(buffer)) };
    check("list a folder", read).map(|read| read as usize)
}

pub(crate) fn rewind(folder: Fd) {
    // SAFETY: only numbers.
    unsafe { libc::lseek(folder, 0, libc::SEEK_SET) };
}

pub(crate) fn change_folder(step: &'static str, path: &CStr) -> SysResult {
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::chdir(path.as_ptr()) }.into()).map(drop)
}
