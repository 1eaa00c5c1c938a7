//! Writes files that the user names, each as a whole or not at all.

use crate::visible;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Writes a new file beside the old one and replaces it when the new one is complete. Writes directly to what is no
/// regular file (a pipe, `/dev/null`).
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => return Err(Error::new(ErrorKind::IsADirectory, "it is a folder: name a file")),
        Ok(data) if !data.is_file() => return fill(File::options().write(true).open(path)?, content).map(drop),
        _ => {}
    }
    // For a link, replace the file that it points to, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = beside(&path);
    let file = File::options().write(true).create_new(true).open(&beside)?;
    let written = fill(file, content).and_then(|file| {
        file.sync_all()?;
        fs::rename(&beside, &path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Fails if no file can be created in a folder.
pub fn try_folder(folder: &Path) -> Result<()> {
    let path = beside(&folder.join("try"));
    File::options().write(true).create_new(true).open(&path)?;
    fs::remove_file(&path)
}

/// Writes a file of a folder, given its name and its text.
pub type Put<'p> = &'p mut dyn FnMut(&str, &str) -> Result<()>;

/// Writes a folder, and then the file beside it that links to the files in it: `content` puts one file after the other
/// into the folder and returns the text of the file. An existing folder is replaced if `mark` is in it, because then
/// perturb wrote it earlier.
pub fn write_with_folder(
    path: &Path,
    folder: &Path,
    mark: &str,
    content: impl FnOnce(Put<'_>) -> Result<String>,
) -> Result<()> {
    if folder.exists() && !folder.join(mark).is_file() {
        let text = format!("{} is there and was not written by perturb: name another file", visible::path(folder));
        return Err(Error::new(ErrorKind::AlreadyExists, text));
    }
    let new = beside(folder);
    fs::create_dir(&new)?;
    let mut put = |name: &str, text: &str| fs::write(new.join(name), text);
    let written = content(&mut put).and_then(|index| {
        let old = new.with_extension("old");
        let was_there = folder.exists();
        if was_there {
            fs::rename(folder, &old)?;
        }
        let placed = fs::rename(&new, folder).and_then(|()| write(path, |out| out.write_all(index.as_bytes())));
        if was_there {
            if placed.is_err() {
                // Restore the old folder, to which the old file links.
                let _ = fs::rename(folder, &new);
                fs::rename(&old, folder)?;
            }
            let _ = fs::remove_dir_all(&old);
        } else if placed.is_err() {
            let _ = fs::remove_dir_all(folder);
        }
        placed
    });
    if written.is_err() {
        let _ = fs::remove_dir_all(&new);
    }
    written
}

fn fill(file: File, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<File> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    content(&mut out)?;
    out.flush()?;
    out.into_inner().map_err(|error| error.into_error())
}

/// A hidden name in the same folder, so that the rename stays in one file system.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|item| item.unwrap().file_name()).collect()
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("report.json");
        write(&file, |out| out.write_all(b"one")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"one");
        let failed = write(&file, |out| {
            out.write_all(&[b'x'; 1 << 17])?;
            Err(Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&file).unwrap(), b"one");
        write(&file, |out| out.write_all(b"two")).unwrap();
        assert_eq!((fs::read(&file).unwrap(), names(folder.path()).len()), (b"two".to_vec(), 1));
    }

    #[test]
    fn a_folder_and_the_file_that_links_to_it_are_replaced_together_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let (file, folder) = (parent.path().join("r.html"), parent.path().join("r_files"));
        let written = |text: &'static str| {
            write_with_folder(&file, &folder, "mark", |put| {
                put("mark", "")?;
                put(text, text)?;
                if text == "bad" {
                    Err(Error::other("no more"))
                } else {
                    Ok(text.to_string())
                }
            })
        };
        let is = |text: &str| {
            let mut found = [names(parent.path()), names(&folder)].concat();
            found.sort();
            assert_eq!(found, ["mark", text, "r.html", "r_files"]);
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        };
        written("one").unwrap();
        is("one");
        written("new").unwrap();
        is("new");
        written("bad").unwrap_err();
        is("new");
        fs::remove_file(folder.join("mark")).unwrap();
        assert!(written("one").unwrap_err().to_string().contains("not written by perturb"));
        assert_eq!(names(&folder), ["new"]);
    }

    #[test]
    fn a_link_stays_and_its_file_is_replaced_and_a_device_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, |out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        write(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(write(folder.path(), |_| Ok(())).unwrap_err().to_string().contains("folder"));
    }
}
