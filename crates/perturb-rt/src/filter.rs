//! The filter for system calls of a split copy: a call that the original, another copy or anything else would notice
//! ends the copy, and the mutant is executed in another way.
//!
//! It is a list of allowed calls. Allowed are calls that read, and those that concern only the memory and the state of
//! the process itself. A file can be opened only for reading, and nothing is sent. A copy has no child processes: a
//! filter would end only the child, and the copy would continue as if the child had failed.
//!
//! A mutant may also attack the original, which waits for it and notes how it ended. Nothing on the list lets it:
//!
//! - It can signal only itself: `tgkill` takes nobody else's process id. There is no call that writes to the memory
//!   of another process, traces it or waits for it, and `/proc/PID/mem` cannot be opened for writing.
//! - It shares no memory with the original that it can write: there is none before a copy is made save the sheet,
//!   which is unmapped in every copy, none can be mapped, and memory that was only read cannot be made writable. For
//!   the same reason `futex`, `madvise`, `mremap` and `membarrier` reach only its own.
//! - `write` reaches the null device and its kin, and the channel of a group's copy, of which the original believes
//!   only what cannot be wrong (`c/split.h`): a copy is not made while anything else is open for writing. The
//!   channel's other end is closed in the copy, and sockets cannot be opened again through `/proc`.
//! - Open files that the copy shares with the original: their read positions (`read`, `lseek`, `getdents64`) are put
//!   back by the original after each copy. Their flags cannot be changed: `fcntl` duplicates descriptors and tells
//!   flags; it neither sets those of a file (`F_SETFL`) nor locks nor asks for signals. `ioctl` only asks.
//!   `fadvise64` changes what the kernel reads ahead. `dup`, `dup3` and `close` change only the table of descriptors,
//!   which is the copy's own.
//! - Timers, alarms, limits (of the process 0, which is itself), the working folder, the umask and the handlers of
//!   signals belong to the copy. `prctl` gives it and its memory names, and says by which signal it ends with the
//!   original: without it the sandbox ends it.

use std::collections::BTreeMap;

/// One instruction of the kernel's filter machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FilterInstruction {
    code: u16,
    yes: u8,
    no: u8,
    value: u32,
}

impl FilterInstruction {
    const fn new(code: u32, yes: u8, no: u8, value: u32) -> Self {
        Self { code: code as u16, yes, no, value }
    }
}

const fn load(offset: u32) -> FilterInstruction {
    FilterInstruction::new(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset)
}

const fn answer(value: u32) -> FilterInstruction {
    FilterInstruction::new(libc::BPF_RET | libc::BPF_K, 0, 0, value)
}

const fn jump(kind: u32, value: u32, yes: u8, no: u8) -> FilterInstruction {
    FilterInstruction::new(libc::BPF_JMP | kind | libc::BPF_K, yes, no, value)
}

const ALLOW: FilterInstruction = answer(libc::SECCOMP_RET_ALLOW);
/// The process ends with SIGSYS, whatever it does with signals.
const END: FilterInstruction = answer(libc::SECCOMP_RET_KILL_PROCESS);

/// Where the number, the architecture and the arguments of a call are, as the kernel shows it to a filter.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(which: u32) -> u32 {
    16 + 8 * which
}

/// When a call is allowed.
#[derive(Debug, Clone, Copy)]
enum When {
    /// An argument has none of these bits.
    Without(u32, u32),
    /// Two arguments do not both have a bit of theirs.
    NotBoth([(u32, u32); 2]),
    /// An argument is one of these.
    Among(u32, &'static [u32]),
    /// An argument is none of these.
    NotAmong(u32, &'static [u32]),
    /// An argument is the id of the process that makes the call.
    Own(u32),
    /// It is answered with an error, as by a kernel that does not know it.
    Unknown,
}

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xc000_00b7;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const ARCH: u32 = 0;

const WRITES: u32 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u32;

/// Clocks of the processor, by their names and by the number 0 for the process itself: they start anew in a copy.
const OWN_CLOCKS: [u32; 4] =
    [libc::CLOCK_PROCESS_CPUTIME_ID as u32, libc::CLOCK_THREAD_CPUTIME_ID as u32, !0 << 3 | 2, !0 << 3 | 6];

/// Calls that are always allowed.
const ALWAYS: &[i64] = &[
    // What is only read.
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_readv,
    libc::SYS_preadv,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_fadvise64,
    // What is written goes to the null device, or from a group's copy to the original, which checks it.
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_dup,
    libc::SYS_dup3,
    // Its own memory.
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_membarrier,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    // Its own state.
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_umask,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_set_tid_address,
    // Who and where it is, and what time it is.
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getpgid,
    libc::SYS_getsid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrandom,
    libc::SYS_getcpu,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
];

/// Calls that are allowed only with some arguments.
const SOMETIMES: &[(i64, When)] = &[
    (libc::SYS_openat, When::Without(2, WRITES)),
    (libc::SYS_mmap, When::NotBoth([(2, libc::PROT_WRITE as u32), (3, libc::MAP_SHARED as u32)])),
    (libc::SYS_fcntl, When::Among(1, &[0, 1, 2, 3, libc::F_DUPFD_CLOEXEC as u32])),
    (libc::SYS_ioctl, When::Among(1, &[libc::TCGETS as u32, libc::TIOCGWINSZ as u32, libc::FIONREAD as u32])),
    // To die with the other, a name, and names for memory.
    (libc::SYS_prctl, When::Among(0, &[1, 15, 16, 0x5356_4d41])),
    // Its own limits.
    (libc::SYS_prlimit64, When::Among(0, &[0])),
    // A signal that it raises in itself.
    (libc::SYS_tgkill, When::Own(0)),
    // Memory that is shared and was only read would be written.
    (libc::SYS_mprotect, When::Without(2, libc::PROT_WRITE as u32)),
    (libc::SYS_clock_gettime, When::NotAmong(0, &OWN_CLOCKS)),
    // Standard output and error are another file in a copy.
    (libc::SYS_lseek, When::NotAmong(0, &[1, 2])),
    // So that the C library takes the older one, whose arguments can be seen.
    (libc::SYS_clone3, When::Unknown),
];

/// Older calls that this machine has as well.
#[cfg(target_arch = "x86_64")]
const ALWAYS_TOO: &[i64] = &[
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_dup2,
    libc::SYS_alarm,
    libc::SYS_pause,
    libc::SYS_time,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_getpgrp,
    libc::SYS_arch_prctl,
    libc::SYS_getrlimit,
];
#[cfg(target_arch = "x86_64")]
const SOMETIMES_TOO: &[(i64, When)] = &[(libc::SYS_open, When::Without(1, WRITES))];
#[cfg(not(target_arch = "x86_64"))]
const ALWAYS_TOO: &[i64] = &[];
#[cfg(not(target_arch = "x86_64"))]
const SOMETIMES_TOO: &[(i64, When)] = &[];

/// What follows once it is known that the call is this one.
fn decision(when: When) -> Vec<FilterInstruction> {
    match when {
        When::Unknown => vec![answer(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32)],
        When::Without(which, bits) => vec![load(argument(which)), jump(libc::BPF_JSET, bits, 1, 0), ALLOW, END],
        When::NotBoth([(first, one), (second, other)]) => vec![
            load(argument(first)),
            jump(libc::BPF_JSET, one, 0, 2),
            load(argument(second)),
            jump(libc::BPF_JSET, other, 1, 0),
            ALLOW,
            END,
        ],
        When::Among(which, values) => compared(which, values, [ALLOW, END]),
        When::NotAmong(which, values) => compared(which, values, [END, ALLOW]),
        When::Own(which) => compared(which, &[OWN_PROCESS], [ALLOW, END]),
    }
}

/// Answers with the first of `answers` if an argument is one of the values, and with the second if it is not.
fn compared(which: u32, values: &[u32], [is, is_not]: [FilterInstruction; 2]) -> Vec<FilterInstruction> {
    let mut all = vec![load(argument(which))];
    for (i, value) in values.iter().enumerate() {
        all.push(jump(libc::BPF_JEQ, *value, (values.len() - i) as u8, 0));
    }
    all.extend([is_not, is]);
    all
}

/// Stands for the id of the process until a copy knows its own. No process has this one.
const OWN_PROCESS: u32 = 0x7fff_ffff;

/// The filter as the kernel takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter {
    pub bytes: Vec<u8>,
    /// How many instructions.
    pub count: u32,
    /// The index of the instruction whose value is to be the id of the process.
    pub own: u32,
}

/// The filter of every copy.
///
/// Each installs it, so it is short: calls that are always allowed are bits in words, one word for 32 numbers. The
/// kernel tries a filter out on every number when it is installed, unless it meets an instruction that it does not try:
/// one stands early on, since trying takes longer than it could ever save here.
pub(crate) fn filter() -> Filter {
    let (always, sometimes) = (ALWAYS.iter().chain(ALWAYS_TOO), SOMETIMES.iter().chain(SOMETIMES_TOO));
    let mut all = vec![load(ARCHITECTURE), jump(libc::BPF_JEQ, ARCH, 1, 0), END];
    // The bit in its word is the index, the number stays at hand.
    all.extend([load(NUMBER), and(31), COPY_TO_INDEX, load(NUMBER)]);
    for &(call, when) in sometimes {
        let then = decision(when);
        all.push(jump(libc::BPF_JEQ, call as u32, 0, then.len() as u8));
        all.extend(then);
    }
    let mut words: BTreeMap<u32, u32> = BTreeMap::new();
    for &call in always {
        *words.entry(call as u32 / 32).or_default() |= 1 << (call as u32 % 32);
    }
    all.push(shift_right(5));
    for (index, (&word, &bits)) in words.iter().enumerate() {
        // To behind the words that follow, and the end that no word leads to.
        let past = (words.len() - 1 - index) * 3 + 1;
        all.extend([jump(libc::BPF_JEQ, word, 0, 2), load_value(bits), jump(libc::BPF_JA, past as u32, 0, 0)]);
    }
    all.extend([END, SHIFT_BY_INDEX, jump(libc::BPF_JSET, 1, 0, 1), ALLOW, END]);
    let bytes = all.iter().flat_map(|instruction| {
        let FilterInstruction { code, yes, no, value } = *instruction;
        let [code_low, code_high] = code.to_ne_bytes();
        let value = value.to_ne_bytes();
        [code_low, code_high, yes, no, value[0], value[1], value[2], value[3]]
    });
    let is_own = |instruction: &FilterInstruction| instruction.value == OWN_PROCESS;
    let own = all.iter().position(is_own).expect("a copy may signal itself") as u32;
    Filter { bytes: bytes.collect(), count: all.len() as u32, own }
}

const COPY_TO_INDEX: FilterInstruction = FilterInstruction::new(libc::BPF_MISC | libc::BPF_TAX, 0, 0, 0);

const fn load_value(value: u32) -> FilterInstruction {
    FilterInstruction::new(libc::BPF_LD | libc::BPF_IMM, 0, 0, value)
}

const fn shift_right(by: u32) -> FilterInstruction {
    FilterInstruction::new(libc::BPF_ALU | libc::BPF_RSH | libc::BPF_K, 0, 0, by)
}

const fn and(value: u32) -> FilterInstruction {
    FilterInstruction::new(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0, 0, value)
}

const SHIFT_BY_INDEX: FilterInstruction = FilterInstruction::new(libc::BPF_ALU | libc::BPF_RSH | libc::BPF_X, 0, 0, 0);

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: u32 = 4711;

    /// What the filter of process 4711 answers to a call, by a machine of our own.
    fn answered(number: i64, arguments: [u64; 6]) -> u32 {
        let Filter { mut bytes, count, own } = filter();
        let value = own as usize * 8 + 4;
        assert_eq!(bytes[value..value + 4], OWN_PROCESS.to_ne_bytes());
        bytes[value..value + 4].copy_from_slice(&OWN.to_ne_bytes());
        let mut data = vec![0u8; 64];
        data[0..4].copy_from_slice(&(number as u32).to_ne_bytes());
        data[4..8].copy_from_slice(&ARCH.to_ne_bytes());
        for (i, argument) in arguments.iter().enumerate() {
            data[16 + 8 * i..24 + 8 * i].copy_from_slice(&argument.to_ne_bytes());
        }
        let word = |bytes: &[u8], at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap());
        let (mut a, mut x, mut at) = (0u32, 0u32, 0usize);
        loop {
            assert!(at < count as usize, "it runs past its end");
            let here = &bytes[at * 8..at * 8 + 8];
            let code = u32::from(u16::from_ne_bytes([here[0], here[1]]));
            let (yes, no, value) = (here[2], here[3], word(here, 4));
            at += 1;
            let jump = |is: bool| usize::from(if is { yes } else { no });
            match code {
                _ if code == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => a = word(&data, value as usize),
                _ if code == libc::BPF_LD | libc::BPF_IMM => a = value,
                _ if code == libc::BPF_MISC | libc::BPF_TAX => x = a,
                _ if code == libc::BPF_ALU | libc::BPF_AND | libc::BPF_K => a &= value,
                _ if code == libc::BPF_ALU | libc::BPF_RSH | libc::BPF_K => a >>= value,
                _ if code == libc::BPF_ALU | libc::BPF_RSH | libc::BPF_X => a >>= x,
                _ if code == libc::BPF_JMP | libc::BPF_JA => at += value as usize,
                _ if code == libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K => at += jump(a == value),
                _ if code == libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K => at += jump(a & value != 0),
                _ if code == libc::BPF_RET | libc::BPF_K => return value,
                _ => panic!("an instruction that it should not have: {code:#x}"),
            }
        }
    }

    #[test]
    fn what_is_always_allowed_is_and_nothing_else() {
        let always: Vec<i64> = ALWAYS.iter().chain(ALWAYS_TOO).copied().collect();
        let sometimes: Vec<i64> = SOMETIMES.iter().chain(SOMETIMES_TOO).map(|(call, _)| *call).collect();
        for number in 0..1200 {
            let allows = answered(number, [0; 6]) == libc::SECCOMP_RET_ALLOW;
            if always.contains(&number) {
                assert!(allows, "call {number}");
            } else if !sometimes.contains(&number) {
                assert!(!allows, "call {number}");
            }
        }
    }

    #[test]
    fn files_are_only_read_and_nothing_is_shared() {
        let ends = |number: i64, arguments: [u64; 6]| answered(number, arguments) == libc::SECCOMP_RET_KILL_PROCESS;
        let open = |flags: i32| ends(libc::SYS_openat, [0, 0, flags as u64, 0, 0, 0]);
        assert!(!open(libc::O_RDONLY | libc::O_CLOEXEC));
        assert!(!open(libc::O_RDONLY | libc::O_DIRECTORY));
        for flags in [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC, libc::O_TMPFILE | libc::O_RDWR] {
            assert!(open(flags), "{flags:o}");
        }
        let map = |access: i32, kind: i32| ends(libc::SYS_mmap, [0, 0, access as u64, kind as u64, 0, 0]);
        assert!(map(libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED));
        assert!(!map(libc::PROT_READ, libc::MAP_SHARED));
        assert!(!map(libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS));
        assert!(!ends(libc::SYS_prlimit64, [0, 7, 1 << 40, 0, 0, 0]));
        assert!(ends(libc::SYS_prlimit64, [5, 7, 1 << 40, 0, 0, 0]), "another's limits");
        let protect = |access: i32| ends(libc::SYS_mprotect, [0, 0, access as u64, 0, 0, 0]);
        assert!(protect(libc::PROT_READ | libc::PROT_WRITE) && !protect(libc::PROT_READ));
        let clock = |clock: i64| ends(libc::SYS_clock_gettime, [clock as u64, 0, 0, 0, 0, 0]);
        assert!(clock(2) && clock(3) && clock(!0 << 3 | 2) && !clock(0) && !clock(1) && !clock(!1234 << 3 | 2));
        let seek = |file: u64| ends(libc::SYS_lseek, [file, 0, 1, 0, 0, 0]);
        assert!(seek(1) && seek(2) && !seek(0) && !seek(3));
        let control = |what: i32| ends(libc::SYS_fcntl, [3, what as u64, 0, 0, 0, 0]);
        assert!(
            control(libc::F_SETFL) && control(libc::F_SETOWN) && control(libc::F_SETLK) && control(libc::F_SETPIPE_SZ)
        );
        assert!(!control(libc::F_GETFL) && !control(libc::F_DUPFD));
        for number in [libc::SYS_execve, libc::SYS_unlinkat, libc::SYS_renameat2, libc::SYS_socket, libc::SYS_sendto] {
            assert!(ends(number, [0; 6]), "call {number}");
        }
        assert_eq!(answered(libc::SYS_clone3, [0; 6]), libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32);
    }

    #[test]
    fn a_copy_signals_itself_and_has_no_other_processes() {
        let ends = |number: i64, arguments: [u64; 6]| answered(number, arguments) == libc::SECCOMP_RET_KILL_PROCESS;
        let signal = |process: u64| ends(libc::SYS_tgkill, [process, process, 9, 0, 0, 0]);
        assert!(!signal(u64::from(OWN)));
        // The kernel sees only the lower half of the argument, and so does the filter.
        assert!(!signal(1 << 32 | u64::from(OWN)));
        for other in [0, 1, u64::from(OWN) - 1, u64::from(OWN) + 1, -1i64 as u64, u64::from(OWN_PROCESS)] {
            assert!(signal(other), "process {other}");
        }
        for flags in [0, libc::SIGCHLD, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD, libc::CLONE_THREAD] {
            assert!(ends(libc::SYS_clone, [flags as u64, 0, 0, 0, 0, 0]), "{flags:#x}");
        }
        for number in [
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_rt_sigqueueinfo,
            libc::SYS_rt_tgsigqueueinfo,
            libc::SYS_wait4,
            libc::SYS_waitid,
            libc::SYS_pidfd_open,
            libc::SYS_pidfd_send_signal,
            libc::SYS_pidfd_getfd,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_setpgid,
            libc::SYS_sched_setaffinity,
        ] {
            assert!(ends(number, [u64::from(OWN); 6]), "call {number}");
        }
    }
}
