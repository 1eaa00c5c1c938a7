//! Empties a folder that a test wrote to, however deep its content or strange its modes.
//!
//! Walks down and up with one descriptor and no list of visited folders: after every return it reads the folder again.
//! Never follows a link and never enters another file system; mounts in the folder stay. Nothing here allocates, and
//! nothing else may write to the folder meanwhile.

use std::ffi::CStr;

use crate::sys::{self, Fd, SysError, SysResult};

const STEP: &str = "empty a folder that a test wrote to";

/// Records of a folder's entries, as the kernel writes them.
type Records = [u64; 512];

/// The first entry of a folder that must be entered, if any.
enum FolderContent {
    Nothing,
    /// A folder with something in it.
    Folder(Fd),
}

/// Removes all that is in the folder but the mounts in it.
pub(crate) fn wipe(top: &CStr) -> SysResult {
    let mut folder = sys::open_folder(STEP, libc::AT_FDCWD, top)?;
    let device = sys::stat(folder, c"")?.st_dev;
    let mut depth = 0u64;
    loop {
        let next = match remove_entries(folder, device, depth == 0)? {
            FolderContent::Folder(inner) => {
                depth += 1;
                inner
            }
            FolderContent::Nothing if depth == 0 => break,
            FolderContent::Nothing => {
                depth -= 1;
                sys::open_folder(STEP, folder, c"..")?
            }
        };
        sys::close(folder);
        folder = next;
    }
    sys::close(folder);
    Ok(())
}

/// How many entries there are, counted up to one more than `expected`.
pub(crate) fn count(folder: &CStr, expected: usize) -> SysResult<usize> {
    let folder = sys::open_folder(STEP, libc::AT_FDCWD, folder)?;
    let mut records: Records = [0; 512];
    let mut found = 0;
    while found <= expected {
        let read = sys::list(folder, &mut records)?;
        if read == 0 {
            break;
        }
        found += Entries::new(&records, read).count();
    }
    sys::close(folder);
    Ok(found)
}

/// Removes what can be removed at once, until there is nothing left or a folder that has to be emptied first.
fn remove_entries(folder: Fd, device: libc::dev_t, may_hold_mounts: bool) -> SysResult<FolderContent> {
    let mut records: Records = [0; 512];
    loop {
        let mut removed = false;
        sys::rewind(folder);
        loop {
            let read = sys::list(folder, &mut records)?;
            if read == 0 {
                break;
            }
            for name in Entries::new(&records, read) {
                match remove(folder, name) {
                    Ok(()) => removed = true,
                    Err(libc::EBUSY) if may_hold_mounts => (),
                    Err(libc::ENOTEMPTY | libc::EEXIST) => {
                        return enter(folder, name, device).map(FolderContent::Folder)
                    }
                    Err(errno) => return Err(SysError { step: STEP, errno }),
                }
            }
        }
        if !removed {
            return Ok(FolderContent::Nothing);
        }
    }
}

fn remove(folder: Fd, name: &CStr) -> Result<(), i32> {
    match sys::unlink(folder, name, 0) {
        Err(libc::EISDIR | libc::EPERM) => sys::unlink(folder, name, libc::AT_REMOVEDIR),
        other => other,
    }
}

fn enter(folder: Fd, name: &CStr, device: libc::dev_t) -> SysResult<Fd> {
    // A test may have closed the folder; where we may change its mode it opens again, and elsewhere we need not.
    let _ = sys::change_mode(STEP, folder, name, 0o700);
    let inner = sys::open_folder(STEP, folder, name)?;
    match sys::stat(inner, c"")?.st_dev == device {
        true => Ok(inner),
        false => Err(SysError { step: STEP, errno: libc::EXDEV }),
    }
}

/// The names in the kernel's records, without the folder itself and the one above it.
pub(crate) struct Entries<'a> {
    rest: &'a [u8],
}

impl<'a> Entries<'a> {
    pub fn new(records: &'a [u64], bytes: usize) -> Entries<'a> {
        // SAFETY: any memory may be looked at as bytes; these are within the slice.
        let all = unsafe { std::slice::from_raw_parts(records.as_ptr().cast::<u8>(), size_of_val(records)) };
        Entries { rest: all.get(..bytes).unwrap_or_default() }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a CStr;

    fn next(&mut self) -> Option<&'a CStr> {
        loop {
            // Inode and offset take eight bytes each, then come the record's length, the type, and the name.
            let length = u16::from_ne_bytes([*self.rest.get(16)?, *self.rest.get(17)?]);
            let (record, rest) = self.rest.split_at_checked(length.into())?;
            self.rest = rest;
            let name = CStr::from_bytes_until_nul(record.get(19..)?).ok()?;
            if name != c"." && name != c".." {
                return Some(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{symlink, PermissionsExt};
    use std::path::Path;

    fn c(path: &Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).unwrap()
    }

    #[test]
    fn links_closed_folders_and_many_files_go_and_what_links_name_stays() {
        let place = tempfile::tempdir().unwrap();
        let (inside, outside) = (place.path().join("inside"), place.path().join("outside"));
        fs::create_dir_all(inside.join("a/b/closed")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(outside.join("kept"), "").unwrap();
        symlink(&outside, inside.join("a/link")).unwrap();
        symlink("nowhere", inside.join("dangling")).unwrap();
        (0..300).for_each(|number| fs::write(inside.join(format!("a/b/closed/{number}")), "").unwrap());
        fs::set_permissions(inside.join("a/b/closed"), fs::Permissions::from_mode(0o0)).unwrap();
        fs::set_permissions(inside.join("a"), fs::Permissions::from_mode(0o500)).unwrap();
        assert_eq!(count(&c(&inside), 0).unwrap(), 2);
        wipe(&c(&inside)).unwrap();
        assert_eq!(count(&c(&inside), 0).unwrap(), 0);
        assert!(outside.join("kept").exists());
    }

    #[test]
    fn a_tree_deeper_than_paths_can_be_long_goes() {
        let place = tempfile::tempdir().unwrap();
        let script = "i=0; while [ $i -lt 250 ]; do mkdir aaaaaaaaaaaaaaaaaaaa && cd -P aaaaaaaaaaaaaaaaaaaa; \
                      i=$((i+1)); done; touch leaf";
        let status = std::process::Command::new("sh").args(["-c", script]).current_dir(place.path()).status();
        assert!(status.unwrap().success());
        wipe(&c(place.path())).unwrap();
        assert_eq!(count(&c(place.path()), 0).unwrap(), 0);
    }
}
