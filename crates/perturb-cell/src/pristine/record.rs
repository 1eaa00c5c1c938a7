//! The manifest entry of a file, by which any change of it is noticed.

use std::ffi::CString;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The attributes of a file that no change of it leaves alone: the kernel sets the time of the last change of the inode
/// (`ctime_ns`), and no unprivileged process can set it to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub inode: u64,
    /// The mode, including the kind of the file.
    pub mode: u32,
    pub owner: (u32, u32),
    pub links: u64,
    pub size: u64,
    pub mtime_ns: i64,
    pub ctime_ns: i64,
}

/// The kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Folder,
    File,
    Link,
    /// A socket, a FIFO or a device.
    Special,
}

/// A pristine copy of a file's contents, by the name that it has in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contents {
    pub number: u64,
    /// The stamp of the copy itself.
    pub stamp: Stamp,
}

/// One entry of a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ManifestEntry {
    pub stamp: Stamp,
    /// The contents of a file.
    pub contents: Option<Contents>,
    /// The target of a symbolic link.
    pub target: Option<PathBuf>,
    /// Names of the extended attributes of a folder, access control lists included.
    pub attributes: Vec<CString>,
}

impl Stamp {
    /// The stamp of the file at a path, without following symbolic links; `None` if there is none.
    pub fn of(path: &Path) -> io::Result<Option<Stamp>> {
        match path.symlink_metadata() {
            Ok(data) => Ok(Some(Stamp::from(&data))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn kind(&self) -> FileKind {
        match self.mode & libc::S_IFMT {
            libc::S_IFDIR => FileKind::Folder,
            libc::S_IFREG => FileKind::File,
            libc::S_IFLNK => FileKind::Link,
            _ => FileKind::Special,
        }
    }

    /// The bits that `chmod` sets.
    pub fn permissions(&self) -> u32 {
        self.mode & 0o7777
    }

    /// Whether a file is now as it was recorded, by all that can be set: kind, mode, time and, of a file, size.
    pub fn is_restored(&self, now: &Stamp) -> bool {
        let has_size = self.kind() != FileKind::File || self.size == now.size;
        self.mode == now.mode && self.mtime_ns == now.mtime_ns && has_size
    }
}

impl From<&Metadata> for Stamp {
    fn from(data: &Metadata) -> Stamp {
        let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
        Stamp {
            inode: data.ino(),
            mode: data.mode(),
            owner: (data.uid(), data.gid()),
            links: data.nlink(),
            size: data.size(),
            mtime_ns: ns(data.mtime(), data.mtime_nsec()),
            ctime_ns: ns(data.ctime(), data.ctime_nsec()),
        }
    }
}
