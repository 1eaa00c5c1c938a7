//! One private folder, its manifest, and the copies of its files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{lchown, symlink};
use std::path::{Path, PathBuf};

use super::files::{
    attributes, has_reliable_times, make_special, open_folder, remove_any, remove_attribute, set_mode, set_mtime,
};
use super::record::{Contents, FileKind, ManifestEntry, Stamp};
use crate::error::CellError;

/// Files are compared in pieces of this size.
const PIECE: usize = 64 << 10;

/// A folder, and how it is to look before every job.
#[derive(Debug)]
pub(super) struct PristineFolder {
    root: PathBuf,
    /// Holds the copies, by number.
    store: PathBuf,
    /// The entries by relative path, so that folders come before their content. The root has the empty path.
    records: BTreeMap<PathBuf, ManifestEntry>,
    /// Paths that jobs really write to, relative: they are neither copied nor restored.
    left_out: BTreeSet<PathBuf>,
    next_number: u64,
    has_reliable_times: bool,
}

/// The progress of a restoration.
#[derive(Debug, Default)]
struct Repair {
    /// Folders whose mode and time are to be set at the end.
    folders: BTreeSet<PathBuf>,
    /// All else that was made anew.
    files: Vec<PathBuf>,
    /// For the inode of a file with several names, the first of them that was restored.
    linked: HashMap<u64, PathBuf>,
}

impl PristineFolder {
    pub fn new(root: PathBuf, store: PathBuf) -> Result<PristineFolder, CellError> {
        fs::create_dir_all(&store).map_err(CellError::io("create", &store))?;
        set_mode(&store, 0o700).map_err(CellError::io("close", &store))?;
        let has_reliable_times = has_reliable_times(&root).map_err(CellError::io("look at", &root))?;
        let (records, left_out) = Default::default();
        Ok(PristineFolder { root, store, records, left_out, next_number: 0, has_reliable_times })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The latest time of a change that is recorded.
    pub fn newest_ns(&self) -> i64 {
        self.records.values().map(|record| record.stamp.ctime_ns).max().unwrap_or(i64::MIN)
    }

    pub fn leave_out(&mut self, paths: &[PathBuf]) {
        let inside = paths.iter().filter_map(|path| path.strip_prefix(&self.root).ok());
        self.left_out.extend(inside.map(Path::to_path_buf));
    }

    /// Takes the folder as it is now for pristine, and copies what has changed. Answers whether anything has.
    pub fn update(&mut self) -> Result<bool, CellError> {
        let mut before = std::mem::take(&mut self.records);
        let mut after = BTreeMap::new();
        let mut has_changed = false;
        let mut pending = vec![PathBuf::new()];
        while let Some(path) = pending.pop() {
            let real = self.real(&path);
            let Some(stamp) = Stamp::of(&real).map_err(CellError::io("read", &real))? else { continue };
            let known = before.remove(&path);
            let record = match known {
                Some(record) if self.is_same(&record, &stamp, &real)? => record,
                other => {
                    has_changed = true;
                    if let Some(contents) = other.and_then(|record| record.contents) {
                        self.remove_copy(contents);
                    }
                    self.record(&real, stamp)?
                }
            };
            if stamp.kind() == FileKind::Folder {
                pending.extend(self.names(&path)?);
            }
            after.insert(path, record);
        }
        has_changed |= !before.is_empty();
        before.values().filter_map(|record| record.contents).for_each(|contents| self.remove_copy(contents));
        self.records = after;
        Ok(has_changed)
    }

    /// Makes the folder as it is recorded. Answers whether anything differed.
    pub fn restore(&mut self) -> Result<bool, CellError> {
        if self.records.is_empty() {
            // An update has failed, so that nobody knows how the folder is to look.
            return Err(CellError::NotRestored { path: self.root.clone() });
        }
        let mut repair = Repair::default();
        for (path, record) in &self.records {
            let real = self.real(path);
            let now = Stamp::of(&real).map_err(CellError::io("read", &real))?;
            let is_same = match &now {
                Some(now) => self.is_same(record, now, &real)?,
                None => false,
            };
            if is_same {
                continue;
            }
            let repaired = match record.stamp.kind() {
                FileKind::Folder => self.repair_folder(path, record, now, &mut repair),
                _ => self.replace(path, record, &mut repair),
            };
            repaired.map_err(CellError::io("restore", &real))?;
        }
        let has_changed = !repair.folders.is_empty();
        self.finish(repair)?;
        Ok(has_changed)
    }

    /// Sets modes and times of folders, those inside before those around them, and records everything as it is now.
    fn finish(&mut self, repair: Repair) -> Result<(), CellError> {
        let Repair { folders, files, .. } = repair;
        for path in folders.iter().rev() {
            let (real, stamp) = (self.real(path), self.records[path].stamp);
            // Only root may, and only root needs to.
            let _ = lchown(&real, Some(stamp.owner.0), Some(stamp.owner.1));
            set_mode(&real, stamp.permissions())
                .and_then(|()| set_mtime(&real, stamp.mtime_ns))
                .map_err(CellError::io("restore", &real))?;
        }
        for path in files.iter().chain(&folders) {
            let real = self.real(path);
            let now = Stamp::of(&real).map_err(CellError::io("read", &real))?;
            let Some(record) = self.records.get_mut(path) else { continue };
            match now {
                Some(now) if record.stamp.is_restored(&now) => record.stamp = now,
                _ => return Err(CellError::NotRestored { path: real }),
            }
        }
        Ok(())
    }

    /// Opens a folder that a job closed, makes one that is gone, and removes what was not in it.
    fn repair_folder(
        &self,
        path: &Path,
        record: &ManifestEntry,
        now: Option<Stamp>,
        repair: &mut Repair,
    ) -> io::Result<()> {
        let real = self.real(path);
        let is_folder = now.is_some_and(|now| now.kind() == FileKind::Folder);
        let is_same_one = now.is_some_and(|now| now.inode == record.stamp.inode);
        let holds_shared = self.left_out.iter().any(|shared| shared.starts_with(path));
        if !is_folder || !(is_same_one || holds_shared) {
            self.open_parent(path, repair)?;
            remove_any(&real)?;
            fs::create_dir(&real)?;
        }
        open_folder(&real)?;
        for name in attributes(&real)?.iter().filter(|name| !record.attributes.contains(name)) {
            remove_attribute(&real, name)?;
        }
        for name in fs::read_dir(&real)? {
            let inner = path.join(name?.file_name());
            let is_kept =
                self.records.contains_key(&inner) || self.left_out.iter().any(|path| path.starts_with(&inner));
            if !is_kept {
                remove_any(&self.real(&inner))?;
            }
        }
        repair.folders.insert(path.to_path_buf());
        Ok(())
    }

    /// Makes a file, a symbolic link or something special anew, in place of whatever is there.
    fn replace(&self, path: &Path, record: &ManifestEntry, repair: &mut Repair) -> io::Result<()> {
        let (real, stamp) = (self.real(path), record.stamp);
        self.open_parent(path, repair)?;
        remove_any(&real)?;
        repair.files.push(path.to_path_buf());
        if stamp.kind() == FileKind::File && stamp.links > 1 {
            if let Some(first) = repair.linked.get(&stamp.inode) {
                return fs::hard_link(self.real(first), &real);
            }
            repair.linked.insert(stamp.inode, path.to_path_buf());
        }
        match (stamp.kind(), &record.contents, &record.target) {
            (FileKind::Link, _, Some(target)) => symlink(target, &real)?,
            (FileKind::File, Some(contents), _) => self.copy_back(*contents, &real)?,
            _ => make_special(&real, stamp.mode)?,
        }
        // Only root may, and only root needs to.
        let _ = lchown(&real, Some(stamp.owner.0), Some(stamp.owner.1));
        if stamp.kind() != FileKind::Link {
            set_mode(&real, stamp.permissions())?;
        }
        set_mtime(&real, stamp.mtime_ns)
    }

    /// What changes in a folder changes its time as well, and a folder may be one that nobody writes to.
    fn open_parent(&self, path: &Path, repair: &mut Repair) -> io::Result<()> {
        let Some(parent) = path.parent() else { return Ok(()) };
        open_folder(&self.real(parent))?;
        repair.folders.insert(parent.to_path_buf());
        Ok(())
    }

    fn copy_back(&self, contents: Contents, to: &Path) -> io::Result<()> {
        let copy = self.copy(contents.number);
        if Stamp::of(&copy)? != Some(contents.stamp) {
            return Err(io::Error::other("its pristine copy was changed"));
        }
        fs::copy(&copy, to).map(drop)
    }

    /// Whether a file is as it was recorded.
    fn is_same(&self, record: &ManifestEntry, now: &Stamp, real: &Path) -> Result<bool, CellError> {
        if record.stamp != *now {
            return Ok(false);
        }
        match record.contents.filter(|_| !self.has_reliable_times) {
            Some(contents) => has_same_contents(&self.copy(contents.number), real).map_err(CellError::io("read", real)),
            None => Ok(true),
        }
    }

    fn record(&mut self, real: &Path, stamp: Stamp) -> Result<ManifestEntry, CellError> {
        let (mut contents, mut target, mut names) = (None, None, Vec::new());
        match stamp.kind() {
            FileKind::File => contents = Some(self.take_copy(real)?),
            FileKind::Link => target = Some(fs::read_link(real).map_err(CellError::io("read", real))?),
            FileKind::Folder => names = attributes(real).map_err(CellError::io("read", real))?,
            FileKind::Special => {}
        }
        Ok(ManifestEntry { stamp, contents, target, attributes: names })
    }

    fn take_copy(&mut self, real: &Path) -> Result<Contents, CellError> {
        let number = self.next_number;
        self.next_number += 1;
        let copy = self.copy(number);
        let taken = fs::copy(real, &copy).and_then(|_| set_mode(&copy, 0o400)).and_then(|()| Stamp::of(&copy));
        match taken.map_err(CellError::io("copy", real))? {
            Some(stamp) => Ok(Contents { number, stamp }),
            None => Err(CellError::NotRestored { path: copy }),
        }
    }

    fn remove_copy(&self, contents: Contents) {
        let _ = fs::remove_file(self.copy(contents.number));
    }

    fn copy(&self, number: u64) -> PathBuf {
        self.store.join(number.to_string())
    }

    /// What is in a folder and not left out, relative to the root.
    fn names(&self, folder: &Path) -> Result<Vec<PathBuf>, CellError> {
        let real = self.real(folder);
        let items = fs::read_dir(&real).map_err(CellError::io("read", &real))?;
        let names = items.map(|item| item.map(|item| folder.join(item.file_name())));
        let names: Vec<PathBuf> = names.collect::<io::Result<_>>().map_err(CellError::io("read", &real))?;
        Ok(names.into_iter().filter(|path| !self.left_out.contains(path)).collect())
    }

    /// No slash after the root: with one, a link in its place would be followed.
    fn real(&self, path: &Path) -> PathBuf {
        match path.as_os_str().is_empty() {
            true => self.root.clone(),
            false => self.root.join(path),
        }
    }
}

fn has_same_contents(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let mut pieces = [vec![0; PIECE], vec![0; PIECE]];
    loop {
        let read = read_whole(&mut one, &mut pieces[0])?;
        if read_whole(&mut other, &mut pieces[1])? != read || pieces[0][..read] != pieces[1][..read] {
            return Ok(false);
        }
        if read < PIECE {
            return Ok(true);
        }
    }
}

/// As many bytes as there are, up to the size of the buffer.
fn read_whole(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
