//! The plan of a cell, made before its server is cloned: which folders the tests see where, and under which user they
//! run.
//!
//! All strings are made here, as the server may not allocate. With mounts, a cell has a root of its own that starts
//! empty: absolute paths refer to it, and what is not mounted there does not exist for a job. Relative paths start at
//! the server's working folder: its stage, a file system in memory that only the server can reach, or its scratch
//! folder if there are no mounts.
//!
//! The stage holds `s0`, `s1` … (what is mounted of the machine), `room` (what must be empty again for every job, and
//! the upper halves of views), `nothing` (an empty folder), `chain` (mount points below what is covered, see `ways`),
//! and `mq` (the message queues of the cell).

mod ways;

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::options::{Exchange, User};
use ways::Ways;

/// The namespaces a server gets of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rung {
    pub user: bool,
    pub processes: bool,
    pub mounts: bool,
    pub network: bool,
}

/// The user of the jobs if we are root.
#[derive(Debug, Clone)]
pub(crate) struct JobUser {
    pub user: User,
    /// Capabilities to reach files that are root's, where these could not be made to look like the user's own.
    pub capabilities: Vec<u32>,
}

/// How a path is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathUse {
    /// One of the devices that do no harm.
    Device,
    /// A folder of the system.
    System,
    /// Files of others: read through a view, in which a socket or a FIFO has no peer.
    Readable,
    /// Ours, and read as it is at any time.
    Visible,
    Private,
    Shared,
}

/// A path the caller named, in its real form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub path: PathBuf,
    pub kind: PathUse,
    pub is_folder: bool,
}

#[derive(Debug)]
pub(crate) struct CellPlan {
    pub rung: Rung,
    pub scratch: CString,
    pub user: Option<JobUser>,
    pub areas: Vec<Area>,
    pub view: Option<View>,
    /// What jobs may write to, where it is to be enforced by Landlock.
    pub rules: Option<LandlockRules>,
    /// The filter for the system calls of jobs.
    pub filter: Vec<libc::sock_filter>,
    /// The same where less could be set up than was planned.
    pub stricter_filter: Vec<libc::sock_filter>,
    /// Where the filter hands `connect` to the server: the folders in which sockets may be connected to.
    pub socket_folders: Option<Vec<CString>>,
    pub home: PathBuf,
    pub temp: PathBuf,
}

/// The Landlock rules of a job.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LandlockRules {
    pub readable: Vec<CString>,
    /// Can be read as well.
    pub writable: Vec<CString>,
    pub forbids_network: bool,
}

/// A folder that is empty at the start of every job, but for mounts in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub at: CString,
    pub mode: u32,
    /// Belongs to the user that runs the jobs.
    pub is_theirs: bool,
    pub mounts: usize,
}

#[derive(Debug)]
pub(crate) struct View {
    pub stage_options: CString,
    /// Wants the room in memory.
    pub in_memory: bool,
    pub sources: Vec<Source>,
    /// To be made in the stage and in the root, those above first.
    pub nodes: Vec<RootNode>,
    pub binds: Vec<Bind>,
    pub places: Vec<Placement>,
    /// The files for the exchange with the owner, each in a file system of its own.
    pub exchange: Vec<ExchangeFile>,
    /// The order in which both are mounted: outer ones first.
    pub order: Vec<MountStep>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExchangeFile {
    pub folder: CString,
    /// How that is mounted.
    pub options: CString,
    pub at: CString,
    pub bytes: u64,
}

/// A bind or a place, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MountStep {
    Bind(usize),
    Place(usize),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RootNode {
    pub at: CString,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    Folder,
    File,
    Link { to: CString },
}

#[derive(Debug)]
pub(crate) struct Source {
    pub path: CString,
    pub at: CString,
    pub is_folder: bool,
    pub read_only: bool,
    /// What its mounts are besides that.
    pub attributes: u64,
    /// The mounts there with their ids mapped.
    pub tree: Option<OwnedFd>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bind {
    pub from: CString,
    pub to: CString,
    pub read_only: bool,
}

/// A source, and the place where it is mounted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    pub from: CString,
    pub to: CString,
    pub overlay: Option<Overlay>,
    /// The mount of a read-only view.
    pub read_only_view: Option<CString>,
}

/// A view of a source that can be written to without changing it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Overlay {
    pub upper: CString,
    pub work: CString,
    pub options: CString,
    /// For kernels that do not know the others.
    pub plain_options: CString,
    /// The places inside this one.
    pub inside: Vec<usize>,
    /// What the upper half looked like when nobody had written to it; the server fills this in when it is mounted.
    pub untouched: Option<FolderAttributes>,
}

/// Attributes that show whether the top folder of a view was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FolderAttributes {
    pub mode: u32,
    pub owner: (u32, u32),
    pub changed: (i64, i64),
}

/// What the mount namespace covers, and by what.
pub(crate) struct PlanInput<'a> {
    /// Folders that all programs of the machine write to.
    pub temporary: Vec<PathBuf>,
    /// Whether the user that runs the jobs cannot enter a folder.
    pub is_closed: &'a dyn Fn(&Path) -> bool,
    pub stage_bytes: Option<u64>,
    pub exchange: &'a [Exchange],
    /// Symbolic links on the ways to what is wanted, and where they point.
    pub links: &'a [(PathBuf, PathBuf)],
}

/// Selects what is mounted of all that the caller named: nothing inside another path of the same or a stronger use, and
/// nothing above the folders that are covered. Outer paths come first.
pub(crate) fn select(all: Vec<Wanted>, temporary: &[PathBuf]) -> Vec<Wanted> {
    let lies_in = |one: &Wanted, other: &Wanted| one.path != other.path && one.path.starts_with(&other.path);
    let is_kept = |one: &&Wanted| {
        let hidden = all.iter().any(|other| match one.kind {
            // What is the system's may be closed to the user who runs the jobs; the others are opened to it.
            PathUse::Readable | PathUse::Visible if other.kind == PathUse::System => false,
            PathUse::System | PathUse::Readable | PathUse::Visible => {
                lies_in(one, other) || (one.path == other.path && other.kind > one.kind)
            }
            PathUse::Private => {
                (other.kind == PathUse::Private && lies_in(one, other))
                    || (other.kind == PathUse::Shared && one.path == other.path)
            }
            PathUse::Shared | PathUse::Device => false,
        });
        let above_all = one.kind == PathUse::Visible && temporary.iter().any(|folder| folder.starts_with(&one.path));
        !hidden && !above_all && one.path.parent().is_some()
    };
    let mut kept: Vec<Wanted> = all.iter().filter(is_kept).cloned().collect();
    kept.sort_by(|a, b| (depth(&a.path), &a.path, a.kind).cmp(&(depth(&b.path), &b.path, b.kind)));
    kept.dedup();
    kept
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

impl CellPlan {
    /// Without mounts: a home and a folder for temporary files in the scratch, and all else as it is. What is not the
    /// system's and was not named cannot be opened, where there is Landlock.
    pub fn bare(rung: Rung, scratch: &Path, user: Option<JobUser>, wanted: &[Wanted]) -> CellPlan {
        let area = |name: &str| Area { at: text(name), mode: 0o700, is_theirs: true, mounts: 0 };
        let own = [scratch.join("home"), scratch.join("tmp")];
        CellPlan {
            rung,
            scratch: path_text(scratch),
            user,
            areas: vec![area("home"), area("tmp")],
            view: None,
            rules: Some(LandlockRules {
                readable: wanted.iter().map(|one| path_text(&one.path)).chain([text(PROCESSES)]).collect(),
                writable: writable(own.iter(), wanted),
                forbids_network: false,
            }),
            filter: Vec::new(),
            stricter_filter: Vec::new(),
            socket_folders: None,
            home: scratch.join("home"),
            temp: scratch.join("tmp"),
        }
    }

    /// With a mount namespace.
    pub fn with_mounts(
        rung: Rung,
        scratch: &Path,
        user: Option<JobUser>,
        wanted: &[Wanted],
        trees: Vec<Option<OwnedFd>>,
        ground: PlanInput<'_>,
    ) -> CellPlan {
        let mut ways = Ways::new(wanted, &ground);
        // The same for all cells, so that tests which print their paths say the same in each; short, as sockets need.
        let base = Path::new(OWN_FOLDER);
        let (home, temp) = (base.join("home"), base.join("tmp"));
        let theirs = [("room/home", home.as_path()), ("room/tmp", temp.as_path())];
        theirs.iter().for_each(|(_, path)| ways.lead_to(path, true));
        wanted.iter().for_each(|one| ways.lead_to(&one.path, one.is_folder));
        ground.exchange.iter().for_each(|one| ways.lead_to(&one.path, false));
        let (mut areas, mut binds, nodes) = ways.finish(ground.links);
        for (at, path) in theirs {
            areas.push(Area { at: text(at), mode: 0o700, is_theirs: true, mounts: 0 });
            binds.push(Bind { from: text(at), to: path_text(path), read_only: false });
        }
        let exchange = ground.exchange.iter().enumerate();
        let exchange: Vec<ExchangeFile> = exchange.map(|(number, one)| exchange_file(number, one.bytes)).collect();
        for (file, one) in exchange.iter().zip(ground.exchange) {
            binds.push(Bind { from: file.at.clone(), to: path_text(&one.path), read_only: false });
        }
        // Message queues: not to be seen, only to be emptied.
        areas.push(Area { at: text("mq"), mode: 0o1777, is_theirs: false, mounts: 0 });
        let places = places(wanted);
        let view = View {
            stage_options: text(&match ground.stage_bytes {
                Some(bytes) => format!("mode=0755,size={bytes},nr_inodes={}", inodes(bytes)),
                None => "mode=0755,size=16m".to_string(),
            }),
            in_memory: ground.stage_bytes.is_some(),
            sources: sources(wanted, trees),
            nodes,
            exchange,
            order: order(&binds, &places),
            binds,
            places,
        };
        let own = view.binds.iter().filter(|bind| !bind.read_only).map(|bind| bind.to.clone());
        let mut all = writable([].iter(), wanted);
        all.extend(own.chain(OWN_WRITABLE.map(text)));
        // What is not to be read is not there.
        let rules = Some(LandlockRules { readable: vec![text("/")], writable: all, forbids_network: false });
        let (scratch, view) = (path_text(scratch), Some(view));
        CellPlan {
            rung,
            scratch,
            user,
            areas,
            view,
            rules,
            filter: Vec::new(),
            stricter_filter: Vec::new(),
            socket_folders: None,
            home,
            temp,
        }
    }
}

/// How many files may be in so many bytes of memory: the kernel needs some for each that is empty, too.
fn inodes(bytes: u64) -> u64 {
    const LEAST: u64 = 1 << 14;
    (bytes >> 12).max(LEAST)
}

fn exchange_file(number: usize, bytes: u64) -> ExchangeFile {
    const PAGE: u64 = 1 << 16;
    // Whole pages; and a file system without a size would have no limit.
    let room = bytes.next_multiple_of(PAGE).max(PAGE);
    ExchangeFile {
        folder: text(&format!("x{number}")),
        options: text(&format!("mode=0711,size={room}")),
        at: text(&format!("x{number}/file")),
        bytes,
    }
}

/// Where the folders that every cell has lie in its root.
const OWN_FOLDER: &str = "/perturb-cell";

/// Sorts by depth. Where a bind had to make the mount point of a place, the place comes after it.
fn order(binds: &[Bind], places: &[Placement]) -> Vec<MountStep> {
    let depth = |path: &CString| path.as_bytes().iter().filter(|byte| **byte == b'/').count();
    let places = places.iter().enumerate().map(|(at, place)| (depth(&place.to), MountStep::Place(at)));
    let binds = binds.iter().enumerate().map(|(at, bind)| (depth(&bind.to), MountStep::Bind(at)));
    let mut all: Vec<(usize, MountStep)> = binds.chain(places).collect();
    all.sort_by_key(|(depth, _)| *depth);
    all.into_iter().map(|(_, step)| step).collect()
}

/// What a cell with a root of its own lets jobs write to besides its folders: the kernel's files about its processes,
/// which guard themselves, its terminals, and its message queues.
const OWN_WRITABLE: [&str; 3] = ["/proc", "/dev/pts", "mq"];

/// The kernel's files about processes are everybody's where there is no root of our own: they are only read.
const PROCESSES: &str = "/proc";

fn writable<'a>(own: impl Iterator<Item = &'a PathBuf>, wanted: &[Wanted]) -> Vec<CString> {
    let is_written = |one: &&Wanted| matches!(one.kind, PathUse::Device | PathUse::Private | PathUse::Shared);
    let wanted = wanted.iter().filter(is_written).map(|one| path_text(&one.path));
    own.map(|path| path_text(path)).chain(wanted).collect()
}

fn sources(wanted: &[Wanted], trees: Vec<Option<OwnedFd>>) -> Vec<Source> {
    let mut trees = trees.into_iter();
    let source = |(number, one): (usize, &Wanted)| Source {
        path: path_text(&one.path),
        at: text(&format!("s{number}")),
        is_folder: one.is_folder,
        read_only: !matches!(one.kind, PathUse::Private | PathUse::Shared),
        attributes: match one.kind {
            PathUse::Device => libc::MOUNT_ATTR_NOSUID,
            _ => libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        },
        tree: trees.next().flatten(),
    };
    wanted.iter().enumerate().map(source).collect()
}

fn places(wanted: &[Wanted]) -> Vec<Placement> {
    let inside = |number: usize| {
        let later = wanted.iter().enumerate().skip(number + 1);
        later.filter(|(_, other)| other.path.starts_with(&wanted[number].path)).map(|(other, _)| other).collect()
    };
    let place = |(number, one): (usize, &Wanted)| {
        let layers = format!("lowerdir=s{number},upperdir=room/u{number},workdir=room/w{number}");
        Placement {
            from: text(&format!("s{number}")),
            to: path_text(&one.path),
            overlay: (one.kind == PathUse::Private).then(|| Overlay {
                upper: text(&format!("room/u{number}")),
                work: text(&format!("room/w{number}")),
                // Attributes that a user namespace may write; and never waiting for a disk.
                options: text(&format!("{layers},userxattr,volatile")),
                plain_options: text(&layers),
                inside: inside(number),
                untouched: None,
            }),
            // Two lower halves, as there is no upper one.
            read_only_view: (one.kind == PathUse::Readable && one.is_folder)
                .then(|| text(&format!("lowerdir=s{number}:nothing"))),
        }
    };
    wanted.iter().enumerate().map(place).collect()
}

fn text(text: &str) -> CString {
    CString::new(text).expect("no zero byte in a text of ours")
}

fn path_text(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("no zero byte in a path that exists")
}

#[cfg(test)]
mod tests;
