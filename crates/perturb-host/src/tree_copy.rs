//! A copy of the user's tree in the work folder, kept in step with it: builds run there, never in the tree itself.
//!
//! What builds generate in the copy survives a sync; [`TreeCopy::remove_generated`] takes it away. Never follows a
//! symbolic link, never writes outside the copy, and leaves out version control and the remains of other builds.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::command_line::language_of;
use crate::error::HostError;
use crate::headers::is_header;
use crate::tree_walk::{is_denied, mtime_ns, Entry, Walk};

/// The copy of one tree.
#[derive(Debug, Clone)]
pub(crate) struct TreeCopy {
    pub copy: PathBuf,
    /// The same as long as a build must call the compiler in the same way; see [`fingerprint`].
    pub fingerprint: u64,
    /// What we may not read, relative, sorted; left out of the copy.
    pub unreadable: Vec<PathBuf>,
    entries: BTreeMap<PathBuf, Entry>,
}

/// Brings `<work>/tree` in step with `root`.
pub(crate) fn sync(root: &Path, work: &Path) -> Result<TreeCopy, HostError> {
    let copy = work.join("tree");
    fs::create_dir_all(&copy).map_err(HostError::io("create", &copy))?;
    let manifest = work.join("tree.manifest");
    let before = read_manifest(&manifest);
    let (mut entries, mut unreadable) = Walk::new(root, work).run()?;
    for path in before.keys().rev().filter(|path| !entries.contains_key(*path)) {
        // A folder stays when a build has put something of its own in it.
        remove(&copy.join(path));
    }
    let mut denied = Vec::new();
    for (path, entry) in &entries {
        let unchanged = before.get(path) == Some(entry) && is_intact(&copy.join(path), entry);
        if unchanged {
            continue;
        }
        match place(&root.join(path), &copy.join(path), entry) {
            Err(error) if is_denied(&error) => denied.push(path.clone()),
            result => result?,
        }
    }
    denied.iter().for_each(|path| drop(entries.remove(path)));
    unreadable.extend(denied);
    unreadable.sort();
    let text = manifest_text(&entries);
    fs::write(&manifest, &text).map_err(HostError::io("write", &manifest))?;
    Ok(TreeCopy { copy, fingerprint: fingerprint(&entries), unreadable, entries })
}

impl TreeCopy {
    /// Removes all that is in the copy but not in the tree, and restores what builds have changed.
    pub fn remove_generated(&self, root: &Path) -> Result<(), HostError> {
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let real = self.copy.join(&folder);
            for item in fs::read_dir(&real).map_err(HostError::io("read", &real))? {
                let item = item.map_err(HostError::io("read", &real))?;
                let relative = folder.join(item.file_name());
                match self.entries.get(&relative) {
                    Some(Entry::Folder) => folders.push(relative),
                    Some(_) => {}
                    None => remove_all(&item.path()).map_err(HostError::io("remove", &item.path()))?,
                }
            }
        }
        for (path, entry) in &self.entries {
            if !is_intact(&self.copy.join(path), entry) {
                place(&root.join(path), &self.copy.join(path), entry)?;
            }
        }
        Ok(())
    }
}

/// Whether the tree itself is not what it was at the last sync: a build with absolute paths may have written in it.
pub(crate) fn has_changed(root: &Path, work: &Path, tree: &TreeCopy) -> Result<bool, HostError> {
    let (mut now, _) = Walk::new(root, work).run()?;
    tree.unreadable.iter().for_each(|path| drop(now.remove(path)));
    let known = |path: &PathBuf| !tree.unreadable.contains(path);
    Ok(now.iter().ne(tree.entries.iter().filter(|(path, _)| known(path))))
}

/// Whether the copy still is what we made it.
fn is_intact(path: &Path, entry: &Entry) -> bool {
    let Ok(data) = fs::symlink_metadata(path) else { return false };
    match entry {
        Entry::Folder => data.is_dir(),
        Entry::File { size, mtime_ns: time, .. } => data.is_file() && data.len() == *size && mtime_ns(&data) == *time,
        Entry::Link { target } => fs::read_link(path).is_ok_and(|now| now == *target),
    }
}

fn place(from: &Path, to: &Path, entry: &Entry) -> Result<(), HostError> {
    if *entry == Entry::Folder {
        if !fs::symlink_metadata(to).is_ok_and(|data| data.is_dir()) {
            remove(to);
            fs::create_dir_all(to).map_err(HostError::io("create", to))?;
        }
        return Ok(());
    }
    // First away with what is there: it may be a link that leads out of the copy, or be read-only.
    remove_all(to).map_err(HostError::io("replace", to))?;
    match entry {
        Entry::Folder => unreachable!("handled above"),
        Entry::Link { target } => symlink(target, to).map_err(HostError::io("link", to)),
        Entry::File { mtime_ns, mode, .. } => {
            fs::copy(from, to).map_err(HostError::io("copy", from))?;
            let writable = fs::Permissions::from_mode(mode | 0o600);
            fs::set_permissions(to, writable).map_err(HostError::io("set the mode of", to))?;
            let time = UNIX_EPOCH + Duration::from_nanos(u64::try_from(*mtime_ns).unwrap_or(0));
            let file = File::options().write(true).open(to).map_err(HostError::io("open", to))?;
            file.set_modified(time).map_err(HostError::io("set the time of", to))
        }
    }
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

/// One line of NUL-separated fields for each entry: paths may hold anything else.
fn manifest_text(entries: &BTreeMap<PathBuf, Entry>) -> Vec<u8> {
    let mut text = Vec::new();
    for (path, entry) in entries {
        let (numbers, target) = match entry {
            Entry::Folder => ("d".to_string(), Path::new("")),
            Entry::File { size, mtime_ns, mode } => (format!("f {size} {mtime_ns} {mode}"), Path::new("")),
            Entry::Link { target } => ("l".to_string(), target.as_path()),
        };
        for field in [numbers.as_bytes(), path.as_os_str().as_bytes(), target.as_os_str().as_bytes()] {
            text.extend_from_slice(field);
            text.push(0);
        }
    }
    text
}

/// Of all paths, and of sizes and times of all that is not the text of a program: build files, scripts, their inputs.
fn fingerprint(entries: &BTreeMap<PathBuf, Entry>) -> u64 {
    let any_text = Entry::File { size: 0, mtime_ns: 0, mode: 0 };
    let relevant = |(path, entry): (&PathBuf, &Entry)| match entry {
        Entry::File { .. } if is_program_text(path) => (path.clone(), any_text.clone()),
        _ => (path.clone(), entry.clone()),
    };
    fnv1a(&manifest_text(&entries.iter().map(relevant).collect()))
}

/// Sources and headers; an `.i` may be the input of a generator as well as preprocessed C.
fn is_program_text(path: &Path) -> bool {
    is_header(path) || (language_of(path).is_some() && path.extension().is_none_or(|extension| extension != "i"))
}

/// The manifest of the last sync; one that cannot be read counts as none, and all is copied anew.
fn read_manifest(path: &Path) -> BTreeMap<PathBuf, Entry> {
    let text = fs::read(path).unwrap_or_default();
    let fields: Vec<&[u8]> = text.split(|byte| *byte == 0).collect();
    let to_path = |bytes: &[u8]| PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()));
    fields
        .chunks_exact(3)
        .filter_map(|record| {
            let numbers = std::str::from_utf8(record[0]).ok()?;
            let mut words = numbers.split(' ');
            let entry = match words.next()? {
                "d" => Entry::Folder,
                "l" => Entry::Link { target: to_path(record[2]) },
                _ => Entry::File {
                    size: words.next()?.parse().ok()?,
                    mtime_ns: words.next()?.parse().ok()?,
                    mode: words.next()?.parse().ok()?,
                },
            };
            Some((to_path(record[1]), entry))
        })
        .collect()
}

/// A hash that stays the same from one version of us to the next, unlike the standard library's.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
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
            sync(&self.root(), &self.work()).unwrap()
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
        again.remove_generated(&fixture.root()).unwrap();
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
        assert!(!has_changed(&fixture.root(), &fixture.work(), &tree).unwrap());
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
