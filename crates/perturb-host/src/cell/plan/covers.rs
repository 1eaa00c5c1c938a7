//! Which folders are covered, and the ways through the covers.
//!
//! Folders for temporary files are covered by empty ones of the cell, as tests write there by name and would disturb
//! each other. Folders that the user who runs the jobs may not enter are covered as well, with nothing in the cover but
//! the way to what the job needs: it must not see the rest, and the rest need not be opened to it. So is `/dev`, of
//! which a job gets what every program may use, and no disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsString};
use std::path::{Path, PathBuf};

use super::{path_text, text, Area, Bind, Ground, Kind, Node, Wanted, What};

const DEVICES: &str = "/dev";

/// Names below `/dev` that lead elsewhere.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

pub(super) struct Covers<'a> {
    temporary: Vec<PathBuf>,
    closed: BTreeSet<PathBuf>,
    /// The first steps below temporary folders on the ways to something.
    steps: BTreeSet<PathBuf>,
    /// All that is on a way, and whether it is a folder.
    chain: BTreeMap<PathBuf, bool>,
    is_closed: &'a dyn Fn(&Path) -> bool,
}

impl<'a> Covers<'a> {
    pub fn new(wanted: &[Wanted], ground: &Ground<'a>) -> Covers<'a> {
        // A temporary folder in something that the caller handles stays as the caller wants it.
        let is_handled = |folder: &Path| {
            wanted.iter().any(|one| one.kind > Kind::Visible && folder.starts_with(&one.path))
                || ground.temporary.iter().any(|other| folder != other && folder.starts_with(other))
        };
        let mut temporary = ground.temporary.clone();
        temporary.retain(|folder| !is_handled(folder));
        let mut covers = Covers {
            temporary,
            closed: BTreeSet::new(),
            steps: BTreeSet::new(),
            chain: BTreeMap::new(),
            is_closed: ground.is_closed,
        };
        covers.temporary.clone().iter().for_each(|folder| covers.lead_to(folder, true));
        covers.lead_to(&Path::new(DEVICES).join("pts"), true);
        covers
    }

    /// The first of the temporary folders.
    pub fn first(&self) -> Option<&Path> {
        self.temporary.first().map(PathBuf::as_path)
    }

    /// Makes a way to `path` through what is covered above it.
    pub fn lead_to(&mut self, path: &Path, is_folder: bool) {
        let mut above: Vec<&Path> = path.ancestors().skip(1).filter(|folder| folder.parent().is_some()).collect();
        above.reverse();
        if let Some(folder) = above.iter().find(|folder| self.temporary.iter().any(|other| other == *folder)) {
            let below = above.iter().find(|step| step.parent() == Some(folder)).copied();
            self.steps.insert(below.unwrap_or(path).to_path_buf());
        } else if let Some(folder) =
            above.iter().find(|folder| **folder == Path::new(DEVICES) || (self.is_closed)(folder))
        {
            self.closed.insert(folder.to_path_buf());
        } else {
            return;
        }
        self.chain.extend(above.into_iter().map(|folder| (folder.to_path_buf(), true)));
        self.chain.entry(path.to_path_buf()).or_insert(is_folder);
    }

    /// What is to be made, and what is to be mounted where.
    pub fn finish(self) -> (Vec<Area>, Vec<Bind>, Vec<Node>) {
        let (mut areas, mut binds) = (Vec::new(), Vec::new());
        let what = |is_folder: bool| if is_folder { What::Folder } else { What::File };
        let mut nodes = vec![Node { at: text("chain"), what: What::Folder }];
        nodes.extend(self.chain.iter().map(|(path, is_folder)| Node { at: chained(path), what: what(*is_folder) }));
        let link = |(name, to)| Node { at: chained(&Path::new(DEVICES).join(name)), what: What::Link { to: text(to) } };
        nodes.extend(LINKS.map(link));
        for (number, folder) in self.temporary.iter().enumerate() {
            let at = format!("room/t{number}");
            binds.push(Bind { from: text(&at), to: path_text(folder), read_only: false });
            let steps = || self.steps.iter().filter(|step| step.parent() == Some(folder));
            areas.push(Area { at: text(&at), mode: 0o1777, is_theirs: false, mounts: steps().count() });
            for step in steps() {
                let name = step.file_name().unwrap_or_default();
                nodes.push(Node { at: path_text(&Path::new(&at).join(name)), what: what(self.chain[step]) });
                binds.push(Bind { from: chained(step), to: path_text(step), read_only: true });
            }
        }
        let closed = self.closed.iter();
        binds.extend(closed.map(|folder| Bind { from: chained(folder), to: path_text(folder), read_only: true }));
        (areas, binds, nodes)
    }
}

/// Where the chain holds its copy of an absolute path.
fn chained(path: &Path) -> CString {
    let mut text = OsString::from("chain");
    text.push(path);
    path_text(Path::new(&text))
}
