//! The options of a cell: its folders, the permits of its jobs, and the wanted layers.

use std::path::PathBuf;
use std::sync::Arc;

use crate::pristine::PristineCopies;

/// What a cell is made of. All paths but the scratch must exist when it is opened.
#[derive(Debug, Clone)]
pub struct CellOptions {
    /// A folder of ours, for this cell alone: made when the cell is opened, emptied if it is there, and removed with
    /// the cell. Not inside a private folder.
    pub scratch: PathBuf,
    /// Folders of ours that jobs read, as they are at any time. Nothing of the machine can be read but these, the
    /// system's folders, tools on the search path, and what else is named here.
    pub visible: Vec<PathBuf>,
    /// Programs that jobs start: where they are installed can be read.
    pub programs: Vec<PathBuf>,
    /// Folders that jobs may write to: each job sees a fresh view, in which all is as it was when the cell was opened
    /// or [`folders_changed`](crate::Cell::folders_changed) was called.
    pub private: Vec<PathBuf>,
    /// Where there are no private views: the pristine copies of the private folders, for all cells that are open on the
    /// same ones. `None` for folders of this cell alone.
    pub pristine: Option<Arc<PristineCopies>>,
    /// Files and folders that jobs really write to.
    pub shared: Vec<PathBuf>,
    /// Files that jobs and the owner of the cell write to and read. See [`exchange`](crate::Cell::exchange).
    pub exchange: Vec<Exchange>,
    /// How much jobs can write to views and temporary files, which are kept in memory; `None` keeps them in the
    /// scratch, without a limit.
    pub memory_bytes: Option<u64>,
    /// How much of the machine's memory all processes of a job may use together: they are ended when they use more.
    pub job_memory: Option<u64>,
    /// The user of the jobs if we are root.
    pub user: User,
    /// What its jobs need that others must not have.
    pub permits: Permits,
    pub sandbox: Sandbox,
}

/// A file for what a job and the owner of its cell have to say to each other. Where the machine allows mounts it is in
/// memory, exists in the cell alone, and cannot become larger than it is; elsewhere it is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Where jobs find it: in a folder of ours that exists, and in none that the cell mounts.
    pub path: PathBuf,
    pub bytes: u64,
}

/// The permits of some tests, beyond those of all.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permits {
    /// The network of the machine.
    pub network: bool,
    /// Sockets with a path in folders that they may write to, where the machine allows no root of their own. Elsewhere
    /// all have such. Not together with the network.
    pub sockets: bool,
    /// Files and folders that they only read.
    pub readable: Vec<PathBuf>,
    /// Files and folders that they really write to.
    pub write: Vec<PathBuf>,
    pub devices: Vec<PathBuf>,
}

/// Which of the layers are wanted that a machine may not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sandbox {
    /// All of them, and a control group.
    pub namespaces: bool,
    pub landlock: bool,
    pub filter: bool,
}

impl Sandbox {
    pub const FULL: Sandbox = Sandbox { namespaces: true, landlock: true, filter: true };
    /// As on a machine that forbids them.
    pub const WITHOUT_NAMESPACES: Sandbox = Sandbox { namespaces: false, ..Sandbox::FULL };
    /// Limits only. A job can do whatever its user can.
    pub const OFF: Sandbox = Sandbox { namespaces: false, landlock: false, filter: false };
}

impl CellOptions {
    pub fn new(scratch: impl Into<PathBuf>) -> CellOptions {
        CellOptions {
            scratch: scratch.into(),
            visible: Vec::new(),
            programs: Vec::new(),
            private: Vec::new(),
            pristine: None,
            shared: Vec::new(),
            exchange: Vec::new(),
            memory_bytes: Some(1 << 30),
            job_memory: None,
            user: User::NOBODY,
            permits: Permits::default(),
            sandbox: Sandbox::FULL,
        }
    }
}

/// A user and its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    pub uid: u32,
    pub gid: u32,
}

impl User {
    pub const NOBODY: User = User { uid: 65534, gid: 65534 };
}
