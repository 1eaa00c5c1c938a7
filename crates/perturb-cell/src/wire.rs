//! Sends and receives one byte over the socket between a cell's owner and its server, with a file descriptor if one is
//! needed.
//!
//! The byte only signals that the desk has something new. A closed socket means that the other side has ended. Nothing
//! here allocates: the server uses it too.

use std::mem;
use std::ptr;

use crate::sys::{errno, Fd};

/// A buffer for one descriptor that is sent with a message, aligned as its header must be.
#[repr(C)]
struct DescriptorMessage {
    header: libc::cmsghdr,
    fd: Fd,
}

/// Sends one byte, and a copy of the descriptor if one is given.
pub(crate) fn send(socket: Fd, beside: Option<Fd>) -> Result<(), i32> {
    let mut byte = 0u8;
    let mut part = libc::iovec { iov_base: ptr::addr_of_mut!(byte).cast(), iov_len: 1 };
    // SAFETY: all zeroes is a value of this plain struct.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    let mut control = control(beside.unwrap_or(-1));
    if beside.is_some() {
        message.msg_control = ptr::addr_of_mut!(control).cast();
        message.msg_controllen = mem::size_of::<DescriptorMessage>();
    }
    loop {
        // SAFETY: the message names memory that lives until the call returns.
        match unsafe { libc::sendmsg(socket, &message, libc::MSG_NOSIGNAL) } {
            -1 if errno() == libc::EINTR => continue,
            -1 => return Err(errno()),
            _ => return Ok(()),
        }
    }
}

/// Waits for a byte: the descriptor that came with it, if one did. `None` if the other side has ended.
pub(crate) fn receive(socket: Fd) -> Option<Option<Fd>> {
    let mut byte = 0u8;
    let mut part = libc::iovec { iov_base: ptr::addr_of_mut!(byte).cast(), iov_len: 1 };
    let mut control = control(-1);
    // SAFETY: all zeroes is a value of this plain struct.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = ptr::addr_of_mut!(control).cast();
    message.msg_controllen = mem::size_of::<DescriptorMessage>();
    loop {
        // SAFETY: the message names memory that lives until the call returns.
        match unsafe { libc::recvmsg(socket, &mut message, libc::MSG_CMSG_CLOEXEC) } {
            -1 if errno() == libc::EINTR => continue,
            1 => return Some((message.msg_controllen > 0).then_some(control.fd)),
            _ => return None,
        }
    }
}

fn control(fd: Fd) -> DescriptorMessage {
    // SAFETY: all zeroes is a value of this plain struct; the call computes a length.
    let (mut header, length): (libc::cmsghdr, _) =
        unsafe { (mem::zeroed(), libc::CMSG_LEN(mem::size_of::<Fd>() as u32)) };
    header.cmsg_len = length as usize;
    header.cmsg_level = libc::SOL_SOCKET;
    header.cmsg_type = libc::SCM_RIGHTS;
    DescriptorMessage { header, fd }
}
