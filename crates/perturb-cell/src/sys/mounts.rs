//! Mounts: cloning them, attaching them, changing their flags.

use std::ffi::CStr;
use std::mem;

use libc::{c_uint, c_ulong};

use super::{check, or_null, Fd, SysResult};

pub(crate) fn mount(
    step: &'static str,
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    data: Option<&CStr>,
) -> SysResult {
    // SAFETY: each text ends with a zero or is null, as the call allows.
    let result = unsafe { libc::mount(or_null(source), target.as_ptr(), or_null(kind), flags, or_null(data).cast()) };
    check(step, result.into()).map(drop)
}

/// Makes a mount the root of this namespace; the root of before appears at `old`, below it.
pub(crate) fn change_root(step: &'static str, new: &CStr, old: &CStr) -> SysResult {
    // SAFETY: both paths end with a zero.
    check(step, unsafe { libc::syscall(libc::SYS_pivot_root, new.as_ptr(), old.as_ptr()) }).map(drop)
}

/// Takes a mount away with all that is mounted below it, at once for everybody who looks for it.
pub(crate) fn unmount(step: &'static str, target: &CStr) -> SysResult {
    let flags = libc::MNT_DETACH | libc::UMOUNT_NOFOLLOW;
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::umount2(target.as_ptr(), flags) }.into()).map(drop)
}

/// A copy of the mounts at and below `path`, not yet put anywhere.
pub(crate) fn open_tree(step: &'static str, path: &CStr) -> SysResult<Fd> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE as c_uint;
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) })
}

/// Puts a copy of mounts at `target`.
pub(crate) fn move_mount(step: &'static str, tree: Fd, target: &CStr) -> SysResult {
    let flags = libc::MOVE_MOUNT_F_EMPTY_PATH;
    let empty = c"".as_ptr();
    // SAFETY: both paths end with a zero.
    let result = unsafe { libc::syscall(libc::SYS_move_mount, tree, empty, libc::AT_FDCWD, target.as_ptr(), flags) };
    check(step, result).map(drop)
}

/// Sets attributes of all mounts at and below `path`, or below `at` where the path is empty. Ids are mapped as in the
/// user namespace given.
pub(crate) fn set_mount(step: &'static str, at: Fd, path: &CStr, attributes: u64, user_namespace: Fd) -> SysResult {
    // SAFETY: all zeroes is a value of this plain struct.
    let mut wanted: libc::mount_attr = unsafe { mem::zeroed() };
    wanted.attr_set = attributes;
    wanted.userns_fd = user_namespace as u64;
    let (flags, size) = (libc::AT_RECURSIVE | libc::AT_EMPTY_PATH, mem::size_of::<libc::mount_attr>());
    // SAFETY: the path ends with a zero, and the struct is as long as said.
    let result = unsafe { libc::syscall(libc::SYS_mount_setattr, at, path.as_ptr(), flags, &wanted, size) };
    check(step, result).map(drop)
}

/// Whether files here can carry attributes of the kind overlays need.
pub(crate) fn takes_attributes(folder: &CStr) -> bool {
    let name = c"user.perturb".as_ptr();
    // SAFETY: both texts end with a zero, and one byte is given.
    unsafe { libc::setxattr(folder.as_ptr(), name, c"1".as_ptr().cast(), 1, 0) == 0 }
}
