//! Output to a file that the user names: all of it or nothing, never half.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// Writes beside the file and puts it in its place when it is whole. What is no file (a pipe, `/dev/null`) is written to.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    match fs::metadata(path) {
        Ok(data) if data.is_dir() => return Err(Error::new(ErrorKind::IsADirectory, "it is a folder: name a file")),
        Ok(data) if !data.is_file() => return fill(File::options().write(true).open(path)?, content).map(drop),
        _ => {}
    }
    // Through a link, the file that it means is replaced, not the link.
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
    fn links_lead_to_their_file_and_what_is_no_file_stays() {
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
