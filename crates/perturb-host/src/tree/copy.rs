//! A copy of the user's tree in the work folder, kept in sync with it: builds run there, never in the tree itself.
//!
//! Generated files survive a sync; [`TreeCopy::remove_generated`] removes them. Never follows a symbolic link, never
//! writes outside the copy, and leaves out version control and the output of other builds.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use perturb_cell::{is_unrestored, remove_any, CellError, PRISTINE_IN_HOME};

use crate::command_line::language_of;
use crate::error::HostError;
use crate::progress::DiscoveryProgress;
use crate::tree::file_clock::FileClock;
use crate::tree::manifest::{fnv1a, manifest_text, note_replaced, read_manifest, read_replaced, CopiedEntry, Records};
use crate::tree::walk::is_header;
use crate::tree::walk::{is_denied, mtime_ns, TreeEntry, Walk};

/// The copy of one tree.
#[derive(Debug, Clone)]
pub(crate) struct TreeCopy {
    pub copy: PathBuf,
    /// The same as long as a build must call the compiler in the same way; see [`fingerprint`].
    pub fingerprint: u64,
    /// Files that we may not read, relative, sorted; they are not in the copy.
    pub unreadable: Vec<PathBuf>,
    /// Files that hold another text than before the sync, relative; none after the first one.
    pub changed: Vec<PathBuf>,
    /// Where the copy was made that this one takes the place of, if the work folder has been moved or copied since.
    pub moved_from: Option<PathBuf>,
    /// The clock of the copy's file system.
    pub clock: FileClock,
    entries: BTreeMap<PathBuf, TreeEntry>,
}

/// The source of a copy.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// The user's tree as it is now, without the work folder.
    Tree { root: &'a Path, work: &'a Path },
    /// The user's tree as it was at the last sync of `<work>/tree`, whatever the user has done to it since.
    Snapshot { root: &'a Path, work: &'a Path },
}

/// What a sync does with files that we have replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replaced {
    Restore,
    /// Leaves them, for the caller to judge by their text.
    Keep,
}

/// The folder beside a copy that holds pristine copies of it, while mutants are built there. If it still has a marker,
/// a process was killed meanwhile.
pub(crate) const AS_BUILT: &str = "as-built";

/// The stamp of a file that counts as changed, whatever it looks like.
const NEVER: i64 = i64::MIN;

/// Brings `<home>/tree` in step with its origin.
///
/// A file that takes the place of another text is stamped later than all that was built from that, even if the user's
/// own is older; in the first copy, files have the times of the user's.
pub(crate) fn sync(origin: Origin, home: &Path, replaced: Replaced) -> Result<TreeCopy, HostError> {
    let copy = home.join("tree");
    let clock = FileClock::new(home);
    if clock.is_set_back()? {
        origin.start_anew(home, &clock, HostError::ClockSetBack { path: home.to_path_buf() })?;
    }
    let place = CopyLocation::of(home)?;
    let is_unrestored = is_unrestored(home) || is_unrestored(&home.join(AS_BUILT));
    if is_unrestored || (!place.fits && !origin.is_own_snapshot(home)) {
        origin.start_anew(home, &clock, CellError::NotRestored { path: home.to_path_buf() }.into())?;
    }
    place.note(home)?;
    fs::create_dir_all(&copy).map_err(HostError::io("create", &copy))?;
    let manifest = home.join("tree.manifest");
    let before = read_manifest(&manifest)?;
    let (entries, unreadable) = origin.entries(&copy)?;
    // As long as nothing can have been built, all files may have the times of the user's.
    let is_empty = fs::read_dir(&copy).map_err(HostError::io("read", &copy))?.next().is_none();
    let is_new = is_empty && !home.join("build").exists();
    let fingerprint_before = fingerprint(&entries);
    let mut tree = TreeCopy {
        copy,
        fingerprint: fingerprint_before,
        unreadable,
        changed: Vec::new(),
        moved_from: place.before,
        clock,
        entries,
    };
    let noted = read_replaced(home)?;
    let ours = if replaced == Replaced::Restore { &noted } else { &BTreeSet::new() };
    for path in before.keys().chain(ours).rev().filter(|path| !tree.entries.contains_key(*path)) {
        // A folder stays when a build has put something of its own in it.
        remove(&tree.copy.join(path));
    }
    let mut after = before;
    after.retain(|path, record| tree.entries.get(path) == Some(&record.entry) && tree.is_intact(path, record));
    for path in noted {
        match tree.entries.get(&path).filter(|_| replaced == Replaced::Keep) {
            Some(entry) => after.insert(path, CopiedEntry { entry: entry.clone(), stamp: NEVER }),
            None => after.remove(&path),
        };
    }
    let stale: Vec<PathBuf> = tree.entries.keys().filter(|path| !after.contains_key(*path)).cloned().collect();
    let denied = tree.place_all(origin, stale, is_new, &mut after)?;
    if !denied.is_empty() {
        denied.iter().for_each(|path| drop(tree.entries.remove(path)));
        tree.fingerprint = fingerprint(&tree.entries);
        tree.unreadable.extend(denied);
    }
    tree.unreadable.sort();
    fs::write(&manifest, manifest_text(&after)).map_err(HostError::io("write", &manifest))?;
    if replaced == Replaced::Restore {
        note_replaced(home, &BTreeSet::new())?;
    }
    Ok(tree)
}

/// Where a copy was made. Build folders and objects contain absolute paths: in another location they are useless, or
/// point to the copy that they were made for.
struct CopyLocation {
    fits: bool,
    /// The other place, where it is known.
    before: Option<PathBuf>,
}

impl CopyLocation {
    const FILE_NAME: &'static str = "tree.place";

    fn of(home: &Path) -> Result<CopyLocation, HostError> {
        let path = home.join(Self::FILE_NAME);
        match fs::read(&path) {
            Ok(bytes) => {
                let noted = PathBuf::from(OsString::from_vec(bytes));
                let fits = noted == home;
                Ok(CopyLocation { fits, before: (!fits).then_some(noted) })
            }
            // A copy without the note is of an earlier version: nobody knows where it was made.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(CopyLocation { fits: !home.join("tree.manifest").exists(), before: None })
            }
            Err(error) => Err(HostError::io("read", &path)(error)),
        }
    }

    /// Records the location. Call it once nothing is left of a copy that was made elsewhere.
    fn note(&self, home: &Path) -> Result<(), HostError> {
        let path = home.join(Self::FILE_NAME);
        if self.fits && path.exists() {
            return Ok(());
        }
        fs::write(&path, home.as_os_str().as_bytes()).map_err(HostError::io("write", &path))
    }
}

impl Origin<'_> {
    /// Whether it is the copy itself.
    fn is_own_snapshot(&self, home: &Path) -> bool {
        matches!(self, Origin::Snapshot { work, .. } if *work == home)
    }

    /// Removes the copy with all that was built in it: its stamps lie in the future, it was configured for another
    /// location, or a test has changed it. Returns `refused` for the copy from which all others are made.
    fn start_anew(&self, home: &Path, clock: &FileClock, refused: HostError) -> Result<(), HostError> {
        if self.is_own_snapshot(home) {
            return Err(refused);
        }
        tracing::debug!(copy = %home.display(), reason = %refused, "makes the copy of the project anew");
        let notes = ["tree.manifest", "setup.stamp", "meson.stamp", "capture.json", "replaced", "building"];
        // The marker of folders that were not restored goes last.
        for name in notes.into_iter().chain(["tree", "build", AS_BUILT]).chain(PRISTINE_IN_HOME) {
            remove_any(&home.join(name)).map_err(HostError::io("remove", &home.join(name)))?;
        }
        clock.forget();
        Ok(())
    }

    fn entries(&self, copy: &Path) -> Result<(BTreeMap<PathBuf, TreeEntry>, Vec<PathBuf>), HostError> {
        match self {
            Origin::Tree { root, work } => Walk::new(root, work, copy).run(),
            Origin::Snapshot { work, .. } => {
                let snapshot = work.join("tree");
                let records = read_manifest(&work.join("tree.manifest"))?;
                let moved = |entry: TreeEntry| match entry {
                    TreeEntry::Link { target } => {
                        let inside = target.strip_prefix(&snapshot).map(|inside| copy.join(inside));
                        TreeEntry::Link { target: inside.unwrap_or(target) }
                    }
                    other => other,
                };
                Ok((records.into_iter().map(|(path, record)| (path, moved(record.entry))).collect(), Vec::new()))
            }
        }
    }

    /// The path at which the text of a file is read.
    fn file(&self, path: &Path, entry: &TreeEntry) -> PathBuf {
        match self {
            Origin::Tree { root, .. } => root.join(path),
            Origin::Snapshot { root, work } => {
                // A build may have changed the snapshot's own; the user's is better then, if it still is the same.
                let user = root.join(path);
                let same = fs::symlink_metadata(&user).is_ok_and(|data| is_file_like(&data, entry));
                if same {
                    user
                } else {
                    work.join("tree").join(path)
                }
            }
        }
    }
}

impl TreeCopy {
    pub fn report_if_moved(&self, work: &Path, report: &mut dyn FnMut(&DiscoveryProgress)) {
        if let Some(from) = self.moved_from.clone() {
            report(&DiscoveryProgress::Moved { from, work: work.to_path_buf() });
        }
    }

    /// The entries of the tree, as they were when it was copied.
    pub fn entries(&self) -> &BTreeMap<PathBuf, TreeEntry> {
        &self.entries
    }

    /// Whether something of this path is in the tree, and not only made by a build.
    pub fn has(&self, path: &Path) -> bool {
        self.entries.contains_key(path)
    }

    /// The text that a file of the tree has in its origin, `None` if it is no file there.
    pub fn original(&self, origin: Origin, path: &Path) -> Result<Option<Vec<u8>>, HostError> {
        match self.entries.get(path) {
            Some(entry @ TreeEntry::File { .. }) => {
                let file = origin.file(path, entry);
                fs::read(&file).map(Some).map_err(HostError::io("read", &file))
            }
            _ => Ok(None),
        }
    }

    /// Removes all that is in the copy but not in the tree, and restores what builds have changed.
    pub fn remove_generated(&self, origin: Origin) -> Result<(), HostError> {
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let real = self.copy.join(&folder);
            for item in fs::read_dir(&real).map_err(HostError::io("read", &real))? {
                let item = item.map_err(HostError::io("read", &real))?;
                let relative = folder.join(item.file_name());
                match self.entries.get(&relative) {
                    Some(TreeEntry::Folder) => folders.push(relative),
                    Some(_) => {}
                    None => remove_all(&item.path()).map_err(HostError::io("remove", &item.path()))?,
                }
            }
        }
        for (path, entry) in &self.entries {
            let copy = self.copy.join(path);
            let is_file = fs::symlink_metadata(&copy).is_ok_and(|data| is_file_like(&data, entry));
            if !is_file {
                // Nothing is left that was built from another text.
                place(&origin.file(path, entry), &copy, entry, Time::OfOrigin)?;
            }
        }
        Ok(())
    }

    /// Copies the stale entries, and returns those that we may not read.
    fn place_all(
        &mut self,
        origin: Origin,
        stale: Vec<PathBuf>,
        is_new: bool,
        after: &mut Records,
    ) -> Result<Vec<PathBuf>, HostError> {
        let (mut files, others): (Vec<_>, Vec<_>) = stale
            .into_iter()
            .map(|path| (self.entries[&path].clone(), path))
            .partition(|(entry, _)| matches!(entry, TreeEntry::File { .. }));
        // In the order of the user's times, so that a file that was made of another one stays the newer of the two.
        files.sort_by_key(|(entry, _)| match entry {
            TreeEntry::File { mtime_ns, .. } => *mtime_ns,
            _ => 0,
        });
        let mut denied = Vec::new();
        let mut ticked = false;
        for (entry, path) in others.into_iter().chain(files) {
            let (from, to) = (origin.file(&path, &entry), self.copy.join(&path));
            match entry {
                TreeEntry::File { mode, .. } if has_same_text(&from, &to) => set_mode(&to, mode)?,
                _ => {
                    if !is_new && !ticked {
                        self.clock.tick()?;
                        ticked = true;
                    }
                    match place(&from, &to, &entry, if is_new { Time::OfOrigin } else { Time::Now }) {
                        Err(error) if is_denied(&error) => {
                            denied.push(path);
                            continue;
                        }
                        result => result?,
                    }
                    if !is_new {
                        self.changed.push(path.clone());
                    }
                }
            }
            let stamp = fs::symlink_metadata(&to).map(|data| mtime_ns(&data)).map_err(HostError::io("read", &to))?;
            after.insert(path, CopiedEntry { entry, stamp });
        }
        Ok(denied)
    }

    /// Whether the copy still is what we made it.
    fn is_intact(&self, path: &Path, record: &CopiedEntry) -> bool {
        let copy = self.copy.join(path);
        let Ok(data) = fs::symlink_metadata(&copy) else { return false };
        match &record.entry {
            TreeEntry::Folder => data.is_dir(),
            TreeEntry::File { size, .. } => data.is_file() && data.len() == *size && mtime_ns(&data) == record.stamp,
            TreeEntry::Link { target } => fs::read_link(&copy).is_ok_and(|now| now == *target),
        }
    }
}

/// Whether the tree itself is not what it was at the last sync: a build with absolute paths may have written in it.
pub(crate) fn has_changed(origin: Origin, tree: &TreeCopy) -> Result<bool, HostError> {
    let (mut now, _) = origin.entries(&tree.copy)?;
    tree.unreadable.iter().for_each(|path| drop(now.remove(path)));
    let known = |path: &PathBuf| !tree.unreadable.contains(path);
    Ok(now.iter().ne(tree.entries.iter().filter(|(path, _)| known(path))))
}

fn is_file_like(data: &fs::Metadata, entry: &TreeEntry) -> bool {
    matches!(entry, TreeEntry::File { size, mtime_ns: time, .. }
        if data.is_file() && data.len() == *size && mtime_ns(data) == *time)
}

fn has_same_text(from: &Path, to: &Path) -> bool {
    let is_file = fs::symlink_metadata(to).is_ok_and(|data| data.is_file());
    is_file && fs::read(to).is_ok_and(|there| fs::read(from).is_ok_and(|wanted| wanted == there))
}

/// Which time a file that is placed gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Time {
    OfOrigin,
    Now,
}

fn place(from: &Path, to: &Path, entry: &TreeEntry, time: Time) -> Result<(), HostError> {
    if *entry == TreeEntry::Folder {
        if !fs::symlink_metadata(to).is_ok_and(|data| data.is_dir()) {
            remove(to);
            fs::create_dir_all(to).map_err(HostError::io("create", to))?;
        }
        return Ok(());
    }
    // First away with what is there: it may be a link that leads out of the copy, or be read-only.
    remove_all(to).map_err(HostError::io("replace", to))?;
    match entry {
        TreeEntry::Folder => unreachable!("handled above"),
        TreeEntry::Link { target } => symlink(target, to).map_err(HostError::io("link", to)),
        TreeEntry::File { mtime_ns, mode, .. } => {
            fs::copy(from, to).map_err(HostError::io("copy", from))?;
            set_mode(to, *mode)?;
            if time == Time::Now {
                return Ok(());
            }
            let time = UNIX_EPOCH + Duration::from_nanos(u64::try_from(*mtime_ns).unwrap_or(0));
            let file = File::options().write(true).open(to).map_err(HostError::io("open", to))?;
            file.set_modified(time).map_err(HostError::io("set the time of", to))
        }
    }
}

/// Whatever the user's mode is, we may write.
fn set_mode(path: &Path, mode: u32) -> Result<(), HostError> {
    let writable = fs::Permissions::from_mode(mode | 0o600);
    fs::set_permissions(path, writable).map_err(HostError::io("set the mode of", path))
}

fn remove(path: &Path) {
    let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
}

fn remove_all(path: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(data) if data.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
    }
}

/// A hash of all paths, and of the sizes and times of all files that are not program text: build files, scripts, their
/// inputs.
fn fingerprint(entries: &BTreeMap<PathBuf, TreeEntry>) -> u64 {
    let any_text = TreeEntry::File { size: 0, mtime_ns: 0, mode: 0 };
    let relevant = |(path, entry): (&PathBuf, &TreeEntry)| {
        let is_text = matches!(entry, TreeEntry::File { .. }) && is_program_text(path);
        (path.clone(), CopiedEntry { entry: if is_text { any_text.clone() } else { entry.clone() }, stamp: 0 })
    };
    fnv1a(&manifest_text(&entries.iter().map(relevant).collect()))
}

impl TreeCopy {
    /// Files that are not the text of a program, relative.
    pub fn data_files(&self) -> Vec<PathBuf> {
        let is_data =
            |(path, entry): &(&PathBuf, &TreeEntry)| matches!(entry, TreeEntry::File { .. }) && !is_program_text(path);
        self.entries.iter().filter(is_data).map(|(path, _)| path.clone()).collect()
    }
}

/// Sources and headers; an `.i` may be the input of a generator as well as preprocessed C.
pub(crate) fn is_program_text(path: &Path) -> bool {
    is_header(path) || (language_of(path).is_some() && path.extension().is_none_or(|extension| extension != "i"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    struct Fixture {
        folder: tempfile::TempDir,
    }

    impl Fixture {
        fn new() -> Fixture {
            let fixture = Fixture { folder: tempfile::tempdir().unwrap() };
            fs::create_dir_all(fixture.work()).unwrap();
            fixture.write("src/a.c", "int a;\n");
            fixture.write("run.sh", "#!/bin/sh\n");
            fs::set_permissions(fixture.root().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
            fixture
        }

        fn root(&self) -> PathBuf {
            self.folder.path().join("project")
        }

        fn work(&self) -> PathBuf {
            self.root().join("w")
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn sync(&self) -> TreeCopy {
            let (root, work) = (self.root(), self.work());
            sync(Origin::Tree { root: &root, work: &work }, &work, Replaced::Restore).unwrap()
        }
    }

    #[test]
    fn modes_times_and_links_are_kept_and_the_work_folder_is_left_out() {
        let fixture = Fixture::new();
        symlink("src/a.c", fixture.root().join("inside")).unwrap();
        symlink("../elsewhere", fixture.root().join("outside")).unwrap();
        symlink(fixture.root().join("src"), fixture.root().join("absolute")).unwrap();
        for path in [".git/x", "CMakeFiles/x", "CMakeCache.txt", "old/CMakeCache.txt", "old/a.c"] {
            fixture.write(path, "");
        }
        let copy = fixture.sync().copy;
        assert_eq!(fs::metadata(copy.join("run.sh")).unwrap().mode() & 0o777, 0o755);
        let times =
            [fixture.root(), copy.clone()].map(|tree| fs::metadata(tree.join("src/a.c")).unwrap().modified().unwrap());
        assert_eq!(times[0], times[1]);
        assert_eq!(fs::read_link(copy.join("inside")).unwrap(), Path::new("src/a.c"));
        assert_eq!(fs::read_link(copy.join("outside")).unwrap(), fixture.folder.path().join("elsewhere"));
        assert_eq!(fs::read_link(copy.join("absolute")).unwrap(), copy.join("src"));
        let mut names: Vec<_> = fs::read_dir(&copy).unwrap().map(|item| item.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["absolute", "inside", "outside", "run.sh", "src"]);
    }

    #[test]
    fn what_vanished_is_removed_and_what_builds_made_survives() {
        let fixture = Fixture::new();
        fixture.write("gone/b.c", "");
        let first = fixture.sync();
        fs::write(first.copy.join("src/generated.h"), "x").unwrap();
        fs::remove_dir_all(fixture.root().join("gone")).unwrap();
        fixture.write("src/a.c", "int a, b;\n");
        let second = fixture.sync();
        assert_ne!(first.fingerprint, second.fingerprint);
        assert!(!second.copy.join("gone").exists());
        assert!(second.copy.join("src/generated.h").exists());
        assert_eq!(fs::read_to_string(second.copy.join("src/a.c")).unwrap(), "int a, b;\n");
        assert_eq!(second.fingerprint, fixture.sync().fingerprint);
    }

    #[test]
    fn a_source_changed_by_a_build_is_restored() {
        let fixture = Fixture::new();
        let copy = fixture.sync().copy;
        fs::write(copy.join("src/a.c"), "patched by the build").unwrap();
        fs::write(copy.join("left-over"), "").unwrap();
        let again = fixture.sync();
        assert_eq!(fs::read_to_string(copy.join("src/a.c")).unwrap(), "int a;\n");
        let (root, work) = (fixture.root(), fixture.work());
        again.remove_generated(Origin::Tree { root: &root, work: &work }).unwrap();
        assert!(!copy.join("left-over").exists() && copy.join("src/a.c").exists());
    }

    #[test]
    fn objects_of_the_users_build_are_left_out_and_vendored_ones_stay() {
        let fixture = Fixture::new();
        for path in ["src/a.o", "obj/a.c.o", "src/libx_la-a.lo", "vendor/blob.o"] {
            fixture.write(path, "");
        }
        let copy = fixture.sync().copy;
        assert!(copy.join("vendor/blob.o").exists());
        for path in ["src/a.o", "obj/a.c.o", "src/libx_la-a.lo"] {
            assert!(!copy.join(path).exists(), "{path}");
        }
    }

    #[test]
    fn a_file_that_may_not_be_read_is_left_out_and_named() {
        let fixture = Fixture::new();
        fixture.write("secret/key", "x");
        fixture.write("closed.c", "int x;\n");
        for path in ["secret", "closed.c"] {
            fs::set_permissions(fixture.root().join(path), fs::Permissions::from_mode(0o0)).unwrap();
        }
        if fs::read(fixture.root().join("closed.c")).is_ok() {
            eprintln!("skipped: this user may read everything");
            return;
        }
        let tree = fixture.sync();
        assert_eq!(tree.unreadable, [PathBuf::from("closed.c"), PathBuf::from("secret")]);
        assert!(tree.copy.join("src/a.c").exists());
        let (root, work) = (fixture.root(), fixture.work());
        assert!(!has_changed(Origin::Tree { root: &root, work: &work }, &tree).unwrap());
    }

    #[test]
    fn a_link_put_in_place_of_a_file_is_never_written_through() {
        let fixture = Fixture::new();
        let copy = fixture.sync().copy;
        let outside = fixture.folder.path().join("precious");
        fs::write(&outside, "keep").unwrap();
        fs::remove_file(copy.join("src/a.c")).unwrap();
        symlink(&outside, copy.join("src/a.c")).unwrap();
        fixture.sync();
        assert_eq!(fs::read_to_string(&outside).unwrap(), "keep");
    }
}
