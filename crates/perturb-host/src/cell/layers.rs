//! What protects the machine from a job, and jobs from each other, in one cell on this machine.

use std::fmt;

/// Which layers a cell has. Those that the kernel or the machine's settings forbid are missing, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layers {
    pub user: RunsAs,
    /// The kernel counts a cell's processes by themselves, and refuses more than the limit. Without it a cell counts
    /// its processes now and then, and ends a job that has too many.
    pub user_namespace: bool,
    /// All that a job starts is in a pid namespace: nothing of it can hide, and it dies with us. Without it orphans
    /// are found and ended too, but a job could end its cell.
    pub pid_namespace: bool,
    /// A cell has its own `/tmp`, `/var/tmp` and `/dev/shm`, and of `/dev` only what every program may use.
    pub mount_namespace: bool,
    pub ipc_namespace: bool,
    /// `/proc` shows the cell's processes only.
    pub own_proc: bool,
    /// Nothing can be written but what is the cell's own or shared with it.
    pub read_only: bool,
    /// Every job sees a fresh view of the private folders. Without them jobs write to the folders themselves: run one
    /// at a time.
    pub private_views: bool,
    /// What jobs write stays in memory, up to the size asked for.
    pub in_memory: bool,
    /// What was tried in vain: what, and why not.
    pub missing: Vec<String>,
}

/// The user that jobs run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunsAs {
    /// The one we run as ourselves.
    Ourselves,
    /// An unprivileged one, to which the folders of the cell look like its own.
    Other { uid: u32 },
    /// An unprivileged one that may pass over the permissions of files, as it could not reach ours otherwise.
    OtherWithFiles { uid: u32 },
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.user {
            RunsAs::Ourselves => write!(f, "our own user")?,
            RunsAs::Other { uid } => write!(f, "user {uid}")?,
            RunsAs::OtherWithFiles { uid } => write!(f, "user {uid} with access to all files")?,
        }
        let named = [
            (self.user_namespace, "user namespace"),
            (self.pid_namespace, "pid namespace"),
            (self.mount_namespace, "mount namespace"),
            (self.ipc_namespace, "ipc namespace"),
            (self.own_proc, "own /proc"),
            (self.read_only, "files read-only"),
            (self.private_views, "private views"),
        ];
        named.iter().filter(|(active, _)| *active).try_for_each(|(_, name)| write!(f, ", {name}"))
    }
}
