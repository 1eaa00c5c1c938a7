//! Makes connections for jobs that need sockets with a path, on machines where a job can name every such socket.
//!
//! Without a root of its own, a job can name the socket of a session or a container engine, and neither Landlock nor a
//! filter can distinguish it from a socket of the job. So the filter passes each `connect` of such a job to the server.
//! The server reads the address once, opens the path, and connects a duplicate of the job's socket to exactly that
//! file, if it is in a folder that the job may write to. The job cannot change anything in between: it never connects
//! by itself.
//!
//! Nothing here allocates.

use std::ffi::CString;

use crate::sys::{self, Fd, Notice};

/// Answers a call of `connect` that waits. Whoever made it may have ended meanwhile.
pub(crate) fn answer(listener: Fd, folders: &[CString]) {
    let Some(notice) = sys::next_notice(listener) else { return };
    let answer = match connected(listener, &notice, folders) {
        Ok(()) => 0,
        Err(errno) => -errno,
    };
    sys::answer_notice(listener, &notice, answer);
}

fn connected(listener: Fd, notice: &Notice, folders: &[CString]) -> Result<(), i32> {
    let mut address = sys::Address::new();
    sys::read_memory(notice.process, notice.arguments[1], address.room(notice.arguments[2])?)?;
    // An address of another family reaches nobody: the filter lets a job open no such socket.
    let path = address.path().ok_or(libc::EAFNOSUPPORT)?;
    let target = sys::open_as_seen_by(notice.process, path)?;
    let result = may_connect(target, folders).and_then(|()| {
        let socket = sys::duplicate_of(notice.process, notice.arguments[0])?;
        // Now that the process was looked into: is it still the one that asked?
        let connected = match sys::is_waiting(listener, notice) {
            true => sys::connect_to(socket, target),
            false => Err(libc::ESRCH),
        };
        sys::close(socket);
        connected
    });
    sys::close(target);
    result
}

/// Whether what was opened is in one of the folders.
fn may_connect(target: Fd, folders: &[CString]) -> Result<(), i32> {
    let mut place = [0; libc::PATH_MAX as usize];
    let place = sys::place_of(target, &mut place)?;
    let is_in = |folder: &CString| {
        let rest = place.strip_prefix(folder.as_bytes());
        rest.is_some_and(|rest| rest.first() == Some(&b'/'))
    };
    if folders.iter().any(is_in) {
        Ok(())
    } else {
        Err(libc::EACCES)
    }
}
