//! Compiler wrappers: a folder of small shell scripts, first on the PATH of a build, that record each call and then
//! make it.
//!
//! They do not change the call, and cost one `sh` and one small file each. A compiler that is called by an absolute
//! path is not recorded.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::command_line::is_launcher;
use crate::error::HostError;
use crate::process::tools::is_executable;
use crate::project::options::DiscoverOptions;

/// One call that a wrapper recorded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordedCall {
    pub directory: PathBuf,
    /// The real program, by its absolute path, and its arguments.
    pub arguments: Vec<String>,
}

/// A folder of wrappers and the folder where they leave their records.
#[derive(Debug)]
pub(crate) struct Wrappers<'w> {
    folder: PathBuf,
    records: PathBuf,
    real: BTreeMap<String, PathBuf>,
    options: &'w DiscoverOptions,
}

impl<'w> Wrappers<'w> {
    /// Writes a wrapper for each compiler and archiver on the build's PATH, into fresh folders below `work`.
    pub fn create(work: &Path, options: &'w DiscoverOptions) -> Result<Wrappers<'w>, HostError> {
        let folder = work.join("wrappers");
        let records = work.join("records");
        for path in [&folder, &records] {
            if path.exists() {
                fs::remove_dir_all(path).map_err(HostError::io("remove", path))?;
            }
            fs::create_dir_all(path).map_err(HostError::io("create", path))?;
        }
        let path = options.variable("PATH").unwrap_or_default();
        let mut wrappers = Wrappers { folder, records, real: compilers_on(&path), options };
        for variable in ["CC", "CXX", "AR"] {
            wrappers.add_absolute(variable);
        }
        for (name, real) in &wrappers.real {
            write_script(&wrappers.folder.join(name), &wrapper_script(real, &wrappers.records))?;
        }
        for (name, real) in launchers_on(&path) {
            write_script(&wrappers.folder.join(name), &launcher_script(&real))?;
        }
        Ok(wrappers)
    }

    /// The variables a build needs for its compilers to be seen.
    pub fn environment(&self) -> Vec<(&'static str, OsString)> {
        let path = self.options.variable("PATH").unwrap_or_default();
        let mut variables = vec![("PATH", first_on(&path, &self.folder))];
        // Only what the user has set: a CC in the environment changes what some builds do.
        for variable in ["CC", "CXX", "AR"] {
            let given = absolute_compiler(self.options, variable);
            if let Some(value) = given.and_then(|(program, rest)| self.redirected(&program, &rest)) {
                variables.push((variable, value.into()));
            }
        }
        variables
    }

    /// The recorded calls, in a fixed order.
    pub fn read_records(&self) -> Result<Vec<RecordedCall>, HostError> {
        let mut records = Vec::new();
        for item in fs::read_dir(&self.records).map_err(HostError::io("read", &self.records))? {
            let path = item.map_err(HostError::io("read", &self.records))?.path();
            let bytes = fs::read(&path).map_err(HostError::io("read", &path))?;
            records.extend(parse_records(&bytes));
        }
        records.sort();
        Ok(records)
    }

    /// `CC=/opt/x/gcc` would pass the PATH by: it gets a wrapper of its own.
    fn add_absolute(&mut self, variable: &str) {
        if let Some((program, _)) = absolute_compiler(self.options, variable) {
            let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !is_launcher(&program) {
                self.real.insert(name, program);
            }
        }
    }

    fn redirected(&self, program: &Path, rest: &str) -> Option<String> {
        let name = program.file_name()?.to_string_lossy().into_owned();
        self.real.contains_key(&name).then(|| format!("{}{rest}", self.folder.join(name).display()))
    }
}

pub(crate) fn write_script(path: &Path, script: &str) -> Result<(), HostError> {
    fs::write(path, script).map_err(HostError::io("write", path))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(HostError::io("set the mode of", path))
}

/// A PATH with one more folder in front.
pub(crate) fn first_on(path: &OsStr, folder: &Path) -> OsString {
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(path));
    std::env::join_paths(folders).unwrap_or(path.to_os_string())
}

/// The program of a variable such as `CC="/usr/bin/gcc -m32"`, and what follows it.
pub(crate) fn absolute_compiler(options: &DiscoverOptions, variable: &str) -> Option<(PathBuf, String)> {
    let value = options.variable(variable)?.into_string().ok()?;
    let end = value.find(char::is_whitespace).unwrap_or(value.len());
    let program = PathBuf::from(&value[..end]);
    (program.is_absolute() && is_executable(&program)).then(|| (program, value[end..].to_string()))
}

/// Every compiler and archiver on the PATH by its name, where the shell would find it.
pub(crate) fn compilers_on(path: &OsStr) -> BTreeMap<String, PathBuf> {
    programs_on(path, |name, real| {
        // /usr/lib/ccache/gcc is ccache, which looks for the next gcc on the PATH: it would find our wrapper, and so
        // on for ever.
        let target = real.canonicalize().unwrap_or_else(|_| real.to_path_buf());
        (is_compiler_name(name) || is_archiver_name(name)) && !is_launcher(&target)
    })
}

fn launchers_on(path: &OsStr) -> BTreeMap<String, PathBuf> {
    programs_on(path, |name, _| matches!(name, "ccache" | "sccache" | "distcc" | "icecc" | "buildcache"))
}

fn programs_on(path: &OsStr, wanted: impl Fn(&str, &Path) -> bool) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    for folder in std::env::split_paths(path) {
        for item in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(name) = item.file_name().into_string() else { continue };
            let real = item.path();
            if !found.contains_key(&name) && wanted(&name, &real) && is_executable(&real) {
                found.insert(name, real);
            }
        }
    }
    found
}

/// `gcc`, `clang++-16`, `arm-none-eabi-gcc`, `c99`; not `gcc-ar`, `ccache` or `cc1`.
pub(crate) fn is_compiler_name(name: &str) -> bool {
    let base = without_version(name);
    let last = base.rsplit('-').next().unwrap_or(base);
    matches!(
        last,
        "cc" | "gcc" | "g++" | "c++" | "clang" | "clang++" | "c89" | "c99" | "tcc" | "icc" | "icpc" | "icx" | "icpx"
    )
}

/// `ar`, `gcc-ar-12`, `arm-none-eabi-ar`.
pub(crate) fn is_archiver_name(name: &str) -> bool {
    without_version(name).rsplit('-').next() == Some("ar")
}

fn without_version(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((base, version)) if version.chars().all(|c| c.is_ascii_digit() || c == '.') && !version.is_empty() => base,
        _ => name,
    }
}

/// Notes the call and becomes the compiler. The record goes to a file named by the process: no two processes have that
/// number at the same time, so that appending needs no lock; a number that comes back appends behind the first. The
/// variable keeps compilers that call compilers (`c99` is a script around `gcc`) from being noted twice.
fn wrapper_script(real: &Path, records: &Path) -> String {
    let (real, records) = (quoted(real), quoted(records));
    format!(
        "#!/bin/sh\n\
         if [ -z \"${{PERTURB_CAPTURED-}}\" ]; then\n\
         \tPERTURB_CAPTURED=1\n\
         \texport PERTURB_CAPTURED\n\
         \tprintf '%s\\0' \"$#\" \"$PWD\" {real} \"$@\" >>{records}/$$\n\
         fi\n\
         exec {real} \"$@\"\n"
    )
}

/// A compiler cache would answer without calling the compiler: it is passed by, unless it is asked about itself.
fn launcher_script(real: &Path) -> String {
    let real = quoted(real);
    format!("#!/bin/sh\ncase \"${{1-}}\" in\n\t'' | -*) exec {real} \"$@\" ;;\n\t*) exec \"$@\" ;;\nesac\n")
}

pub(crate) fn quoted(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref().to_string_lossy();
    shlex::try_quote(&text).map(|quoted| quoted.into_owned()).unwrap_or_else(|_| text.into_owned())
}

/// Each record: the number of arguments, the folder, the program, the arguments; all ended by NUL.
fn parse_records(bytes: &[u8]) -> Vec<RecordedCall> {
    let mut fields = bytes.split(|byte| *byte == 0).map(|field| String::from_utf8_lossy(field).into_owned());
    let mut records = Vec::new();
    while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
        let Some(directory) = fields.next() else { break };
        let expected = count.saturating_add(1);
        let arguments: Vec<String> = fields.by_ref().take(expected).collect();
        // A build that was killed may leave half a record.
        if arguments.len() == expected {
            records.push(RecordedCall { directory: PathBuf::from(directory), arguments });
        }
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;
    use perturb_fuzz::prelude::*;
    use perturb_fuzz::Share;

    #[test]
    fn compilers_are_told_from_their_helpers_by_name() {
        for name in [
            "cc",
            "gcc",
            "g++-12",
            "clang-16",
            "clang++",
            "arm-none-eabi-gcc",
            "x86_64-linux-gnu-g++-12",
            "c99-gcc",
            "tcc",
        ] {
            assert!(is_compiler_name(name), "{name}");
        }
        for name in ["gcc-ar", "gcc-nm-12", "ccache", "cc1", "clang-format", "distcc", "clang-tidy-16", "make", "g++-"]
        {
            assert!(!is_compiler_name(name), "{name}");
        }
        assert!(is_archiver_name("ar") && is_archiver_name("gcc-ar-12") && is_archiver_name("llvm-ar-16"));
        assert!(!is_archiver_name("tar") && !is_archiver_name("jar"));
    }

    #[test]
    fn records_with_odd_arguments_are_read_back() {
        let bytes = b"3\0/a b\0/usr/bin/gcc\0-DX=\"a\nb\"\0\0x y.c\x000\0/\0cc\x005\0/half\0cc\0a";
        let records = parse_records(bytes);
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].arguments, ["/usr/bin/gcc", "-DX=\"a\nb\"", "", "x y.c"]);
        assert_eq!(records[1].arguments, ["cc"]);
    }

    #[test]
    fn a_compiler_that_is_a_link_to_a_cache_is_passed_by() {
        let folder = tempfile::tempdir().unwrap();
        let (masquerade, real) = (folder.path().join("masquerade"), folder.path().join("real"));
        for path in [&masquerade, &real] {
            fs::create_dir(path).unwrap();
        }
        for path in [masquerade.join("ccache"), real.join("gcc"), real.join("gcc-ar"), real.join("gcc-nm")] {
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::os::unix::fs::symlink("ccache", masquerade.join("gcc")).unwrap();
        let path = std::env::join_paths([&masquerade, &real]).unwrap();
        let found = compilers_on(&path);
        assert_eq!(found.get("gcc"), Some(&real.join("gcc")));
        assert_eq!(found.keys().collect::<Vec<_>>(), ["gcc", "gcc-ar"]);
        assert_eq!(launchers_on(&path).keys().collect::<Vec<_>>(), ["ccache"]);
    }

    #[test]
    fn a_record_that_claims_to_be_endless_is_half_a_record() {
        assert_eq!(parse_records(format!("{}\0/\0cc\0", usize::MAX).as_bytes()), []);
    }

    #[test]
    fn fuzzed_records_are_read_as_far_as_they_are_whole() {
        let example = b"2\0/p\0/usr/bin/gcc\0-c\0a.c\x000\0/\0cc\0";
        perturb_fuzz::survives("records of compiler calls", Share::All, &[example], |bytes| {
            assert!(parse_records(bytes).iter().all(|record| !record.arguments.is_empty()));
        });
    }

    #[test]
    fn fuzzed_calls_come_back_from_their_record() {
        let text = || any::<String>().prop_map(|text| text.replace('\0', ""));
        let calls = prop::collection::vec((text(), prop::collection::vec(text(), 1..6)), 0..4);
        perturb_fuzz::holds("records of compiler calls, round trip", Share::All, calls, |calls| {
            let mut bytes = Vec::new();
            for (directory, arguments) in &calls {
                let count = (arguments.len() - 1).to_string();
                for field in [&count, directory].into_iter().chain(arguments) {
                    bytes.extend([field.as_bytes(), b"\0"].concat());
                }
            }
            let expected =
                calls.into_iter().map(|(directory, arguments)| RecordedCall { directory: directory.into(), arguments });
            assert_eq!(parse_records(&bytes), expected.collect::<Vec<_>>());
        });
    }
}
