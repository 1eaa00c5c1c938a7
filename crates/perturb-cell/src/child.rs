//! The last steps of a job before its program is executed: a process that shares the server's memory until then.
//!
//! So it may only make system calls, and writes nothing but its result. The server waits meanwhile: starting a job
//! costs the same however large the memory is from which the server was cloned.

use std::ffi::{c_void, CStr};
use std::os::fd::OwnedFd;

use crate::confine::confine;
use crate::desk::JobOrder;
use crate::plan::JobUser;
use crate::sys::{self, Fd, SysError, SysResult};

/// All that the process needs to know.
pub(crate) struct ChildStart<'a> {
    pub order: JobOrder,
    pub null: Fd,
    pub output: Fd,
    pub user: Option<&'a JobUser>,
    pub rules: Option<&'a OwnedFd>,
    pub filter: &'a [libc::sock_filter],
    /// Where the descriptor goes that answers calls which the filter hands on, if it does.
    pub notices: Option<Fd>,
    /// A limit of the kernel's on processes, where it would count this cell's only.
    pub processes: Option<u64>,
    /// Why the program does not run.
    pub failed: Option<Stop>,
}

/// The step at which a job failed to start.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop {
    Before(SysError),
    Executing { errno: i32 },
}

/// Memory for the process to stand on.
pub(crate) struct Stack {
    top: *mut c_void,
}

impl Stack {
    const BYTES: usize = 256 << 10;

    pub fn new() -> SysResult<Stack> {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: asks for new memory wherever there is room.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), Stack::BYTES, access, kind, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(SysError { step: "make a stack", errno: sys::errno() });
        }
        // SAFETY: one past the end of what was just mapped; a page is aligned enough for a stack.
        Ok(Stack { top: unsafe { base.byte_add(Stack::BYTES) } })
    }
}

/// Starts the program. Returns when it executes, or cannot.
pub(crate) fn start(start: &mut ChildStart<'_>, stack: &Stack) -> SysResult<libc::pid_t> {
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument: *mut ChildStart<'_> = start;
    // SAFETY: the child runs `run` on a stack of its own while we wait, and leaves our memory before we go on; so the
    // argument is nobody else's as long as the child has it.
    match unsafe { libc::clone(run, stack.top, flags, argument.cast()) } {
        -1 => Err(SysError { step: "start a process", errno: sys::errno() }),
        process => Ok(process),
    }
}

extern "C" fn run(argument: *mut c_void) -> libc::c_int {
    // SAFETY: `start` gave this pointer, and waits.
    let start: &mut ChildStart<'_> = unsafe { &mut *argument.cast() };
    start.failed = Some(match prepare(start) {
        Ok(()) => Stop::Executing { errno: execute(&start.order) },
        Err(failed) => Stop::Before(failed),
    });
    sys::exit(127)
}

/// In this order: limits while we may still set them, then the user, then what that user may do, and last of all what
/// confines the program whoever it runs as.
fn prepare(start: &ChildStart<'_>) -> SysResult {
    // A group of its own, so that a signal to its group does not reach the server.
    // SAFETY: takes nothing; a new process is not the leader of a group, so that it cannot fail.
    unsafe { libc::setsid() };
    sys::dup_onto("take the input", start.null, 0)?;
    sys::dup_onto("take the output", start.output, 1)?;
    sys::dup_onto("take the output", start.output, 2)?;
    set_limits(start)?;
    if let Some(job) = start.user {
        let keeps = !job.capabilities.is_empty();
        sys::prctl("keep capabilities", libc::PR_SET_KEEPCAPS, keeps.into(), 0)?;
        sys::become_user(job.user.uid, job.user.gid)?;
        if keeps {
            sys::keep_capabilities(&job.capabilities)?;
        }
    }
    // Should the server be killed where no namespace ends the job with it. A change of user would undo it.
    sys::prctl("die with the server", libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong, 0)?;
    // SAFETY: takes a number and cannot fail.
    unsafe { libc::umask(0o022) };
    // SAFETY: the owner wrote a text with a zero at its end.
    sys::change_folder("enter its folder", unsafe { CStr::from_ptr(start.order.directory) })?;
    sys::hold_back_none();
    confine(start.rules, start.filter, start.notices)
}

fn set_limits(start: &ChildStart<'_>) -> SysResult {
    let order = &start.order;
    // Behind the server's own looks, which are finer and see all processes together.
    let seconds = order.bounds.cpu_ns.div_ceil(1_000_000_000).saturating_add(1);
    sys::limit(libc::RLIMIT_CPU, seconds, seconds.saturating_add(1))?;
    // One byte is too small for a core file, and the value that also keeps the kernel from starting a program that
    // collects cores; zero does not.
    sys::limit(libc::RLIMIT_CORE, 1, 1)?;
    sys::limit(libc::RLIMIT_FSIZE, order.bounds.file_bytes, order.bounds.file_bytes)?;
    sys::limit(libc::RLIMIT_DATA, order.bounds.data_bytes, order.bounds.data_bytes)?;
    match start.processes {
        Some(processes) => sys::limit(libc::RLIMIT_NPROC, processes, processes),
        None => Ok(()),
    }
}

/// Returns only when it failed.
fn execute(order: &JobOrder) -> i32 {
    // SAFETY: the owner wrote texts with zeroes at their ends, and lists of them with a null at theirs.
    unsafe { libc::execve(order.program, order.arguments, order.environment) };
    sys::errno()
}
