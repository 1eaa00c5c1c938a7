//! Restrictions that a process accepts for good, for itself and all its children.

use std::ffi::CStr;
use std::mem;

use libc::c_long;

use super::{check, Fd, SysResult};

/// From now on this thread and its children keep to a set of Landlock's rules.
pub(crate) fn keep_to_rules(rules: Fd) -> SysResult {
    // SAFETY: only numbers.
    let result = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules, 0) };
    check("keep to the rules for files", result).map(drop)
}

/// From now on every system call goes through this filter. New privileges must have been given up.
pub(crate) fn filter_calls(filter: &[libc::sock_filter]) -> SysResult {
    let program = libc::sock_fprog { len: filter.len() as libc::c_ushort, filter: filter.as_ptr().cast_mut() };
    let mode = libc::SECCOMP_MODE_FILTER as libc::c_ulong;
    // SAFETY: the kernel copies the program, which is as long as said.
    let result = unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) };
    check("filter system calls", result.into()).map(drop)
}

/// Leaves the kernel keyring of the user who started us, if there is one.
pub(crate) fn leave_keyrings() {
    const JOIN_SESSION_KEYRING: c_long = 1;
    // SAFETY: no name is given, so that the ring is a new one.
    unsafe { libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, std::ptr::null::<u8>()) };
}

/// Which version of Landlock the kernel has; none where it is not built in or not switched on.
pub(crate) fn landlock_version() -> Option<u32> {
    const VERSION: u32 = 1;
    // SAFETY: with this flag the call takes no memory and makes nothing.
    let version: c_long =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// In a network of our own, has it carry what programs say to themselves.
pub(crate) fn raise_loopback() -> SysResult {
    const NAME: &CStr = c"lo";
    // SAFETY: only numbers.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    check("open a socket", socket.into())?;
    // SAFETY: all zeroes is a value of this plain struct.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(NAME.to_bytes_with_nul()) {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: the request is read only, and names an interface by a text with a zero at its end.
    let result = unsafe { libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request) };
    let raised = check("raise the loopback", result.into()).map(drop);
    super::close(socket);
    raised
}
