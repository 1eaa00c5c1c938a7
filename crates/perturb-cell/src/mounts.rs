//! The file systems of a cell: mounted once by its server, and reset after every job that wrote something.
//!
//! The root of the cell is a file system of its own that contains nothing but mounts: folders of the system and what
//! the caller wants to be read, all of it read-only; views of the folders that tests write to; what the caller shares;
//! and the cell's own temporary folders. The root of the machine leaves the namespace before the first job. A job
//! cannot reach the stage from which all this is mounted: it is covered by another mount, and only the server's working
//! folder still refers to it. Nothing here allocates.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libc::{c_ulong, AT_FDCWD, MS_BIND, MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_PRIVATE, MS_RDONLY, MS_REC, MS_REMOUNT};

use crate::desk::SetUp;
use crate::plan::{Area, Bind, CellPlan, FolderAttributes, MountStep, Source, View, What};
use crate::sys::{self, Fd, SysError, SysResult};
use crate::{wipe, wire};

/// Where the message queues of the cell appear, for us only.
const QUEUES: &CStr = c"mq";

const TAME: c_ulong = MS_NOSUID | MS_NODEV;

/// Sets all up, and leaves the stage as the working folder.
pub(crate) fn set_up(plan: &mut CellPlan, found: &mut SetUp) -> SysResult {
    let Some(view) = &mut plan.view else {
        sys::change_folder("enter the scratch", &plan.scratch)?;
        return make_areas(plan);
    };
    // From here on no mount of ours is seen outside.
    sys::mount("leave the mounts of the machine", None, c"/", None, MS_REC | MS_PRIVATE, None)?;
    let room = sys::open_tree("copy the mount of the scratch", &plan.scratch)?;
    for source in &mut view.sources {
        if let Err(failed) = open_source(source)? {
            found.read_only = Some(failed);
        }
    }
    found.own_proc = change_root(&plan.scratch, &view.stage_options)?;
    found.in_memory = furnish(view, room)?;
    make_exchange(view)?;
    make_areas(plan)?;
    mount_queues();
    let Some(view) = &mut plan.view else { return Ok(()) };
    for node in &view.nodes {
        match &node.what {
            What::Folder => sys::make_folder("make a mount point", &node.at, 0o755)?,
            What::File => sys::make_file("make a mount point", &node.at)?,
            What::Link { to } => sys::make_link("make a link", &node.at, to)?,
        }
    }
    for at in 0..view.order.len() {
        match view.order.get(at) {
            Some(MountStep::Bind(number)) => view.binds.get(*number).map_or(Ok(()), bind)?,
            Some(MountStep::Place(number)) => {
                let is_read = view.places.get(*number).is_some_and(|place| place.read_only_view.is_some());
                match put(view, *number)? {
                    Err(failed) if is_read => found.sealed = Some(failed),
                    Err(failed) => found.views = Some(failed),
                    Ok(()) => (),
                }
            }
            None => (),
        }
    }
    // Terminals that only this cell's programs see. Without them, programs that ask for one fail.
    let terminals = Some(c"newinstance,ptmxmode=0666,mode=0620");
    let _ =
        sys::mount("mount terminals", Some(c"devpts"), c"/dev/pts", Some(c"devpts"), MS_NOSUID | MS_NOEXEC, terminals);
    let hidden = Some(c"size=4k,mode=0");
    sys::mount("hide the stage", Some(c"perturb"), STAGE, Some(c"tmpfs"), TAME | MS_RDONLY, hidden)?;
    sys::mount("make the root read-only", None, c"/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | TAME, None)
}

/// Where the stage is in the root.
const STAGE: &CStr = c"/.stage";

/// Puts an empty file system in the place of the machine's root, with `/proc` and the stage in it, and enters the
/// stage. Whether `/proc` is the cell's own.
fn change_root(scratch: &CStr, stage_options: &CStr) -> SysResult<bool> {
    let root_options = Some(c"mode=0755,size=4m");
    sys::mount("mount the root", Some(c"perturb"), scratch, Some(c"tmpfs"), TAME, root_options)?;
    sys::change_folder("enter the root", scratch)?;
    for folder in [c"proc", c"machine", c".stage"] {
        sys::make_folder("make the root", folder, 0o755)?;
    }
    // The kernel gives a new one only to whoever still sees the old one.
    let own_proc = sys::mount("mount /proc", Some(c"proc"), c"proc", Some(c"proc"), TAME | MS_NOEXEC, None).is_ok();
    if !own_proc {
        sys::mount("mount /proc", Some(c"/proc"), c"proc", None, MS_BIND | MS_REC, None)?;
    }
    sys::change_root("change the root", c".", c"machine")?;
    sys::change_folder("enter the root", c"/")?;
    sys::unmount("leave the machine's root", c"/machine")?;
    sys::remove_folder("leave the machine's root", c"/machine")?;
    sys::mount("mount the stage", Some(c"perturb"), STAGE, Some(c"tmpfs"), TAME, Some(stage_options))?;
    sys::change_folder("enter the stage", STAGE)?;
    sys::make_folder("make the stage", c"nothing", 0o555)?;
    Ok(own_proc)
}

/// The inner error says that it could not be made read-only.
fn open_source(source: &mut Source) -> SysResult<SysResult> {
    if source.tree.is_some() {
        return Ok(Ok(()));
    }
    let tree = sys::open_tree("copy the mount of a folder", &source.path)?;
    // SAFETY: a new descriptor that nobody else owns.
    source.tree = Some(unsafe { OwnedFd::from_raw_fd(tree) });
    Ok(match source.read_only {
        true => sys::set_mount("make a folder read-only", tree, c"", libc::MOUNT_ATTR_RDONLY | source.attributes, 0),
        // Where the kernel is too old for this, the views over it have the same.
        false => sys::set_mount("tame a folder", tree, c"", source.attributes, 0).or(Ok(())),
    })
}

/// Makes the room, in memory if that will do, and hangs the sources up in the stage.
fn furnish(view: &mut View, room: Fd) -> SysResult<bool> {
    sys::make_folder("make the room", c"room", 0o755)?;
    // Older kernels do not let files in memory carry the attributes that views need.
    let has_views = view.places.iter().any(|place| place.overlay.is_some());
    let in_memory = view.in_memory && (!has_views || sys::takes_attributes(c"room"));
    if !in_memory {
        sys::move_mount("mount the room", room, c"room")?;
    }
    sys::close(room);
    for source in &mut view.sources {
        match source.is_folder {
            true => sys::make_folder("make room for a folder", &source.at, 0o755)?,
            false => sys::make_file("make room for a file", &source.at)?,
        }
        if let Some(tree) = source.tree.take() {
            sys::move_mount("mount a folder in the stage", tree.as_raw_fd(), &source.at)?;
        }
    }
    Ok(in_memory)
}

/// Makes the files for the exchange with the owner, each in a file system that has no room for more.
fn make_exchange(view: &View) -> SysResult {
    for file in &view.exchange {
        sys::make_folder("make the exchange", &file.folder, 0o755)?;
        let options = Some(file.options.as_c_str());
        sys::mount("mount the exchange", Some(c"perturb"), &file.folder, Some(c"tmpfs"), TAME, options)?;
        sys::make_file("make a file for the exchange", &file.at)?;
        sys::change_mode("open a file for the exchange", AT_FDCWD, &file.at, 0o666)?;
        let opened = sys::open("open a file for the exchange", AT_FDCWD, &file.at, libc::O_RDWR)?;
        sys::set_length("make a file for the exchange", opened, file.bytes)?;
        sys::close(opened);
    }
    Ok(())
}

/// Hands the files for the exchange to the owner.
pub(crate) fn hand_over(plan: &CellPlan, socket: Fd) -> SysResult {
    let files = plan.view.iter().flat_map(|view| &view.exchange);
    for file in files {
        let opened = sys::open("open a file for the exchange", AT_FDCWD, &file.at, libc::O_RDWR)?;
        wire::send(socket, Some(opened)).map_err(|errno| SysError { step: "hand a file over", errno })?;
        sys::close(opened);
    }
    Ok(())
}

fn make_areas(plan: &CellPlan) -> SysResult {
    for area in &plan.areas {
        sys::make_folder("make a temporary folder", &area.at, 0o700)?;
        sys::change_mode("open a temporary folder", AT_FDCWD, &area.at, area.mode)?;
        if let (true, Some(job)) = (area.is_theirs, &plan.user) {
            sys::change_owner("give a temporary folder away", &area.at, job.user.uid, job.user.gid)?;
        }
    }
    Ok(())
}

/// Where it is not possible, queues that a job leaves stay.
fn mount_queues() {
    let _ = sys::mount("mount queues", Some(c"mqueue"), QUEUES, Some(c"mqueue"), TAME | MS_NOEXEC, None);
}

fn bind(bind: &Bind) -> SysResult {
    sys::mount("mount a cover", Some(&bind.from), &bind.to, None, MS_BIND | MS_REC, None)?;
    match bind.read_only {
        true => sys::mount("close a cover", None, &bind.to, None, MS_REMOUNT | MS_BIND | MS_RDONLY | TAME, None),
        false => Ok(()),
    }
}

/// Mounts a source at its place. The inner error says that there is no view and that the source itself was mounted.
fn put(view: &mut View, number: usize) -> SysResult<SysResult> {
    let Some(place) = view.places.get_mut(number) else { return Ok(Ok(())) };
    let mut no_view = Ok(());
    if let Some(overlay) = &mut place.overlay {
        let below = sys::stat(AT_FDCWD, &place.from)?;
        sys::make_folder("make a view", &overlay.work, 0o700)?;
        sys::make_folder("make a view", &overlay.upper, 0o700)?;
        sys::change_mode("make a view", AT_FDCWD, &overlay.upper, below.st_mode & 0o7777)?;
        sys::change_owner("make a view", &overlay.upper, below.st_uid, below.st_gid)?;
        sys::change_time("make a view", &overlay.upper, &below)?;
        let mount =
            |options| sys::mount("mount a view", Some(c"perturb"), &place.to, Some(c"overlay"), TAME, Some(options));
        match mount(&overlay.options).or_else(|failed| mount(&overlay.plain_options).map_err(|_| failed)) {
            Ok(()) => {
                overlay.untouched = Some(attributes(&sys::stat(AT_FDCWD, &overlay.upper)?));
                return Ok(Ok(()));
            }
            Err(failed) => {
                overlay.untouched = None;
                no_view = Err(failed);
            }
        }
    }
    if let Some(options) = &place.read_only_view {
        match sys::mount("mount a view", Some(c"perturb"), &place.to, Some(c"overlay"), TAME | MS_RDONLY, Some(options))
        {
            Ok(()) => return Ok(Ok(())),
            Err(failed) => no_view = Err(failed),
        }
    }
    sys::mount("mount a folder", Some(&place.from), &place.to, None, MS_BIND | MS_REC, None)?;
    Ok(no_view)
}

fn attributes(data: &libc::stat) -> FolderAttributes {
    FolderAttributes {
        mode: data.st_mode,
        owner: (data.st_uid, data.st_gid),
        changed: (data.st_mtime, data.st_mtime_nsec),
    }
}

/// Makes all as it was before the job. Costs little when the job wrote nothing.
pub(crate) fn refresh(plan: &mut CellPlan) -> SysResult<Refreshed> {
    let mut refreshed = Refreshed::AsItWas;
    if plan.rung.processes && sys::has_ipc_objects() {
        sys::new_ipc_namespace()?;
        refreshed = Refreshed::Anew;
        if plan.view.is_some() && sys::unmount("unmount queues", QUEUES).is_ok() {
            mount_queues();
        }
    }
    let mut are_empty = true;
    for area in &plan.areas {
        are_empty &= is_empty(area)?;
    }
    let Some(view) = &mut plan.view else {
        // Without mounts to hold them a job can remove the folders themselves, and leave something beside them.
        if are_empty && wipe::count(c".", plan.areas.len())? == plan.areas.len() {
            return Ok(refreshed);
        }
        wipe::wipe(c".")?;
        make_areas(plan)?;
        return Ok(Refreshed::Anew);
    };
    if !are_empty {
        plan.areas.iter().try_for_each(|area| wipe::wipe(&area.at))?;
    }
    for number in 0..view.places.len() {
        if is_touched(view, number)? {
            renew(view, number)?;
            refreshed = Refreshed::Anew;
        }
    }
    Ok(refreshed)
}

/// Whether the folders that jobs write to are still the same ones.
pub(crate) enum Refreshed {
    AsItWas,
    Anew,
}

/// Opens the folder again where a job closed it, and looks inside.
fn is_empty(area: &Area) -> SysResult<bool> {
    let Ok(data) = sys::stat(AT_FDCWD, &area.at) else { return Ok(false) };
    if data.st_mode & libc::S_IFMT != libc::S_IFDIR {
        return Ok(false);
    }
    if data.st_mode & 0o7777 != area.mode {
        sys::change_mode("open a temporary folder", AT_FDCWD, &area.at, area.mode)?;
    }
    Ok(wipe::count(&area.at, area.mounts)? == area.mounts)
}

/// Mounts all views anew: what they show was changed outside, and the kernel does not look again by itself.
pub(crate) fn renew_views(plan: &mut CellPlan) -> SysResult {
    let Some(view) = &mut plan.view else { return Ok(()) };
    for number in 0..view.places.len() {
        if view.places.get(number).and_then(|place| place.overlay.as_ref()?.untouched).is_some() {
            renew(view, number)?;
        }
    }
    Ok(())
}

/// Whatever a job does in a view leaves something in its upper half, or changes the top folder.
fn is_touched(view: &View, number: usize) -> SysResult<bool> {
    let Some(overlay) = view.places.get(number).and_then(|place| place.overlay.as_ref()) else { return Ok(false) };
    let Some(untouched) = overlay.untouched else { return Ok(false) };
    Ok(attributes(&sys::stat(AT_FDCWD, &overlay.upper)?) != untouched || wipe::count(&overlay.upper, 0)? != 0)
}

fn renew(view: &mut View, number: usize) -> SysResult {
    let Some(place) = view.places.get(number) else { return Ok(()) };
    sys::unmount("unmount a view", &place.to)?;
    if let Some(overlay) = &place.overlay {
        wipe::wipe(&overlay.upper)?;
        wipe::wipe(&overlay.work)?;
    }
    put(view, number)??;
    // What is mounted inside went with it. An overlay's list is walked by index: the view is borrowed for mounting.
    let mut at = 0;
    while let Some(inner) = inside(view, number, at) {
        put(view, inner)??;
        at += 1;
    }
    Ok(())
}

fn inside(view: &View, number: usize, at: usize) -> Option<usize> {
    view.places.get(number)?.overlay.as_ref()?.inside.get(at).copied()
}

/// Leaves nothing in the scratch: nobody may be there to do it for us. What is in memory goes by itself.
pub(crate) fn clear(plan: &CellPlan, found: &SetUp) {
    let room = if plan.view.is_some() { c"room" } else { c"." };
    if !found.in_memory {
        let _ = wipe::wipe(room);
    }
}
