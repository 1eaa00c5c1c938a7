//! Restrictions of a job that hold for every user: Landlock rules for files, signals and networks, and a filter for
//! system calls that no test needs. They need no namespace, so they remain where namespaces are forbidden.
//!
//! The filter allows only system calls of this machine's own architecture that are known here, and only a few socket
//! families. Of the known calls it refuses those that reach beyond the cell.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use landlock::{
    Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, ABI,
};

use crate::plan::LandlockRules;
use crate::sys::{self, Fd, SysError, SysResult};
use crate::wire;

/// The newest version whose rules we know.
const KNOWN: ABI = ABI::V6;

/// Makes the rules as they are to be for the next job: they speak of the very folders that are mounted now. None where
/// the kernel knows no such rules. Does not allocate, as far as nothing fails.
pub(crate) fn rules(rules: &LandlockRules) -> SysResult<Option<OwnedFd>> {
    let failed = |_: RulesetError| SysError { step: "make rules for files", errno: sys::errno() };
    let mut set = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    set = set.handle_access(AccessFs::from_all(KNOWN)).map_err(failed)?;
    if rules.forbids_network {
        set = set.handle_access(AccessNet::from_all(KNOWN)).map_err(failed)?;
    }
    let mut set = set.scope(Scope::from_all(KNOWN)).map_err(failed)?.create().map_err(failed)?;
    let mut allow = |path: &CStr, access: BitFlags<AccessFs>| -> SysResult {
        // What is not there cannot be written.
        let Ok(opened) = sys::open("open a folder", libc::AT_FDCWD, path, libc::O_PATH) else { return Ok(()) };
        // SAFETY: it was just opened, and is closed only below.
        let parent = unsafe { BorrowedFd::borrow_raw(opened) };
        let is_folder = sys::stat(opened, c"").is_ok_and(|data| data.st_mode & libc::S_IFMT == libc::S_IFDIR);
        let access = if is_folder { access } else { access & AccessFs::from_file(KNOWN) };
        let added = (&mut set).add_rule(PathBeneath::new(parent, access)).map(drop).map_err(failed);
        sys::close(opened);
        added
    };
    rules.readable.iter().try_for_each(|path| allow(path, AccessFs::from_read(KNOWN)))?;
    rules.writable.iter().try_for_each(|path| allow(path, AccessFs::from_all(KNOWN)))?;
    Ok(set.into())
}

/// Applies both to the process that is about to execute the job's program. Where the filter hands calls on, `desk` is
/// where the descriptor goes that answers them.
pub(crate) fn confine(rules: Option<&OwnedFd>, filter: &[libc::sock_filter], desk: Option<Fd>) -> SysResult {
    if let Some(rules) = rules {
        sys::keep_to_rules(rules.as_raw_fd())?;
    }
    let Some(desk) = desk else {
        return if filter.is_empty() { Ok(()) } else { sys::filter_calls(filter) };
    };
    let listener = sys::filter_calls_with_notices(filter)?;
    wire::send(desk, Some(listener)).map_err(|errno| SysError { step: "hand a filter over", errno })
}

#[cfg(target_arch = "x86_64")]
const MACHINE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const MACHINE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MACHINE: Option<u32> = None;

/// The newest call that was looked at for what it could do. Later ones do not exist for a job.
const LAST_KNOWN: u32 = 466;

/// The numbers of a second set of calls that 64-bit processes of this machine have, with 32-bit pointers, start here.
#[cfg(target_arch = "x86_64")]
const OTHER_SET: Option<u32> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const OTHER_SET: Option<u32> = None;

/// Calls that change the machine, or how it looks to others, or that leave something behind in the kernel.
#[rustfmt::skip]
const OF_THE_MACHINE: &[libc::c_long] = &[
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_move_mount, libc::SYS_open_tree,
    libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick, libc::SYS_mount_setattr,
    libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_reboot, libc::SYS_kexec_load, libc::SYS_kexec_file_load,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_acct, libc::SYS_quotactl,
    libc::SYS_quotactl_fd, libc::SYS_syslog, libc::SYS_settimeofday, libc::SYS_clock_settime, libc::SYS_clock_adjtime,
    libc::SYS_adjtimex, libc::SYS_sethostname, libc::SYS_setdomainname, libc::SYS_chroot,
    libc::SYS_vhangup, libc::SYS_unshare, libc::SYS_setns, libc::SYS_open_by_handle_at, libc::SYS_bpf,
    libc::SYS_perf_event_open, libc::SYS_userfaultfd, libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
    libc::SYS_fanotify_init,
    #[cfg(target_arch = "x86_64")] libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")] libc::SYS_ioperm,
];

/// Calls that a program can do without, and does if it is told that they do not exist: their arguments cannot be looked
/// at, or what they make cannot be counted.
const UNKNOWN: &[libc::c_long] = &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_memfd_secret];

/// Calls that act on other processes, which may be any user's where there is no pid namespace.
#[rustfmt::skip]
const OF_OTHERS: &[libc::c_long] = &[
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev, libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise, libc::SYS_process_mrelease, libc::SYS_kcmp, libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// What outlives the processes that made it, where it is not the cell's own.
const LASTING: &[libc::c_long] = &[libc::SYS_shmget, libc::SYS_semget, libc::SYS_msgget, libc::SYS_mq_open];

/// Memory that need not be in any process, so that nobody but a control group can count it.
const UNCOUNTED: &[libc::c_long] = &[libc::SYS_memfd_create];

/// Memory that is there when all processes of a job have ended. Where a control group counts it without a limit of its
/// own, only the server would be left to be ended for it.
const SEGMENTS: &[libc::c_long] = &[libc::SYS_shmget];

/// Of other processes, by their ids; 0 stands for the caller.
#[rustfmt::skip]
const SCHEDULING: &[libc::c_long] = &[
    libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr, libc::SYS_sched_setaffinity,
];

/// Extended attributes of files, which Landlock has no rules for.
#[rustfmt::skip]
const ATTRIBUTES: &[libc::c_long] = &[
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, SETXATTRAT,
    libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_fremovexattr, REMOVEXATTRAT,
];
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;

/// Modes and owners of files by their paths, which Landlock has no rules for: of a file that is open they can be
/// changed.
#[rustfmt::skip]
const BY_PATH: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")] libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")] libc::SYS_chown,
    #[cfg(target_arch = "x86_64")] libc::SYS_lchown,
    libc::SYS_fchmodat, FCHMODAT2, libc::SYS_fchownat,
];

/// Calls that set the mode of a file, each with the argument that it is.
const MODES: &[(libc::c_long, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
];
const FCHMODAT2: libc::c_long = 452;

/// A program with these is run as its owner or its group. Made by `open` they are gone with the first byte written.
const SET_IDS: u32 = libc::S_ISUID | libc::S_ISGID;

/// The layers of a cell besides its filter, which has to replace the missing ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Has {
    pub processes: bool,
    /// A root of its own, in which no file of others is.
    pub files: bool,
    /// Another user than the one who runs us, who owns no file of ours.
    pub user: bool,
    pub ipc: bool,
    /// A control group, which counts all memory, or no limit on it.
    pub memory: bool,
    /// A limit on shared memory of the system's, or none on memory at all.
    pub segments: bool,
    pub sockets: Sockets,
}

/// Which sockets a job may open. Whatever is not named here does not exist for it: those of virtual machines, of the
/// kernel's ciphers, of a car's bus.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sockets {
    /// With a path: where every path that the job can name is the cell's own.
    pub paths: bool,
    /// With a path too, though others have such as well: the server connects them.
    pub supervised: bool,
    /// Of the internet: where they reach nobody, or it is permitted.
    pub internet: bool,
    /// To the kernel, about a network of the cell's own.
    pub own_network: bool,
}

/// Where the kernel puts number, machine and arguments; of an argument the lower half.
const NUMBER: u32 = 0;
const MACHINE_AT: u32 = 4;
const ARGUMENTS: u32 = 16;

/// The instructions of a filter.
struct FilterProgram(Vec<libc::sock_filter>);

impl FilterProgram {
    fn add(&mut self, code: u32, value: u32, then: u8, other: u8) {
        self.0.push(libc::sock_filter { code: code as u16, jt: then, jf: other, k: value });
    }

    fn load(&mut self, at: u32) {
        self.add(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0, 0);
    }

    fn answer(&mut self, value: u32) {
        self.add(libc::BPF_RET | libc::BPF_K, value, 0, 0);
    }

    /// Jumps over so many lines if the value that was loaded is this one, or is not.
    fn equal(&mut self, value: u32, then: u8, other: u8) {
        self.add(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, then, other);
    }

    fn refuse(&mut self, calls: &[libc::c_long], errno: i32) {
        for number in calls {
            self.equal(*number as u32, 0, 1);
            self.answer(refusal(errno));
        }
    }

    /// Refuses a call if an argument is one of two.
    fn refuse_among(&mut self, number: libc::c_long, argument: u32, [one, other]: [u32; 2]) {
        self.equal(number as u32, 0, 5);
        self.load(ARGUMENTS + 8 * argument);
        self.equal(one, 1, 0);
        self.equal(other, 0, 1);
        self.answer(refusal(libc::EPERM));
        self.answer(libc::SECCOMP_RET_ALLOW);
    }

    /// Refuses a call for some values of an argument, by one comparison of it.
    fn refuse_where(&mut self, number: libc::c_long, argument: u32, (kind, value): (u32, u32), errno: i32) {
        self.equal(number as u32, 0, 4);
        self.load(ARGUMENTS + 8 * argument);
        self.add(libc::BPF_JMP | kind | libc::BPF_K, value, 0, 1);
        self.answer(refusal(errno));
        self.answer(libc::SECCOMP_RET_ALLOW);
    }

    /// Refuses a call that takes a kind and an id for all processes of a user, and for every id but 0, the caller's.
    fn refuse_others(&mut self, number: libc::c_long, user: u32) {
        self.equal(number as u32, 0, 6);
        self.load(ARGUMENTS);
        self.equal(user, 2, 0);
        self.load(ARGUMENTS + 8);
        self.equal(0, 1, 0);
        self.answer(refusal(libc::EPERM));
        self.answer(libc::SECCOMP_RET_ALLOW);
    }

    /// Refuses a call unless an argument, of which only some bits are looked at, has one of these values.
    fn refuse_unless(&mut self, number: libc::c_long, argument: (u32, u32), values: &[u32], errno: i32) {
        self.ask_for_one(number, argument, values, errno);
        self.answer(libc::SECCOMP_RET_ALLOW);
    }

    /// The same, with more to be asked about the call.
    fn refuse_unless_then(&mut self, number: libc::c_long, argument: (u32, u32), values: &[u32], errno: i32) {
        self.ask_for_one(number, argument, values, errno);
        self.load(NUMBER);
    }

    /// One line follows, for when it has one of them; behind that the number of the call is loaded again, or is not
    /// lost.
    fn ask_for_one(&mut self, number: libc::c_long, (argument, bits): (u32, u32), values: &[u32], errno: i32) {
        let count = values.len() as u8;
        self.equal(number as u32, 0, count + 4);
        self.load(ARGUMENTS + 8 * argument);
        self.add(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits, 0, 0);
        for (at, value) in values.iter().enumerate() {
            self.equal(*value, count - at as u8, 0);
        }
        self.answer(refusal(errno));
    }
}

const fn refusal(errno: i32) -> u32 {
    libc::SECCOMP_RET_ERRNO | errno as u32
}

const ALL_BITS: u32 = u32::MAX;

/// The filter, empty where we do not know the machine. Whoever calls the kernel in the way of another kind of machine,
/// as 32-bit programs do, is ended: those calls have other numbers, and what they do was not looked at.
pub(crate) fn filter(has: Has) -> Vec<libc::sock_filter> {
    let Some(machine) = MACHINE else { return Vec::new() };
    let mut lines = FilterProgram(Vec::new());
    lines.load(MACHINE_AT);
    lines.equal(machine, 1, 0);
    lines.answer(libc::SECCOMP_RET_KILL_PROCESS);
    lines.load(NUMBER);
    let above = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
    if let Some(first) = OTHER_SET {
        lines.add(above, first, 0, 1);
        lines.answer(libc::SECCOMP_RET_KILL_PROCESS);
    }
    lines.add(above, LAST_KNOWN + 1, 0, 1);
    lines.answer(refusal(libc::ENOSYS));
    lines.refuse(OF_THE_MACHINE, libc::EPERM);
    lines.refuse(UNKNOWN, libc::ENOSYS);
    if !has.processes {
        lines.refuse(OF_OTHERS, libc::EPERM);
    }
    if !has.ipc {
        lines.refuse(LASTING, libc::ENOSYS);
    }
    if !has.memory {
        lines.refuse(UNCOUNTED, libc::ENOSYS);
    }
    if !has.segments {
        lines.refuse(SEGMENTS, libc::ENOSYS);
    }
    if !has.files {
        lines.refuse(ATTRIBUTES, libc::EOPNOTSUPP);
    }
    if !has.files && !has.user {
        lines.refuse(BY_PATH, libc::EPERM);
    }
    // A file that stays, as in a shared folder, belongs to the caller, which may be root.
    for (number, argument) in MODES {
        lines.refuse_where(*number, *argument, (libc::BPF_JSET, SET_IDS), libc::EPERM);
    }
    refuse_sockets(&mut lines, has.sockets);
    lines.refuse_where(libc::SYS_clone, 0, (libc::BPF_JSET, NEW_NAMESPACES), libc::EPERM);
    // Text that is pushed into the input of a terminal acts as if its user had typed it.
    const TIOCLINUX: u32 = 0x541c;
    lines.refuse_among(libc::SYS_ioctl, 1, [libc::TIOCSTI as u32, TIOCLINUX]);
    if !has.processes {
        const EVERYBODY: u32 = -1i32 as u32;
        lines.refuse_where(libc::SYS_kill, 0, (libc::BPF_JEQ, EVERYBODY), libc::EPERM);
        lines.refuse_unless(libc::SYS_prlimit64, (0, ALL_BITS), &[0], libc::EPERM);
        for number in SCHEDULING {
            lines.refuse_unless(*number, (0, ALL_BITS), &[0], libc::EPERM);
        }
        const USER_FOR_DISKS: u32 = 3;
        lines.refuse_others(libc::SYS_setpriority, libc::PRIO_USER);
        lines.refuse_others(libc::SYS_ioprio_set, USER_FOR_DISKS);
    }
    lines.answer(libc::SECCOMP_RET_ALLOW);
    lines.0
}

fn refuse_sockets(lines: &mut FilterProgram, sockets: Sockets) {
    let families = [
        (true, libc::AF_UNSPEC),
        (sockets.paths || sockets.supervised, libc::AF_UNIX),
        (sockets.internet, libc::AF_INET),
        (sockets.internet, libc::AF_INET6),
        (sockets.own_network, libc::AF_NETLINK),
    ];
    let families: Vec<u32> = families.iter().filter(|(may, _)| *may).map(|(_, family)| *family as u32).collect();
    // A call that takes an address with each message could reach any socket; a connected pair without addresses reaches
    // only itself.
    const KIND: u32 = 0xf;
    let kinds = [libc::SOCK_STREAM as u32, libc::SOCK_SEQPACKET as u32];
    if sockets.supervised {
        lines.refuse_unless_then(libc::SYS_socket, (0, ALL_BITS), &families, libc::EAFNOSUPPORT);
        lines.refuse_unless(libc::SYS_socket, (1, KIND), &kinds, libc::EACCES);
        lines.equal(libc::SYS_connect as u32, 0, 1);
        lines.answer(libc::SECCOMP_RET_USER_NOTIF);
    } else {
        lines.refuse_unless(libc::SYS_socket, (0, ALL_BITS), &families, libc::EAFNOSUPPORT);
    }
    if !sockets.paths {
        lines.refuse_unless(libc::SYS_socketpair, (1, KIND), &kinds, libc::EACCES);
    }
}

const NEW_NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;
