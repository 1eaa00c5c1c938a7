//! The settings in which all attacks are tried: who runs perturb, and which layers of the sandbox there are.

use perturb_cell::{Layers, Network, RunsAs, Sandbox, User};

/// The ordinary user.
pub const USER: User = User { uid: 1000, gid: 1000 };

pub struct Setting {
    pub name: &'static str,
    pub title: &'static str,
    pub is_root: bool,
    pub sandbox: Sandbox,
}

const WITHOUT_LANDLOCK: Sandbox = Sandbox { landlock: false, ..Sandbox::FULL };
const FILTER_ONLY: Sandbox = Sandbox { landlock: false, ..Sandbox::WITHOUT_NAMESPACES };

#[rustfmt::skip]
pub const SETTINGS: [Setting; 6] = [
    Setting { name: "root", title: "root", is_root: true, sandbox: Sandbox::FULL },
    Setting { name: "user", title: "user", is_root: false, sandbox: Sandbox::FULL },
    Setting {
        name: "root-bare", title: "root, no namespaces", is_root: true, sandbox: Sandbox::WITHOUT_NAMESPACES,
    },
    Setting {
        name: "user-bare", title: "user, no namespaces", is_root: false, sandbox: Sandbox::WITHOUT_NAMESPACES,
    },
    Setting { name: "root-old", title: "root, no Landlock", is_root: true, sandbox: WITHOUT_LANDLOCK },
    Setting { name: "root-filter", title: "root, neither", is_root: true, sandbox: FILTER_ONLY },
];

/// The first version of Landlock with rules for signals.
const LANDLOCK_WITH_SIGNALS: u32 = 6;

impl Setting {
    /// Why a cell with these layers is not what the setting means. The table of the book is of machines that allow all.
    pub fn is_played_by(&self, layers: &Layers) -> Result<(), String> {
        let Sandbox { namespaces, landlock, filter } = self.sandbox;
        let has_namespaces = layers.user_namespace
            && layers.pid_namespace
            && layers.mount_namespace
            && layers.ipc_namespace
            && layers.own_proc
            && layers.read_only
            && layers.private_views
            && layers.in_memory
            && layers.network == Network::Own;
        let user = match (self.is_root, namespaces) {
            (false, _) => layers.user == RunsAs::Ourselves,
            (true, true) => matches!(layers.user, RunsAs::Other { .. }),
            (true, false) => matches!(layers.user, RunsAs::OtherWithFiles { .. }),
        };
        let needed = [
            (!namespaces || has_namespaces, "namespaces"),
            (!landlock || layers.landlock.is_some_and(|version| version >= LANDLOCK_WITH_SIGNALS), "Landlock 6"),
            (!filter || layers.filter, "a filter for system calls"),
            (user, "a user for the jobs"),
            // What counts the memory decides what refuses it.
            (layers.group == (self.is_root && namespaces), "control groups of root, and of root only"),
        ];
        match needed.iter().find(|(is_there, _)| !is_there) {
            Some((_, what)) => Err(format!("the machine does not allow {what}: {layers}; {:?}", layers.missing)),
            None => Ok(()),
        }
    }
}
