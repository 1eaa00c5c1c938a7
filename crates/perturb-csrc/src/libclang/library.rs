//! Finds and loads libclang at run time: the newest version found, from 14 on.

use super::api::Api;
use crate::CsrcError;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The oldest version whose lists are checked against the others.
pub const OLDEST: u32 = 14;

/// A loaded libclang. Cheap to clone, shared by all threads.
#[derive(Debug, Clone)]
pub struct Libclang {
    pub(crate) api: Arc<Api>,
    path: PathBuf,
    version: u32,
    resource_include: Option<PathBuf>,
}

/// A libclang file and its major version, taken from the name of the file or of its folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    pub version: u32,
    pub path: PathBuf,
}

impl Libclang {
    /// Loads the newest libclang of this machine.
    pub fn newest() -> Result<Self, CsrcError> {
        let found = Self::candidates();
        let usable = found.iter().rev().filter(|candidate| candidate.version >= OLDEST);
        // Why the newest cannot be used says more than that there is none.
        let mut first_error = None;
        for candidate in usable {
            match Self::open(&candidate.path) {
                Ok(libclang) => return Ok(libclang),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        Err(first_error.unwrap_or(CsrcError::NoLibclang))
    }

    /// Loads what the user names: a file, a folder with one in it, or a major version.
    pub fn named(name: &str) -> Result<Self, CsrcError> {
        let path = Path::new(name);
        let file = match name.parse::<u32>() {
            Ok(version) => Self::candidates().into_iter().rev().find(|c| c.version == version),
            Err(_) if path.is_dir() => candidates_in(path).into_iter().max(),
            Err(_) => Some(Candidate { version: 0, path: path.to_path_buf() }),
        };
        let file = file.ok_or_else(|| CsrcError::LibclangNotFound { name: name.to_string() })?;
        Self::open(&file.path)
    }

    fn open(path: &Path) -> Result<Self, CsrcError> {
        // libclang would parse on threads of its own, whose stacks are too small for deep code; ours are large.
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| std::env::set_var("LIBCLANG_NOTHREADS", "1"));
        let failed = |source| CsrcError::LibclangUnusable { path: path.to_path_buf(), source };
        // SAFETY: loading a library runs its initialisers; libclang's only register options and passes.
        let library = unsafe { libloading::Library::new(path) }.map_err(failed)?;
        // SAFETY: a file named libclang holds libclang; a missing function is an error, not undefined.
        let api = Arc::new(unsafe { Api::new(library) }.map_err(failed)?);
        let version = version_of(&api);
        Ok(Self { resource_include: resource_include(path, version), api, path: path.to_path_buf(), version })
    }

    /// Every libclang on this machine, oldest first.
    pub fn candidates() -> Vec<Candidate> {
        let mut folders = vec![PathBuf::from("/usr/lib64"), PathBuf::from("/usr/lib"), PathBuf::from("/usr/local/lib")];
        for entry in std::fs::read_dir("/usr/lib").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with("llvm-") {
                folders.push(entry.path().join("lib"));
            } else if name.contains("-linux-") {
                folders.push(entry.path());
            }
        }
        let mut found: Vec<_> = folders.iter().flat_map(|folder| candidates_in(folder)).collect();
        found.sort();
        found.dedup();
        found
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The major version, as the library itself says.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The folder of clang's own headers (`stddef.h` and its kin), where it is installed.
    pub fn resource_include(&self) -> Option<&Path> {
        self.resource_include.as_deref()
    }
}

fn candidates_in(folder: &Path) -> Vec<Candidate> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let version = version_in_name(&name).or_else(|| version_in_folder(&name, folder))?;
            Some(Candidate { version, path: entry.path() })
        })
        .collect()
}

/// The version in `libclang-19.so.19` and `libclang-14.so.14.0.6`; `libclang-cpp` is another library.
fn version_in_name(name: &str) -> Option<u32> {
    let (version, rest) = name.strip_prefix("libclang-")?.split_once(".so")?;
    (rest.is_empty() || rest.starts_with('.')).then(|| version.split('.').next()?.parse().ok())?
}

/// `llvm-19/lib/libclang.so` has version 19; in a plain `libclang.so.19.1` the version follows.
fn version_in_folder(name: &str, folder: &Path) -> Option<u32> {
    let rest = name.strip_prefix("libclang.so")?;
    let of_folder =
        folder.parent().and_then(Path::file_name).and_then(|n| n.to_str()?.strip_prefix("llvm-")?.parse().ok());
    of_folder.or_else(|| rest.strip_prefix('.')?.split('.').next()?.parse().ok())
}

fn version_of(api: &Api) -> u32 {
    // SAFETY: the string is owned by us until it is disposed of.
    let text = unsafe {
        let string = (api.clang_getClangVersion)();
        let text = CStr::from_ptr((api.clang_getCString)(string)).to_string_lossy().into_owned();
        (api.clang_disposeString)(string);
        text
    };
    let number = text.split("version ").nth(1).unwrap_or(&text);
    number.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Beside the library (`../lib/clang/19/include`), or where Debian puts it (`/usr/lib/llvm-19/lib/clang/19/include`).
fn resource_include(library: &Path, version: u32) -> Option<PathBuf> {
    let real = library.canonicalize().unwrap_or_else(|_| library.to_path_buf());
    let beside = [library, &real].map(|file| file.with_file_name("clang")).into_iter();
    let homes = beside.chain([PathBuf::from(format!("/usr/lib/llvm-{version}/lib/clang"))]);
    homes.flat_map(|home| resource_folders(&home, version)).find(|include| include.join("stddef.h").exists())
}

fn resource_folders(home: &Path, version: u32) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten();
    let of_version = |name: &str| name.split('.').next().and_then(|n| n.parse().ok()) == Some(version);
    entries.filter(|e| of_version(&e.file_name().to_string_lossy())).map(|e| e.path().join("include")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_by_name_or_by_folder() {
        let check = |folder: &str, name: &str, expect| {
            let folder = Path::new(folder);
            assert_eq!(version_in_name(name).or_else(|| version_in_folder(name, folder)), expect, "{name}");
        };
        check("/usr/lib/x86_64-linux-gnu", "libclang-14.so.14.0.6", Some(14));
        check("/usr/lib/x86_64-linux-gnu", "libclang-19.so.19", Some(19));
        check("/usr/lib/llvm-16/lib", "libclang.so.1", Some(16));
        check("/usr/lib64", "libclang.so.19.1", Some(19));
        check("/usr/lib/llvm-16/lib", "libclang-cpp.so.16", None);
        check("/usr/lib", "libclangAST.a", None);
    }
}
