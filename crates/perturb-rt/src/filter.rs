//! The filter for system calls that a copy of a program runs under: what the original, another copy or anybody else would
//! notice ends it, and the mutant is executed in another way.
//!
//! It names what is allowed; a call that nobody thought of is not. Allowed is what reads, what concerns only the memory and
//! the state of the process itself, and copies of copies. A file is only opened for reading, and nothing is sent.

/// One instruction of the kernel's filter machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Instruction {
    code: u16,
    yes: u8,
    no: u8,
    value: u32,
}

impl Instruction {
    const fn new(code: u32, yes: u8, no: u8, value: u32) -> Self {
        Self { code: code as u16, yes, no, value }
    }
}

const fn load(offset: u32) -> Instruction {
    Instruction::new(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, offset)
}

const fn answer(value: u32) -> Instruction {
    Instruction::new(libc::BPF_RET | libc::BPF_K, 0, 0, value)
}

const fn jump(kind: u32, value: u32, yes: u8, no: u8) -> Instruction {
    Instruction::new(libc::BPF_JMP | kind | libc::BPF_K, yes, no, value)
}

const ALLOW: Instruction = answer(libc::SECCOMP_RET_ALLOW);
/// The process ends with SIGSYS, whatever it does with signals.
const END: Instruction = answer(libc::SECCOMP_RET_KILL_PROCESS);

/// Where the number, the architecture and the arguments of a call are, as the kernel shows it to a filter.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(which: u32) -> u32 {
    16 + 8 * which
}

/// When a call is allowed.
#[derive(Debug, Clone, Copy)]
enum When {
    Always,
    /// An argument has none of these bits.
    Without(u32, u32),
    /// Two arguments do not both have a bit of theirs.
    NotBoth([(u32, u32); 2]),
    /// An argument is one of these.
    Among(u32, &'static [u32]),
    /// Both halves of an argument are zero.
    Null(u32),
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

/// All but the end's signal and where the number of the process is put: the memory above all.
const SHARES: u32 =
    !0xff & !((libc::CLONE_CHILD_SETTID | libc::CLONE_CHILD_CLEARTID | libc::CLONE_PARENT_SETTID) as u32);

fn allowed() -> Vec<(i64, When)> {
    let mut calls: Vec<(i64, When)> = [
        // What is only read.
        libc::SYS_read,
        libc::SYS_pread64,
        libc::SYS_readv,
        libc::SYS_preadv,
        libc::SYS_lseek,
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
        // What is written goes to the null device: there is nothing else to write to.
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_dup,
        libc::SYS_dup3,
        // Its own memory.
        libc::SYS_munmap,
        libc::SYS_mprotect,
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
        // Raises a signal in itself; the processes around it are of its own kind.
        libc::SYS_tgkill,
        libc::SYS_getitimer,
        libc::SYS_setitimer,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_set_tid_address,
        // Who and where it is, and what time it is.
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_getppid,
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
        libc::SYS_getrusage,
        libc::SYS_times,
        libc::SYS_getcpu,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_yield,
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_gettimeofday,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        // Copies of the copy.
        libc::SYS_wait4,
        libc::SYS_waitid,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_send_signal,
    ]
    .into_iter()
    .map(|call| (call, When::Always))
    .collect();
    calls.extend([
        (libc::SYS_openat, When::Without(2, WRITES)),
        (libc::SYS_mmap, When::NotBoth([(2, libc::PROT_WRITE as u32), (3, libc::MAP_SHARED as u32)])),
        (libc::SYS_fcntl, When::Among(1, &[0, 1, 2, 3, libc::F_DUPFD_CLOEXEC as u32])),
        (libc::SYS_ioctl, When::Among(1, &[libc::TCGETS as u32, libc::TIOCGWINSZ as u32, libc::FIONREAD as u32])),
        // To die with the other, a name, and names for memory.
        (libc::SYS_prctl, When::Among(0, &[1, 15, 16, 0x5356_4d41])),
        (libc::SYS_prlimit64, When::Null(2)),
        (libc::SYS_clone, When::Without(0, SHARES)),
        // So that the C library takes the older one, whose arguments can be seen.
        (libc::SYS_clone3, When::Unknown),
    ]);
    #[cfg(target_arch = "x86_64")]
    calls.extend([
        (libc::SYS_stat, When::Always),
        (libc::SYS_lstat, When::Always),
        (libc::SYS_access, When::Always),
        (libc::SYS_readlink, When::Always),
        (libc::SYS_getdents, When::Always),
        (libc::SYS_dup2, When::Always),
        (libc::SYS_alarm, When::Always),
        (libc::SYS_pause, When::Always),
        (libc::SYS_time, When::Always),
        (libc::SYS_poll, When::Always),
        (libc::SYS_select, When::Always),
        (libc::SYS_getpgrp, When::Always),
        (libc::SYS_arch_prctl, When::Always),
        (libc::SYS_getrlimit, When::Always),
        (libc::SYS_open, When::Without(1, WRITES)),
        (libc::SYS_fork, When::Always),
    ]);
    calls
}

/// What follows once it is known that the call is this one.
fn decision(when: When) -> Vec<Instruction> {
    match when {
        When::Always => vec![ALLOW],
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
        When::Among(which, values) => {
            let mut all = vec![load(argument(which))];
            for (i, value) in values.iter().enumerate() {
                all.push(jump(libc::BPF_JEQ, *value, (values.len() - i) as u8, 0));
            }
            all.extend([END, ALLOW]);
            all
        }
        When::Null(which) => vec![
            load(argument(which)),
            jump(libc::BPF_JEQ, 0, 0, 3),
            load(argument(which) + 4),
            jump(libc::BPF_JEQ, 0, 0, 1),
            ALLOW,
            END,
        ],
    }
}

/// The filter as the kernel takes it, and how many instructions it has.
pub(crate) fn filter() -> (Vec<u8>, u32) {
    let mut all = vec![load(ARCHITECTURE), jump(libc::BPF_JEQ, ARCH, 1, 0), END, load(NUMBER)];
    for (call, when) in allowed() {
        let then = decision(when);
        all.push(jump(libc::BPF_JEQ, call as u32, 0, then.len() as u8));
        all.extend(then);
    }
    all.push(END);
    let bytes = all.iter().flat_map(|instruction| {
        let Instruction { code, yes, no, value } = *instruction;
        let [code_low, code_high] = code.to_ne_bytes();
        let value = value.to_ne_bytes();
        [code_low, code_high, yes, no, value[0], value[1], value[2], value[3]]
    });
    (bytes.collect(), all.len() as u32)
}
