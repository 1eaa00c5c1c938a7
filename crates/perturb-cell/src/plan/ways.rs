//! The mount points of a cell's root, which starts empty.
//!
//! Mount points are made in the root itself, unless they already exist in a mount above. The cell makes two kinds of
//! mounts above others: folders for temporary files, empty at the start of every job, and folders of the system that
//! the job's user may not enter. Mount points below those are made in a chain of folders that holds nothing else and is
//! mounted read-only.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, OsString};
use std::path::{Path, PathBuf};

use super::{path_text, text, Area, Bind, PathUse, PlanInput, RootNode, Wanted, What};

const DEVICES: &str = "/dev";

/// Names below `/dev` that point elsewhere.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

pub(super) struct Ways<'a> {
    temporary: Vec<PathBuf>,
    wanted: &'a [Wanted],
    /// What is made in the root, and whether it is a folder.
    root: BTreeMap<PathBuf, bool>,
    closed: BTreeSet<PathBuf>,
    /// The first steps below temporary folders on the ways to something.
    steps: BTreeSet<PathBuf>,
    /// All mount points in the chain and the folders above them, and whether each is a folder.
    chain: BTreeMap<PathBuf, bool>,
    is_closed: &'a dyn Fn(&Path) -> bool,
}

/// The mount above a mount point.
enum Above<'a> {
    Root,
    Temporary(&'a Path),
    Closed(&'a Path),
    /// It exists there.
    Mount,
}

impl<'a> Ways<'a> {
    pub fn new(wanted: &'a [Wanted], ground: &PlanInput<'a>) -> Ways<'a> {
        // A temporary folder in something that the caller handles stays as the caller wants it.
        let is_handled = |folder: &Path| {
            wanted.iter().any(|one| one.kind > PathUse::Visible && folder.starts_with(&one.path))
                || ground.temporary.iter().any(|other| folder != other && folder.starts_with(other))
        };
        let mut temporary = ground.temporary.clone();
        temporary.retain(|folder| !is_handled(folder));
        let mut ways = Ways {
            temporary: temporary.clone(),
            wanted,
            root: BTreeMap::new(),
            closed: BTreeSet::new(),
            steps: BTreeSet::new(),
            chain: BTreeMap::new(),
            is_closed: ground.is_closed,
        };
        temporary.iter().for_each(|folder| ways.lead_to(folder, true));
        ways.lead_to(&Path::new(DEVICES).join("pts"), true);
        ways
    }

    /// Sees to it that something can be mounted at `path`.
    pub fn lead_to(&mut self, path: &Path, is_folder: bool) {
        let mut above: Vec<&Path> = path.ancestors().skip(1).filter(|folder| folder.parent().is_some()).collect();
        above.reverse();
        let made = match self.above(path, &above) {
            Above::Mount => return,
            Above::Root => &mut self.root,
            Above::Closed(folder) => {
                self.closed.insert(folder.to_path_buf());
                &mut self.chain
            }
            Above::Temporary(folder) => {
                let below = above.iter().find(|step| step.parent() == Some(folder)).copied();
                self.steps.insert(below.unwrap_or(path).to_path_buf());
                &mut self.chain
            }
        };
        made.extend(above.into_iter().map(|folder| (folder.to_path_buf(), true)));
        made.entry(path.to_path_buf()).or_insert(is_folder);
    }

    fn above<'p>(&self, path: &'p Path, above: &[&'p Path]) -> Above<'p> {
        let depth = |folder: &Path| folder.components().count();
        let mount = self.wanted.iter().filter(|one| one.path != path && path.starts_with(&one.path));
        let mount = mount.max_by_key(|one| depth(&one.path));
        let temporary = above.iter().copied().find(|folder| self.temporary.iter().any(|other| other == folder));
        match (mount, temporary) {
            (None, None) => Above::Root,
            (Some(one), Some(folder)) if depth(&one.path) < depth(folder) => Above::Temporary(folder),
            (None, Some(folder)) => Above::Temporary(folder),
            (Some(Wanted { kind: PathUse::System, path: system, .. }), _) => {
                let inside = above.iter().copied().filter(|folder| folder.starts_with(system));
                inside.into_iter().find(|folder| (self.is_closed)(folder)).map_or(Above::Mount, Above::Closed)
            }
            (Some(_), _) => Above::Mount,
        }
    }

    /// What is to be made, and what is to be mounted where.
    pub fn finish(mut self, links: &[(PathBuf, PathBuf)]) -> (Vec<Area>, Vec<Bind>, Vec<RootNode>) {
        let (mut areas, mut binds) = (Vec::new(), Vec::new());
        // The folders that symbolic links are in.
        for (link, _) in links {
            let above = link.ancestors().skip(1).filter(|folder| folder.parent().is_some());
            self.root.extend(above.map(|folder| (folder.to_path_buf(), true)));
        }
        let what = |is_folder: bool| if is_folder { What::Folder } else { What::File };
        let mut nodes = vec![RootNode { at: text("chain"), what: What::Folder }];
        nodes.extend(self.chain.iter().map(|(path, is_folder)| RootNode { at: chained(path), what: what(*is_folder) }));
        nodes
            .extend(self.root.iter().map(|(path, is_folder)| RootNode { at: path_text(path), what: what(*is_folder) }));
        let devices = LINKS.map(|(name, to)| (Path::new(DEVICES).join(name), PathBuf::from(to)));
        let link =
            |(path, to): &(PathBuf, PathBuf)| RootNode { at: path_text(path), what: What::Link { to: path_text(to) } };
        nodes.extend(devices.iter().chain(links).map(link));
        for (number, folder) in self.temporary.iter().enumerate() {
            let at = format!("room/t{number}");
            binds.push(Bind { from: text(&at), to: path_text(folder), read_only: false });
            let steps = || self.steps.iter().filter(|step| step.parent() == Some(folder));
            areas.push(Area { at: text(&at), mode: 0o1777, is_theirs: false, mounts: steps().count() });
            for step in steps() {
                let name = step.file_name().unwrap_or_default();
                nodes.push(RootNode { at: path_text(&Path::new(&at).join(name)), what: what(self.chain[step]) });
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
