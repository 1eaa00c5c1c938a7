//! System calls that a filter passes to us (seccomp notifications), and access to the process that made them.

use std::ffi::CStr;
use std::fmt::Write;
use std::mem;
use std::ptr;

use libc::c_int;

use super::{check, errno, Fd, ShortText, SysResult};

/// A call that waits for our answer.
pub(crate) struct Notice {
    id: u64,
    pub process: libc::pid_t,
    pub arguments: [u64; 6],
}

/// From now on every system call goes through this filter, and those that it hands on come to the descriptor that is
/// answered. New privileges must have been given up.
pub(crate) fn filter_calls_with_notices(filter: &[libc::sock_filter]) -> SysResult<Fd> {
    let program = libc::sock_fprog { len: filter.len() as libc::c_ushort, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the program, which is as long as said.
    let listener = unsafe {
        {
            let (mode, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
            libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program)
        }
    };
    check("filter system calls", listener)
}

pub(crate) fn next_notice(listener: Fd) -> Option<Notice> {
    // SAFETY: all zeroes is a value of this plain struct, and what the kernel wants to find.
    let mut notice: libc::seccomp_notif = unsafe { mem::zeroed() };
    // SAFETY: there is room for the answer.
    if unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut notice) } != 0 {
        return None;
    }
    let process = libc::pid_t::try_from(notice.pid).ok()?;
    Some(Notice { id: notice.id, process, arguments: notice.data.args })
}

/// Whether the process that made the call still waits: its id is nobody else's then.
pub(crate) fn is_waiting(listener: Fd, notice: &Notice) -> bool {
    // SAFETY: the id is read only.
    unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const notice.id) == 0 }
}

/// The call answers 0, or a negative error.
pub(crate) fn answer_notice(listener: Fd, notice: &Notice, error: c_int) {
    let answer = libc::seccomp_notif_resp { id: notice.id, val: 0, error, flags: 0 };
    // SAFETY: the answer is read only. Nobody may be there to hear it.
    unsafe { libc::ioctl(listener, libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
}

/// The address of a socket, as a program gave it.
pub(crate) struct Address {
    bytes: [u8; mem::size_of::<libc::sockaddr_un>() + 1],
    length: usize,
}

impl Address {
    pub fn new() -> Address {
        // One byte more stays zero, so that a path ends.
        Address { bytes: [0; mem::size_of::<libc::sockaddr_un>() + 1], length: 0 }
    }

    /// Room for an address of this length.
    pub fn room(&mut self, length: u64) -> Result<&mut [u8], i32> {
        self.length = usize::try_from(length).map_err(|_| libc::EINVAL)?;
        let last = self.bytes.len() - 1;
        self.bytes.get_mut(..last).and_then(|bytes| bytes.get_mut(..self.length)).ok_or(libc::EINVAL)
    }

    /// The path of an address of this family, if it is one with a path.
    pub fn path(&self) -> Option<&CStr> {
        let (family, path) = self.bytes.get(..self.length)?.split_at_checked(2)?;
        let is_unix = family == (libc::AF_UNIX as u16).to_ne_bytes();
        let has_path = path.first().is_some_and(|byte| *byte != 0);
        (is_unix && has_path).then(|| CStr::from_bytes_until_nul(self.bytes.get(2..)?).ok()).flatten()
    }
}

/// Copies memory of another process.
pub(crate) fn read_memory(process: libc::pid_t, from: u64, to: &mut [u8]) -> Result<(), i32> {
    let ours = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    let theirs = libc::iovec { iov_base: from as *mut libc::c_void, iov_len: to.len() };
    // SAFETY: the kernel writes to our bytes alone, and checks the address of theirs.
    match unsafe { libc::process_vm_readv(process, &ours, 1, &theirs, 1, 0) } {
        read if read == to.len() as isize => Ok(()),
        _ => Err(libc::EFAULT),
    }
}

/// Opens what a path names for another process, without doing anything to it.
pub(crate) fn open_as_seen_by(process: libc::pid_t, path: &CStr) -> Result<Fd, i32> {
    let mut folder = ShortText::new();
    let _ = write!(folder, "/proc/{process}/cwd");
    let open = |at: Fd, path: &CStr| super::open("open", at, path, libc::O_PATH).map_err(|failed| failed.errno);
    let folder = open(libc::AT_FDCWD, folder.as_c())?;
    let opened = open(folder, path);
    super::close(folder);
    opened
}

/// A descriptor of ours for what another process has open under a number.
pub(crate) fn duplicate_of(process: libc::pid_t, file: u64) -> Result<Fd, i32> {
    // SAFETY: only numbers.
    let handle = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    if handle < 0 {
        return Err(errno());
    }
    // SAFETY: only numbers.
    let duplicate = unsafe { libc::syscall(libc::SYS_pidfd_getfd, handle, file as c_int, 0) };
    let result = if duplicate < 0 { Err(errno()) } else { Ok(duplicate as Fd) };
    super::close(handle as Fd);
    result
}

/// Where an open file is.
pub(crate) fn place_of(file: Fd, buffer: &mut [u8]) -> Result<&[u8], i32> {
    let link = own_link(file);
    // SAFETY: the path ends with a zero, and the buffer is as long as said.
    let length = unsafe { libc::readlink(link.as_c().as_ptr(), buffer.as_mut_ptr().cast(), buffer.len()) };
    usize::try_from(length).ok().and_then(|length| buffer.get(..length)).ok_or_else(errno)
}

fn own_link(file: Fd) -> ShortText {
    let mut link = ShortText::new();
    let _ = write!(link, "/proc/self/fd/{file}");
    link
}

/// Connects a socket to one that is open as a file, and does not wait for it.
pub(crate) fn connect_to(socket: Fd, target: Fd) -> Result<(), i32> {
    // SAFETY: all zeroes is a value of this plain struct.
    let mut address: libc::sockaddr_un = unsafe { mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let link = own_link(target);
    for (to, from) in address.sun_path.iter_mut().zip(link.as_c().to_bytes_with_nul()) {
        *to = *from as libc::c_char;
    }
    // SAFETY: only numbers. A socket whose queue is full must not hold us up.
    let flags = unsafe { libc::fcntl(socket, libc::F_GETFL) };
    // SAFETY: as above.
    unsafe { libc::fcntl(socket, libc::F_SETFL, flags | libc::O_NONBLOCK) };
    let length = mem::size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: the address is as long as said.
    let result = unsafe { libc::connect(socket, ptr::addr_of!(address).cast(), length) };
    let failed = errno();
    // SAFETY: as above.
    unsafe { libc::fcntl(socket, libc::F_SETFL, flags) };
    if result == 0 {
        Ok(())
    } else {
        Err(failed)
    }
}
