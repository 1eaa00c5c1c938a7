//! System calls for a process that was cloned from one with many threads.
//!
//! Another thread may have held the allocator's lock, or any other, at that moment, and in the copy nobody will ever
//! give it back. So nothing here allocates, locks, panics or unwinds, and what the C library would do for all threads
//! (changing the user) is asked of the kernel directly. Descriptors are plain numbers: they end with the process.

use std::ffi::CStr;
use std::io;
use std::mem;
use std::ptr;

use libc::{c_int, c_long, c_uint, c_ulong};

pub(super) type Fd = c_int;

/// What was being done, and what the kernel answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failed {
    pub step: &'static str,
    pub errno: i32,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.step, io::Error::from_raw_os_error(self.errno))
    }
}

pub(super) type Done<T = ()> = Result<T, Failed>;

pub(super) fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

fn check(step: &'static str, result: c_long) -> Done<c_int> {
    match result {
        -1 => Err(Failed { step, errno: errno() }),
        value => Ok(value as c_int),
    }
}

fn or_null(text: Option<&CStr>) -> *const libc::c_char {
    text.map_or(ptr::null(), CStr::as_ptr)
}

/// Ends this process at once: no destructor, no handler, no buffer of the program we were cloned from.
pub(super) fn exit(status: c_int) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(status) }
}

pub(super) fn close(fd: Fd) {
    // SAFETY: closes a number; the callers own it.
    unsafe { libc::close(fd) };
}

/// Closes all descriptors from `first` to `last`, both included.
pub(super) fn close_range(first: Fd, last: Fd) {
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

pub(super) fn open(step: &'static str, at: Fd, path: &CStr, flags: c_int) -> Done<Fd> {
    // SAFETY: the path ends with a zero; no mode is needed as nothing is created.
    check(step, unsafe { libc::openat(at, path.as_ptr(), flags | libc::O_CLOEXEC) }.into())
}

pub(super) fn open_folder(step: &'static str, at: Fd, path: &CStr) -> Done<Fd> {
    open(step, at, path, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW)
}

pub(super) fn dup_onto(step: &'static str, from: Fd, onto: Fd) -> Done {
    // SAFETY: only numbers.
    check(step, unsafe { libc::dup2(from, onto) }.into()).map(drop)
}

/// How many bytes were read; 0 at the end of the file.
pub(super) fn read(fd: Fd, buffer: &mut [u8]) -> Done<usize> {
    loop {
        // SAFETY: the buffer is as long as said.
        let read = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) };
        if read >= 0 || errno() != libc::EINTR {
            return check("read", read as c_long).map(|read| read as usize);
        }
    }
}

/// Writes a value to a file of the kernel's, which takes it only as a whole and from its beginning.
pub(super) fn set_value(fd: Fd, value: &[u8]) {
    // SAFETY: the buffer is as long as said.
    unsafe { libc::pwrite(fd, value.as_ptr().cast(), value.len(), 0) };
}

/// The attributes of what `path` names, a symbolic link itself included; of `at` where the path is empty.
pub(super) fn stat(at: Fd, path: &CStr) -> Done<libc::stat> {
    // SAFETY: all zeroes is a value of this plain struct.
    let mut data: libc::stat = unsafe { mem::zeroed() };
    let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
    // SAFETY: the path ends with a zero, and there is room for the answer.
    check("look at", unsafe { libc::fstatat(at, path.as_ptr(), &mut data, flags) }.into())?;
    Ok(data)
}

/// Makes a folder; one that is there already will do.
pub(super) fn make_folder(step: &'static str, path: &CStr, mode: libc::mode_t) -> Done {
    // SAFETY: the path ends with a zero.
    match check(step, unsafe { libc::mkdir(path.as_ptr(), mode) }.into()) {
        Err(Failed { errno: libc::EEXIST, .. }) | Ok(_) => Ok(()),
        Err(failed) => Err(failed),
    }
}

pub(super) fn make_file(step: &'static str, path: &CStr) -> Done {
    let flags = libc::O_CREAT | libc::O_WRONLY | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero, and a mode is given.
    check(step, unsafe { libc::open(path.as_ptr(), flags, 0o600 as c_uint) }.into()).map(close)
}

pub(super) fn make_link(step: &'static str, path: &CStr, to: &CStr) -> Done {
    // SAFETY: both paths end with a zero.
    check(step, unsafe { libc::symlink(to.as_ptr(), path.as_ptr()) }.into()).map(drop)
}

pub(super) fn change_mode(step: &'static str, at: Fd, path: &CStr, mode: libc::mode_t) -> Done {
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::fchmodat(at, path.as_ptr(), mode, 0) }.into()).map(drop)
}

pub(super) fn change_owner(step: &'static str, path: &CStr, uid: u32, gid: u32) -> Done {
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::lchown(path.as_ptr(), uid, gid) }.into()).map(drop)
}

/// Gives what is open to a user.
pub(super) fn give_away(fd: Fd, uid: u32, gid: u32) {
    // SAFETY: only numbers.
    unsafe { libc::fchown(fd, uid, gid) };
}

/// Gives a folder the time of last change that `data` tells.
pub(super) fn change_time(step: &'static str, path: &CStr, data: &libc::stat) -> Done {
    let time = libc::timespec { tv_sec: data.st_mtime, tv_nsec: data.st_mtime_nsec };
    // SAFETY: the path ends with a zero, and the call reads two times.
    check(step, unsafe { libc::utimensat(libc::AT_FDCWD, path.as_ptr(), [time, time].as_ptr(), 0) }.into()).map(drop)
}

pub(super) fn unlink(at: Fd, name: &CStr, flags: c_int) -> Result<(), i32> {
    // SAFETY: the name ends with a zero.
    match unsafe { libc::unlinkat(at, name.as_ptr(), flags) } {
        0 => Ok(()),
        _ => Err(errno()),
    }
}

/// Fills the buffer with records of the folder's next entries; 0 at the end.
pub(super) fn list(folder: Fd, buffer: &mut [u64]) -> Done<usize> {
    // SAFETY: the buffer is as long as said.
    let read = unsafe { libc::syscall(libc::SYS_getdents64, folder, buffer.as_mut_ptr(), mem::size_of_val(buffer)) };
    check("list a folder", read).map(|read| read as usize)
}

pub(super) fn rewind(folder: Fd) {
    // SAFETY: only numbers.
    unsafe { libc::lseek(folder, 0, libc::SEEK_SET) };
}

pub(super) fn change_folder(step: &'static str, path: &CStr) -> Done {
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::chdir(path.as_ptr()) }.into()).map(drop)
}

pub(super) fn mount(
    step: &'static str,
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    data: Option<&CStr>,
) -> Done {
    // SAFETY: each text ends with a zero or is null, as the call allows.
    let result = unsafe { libc::mount(or_null(source), target.as_ptr(), or_null(kind), flags, or_null(data).cast()) };
    check(step, result.into()).map(drop)
}

/// Takes a mount away with all that is mounted below it, at once for everybody who looks for it.
pub(super) fn unmount(step: &'static str, target: &CStr) -> Done {
    let flags = libc::MNT_DETACH | libc::UMOUNT_NOFOLLOW;
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::umount2(target.as_ptr(), flags) }.into()).map(drop)
}

/// A copy of the mounts at and below `path`, not yet put anywhere.
pub(super) fn open_tree(step: &'static str, path: &CStr) -> Done<Fd> {
    let flags = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC | libc::AT_RECURSIVE as c_uint;
    // SAFETY: the path ends with a zero.
    check(step, unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) })
}

/// Puts a copy of mounts at `target`.
pub(super) fn move_mount(step: &'static str, tree: Fd, target: &CStr) -> Done {
    let flags = libc::MOVE_MOUNT_F_EMPTY_PATH;
    let empty = c"".as_ptr();
    // SAFETY: both paths end with a zero.
    let result = unsafe { libc::syscall(libc::SYS_move_mount, tree, empty, libc::AT_FDCWD, target.as_ptr(), flags) };
    check(step, result).map(drop)
}

/// Sets attributes of all mounts at and below `path`, or below `at` where the path is empty. Ids are mapped as in the
/// user namespace given.
pub(super) fn set_mount(step: &'static str, at: Fd, path: &CStr, attributes: u64, user_namespace: Fd) -> Done {
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
pub(super) fn takes_attributes(folder: &CStr) -> bool {
    let name = c"user.perturb".as_ptr();
    // SAFETY: both texts end with a zero, and one byte is given.
    unsafe { libc::setxattr(folder.as_ptr(), name, c"1".as_ptr().cast(), 1, 0) == 0 }
}

pub(super) fn prctl(step: &'static str, option: c_int, argument: c_ulong, second: c_ulong) -> Done {
    // SAFETY: the options used here take numbers only.
    check(step, unsafe { libc::prctl(option, argument, second, 0, 0) }.into()).map(drop)
}

/// Changes user and group of this one thread, and leaves all other groups. The C library would signal threads that
/// exist only in the program we were cloned from.
pub(super) fn become_user(uid: u32, gid: u32) -> Done {
    // SAFETY: an empty list of groups needs no memory.
    check("leave our groups", unsafe { libc::syscall(libc::SYS_setgroups, 0, ptr::null::<u32>()) })?;
    // SAFETY: only numbers.
    check("change the group", unsafe { libc::syscall(libc::SYS_setresgid, gid, gid, gid) })?;
    // SAFETY: only numbers.
    check("change the user", unsafe { libc::syscall(libc::SYS_setresuid, uid, uid, uid) }).map(drop)
}

/// Leaves this thread with exactly these capabilities, to be handed on to what it executes.
pub(super) fn keep_capabilities(capabilities: &[u32]) -> Done {
    let mask = capabilities.iter().fold(0u32, |mask, capability| mask | 1 << capability);
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0];
    let sets: [u32; 6] = [mask, mask, mask, 0, 0, 0];
    // SAFETY: a header and two triples of sets are what version 3 of this call reads.
    check("keep capabilities", unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) })?;
    capabilities.iter().try_for_each(|&capability| {
        let raise = libc::PR_CAP_AMBIENT_RAISE as c_ulong;
        prctl("hand a capability on", libc::PR_CAP_AMBIENT, raise, capability.into())
    })
}

/// Sets a limit, both its values no higher than we may.
pub(super) fn limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> Done {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: there is room for the answer.
    check("read a limit", unsafe { libc::getrlimit(resource, &mut now) }.into())?;
    let hard = hard.min(now.rlim_max);
    let wanted = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
    // SAFETY: the struct is read only.
    check("set a limit", unsafe { libc::setrlimit(resource, &wanted) }.into()).map(drop)
}

/// All signals.
pub(super) fn all_signals() -> libc::sigset_t {
    // SAFETY: all zeroes is a value of this plain struct, and the call fills it.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigfillset(&mut set);
        set
    }
}

/// Sets which signals this thread holds back; answers with what it held back before.
pub(super) fn hold_back(set: &libc::sigset_t) -> libc::sigset_t {
    // SAFETY: all zeroes is a value of this plain struct, both sets are valid.
    unsafe {
        let mut before = mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, set, &mut before);
        before
    }
}

/// Lets all signals through.
pub(super) fn hold_back_none() {
    // SAFETY: all zeroes is the empty set on Linux.
    hold_back(&unsafe { mem::zeroed() });
}

/// What signals do: their default, whatever the program we were cloned from wanted.
pub(super) fn default_signals() {
    // Larger than the kernel's struct on any machine. Not by the C library, which keeps two signals to itself.
    let default = [0u64; 8];
    for signal in 1..=64 {
        let none = ptr::null_mut::<u64>();
        // SAFETY: all zeroes is the default. Numbers that cannot be changed are refused.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), none, 8) };
    }
}

/// A descriptor that can be read when a child has ended. SIGCHLD must be held back.
pub(super) fn child_signals() -> Done<Fd> {
    // SAFETY: all zeroes is the empty set, to which one signal is added.
    let result = unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    check("wait for signals", result.into())
}

pub(super) fn kill(process: libc::pid_t, signal: c_int) {
    // SAFETY: only numbers.
    unsafe { libc::kill(process, signal) };
}

/// A child that has ended.
pub(super) struct Reaped {
    pub process: libc::pid_t,
    pub status: c_int,
    /// Of it and of all that it waited for.
    pub cpu_ns: u64,
}

/// The next child that has ended, if one has; an error where there are no children at all any more.
pub(super) fn reap() -> Result<Option<Reaped>, i32> {
    let mut status = 0;
    // SAFETY: all zeroes is a value of this plain struct.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: there is room for both answers.
    match unsafe { libc::wait4(-1, &mut status, libc::__WALL | libc::WNOHANG, &mut usage) } {
        -1 => Err(errno()),
        0 => Ok(None),
        process => {
            let cpu_ns = ns(usage.ru_utime.tv_sec, usage.ru_utime.tv_usec * 1000)
                .saturating_add(ns(usage.ru_stime.tv_sec, usage.ru_stime.tv_usec * 1000));
            Ok(Some(Reaped { process, status, cpu_ns }))
        }
    }
}

fn ns(seconds: i64, nanoseconds: i64) -> u64 {
    (seconds as u64).saturating_mul(1_000_000_000).saturating_add(nanoseconds as u64)
}

/// A clock that no one sets.
pub(super) fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    ns(time.tv_sec, time.tv_nsec)
}

/// Which of two descriptors has something to read or is closed at its other end, after so long at most.
pub(super) fn poll(first: Fd, second: Fd, timeout_ns: u64) -> (bool, bool) {
    let watch = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut watched = [watch(first), watch(second)];
    let timeout = libc::timespec {
        tv_sec: (timeout_ns / 1_000_000_000).min(i32::MAX as u64) as i64,
        tv_nsec: (timeout_ns % 1_000_000_000) as i64,
    };
    // SAFETY: there are two descriptors, and the time is read only.
    let ready = unsafe { libc::ppoll(watched.as_mut_ptr(), 2, &timeout, ptr::null()) };
    (ready > 0 && watched[0].revents != 0, ready > 0 && watched[1].revents != 0)
}
