//! Processes: their ids, their limits, how they end, and waiting for that.

use std::mem;
use std::ptr;

use libc::{c_int, c_ulong};

use super::{check, errno, Fd, SysResult};

/// The order in which the kernel ends processes where memory runs out: it starts with the highest number. A new process
/// has the number of its parent.
#[derive(Clone, Copy)]
pub(crate) struct EndingOrder {
    file: Fd,
    own: [u8; 8],
    length: usize,
}

impl EndingOrder {
    /// Of this process, as long as its memory may be looked at: later the file is not its own.
    pub fn of_ourselves() -> Option<EndingOrder> {
        let file = super::open("open", libc::AT_FDCWD, c"/proc/self/oom_score_adj", libc::O_RDWR).ok()?;
        let mut own = [0; 8];
        let length = super::read(file, &mut own).ok()?;
        Some(EndingOrder { file, own, length })
    }

    /// Whoever is started from now on is ended before anybody else.
    pub fn set_first(&self) {
        super::set_value(self.file, b"1000");
    }

    /// This process has its own place again.
    pub fn set_back(&self) {
        super::set_value(self.file, self.own.get(..self.length).unwrap_or_default());
    }
}

/// Ends this process at once: no destructor, no handler, no buffer of the program we were cloned from.
pub(crate) fn exit(status: c_int) -> ! {
    // SAFETY: takes a number and does not return.
    unsafe { libc::_exit(status) }
}

pub(crate) fn prctl(step: &'static str, option: c_int, argument: c_ulong, second: c_ulong) -> SysResult {
    // SAFETY: the options used here take numbers only.
    check(step, unsafe { libc::prctl(option, argument, second, 0, 0) }.into()).map(drop)
}

/// Changes user and group of this one thread, and leaves all other groups. The C library would signal threads that
/// exist only in the program we were cloned from.
pub(crate) fn become_user(uid: u32, gid: u32) -> SysResult {
    // SAFETY: an empty list of groups needs no memory.
    check("leave our groups", unsafe { libc::syscall(libc::SYS_setgroups, 0, ptr::null::<u32>()) })?;
    // SAFETY: only numbers.
    check("change the group", unsafe { libc::syscall(libc::SYS_setresgid, gid, gid, gid) })?;
    // SAFETY: only numbers.
    check("change the user", unsafe { libc::syscall(libc::SYS_setresuid, uid, uid, uid) }).map(drop)
}

/// Leaves this thread with exactly these capabilities, to be handed on to what it executes.
pub(crate) fn keep_capabilities(capabilities: &[u32]) -> SysResult {
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

/// Whether there are shared memory, semaphores or message queues of the kind that outlives processes.
pub(crate) fn has_ipc_objects() -> bool {
    // Not in the C library's headers for all to see; the kernel's numbers for "how many are there".
    const SHM_INFO: c_int = 14;
    const SEM_INFO: c_int = 19;
    const MSG_INFO: c_int = 12;
    let (mut memory, mut semaphores, mut queues) = ([0i32; 64], [0i32; 64], [0i32; 64]);
    // SAFETY: each answer is a struct of a dozen numbers at most, for which there is room.
    unsafe {
        libc::shmctl(0, SHM_INFO, memory.as_mut_ptr().cast());
        libc::semctl(0, 0, SEM_INFO, semaphores.as_mut_ptr());
        libc::msgctl(0, MSG_INFO, queues.as_mut_ptr().cast());
    }
    // `used_ids`, `semusz` and `msgpool`.
    memory[0] != 0 || semaphores[7] != 0 || queues[0] != 0
}

/// Leaves all such objects behind.
pub(crate) fn new_ipc_namespace() -> SysResult {
    // SAFETY: only a number; no thread of ours is concerned.
    check("leave what a job shared", unsafe { libc::unshare(libc::CLONE_NEWIPC) }.into()).map(drop)
}

/// Sets a limit, both its values no higher than we may.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> SysResult {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: there is room for the answer.
    check("read a limit", unsafe { libc::getrlimit(resource, &mut now) }.into())?;
    let hard = hard.min(now.rlim_max);
    let wanted = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
    // SAFETY: the struct is read only.
    check("set a limit", unsafe { libc::setrlimit(resource, &wanted) }.into()).map(drop)
}

/// All signals.
pub(crate) fn all_signals() -> libc::sigset_t {
    // SAFETY: all zeroes is a value of this plain struct, and the call fills it.
    unsafe {
        let mut set = mem::zeroed();
        libc::sigfillset(&mut set);
        set
    }
}

/// Sets which signals this thread holds back; answers with what it held back before.
pub(crate) fn hold_back(set: &libc::sigset_t) -> libc::sigset_t {
    // SAFETY: all zeroes is a value of this plain struct, both sets are valid.
    unsafe {
        let mut before = mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, set, &mut before);
        before
    }
}

/// Lets all signals through.
pub(crate) fn hold_back_none() {
    // SAFETY: all zeroes is the empty set on Linux.
    hold_back(&unsafe { mem::zeroed() });
}

/// What signals do: their default, whatever the program we were cloned from wanted.
pub(crate) fn default_signals() {
    // Larger than the kernel's struct on any machine. Not by the C library, which keeps two signals to itself.
    let default = [0u64; 8];
    for signal in 1..=64 {
        let none = ptr::null_mut::<u64>();
        // SAFETY: all zeroes is the default. Numbers that cannot be changed are refused.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), none, 8) };
    }
}

/// A descriptor that can be read when a child has ended. SIGCHLD must be held back.
pub(crate) fn child_signals() -> SysResult<Fd> {
    // SAFETY: all zeroes is the empty set, to which one signal is added.
    let result = unsafe {
        let mut set = mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, libc::SIGCHLD);
        libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    check("wait for signals", result.into())
}

pub(crate) fn kill(process: libc::pid_t, signal: c_int) {
    // SAFETY: only numbers.
    unsafe { libc::kill(process, signal) };
}

/// A child that has ended.
pub(crate) struct Reaped {
    pub process: libc::pid_t,
    pub status: c_int,
    /// Of it and of all that it waited for.
    pub cpu_ns: u64,
}

/// The next child that has ended, if one has; an error where there are no children at all any more.
pub(crate) fn reap() -> Result<Option<Reaped>, i32> {
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
pub(crate) fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    ns(time.tv_sec, time.tv_nsec)
}

/// Which of these descriptors has something to read or is closed at its other end, after so long at most. A negative
/// one is none.
pub(crate) fn poll<const COUNT: usize>(files: [Fd; COUNT], timeout_ns: u64) -> [bool; COUNT] {
    let mut watched = files.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    let timeout = libc::timespec {
        tv_sec: (timeout_ns / 1_000_000_000).min(i32::MAX as u64) as i64,
        tv_nsec: (timeout_ns % 1_000_000_000) as i64,
    };
    // SAFETY: there are as many descriptors as said, and the time is read only.
    let ready = unsafe { libc::ppoll(watched.as_mut_ptr(), COUNT as libc::nfds_t, &timeout, ptr::null()) };
    watched.map(|one| ready > 0 && one.revents != 0)
}

/// Two ends of a channel that executing a program closes.
pub(crate) fn pair_of_sockets() -> SysResult<[Fd; 2]> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: there is room for two descriptors.
    check("make a channel", unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) }.into())?;
    Ok(ends)
}
