//! A control group for a cell, where we may make one: the kernel then limits the memory and the processes of all jobs
//! together, in addition to the limits of each process.
//!
//! Both versions of control groups are supported: one tree for all controllers (version 2), and one tree each (version
//! 1). The server joins when it starts, so that starting a job costs nothing more. The group is removed with its cell;
//! a group that a killed process left is removed by the next process that makes one.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The prefix of our groups' names; our process id and a number follow.
const NAME: &str = "perturb-";

/// The limits of all jobs of a cell together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GroupLimits {
    pub memory_bytes: u64,
    pub processes: u64,
}

#[derive(Debug)]
pub(crate) struct Group {
    /// One, or one for each controller.
    parts: Vec<GroupFolder>,
}

#[derive(Debug)]
struct GroupFolder {
    folder: PathBuf,
    /// A process that writes here joins the group.
    members: File,
}

impl Group {
    pub fn make(limits: GroupLimits) -> io::Result<Group> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("{NAME}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let own = Memberships::read()?;
        let mut group = Group { parts: Vec::new() };
        if let Some(path) = &own.unified {
            group.parts.extend(above(path).find_map(|parent| part_of_all(parent, &name, limits).ok()));
        }
        if group.parts.is_empty() {
            // Both or none: half a group is removed again.
            group.parts.push(part(own.memory.as_deref(), &name, &[("memory.limit_in_bytes", limits.memory_bytes)])?);
            group.parts.push(part(own.processes.as_deref(), &name, &[("pids.max", limits.processes)])?);
        }
        Ok(group)
    }

    /// To be written to by who joins.
    pub fn doors(&self) -> impl Iterator<Item = RawFd> + '_ {
        self.parts.iter().map(|part| part.members.as_raw_fd())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for part in &self.parts {
            // Members that have ended are gone a moment later.
            let is_left = |_: &u32| {
                let removed = fs::remove_dir(&part.folder);
                removed.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY))
            };
            let pause = |_| std::thread::sleep(std::time::Duration::from_millis(2));
            (0..50).take_while(is_left).for_each(pause);
        }
    }
}

/// A group of one tree for all: one below a group that has the controllers handed on to those below it.
fn part_of_all(parent: &Path, name: &str, limits: GroupLimits) -> io::Result<GroupFolder> {
    let handed_on = fs::read_to_string(parent.join("cgroup.subtree_control"))?;
    let has = |controller: &str| handed_on.split_whitespace().any(|word| word == controller);
    if !has("memory") || !has("pids") {
        return Err(io::Error::from(io::ErrorKind::Unsupported));
    }
    let settings = [("memory.max", limits.memory_bytes), ("pids.max", limits.processes)];
    let part = part(Some(parent), name, &settings)?;
    // What is swapped is used as well. Not every kernel knows it.
    let _ = fs::write(part.folder.join("memory.swap.max"), "0");
    Ok(part)
}

fn part(parent: Option<&Path>, name: &str, settings: &[(&str, u64)]) -> io::Result<GroupFolder> {
    let parent = parent.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    remove_those_left(parent);
    let folder = parent.join(name);
    fs::create_dir(&folder)?;
    let set_up = || -> io::Result<File> {
        settings.iter().try_for_each(|(file, value)| fs::write(folder.join(file), value.to_string()))?;
        OpenOptions::new().write(true).open(folder.join("cgroup.procs"))
    };
    match set_up() {
        Ok(members) => Ok(GroupFolder { folder, members }),
        Err(error) => {
            let _ = fs::remove_dir(&folder);
            Err(error)
        }
    }
}

/// Removes the groups of processes that are not there any more.
fn remove_those_left(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_prefix(NAME)?.split_once('-')).map(|(process, _)| process);
        let is_left = process.is_some_and(|process| {
            process.bytes().all(|byte| byte.is_ascii_digit()) && !Path::new("/proc").join(process).exists()
        });
        if is_left {
            // Refused where it has members, as one of another pid namespace may.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Where we are ourselves in the trees of control groups.
#[derive(Debug, Default, PartialEq, Eq)]
struct Memberships {
    unified: Option<PathBuf>,
    memory: Option<PathBuf>,
    processes: Option<PathBuf>,
}

impl Memberships {
    fn read() -> io::Result<Memberships> {
        let (own, mounts) = (fs::read_to_string("/proc/self/cgroup")?, fs::read_to_string("/proc/self/mountinfo")?);
        Ok(Memberships::parse(&own, &mounts))
    }

    /// From lines of number, controllers and path, and from the list of mounts.
    fn parse(own: &str, mounts: &str) -> Memberships {
        let path_in = |controller: &str| {
            own.lines().find_map(|line| {
                let mut parts = line.splitn(3, ':').skip(1);
                let (controllers, path) = (parts.next()?, parts.next()?);
                let is_it = controllers.split(',').any(|one| one == controller);
                is_it.then(|| path.to_string())
            })
        };
        let below = |(root, mount): (String, PathBuf), path: String| {
            // A container sees a part of the tree only.
            let path = path.strip_prefix(root.trim_end_matches('/')).unwrap_or(&path).to_string();
            mount.join(path.trim_start_matches('/'))
        };
        let find = |controller: &str| Some(below(mount_of(mounts, controller)?, path_in(controller)?));
        Memberships { unified: find(""), memory: find("memory"), processes: find("pids") }
    }
}

/// Root and place of the mount of a controller's tree; no name means the tree for all.
fn mount_of(mounts: &str, controller: &str) -> Option<(String, PathBuf)> {
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, mount) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let (name, options) = (kind.next()?, kind.nth(1)?);
        let is_it = match controller {
            "" => name == "cgroup2",
            controller => name == "cgroup" && options.split(',').any(|option| option == controller),
        };
        is_it.then(|| (root.to_string(), PathBuf::from(mount)))
    })
}

/// A group and all above it, itself first.
fn above(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().take_while(|folder| folder.join("cgroup.procs").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_place_is_found_in_either_kind_of_tree() {
        let both = "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n\
                    35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n\
                    39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n";
        let found = Memberships::parse("8:pids:/\n4:memory:/a/b\n0::/c\n", both);
        assert_eq!(found.unified, Some("/sys/fs/cgroup/unified/c".into()));
        assert_eq!(found.memory, Some("/sys/fs/cgroup/memory/a/b".into()));
        assert_eq!(found.processes, Some("/sys/fs/cgroup/pids/".into()));
        let container = "30 23 0:26 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup rw,nsdelegate\n";
        let found = Memberships::parse("0::/docker/x/y\n", container);
        assert_eq!(found, Memberships { unified: Some("/sys/fs/cgroup/y".into()), ..Memberships::default() });
        assert_eq!(Memberships::parse("", ""), Memberships::default());
    }

    #[test]
    fn a_group_that_was_left_is_removed_and_one_in_use_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let gone = format!("{NAME}{}-0", u32::MAX);
        let ours = format!("{NAME}{}-0", std::process::id());
        for name in [gone.as_str(), ours.as_str(), "perturb-x-0", "other"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        remove_those_left(parent.path());
        let left = |name: &str| parent.path().join(name).exists();
        assert_eq!([left(&gone), left(&ours), left("perturb-x-0"), left("other")], [false, true, true, true]);
    }
}
