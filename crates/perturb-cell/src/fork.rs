//! Clones this process into namespaces of its own, with its user and group ids mapped.
//!
//! The clone bypasses the C library: it may use only the calls in `sys`, and must end without returning.

use std::fs;
use std::io;

use crate::sys;

/// Clones the calling thread as a process. Runs `child` in it, with all signals held back. The child can be waited for,
/// and its other threads are not there.
pub(crate) fn clone_process(flags: libc::c_int, child: &mut dyn FnMut() -> i32) -> io::Result<libc::pid_t> {
    // A handler of ours must not run in the copy, nor an interrupt from the terminal end it half set up.
    let before = sys::hold_back(&sys::all_signals());
    // SAFETY: no memory is shared and no stack given, so that the copy goes on as after a fork. Arguments that are
    // zero have the same order everywhere.
    let process = unsafe { libc::syscall(libc::SYS_clone, flags | libc::SIGCHLD, 0, 0, 0, 0) };
    if process == 0 {
        let _guard = ExitOnUnwind;
        sys::exit(child());
    }
    let error = io::Error::last_os_error();
    sys::hold_back(&before);
    match process {
        -1 => Err(error),
        process => Ok(process as libc::pid_t),
    }
}

/// Should the child panic in spite of all, it must not go on as a second one of us.
struct ExitOnUnwind;

impl Drop for ExitOnUnwind {
    fn drop(&mut self) {
        sys::exit(101)
    }
}

/// Ends a child of ours, if it has not ended yet, and waits for it.
pub(crate) fn end(process: libc::pid_t) {
    sys::kill(process, libc::SIGKILL);
    wait_for(process);
}

pub(crate) fn wait_for(process: libc::pid_t) {
    let mut status = 0;
    // SAFETY: there is room for the answer. An interrupted call is repeated; a process that is not ours is no matter.
    while unsafe { libc::waitpid(process, &mut status, 0) } == -1 && sys::errno() == libc::EINTR {}
}

/// Which ids of a user namespace are which outside, in the form of `/proc/PID/uid_map`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Maps {
    pub users: String,
    pub groups: String,
    /// What a process without privileges has to give up before it may map its group.
    pub forbid_setgroups: bool,
}

impl Maps {
    /// Every id that we know ourselves stays what it is; without privileges only our own can.
    pub fn identity(is_root: bool) -> io::Result<Maps> {
        if !is_root {
            // SAFETY: these take nothing and cannot fail.
            let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
            let one = |id| format!("{id} {id} 1\n");
            return Ok(Maps { users: one(user), groups: one(group), forbid_setgroups: true });
        }
        let all = |file| fs::read_to_string(file).map(|known| identity_of(&known));
        Ok(Maps { users: all("/proc/self/uid_map")?, groups: all("/proc/self/gid_map")?, forbid_setgroups: false })
    }

    /// Every id stays what it is, but for two that change places.
    pub fn swapping(users: (u32, u32), groups: (u32, u32)) -> Maps {
        Maps { users: swapping(users), groups: swapping(groups), forbid_setgroups: false }
    }

    /// Gives them to a process in a new user namespace.
    pub fn give_to(&self, process: libc::pid_t) -> io::Result<()> {
        if self.forbid_setgroups {
            fs::write(format!("/proc/{process}/setgroups"), "deny")?;
        }
        fs::write(format!("/proc/{process}/uid_map"), &self.users)?;
        fs::write(format!("/proc/{process}/gid_map"), &self.groups)
    }
}

/// Whether both ids mean anything where we are: in a container they may not.
pub(crate) fn is_known(uid: u32, gid: u32) -> bool {
    let knows = |file, id| fs::read_to_string(file).is_ok_and(|map| contains(&map, id));
    knows("/proc/self/uid_map", uid) && knows("/proc/self/gid_map", gid)
}

fn contains(map: &str, id: u32) -> bool {
    map.lines().any(|line| {
        let numbers: Vec<u64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        matches!(numbers[..], [first, _, count] if (first..first + count).contains(&id.into()))
    })
}

/// Lines of inner id, outer id and count, with the outer id replaced by the inner one.
fn identity_of(known: &str) -> String {
    let line = |line: &str| {
        let mut numbers = line.split_whitespace();
        let (inner, count) = (numbers.next()?, numbers.nth(1)?);
        Some(format!("{inner} {inner} {count}\n"))
    };
    known.lines().filter_map(line).collect()
}

fn swapping((one, other): (u32, u32)) -> String {
    let (low, high) = (u64::from(one.min(other)), u64::from(one.max(other)));
    // The highest number is no id.
    let end = u64::from(u32::MAX);
    if low == high {
        return format!("0 0 {end}\n");
    }
    let parts = [
        (0, 0, low),
        (low, high, 1),
        (low + 1, low + 1, high - low - 1),
        (high, low, 1),
        (high + 1, high + 1, end - high - 1),
    ];
    let parts = parts.iter().filter(|(_, _, count)| *count > 0);
    parts.map(|(inner, outer, count)| format!("{inner} {outer} {count}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ids_change_places_and_all_others_stay() {
        assert_eq!(swapping((0, 65534)), "0 65534 1\n1 1 65533\n65534 0 1\n65535 65535 4294901760\n");
        assert_eq!(swapping((65534, 0)), swapping((0, 65534)));
        assert_eq!(swapping((7, 8)), "0 0 7\n7 8 1\n8 7 1\n9 9 4294967286\n");
        assert_eq!(swapping((7, 7)), "0 0 4294967295\n");
    }

    #[test]
    fn known_ids_keep_their_numbers_inside() {
        assert_eq!(identity_of("         0          0 4294967295\n"), "0 0 4294967295\n");
        assert_eq!(identity_of("0 1000 1\n1 100000 65536\n"), "0 0 1\n1 1 65536\n");
    }

    #[test]
    fn an_id_that_is_not_mapped_is_not_known() {
        let map = "0 1000 1\n1 100000 65533\n";
        assert!(contains(map, 0) && contains(map, 65533) && !contains(map, 65534));
    }
}
