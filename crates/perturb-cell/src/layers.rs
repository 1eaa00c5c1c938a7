//! The layers of a cell on this machine: what protects the machine from a job, and jobs from each other.

use std::fmt;
use std::path::PathBuf;

/// The hint that says how to allow namespaces, on which most layers rest.
pub const HOW_TO_ALLOW_NAMESPACES: &str = "allow user namespaces: `sysctl kernel.unprivileged_userns_clone=1` on \
     Debian, `sysctl kernel.apparmor_restrict_unprivileged_userns=0` on Ubuntu, in a container \
     `--security-opt seccomp=unconfined`; \
     or run perturb as root";

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
    /// A cell has a root of its own, which holds folders of the system, what it was given, and empty folders for
    /// temporary files; of `/dev` only what every program may use. No home, no `/run`, no socket of anybody.
    pub mount_namespace: bool,
    pub ipc_namespace: bool,
    pub network: Network,
    /// The version of Landlock by whose rules a job can write nothing but what is the cell's own, and from the sixth on
    /// signal nobody but itself.
    pub landlock: Option<u32>,
    /// System calls that change the machine are refused.
    pub filter: bool,
    /// The kernel limits the memory of all processes together. Without it a cell looks now and then.
    pub group: bool,
    /// `/proc` shows the cell's processes only.
    pub own_proc: bool,
    /// Nothing can be written but what is the cell's own or shared with it.
    pub read_only: bool,
    /// Every job sees a fresh view of the private folders. Without them jobs write to the folders themselves: one at a
    /// time runs there, and the folders are restored after each.
    pub private_views: bool,
    /// What jobs can read of what belongs to others, besides the system's folders: tools, and what is permitted.
    pub readable: Vec<PathBuf>,
    /// What jobs write stays in memory, up to the size asked for.
    pub in_memory: bool,
    /// Layers that could not be set up, and why.
    pub missing: Vec<String>,
}

/// The networks that jobs can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// Nobody but themselves.
    Own,
    /// All, since they need it.
    Permitted,
    /// Nobody, not even themselves: there is no network of their own, so that they may open no socket.
    NoSockets,
    /// All, since it cannot be helped; where Landlock is new enough no TCP.
    Open,
}

/// A gap: harm that a mutant could do in this sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// It could end processes of the user who runs us.
    Processes,
    /// It could write to files of the user who runs us.
    Files,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Processes => "a mutant could end your own processes",
            Self::Files => "a mutant could write to your own files",
        })
    }
}

/// From this version on Landlock has rules for signals, and for sockets without a path.
pub(super) const LANDLOCK_WITH_SIGNALS: u32 = 6;

impl Layers {
    /// What this sandbox does without, in one line; `None` where all layers that keep a job from its user, from the
    /// network and from other jobs are there.
    pub fn weakness(&self) -> Option<String> {
        let needed = [
            (self.private_views, "private views (each build runs one test at a time, and is restored after it)"),
            (self.pid_namespace, "a pid namespace"),
            (self.mount_namespace, "a mount namespace"),
            (self.ipc_namespace, "an ipc namespace"),
            (self.network != Network::Open, "a network namespace"),
            (self.landlock.is_some(), "Landlock"),
            (self.filter, "seccomp"),
        ];
        let lacks: Vec<&str> = needed.iter().filter(|(is_there, _)| !is_there).map(|(_, name)| *name).collect();
        (!lacks.is_empty()).then(|| format!("without {}", lacks.join(", ")))
    }

    /// What is left open. With nothing in between, a mutated path deletes the wrong folder, and a mutated number ends
    /// the user's session.
    pub fn gaps(&self) -> Vec<Gap> {
        let is_other = matches!(self.user, RunsAs::Other { .. } | RunsAs::OtherWithFiles { .. });
        let has_signals = self.landlock.is_some_and(|version| version >= LANDLOCK_WITH_SIGNALS);
        let owns_files = matches!(self.user, RunsAs::Other { .. });
        let gaps = [
            (self.pid_namespace || has_signals || is_other, Gap::Processes),
            (self.read_only || self.landlock.is_some() || owns_files, Gap::Files),
        ];
        gaps.into_iter().filter(|(is_closed, _)| !is_closed).map(|(_, gap)| gap).collect()
    }
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
            (self.mount_namespace, "own root"),
            (self.ipc_namespace, "ipc namespace"),
            (self.network == Network::Own, "network namespace"),
            (self.network == Network::NoSockets, "no sockets"),
            (self.network == Network::Permitted, "network as the tests ask for"),
            (self.own_proc, "own /proc"),
            (self.read_only, "files read-only"),
            (self.private_views, "private views"),
            (self.landlock.is_some(), "Landlock"),
            (self.filter, "seccomp"),
            (self.group, "control group"),
        ];
        named.iter().filter(|(active, _)| *active).try_for_each(|(_, name)| write!(f, ", {name}"))?;
        if self.readable.is_empty() {
            return Ok(());
        }
        let readable: Vec<String> = self.readable.iter().map(|path| path.display().to_string()).collect();
        write!(f, "; besides the system's folders tests can read {}", readable.join(", "))
    }
}
