//! Mounts files of root as files of the user who runs the jobs.
//!
//! If we are root, all that we wrote belongs to root, and may be closed to everybody else. The kernel can mount a
//! folder with mapped ids: in that mount only, the owner's files belong to the job's user, and new files of that user
//! belong to the owner. Nothing changes on the disk, and no privilege is granted.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::fork::{clone_process, wait_for, Maps};
use crate::options::User;
use crate::plan::{PathUse, Wanted};
use crate::sys;

/// A copy of the mounts at each path in which what belongs to the path's owner belongs to `user`; devices and the
/// system's folders stay as they are.
pub(crate) fn mapped_trees(wanted: &[Wanted], user: User) -> io::Result<Vec<Option<OwnedFd>>> {
    let mut namespaces: Vec<(Maps, OwnedFd)> = Vec::new();
    let mut trees = Vec::new();
    for one in wanted {
        let tree = match one.kind {
            PathUse::Device | PathUse::System => None,
            // Some file systems cannot: what belongs to others is read as far as they let everybody.
            PathUse::Readable => mapped(one, user, &mut namespaces).ok(),
            PathUse::Visible | PathUse::Private | PathUse::Shared => Some(mapped(one, user, &mut namespaces)?),
        };
        trees.push(tree);
    }
    Ok(trees)
}

fn mapped(one: &Wanted, user: User, namespaces: &mut Vec<(Maps, OwnedFd)>) -> io::Result<OwnedFd> {
    let data = fs::metadata(&one.path)?;
    let maps = Maps::swapping((data.uid(), user.uid), (data.gid(), user.gid));
    if let Some((_, namespace)) = namespaces.iter().find(|(known, _)| *known == maps) {
        return mapped_tree(&one.path, one.kind, namespace);
    }
    let namespace = user_namespace(&maps)?;
    let tree = mapped_tree(&one.path, one.kind, &namespace);
    namespaces.push((maps, namespace));
    tree
}

fn mapped_tree(path: &Path, kind: PathUse, namespace: &OwnedFd) -> io::Result<OwnedFd> {
    let error = |failed: sys::SysError| io::Error::from_raw_os_error(failed.errno);
    let text = CString::new(path.as_os_str().as_bytes())?;
    let tree = sys::open_tree("copy a mount", &text).map_err(error)?;
    // SAFETY: a new descriptor that nobody else owns.
    let tree = unsafe { OwnedFd::from_raw_fd(tree) };
    const TAME: u64 = libc::MOUNT_ATTR_IDMAP | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    let attributes = match kind {
        PathUse::Private | PathUse::Shared => TAME,
        _ => TAME | libc::MOUNT_ATTR_RDONLY,
    };
    sys::set_mount("map ids", tree.as_raw_fd(), c"", attributes, namespace.as_raw_fd()).map_err(error)?;
    Ok(tree)
}

/// A user namespace that exists for its maps only. It needs a process to be born with, and outlives it.
fn user_namespace(maps: &Maps) -> io::Result<OwnedFd> {
    let (reader, writer) = io::pipe()?;
    let waits_on = reader.as_raw_fd();
    let process = clone_process(libc::CLONE_NEWUSER, &mut || {
        // Nothing else is to be held open by this copy, its own end of the pipe least of all.
        sys::close_range(0, waits_on - 1);
        sys::close_range(waits_on + 1, i32::MAX);
        let _ = sys::read(waits_on, &mut [0]);
        0
    })?;
    let namespace = maps.give_to(process).and_then(|()| fs::File::open(format!("/proc/{process}/ns/user")));
    drop(writer);
    wait_for(process);
    namespace.map(OwnedFd::from)
}
