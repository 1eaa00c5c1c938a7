//! What a server is to set up, decided before it is cloned: which folders the tests see where, and under which user.
//!
//! All texts are made here, as the server may not allocate. Paths without a slash in front are relative to the server's
//! working folder: its stage, a file system in memory that only it can reach, or without mounts its scratch.
//!
//! The stage holds `s0`, `s1` … (the folders the caller named), `room` (what must be empty again for every job, and the
//! upper halves of views), `chain` (folders that lead to the others through what is covered), and `mq` (the message
//! queues of the cell).

mod covers;

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::User;
use covers::Covers;

/// The namespaces a server gets of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rung {
    pub user: bool,
    pub processes: bool,
    pub mounts: bool,
    pub network: bool,
}

/// Who runs the jobs, where we are root.
#[derive(Debug, Clone)]
pub(super) struct JobUser {
    pub user: User,
    /// Capabilities to reach files that are root's, where these could not be made to look like the user's own.
    pub capabilities: Vec<u32>,
}

/// What the caller wants of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// One of the devices that do no harm.
    Device,
    Visible,
    Private,
    Shared,
}

/// A path the caller named, in its real form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub path: PathBuf,
    pub kind: Kind,
    pub is_folder: bool,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub rung: Rung,
    pub scratch: CString,
    pub user: Option<JobUser>,
    pub areas: Vec<Area>,
    pub view: Option<View>,
    /// What jobs may write to, where it is to be enforced by Landlock.
    pub rules: Option<Rules>,
    /// For the system calls of jobs.
    pub filter: Vec<libc::sock_filter>,
    pub home: PathBuf,
    pub temp: PathBuf,
}

/// What the rules for a job say.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// All else can only be read.
    pub writable: Vec<CString>,
    pub forbids_network: bool,
}

/// A folder that is empty at the start of every job, but for mounts in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub at: CString,
    pub mode: u32,
    /// Belongs to the user that runs the jobs.
    pub is_theirs: bool,
    pub mounts: usize,
}

#[derive(Debug)]
pub(super) struct View {
    pub stage_options: CString,
    /// Wants the room in memory.
    pub in_memory: bool,
    pub sources: Vec<Source>,
    /// To be made in the stage, those above first.
    pub nodes: Vec<Node>,
    /// To be done in this order, before the places: what lies inside another comes later.
    pub binds: Vec<Bind>,
    /// In this order too.
    pub places: Vec<Place>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub at: CString,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum What {
    Folder,
    File,
    Link { to: CString },
}

#[derive(Debug)]
pub(super) struct Source {
    pub path: CString,
    pub at: CString,
    pub is_folder: bool,
    pub read_only: bool,
    /// The mounts there with their ids mapped.
    pub tree: Option<OwnedFd>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bind {
    pub from: CString,
    pub to: CString,
    pub read_only: bool,
}

/// Where a source appears.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub from: CString,
    pub to: CString,
    pub overlay: Option<Overlay>,
}

/// A view of a source that can be written to without changing it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overlay {
    pub upper: CString,
    pub work: CString,
    pub options: CString,
    /// For kernels that do not know the others.
    pub plain_options: CString,
    /// The places that lie inside this one.
    pub inside: Vec<usize>,
    /// What the upper half looked like when nobody had written to it; the server fills this in when it is mounted.
    pub untouched: Option<Attributes>,
}

/// What tells whether the top folder of a view was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attributes {
    pub mode: u32,
    pub owner: (u32, u32),
    pub changed: (i64, i64),
}

/// What is covered in the mount namespace, and by what.
pub(super) struct Ground<'a> {
    /// Folders that all programs of the machine write to.
    pub temporary: Vec<PathBuf>,
    /// Whether the user that runs the jobs cannot enter a folder.
    pub is_closed: &'a dyn Fn(&Path) -> bool,
    pub stage_bytes: Option<u64>,
}

/// What is to be mounted of all that the caller named: nothing that lies in another one of the same or a stronger kind,
/// and nothing above the folders that are covered. Ordered so that what lies inside comes later.
pub(super) fn select(all: Vec<Wanted>, temporary: &[PathBuf]) -> Vec<Wanted> {
    let lies_in = |one: &Wanted, other: &Wanted| one.path != other.path && one.path.starts_with(&other.path);
    let is_kept = |one: &&Wanted| {
        let hidden = all.iter().any(|other| match one.kind {
            Kind::Visible => lies_in(one, other) || (one.path == other.path && other.kind > one.kind),
            Kind::Private => {
                (other.kind == Kind::Private && lies_in(one, other))
                    || (other.kind == Kind::Shared && one.path == other.path)
            }
            Kind::Shared | Kind::Device => false,
        });
        let above_all = one.kind == Kind::Visible && temporary.iter().any(|folder| folder.starts_with(&one.path));
        !hidden && !above_all
    };
    let mut kept: Vec<Wanted> = all.iter().filter(is_kept).cloned().collect();
    kept.sort_by(|a, b| (depth(&a.path), &a.path, a.kind).cmp(&(depth(&b.path), &b.path, b.kind)));
    kept.dedup();
    kept
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

impl Plan {
    /// Without mounts: a home and a folder for temporary files in the scratch, and all else as it is.
    pub fn bare(rung: Rung, scratch: &Path, user: Option<JobUser>, wanted: &[Wanted]) -> Plan {
        let area = |name: &str| Area { at: text(name), mode: 0o700, is_theirs: true, mounts: 0 };
        let own = [scratch.join("home"), scratch.join("tmp")];
        Plan {
            rung,
            scratch: path_text(scratch),
            user,
            areas: vec![area("home"), area("tmp")],
            view: None,
            rules: Some(Rules { writable: writable(own.iter(), wanted), forbids_network: false }),
            filter: Vec::new(),
            home: scratch.join("home"),
            temp: scratch.join("tmp"),
        }
    }

    /// With a mount namespace. `None` if no folder is left in which a home can appear.
    pub fn with_mounts(
        rung: Rung,
        scratch: &Path,
        user: Option<JobUser>,
        wanted: &[Wanted],
        trees: Vec<Option<OwnedFd>>,
        ground: Ground<'_>,
    ) -> Option<Plan> {
        let mut covers = Covers::new(wanted, &ground);
        // The same for all cells, so that tests which print their paths say the same in each; short, as sockets need.
        let base = covers.first()?.join("perturb-cell");
        let (home, temp) = (base.join("home"), base.join("tmp"));
        let theirs = [("room/home", home.as_path()), ("room/tmp", temp.as_path())];
        theirs.iter().for_each(|(_, path)| covers.lead_to(path, true));
        wanted.iter().for_each(|one| covers.lead_to(&one.path, one.is_folder));
        let (mut areas, mut binds, nodes) = covers.finish();
        for (at, path) in theirs {
            areas.push(Area { at: text(at), mode: 0o700, is_theirs: true, mounts: 0 });
            binds.push(Bind { from: text(at), to: path_text(path), read_only: false });
        }
        // Message queues: not to be seen, only to be emptied.
        areas.push(Area { at: text("mq"), mode: 0o1777, is_theirs: false, mounts: 0 });
        binds.sort_by_key(|bind| bind.to.as_bytes().iter().filter(|byte| **byte == b'/').count());
        let view = View {
            stage_options: text(&match ground.stage_bytes {
                Some(bytes) => format!("mode=0755,size={bytes}"),
                None => "mode=0755,size=16m".to_string(),
            }),
            in_memory: ground.stage_bytes.is_some(),
            sources: sources(wanted, trees),
            nodes,
            binds,
            places: places(wanted),
        };
        let own = view.binds.iter().filter(|bind| !bind.read_only).map(|bind| bind.to.clone());
        let mut all = writable([].iter(), wanted);
        all.extend(own);
        let rules = Some(Rules { writable: all, forbids_network: false });
        let (scratch, view) = (path_text(scratch), Some(view));
        Some(Plan { rung, scratch, user, areas, view, rules, filter: Vec::new(), home, temp })
    }
}

/// What a cell always lets jobs write to, besides its own folders: the kernel's files about processes, which guard
/// themselves, terminals, and message queues, by one name or the other.
const ALWAYS_WRITABLE: [&str; 4] = ["/proc", "/dev/pts", "/dev/mqueue", "mq"];

fn writable<'a>(own: impl Iterator<Item = &'a PathBuf>, wanted: &[Wanted]) -> Vec<CString> {
    let wanted = wanted.iter().filter(|one| one.kind != Kind::Visible).map(|one| path_text(&one.path));
    own.map(|path| path_text(path)).chain(wanted).chain(ALWAYS_WRITABLE.map(text)).collect()
}

fn sources(wanted: &[Wanted], trees: Vec<Option<OwnedFd>>) -> Vec<Source> {
    let mut trees = trees.into_iter();
    let source = |(number, one): (usize, &Wanted)| Source {
        path: path_text(&one.path),
        at: text(&format!("s{number}")),
        is_folder: one.is_folder,
        read_only: matches!(one.kind, Kind::Visible | Kind::Device),
        tree: trees.next().flatten(),
    };
    wanted.iter().enumerate().map(source).collect()
}

fn places(wanted: &[Wanted]) -> Vec<Place> {
    let inside = |number: usize| {
        let later = wanted.iter().enumerate().skip(number + 1);
        later.filter(|(_, other)| other.path.starts_with(&wanted[number].path)).map(|(other, _)| other).collect()
    };
    let place = |(number, one): (usize, &Wanted)| {
        let layers = format!("lowerdir=s{number},upperdir=room/u{number},workdir=room/w{number}");
        Place {
            from: text(&format!("s{number}")),
            to: path_text(&one.path),
            overlay: (one.kind == Kind::Private).then(|| Overlay {
                upper: text(&format!("room/u{number}")),
                work: text(&format!("room/w{number}")),
                // Attributes that a user namespace may write; and never waiting for a disk.
                options: text(&format!("{layers},userxattr,volatile")),
                plain_options: text(&layers),
                inside: inside(number),
                untouched: None,
            }),
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
