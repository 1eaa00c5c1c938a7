//! What a job may not do, whatever its user may: rules of Landlock for files, signals and networks, and a filter for system
//! calls that no test needs. They hold without any namespace, so that they are what is left where those are forbidden.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use landlock::{
    Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, ABI,
};

use super::plan::Rules;
use super::sys::{self, Done, Failed};

/// The newest version whose rules we know.
const KNOWN: ABI = ABI::V6;

/// Makes the rules as they are to be for the next job: they speak of the very folders that are mounted now. None where the
/// kernel knows no such rules. Does not allocate, as far as nothing fails.
pub(super) fn rules(rules: &Rules) -> Done<Option<OwnedFd>> {
    let failed = |_: RulesetError| Failed { step: "make rules for files", errno: sys::errno() };
    let mut set = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    set = set.handle_access(AccessFs::from_all(KNOWN)).map_err(failed)?;
    if rules.forbids_network {
        set = set.handle_access(AccessNet::from_all(KNOWN)).map_err(failed)?;
    }
    let mut set = set.scope(Scope::from_all(KNOWN)).map_err(failed)?.create().map_err(failed)?;
    let mut allow = |path: &CStr, access: BitFlags<AccessFs>| -> Done {
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
    allow(c"/", AccessFs::from_read(KNOWN))?;
    rules.writable.iter().try_for_each(|path| allow(path, AccessFs::from_all(KNOWN)))?;
    Ok(set.into())
}

/// Applies both to the process that is about to execute the job's program.
pub(super) fn confine(rules: Option<&OwnedFd>, filter: &[libc::sock_filter]) -> Done {
    if let Some(rules) = rules {
        sys::keep_to_rules(rules.as_raw_fd())?;
    }
    match filter.is_empty() {
        true => Ok(()),
        false => sys::filter_calls(filter),
    }
}

#[cfg(target_arch = "x86_64")]
const MACHINE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const MACHINE: Option<u32> = Some(0xc000_00b7);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MACHINE: Option<u32> = None;

/// Calls that change the machine, or how it looks to others.
#[rustfmt::skip]
const OF_THE_MACHINE: &[libc::c_long] = &[
    libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root, libc::SYS_move_mount, libc::SYS_open_tree,
    libc::SYS_fsopen, libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick, libc::SYS_mount_setattr,
    libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_reboot, libc::SYS_kexec_load, libc::SYS_kexec_file_load,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_acct, libc::SYS_quotactl,
    libc::SYS_syslog, libc::SYS_settimeofday, libc::SYS_clock_settime, libc::SYS_sethostname, libc::SYS_setdomainname,
    libc::SYS_vhangup, libc::SYS_unshare, libc::SYS_setns, libc::SYS_open_by_handle_at, libc::SYS_bpf,
    libc::SYS_perf_event_open, libc::SYS_userfaultfd, libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
    libc::SYS_fanotify_init,
    #[cfg(target_arch = "x86_64")] libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")] libc::SYS_ioperm,
];

/// Calls that a program can do without, and does if it is told that they do not exist: their arguments cannot be looked at.
const UNKNOWN: &[libc::c_long] = &[libc::SYS_clone3, libc::SYS_io_uring_setup];

/// Calls into other processes, which may be anybody's where there is no pid namespace.
const OF_OTHERS: &[libc::c_long] = &[libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev];

/// The filter, empty where we do not know the machine. Programs for another kind of machine, 32-bit ones above all, pass:
/// the filter is against accidents, and they are not known by their numbers.
pub(super) fn filter(has_processes: bool) -> Vec<libc::sock_filter> {
    let Some(machine) = MACHINE else { return Vec::new() };
    // Where the kernel puts number, machine and arguments; of an argument the lower half.
    const NUMBER: u32 = 0;
    const MACHINE_AT: u32 = 4;
    const ARGUMENTS: u32 = 16;
    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    let refuse = |errno: i32| libc::SECCOMP_RET_ERRNO | errno as u32;
    let load = |at: u32| line(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0, 0);
    let answer = |value: u32| line(libc::BPF_RET | libc::BPF_K, value, 0, 0);
    let equal = |value: u32, then, other| line(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, then, other);
    let any_of = |bits: u32, then, other| line(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, bits, then, other);

    let mut lines = vec![load(MACHINE_AT), equal(machine, 1, 0), answer(ALLOW), load(NUMBER)];
    let mut call = |number: libc::c_long, errno: i32| {
        lines.extend([equal(number as u32, 0, 1), answer(refuse(errno))]);
    };
    OF_THE_MACHINE.iter().for_each(|number| call(*number, libc::EPERM));
    UNKNOWN.iter().for_each(|number| call(*number, libc::ENOSYS));
    if !has_processes {
        OF_OTHERS.iter().for_each(|number| call(*number, libc::EPERM));
    }
    // Some only with some arguments: a question that jumps over nothing if the answer is yes, and over one line otherwise.
    let mut call_with = |number: libc::c_long, argument: u32, question: libc::sock_filter| {
        let value = load(ARGUMENTS + 8 * argument);
        lines.extend([equal(number as u32, 0, 4), value, question, answer(refuse(libc::EPERM)), answer(ALLOW)]);
    };
    call_with(libc::SYS_clone, 0, any_of(NEW_NAMESPACES, 0, 1));
    // Text put into the input of a terminal is typed by whoever sits there.
    call_with(libc::SYS_ioctl, 1, equal(libc::TIOCSTI as u32, 0, 1));
    if !has_processes {
        const EVERYBODY: u32 = -1i32 as u32;
        call_with(libc::SYS_kill, 0, equal(EVERYBODY, 0, 1));
    }
    lines.push(answer(ALLOW));
    lines
}

const NEW_NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u32;

fn line(code: u32, value: u32, then: u8, other: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: then, jf: other, k: value }
}
