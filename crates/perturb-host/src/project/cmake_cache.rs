//! `CMakeCache.txt`: what a build folder of CMake was configured with.
//!
//! Only reads.

use std::path::Path;

use crate::error::HostError;
use crate::tree::optional_file::read_optional;

/// One line of a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CacheEntry {
    pub name: String,
    pub kind: String,
    pub value: String,
}

/// The entries of a build folder; none where it has no cache.
pub(crate) fn read(build: &Path) -> Result<Vec<CacheEntry>, HostError> {
    let text = read_optional(&build.join("CMakeCache.txt"))?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&text).lines().filter_map(entry).collect())
}

/// `NAME:TYPE=value`; a name may be in quotes.
fn entry(line: &str) -> Option<CacheEntry> {
    if line.starts_with(['#', '/']) {
        return None;
    }
    let (name, value) = line.split_once('=')?;
    let (name, kind) = name.rsplit_once(':')?;
    let [name, kind, value] = [name.trim_matches('"'), kind, value].map(str::to_string);
    Some(CacheEntry { name, kind, value })
}

/// Settings of CMake itself that a user may have chosen; all others it finds out by itself.
const CHOSEN: &[&str] = &[
    "CMAKE_BUILD_TYPE",
    "CMAKE_C_COMPILER",
    "CMAKE_CXX_COMPILER",
    "CMAKE_C_FLAGS",
    "CMAKE_CXX_FLAGS",
    "CMAKE_EXE_LINKER_FLAGS",
    "CMAKE_SHARED_LINKER_FLAGS",
    "CMAKE_C_STANDARD",
    "CMAKE_CXX_STANDARD",
    "CMAKE_TOOLCHAIN_FILE",
    "CMAKE_PREFIX_PATH",
    "CMAKE_MODULE_PATH",
    "CMAKE_POSITION_INDEPENDENT_CODE",
];

/// Arguments that configure a copy of `root` as the user has configured `build`: options such as `BUILD_TESTING`, and
/// the compiler. Nothing that names the user's build folder is taken over, and what names the tree names the copy.
pub(crate) fn arguments(build: &Path, root: &Path, copy: &Path) -> Result<Vec<String>, HostError> {
    let entries = read(build)?;
    let is_of_root = |entry: &CacheEntry| {
        let home = Path::new(&entry.value).canonicalize();
        entry.name == "CMAKE_HOME_DIRECTORY" && home.is_ok_and(|home| home == root)
    };
    if !entries.iter().any(is_of_root) {
        return Ok(Vec::new());
    }
    let [root, copy] = [root, copy].map(|path| path.to_string_lossy().into_owned());
    let build = build.to_string_lossy().into_owned();
    let is_wanted = |entry: &&CacheEntry| {
        let is_setting = matches!(entry.kind.as_str(), "BOOL" | "STRING" | "PATH" | "FILEPATH" | "UNINITIALIZED");
        let is_chosen = !entry.name.starts_with("CMAKE_") || CHOSEN.contains(&entry.name.as_str());
        // A name with a colon cannot be given as an argument.
        let is_own = is_chosen && !entry.name.contains(':');
        let is_known = !entry.value.is_empty() && !entry.value.ends_with("-NOTFOUND");
        is_setting && is_own && is_known && !entry.value.contains(&build)
    };
    let argument =
        |entry: &CacheEntry| format!("-D{}:{}={}", entry.name, entry.kind, entry.value.replace(&root, &copy));
    Ok(entries.iter().filter(is_wanted).map(argument).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::Share;
    use std::fs;

    #[test]
    fn what_a_user_has_chosen_is_taken_over_and_what_cmake_found_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let build = root.join("build");
        fs::create_dir(&build).unwrap();
        let text = "# comment\n//help\nBUILD_TESTS:BOOL=ON\n\"A\":STRING=x=y\n\"A:B\":STRING=z\n\
                    CMAKE_BUILD_TYPE:STRING=Debug\nCMAKE_AR:FILEPATH=/usr/bin/ar\nFOO_DIR:PATH=FOO_DIR-NOTFOUND\n\
                    DATA:PATH=ROOT/data\n\
                    X_BINARY_DIR:STATIC=ROOT/build\nOUT:PATH=ROOT/build/out\nEMPTY:STRING=\n";
        let cache = |home: &str| format!("{text}CMAKE_HOME_DIRECTORY:INTERNAL={home}\n");
        let write =
            |text: String| fs::write(build.join("CMakeCache.txt"), text.replace("ROOT", root.to_str().unwrap()));
        write(cache("ROOT")).unwrap();
        let found = arguments(&build, &root, Path::new("/copy")).unwrap();
        let expected =
            ["-DBUILD_TESTS:BOOL=ON", "-DA:STRING=x=y", "-DCMAKE_BUILD_TYPE:STRING=Debug", "-DDATA:PATH=/copy/data"];
        assert_eq!(found, expected);
        write(cache("/elsewhere")).unwrap();
        assert_eq!(arguments(&build, &root, Path::new("/copy")).unwrap(), [""; 0]);
        fs::remove_file(build.join("CMakeCache.txt")).unwrap();
        assert_eq!(read(&build).unwrap(), []);
        fs::create_dir(build.join("CMakeCache.txt")).unwrap();
        assert!(read(&build).is_err(), "what cannot be read is not empty");
    }

    #[test]
    fn fuzzed_caches_are_read() {
        let example = "# c\n//help\nBUILD_TESTS:BOOL=ON\n\"A:B\":STRING=x=y\nC:PATH=\n";
        perturb_fuzz::survives("cmake cache", Share::All, &[example], |text| {
            for line in String::from_utf8_lossy(text).lines() {
                let parts = entry(line).map(|entry| entry.name.len() + entry.kind.len() + entry.value.len());
                assert!(parts.is_none_or(|length| length <= line.len()));
            }
        });
    }
}
