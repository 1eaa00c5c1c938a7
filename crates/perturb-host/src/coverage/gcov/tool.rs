//! One gcov program: finds the one that matches a compiler, and runs it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::data;
use super::head::{self, GcovFileKind, GcovHead};
use super::json;
use crate::coverage::line_counts::LineCounts;
use crate::error::HostError;
use crate::process::tools::{find_program, install_hint, run, run_limited, Finished};

/// The first GCC whose gcov writes JSON.
const OLDEST: u32 = 9;

/// The time limit of one gcov run, which usually takes less than a second.
const LONGEST: Duration = Duration::from_secs(120);

/// A number of files that fits any system's command line.
const AT_ONCE: usize = 500;

/// A gcov.
#[derive(Debug, Clone)]
pub(crate) struct Gcov {
    program: PathBuf,
}

/// The notes of one object, and what a program has counted in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GcovPair {
    pub notes: PathBuf,
    /// `None` for an object that no program has run.
    pub data: Option<PathBuf>,
}

impl GcovPair {
    /// The common header of notes and data, if they are of the same compilation and the data are complete.
    pub fn head(&self) -> Result<GcovHead, String> {
        let no_notes = || format!("{} is no notes file", self.notes.display());
        let notes = head::read(&self.notes, GcovFileKind::Notes).ok_or_else(no_notes)?;
        let Some(data) = &self.data else { return Ok(notes) };
        match head::read(data, GcovFileKind::Data) {
            Some(head) if head == notes => {
                let bytes = fs::read(data).map_err(|error| format!("{}: {error}", data.display()))?;
                let cut_off = || format!("{} is cut off", data.display());
                data::is_whole(&bytes, head.version).then_some(notes).ok_or_else(cut_off)
            }
            Some(_) => Err(format!("{} is of another compilation than {}", data.display(), self.notes.display())),
            None => Err(format!("{} is no data file", data.display())),
        }
    }

    /// The gcov that reads this pair; `compilers` are the project's own, for gcov stands beside its compiler.
    pub fn gcov(&self, compilers: &[PathBuf]) -> Result<Gcov, HostError> {
        let head = self.head().map_err(|reason| HostError::CoverageUnread { reason })?;
        match head.version.major() {
            Some(major @ OLDEST..) => Gcov::find(major, compilers),
            _ => {
                let reason = format!(
                    "{} was not written by GCC {OLDEST} or later; for another compiler, give lcov data of each test \
                     with `--coverage FOLDER`",
                    self.notes.display()
                );
                Err(HostError::CoverageUnread { reason })
            }
        }
    }
}

impl Gcov {
    /// The gcov of a GCC.
    fn find(major: u32, compilers: &[PathBuf]) -> Result<Gcov, HostError> {
        let beside = compilers.iter().flat_map(|compiler| beside(compiler));
        let named = [format!("gcov-{major}"), "gcov".to_string()];
        let candidates = beside.chain(named.iter().filter_map(|name| find_program(name)));
        for program in candidates.filter(|program| program.is_file()) {
            let answer = run(Command::new(&program).arg("--version").env("LC_ALL", "C"))?;
            if answer.stdout.lines().next().and_then(major_of) == Some(major) {
                return Ok(Gcov { program });
            }
        }
        let program = format!("gcov-{major}");
        let hint = format!("it comes with the compiler ({})", install_hint(&format!("gcc-{major}")));
        Err(HostError::ProgramMissing { program, hint })
    }

    /// What each pair says. `scratch` is a folder to work in, which is emptied first. An error if there are data that
    /// do not fit their notes or cannot be read; notes alone only tell what they can.
    pub fn read(&self, pairs: &[GcovPair], scratch: &Path) -> Result<Vec<LineCounts>, HostError> {
        if scratch.exists() {
            fs::remove_dir_all(scratch).map_err(HostError::io("empty", scratch))?;
        }
        fs::create_dir_all(scratch).map_err(HostError::io("create", scratch))?;
        let mut all = Vec::with_capacity(pairs.len());
        for (part, pairs) in pairs.chunks(AT_ONCE).enumerate() {
            let folder = scratch.join(part.to_string());
            fs::create_dir(&folder).map_err(HostError::io("create", &folder))?;
            all.extend(self.read_some(pairs, &folder)?);
        }
        Ok(all)
    }

    /// gcov wants notes and data side by side under one name, where a build does not have them.
    fn read_some(&self, pairs: &[GcovPair], folder: &Path) -> Result<Vec<LineCounts>, HostError> {
        let mut command = Command::new(&self.program);
        command.args(["--json-format", "--stdout"]).current_dir(folder).env("LC_ALL", "C");
        for (number, pair) in pairs.iter().enumerate() {
            pair.head().map_err(unread)?;
            let link = |from: &Path, kind: &str| {
                let to = folder.join(format!("{number}.{kind}"));
                let from = std::path::absolute(from).map_err(HostError::io("find", from))?;
                symlink(from, &to).map_err(HostError::io("link", &to))
            };
            link(&pair.notes, "gcno")?;
            pair.data.iter().try_for_each(|data| link(data, "gcda"))?;
            command.arg(format!("{number}.gcno"));
        }
        let finished =
            run_limited(&command, LONGEST)?.ok_or_else(|| unread("it does not come to an end".to_string()))?;
        let has_data = pairs.iter().any(|pair| pair.data.is_some());
        if has_data {
            check(&finished, pairs)?;
        }
        let reports = json::read(finished.stdout.as_bytes()).map_err(unread)?;
        let mut counts: Vec<Option<LineCounts>> = vec![None; pairs.len()];
        for report in reports {
            let number = report.data_file.file_stem().and_then(|stem| stem.to_str()?.parse::<usize>().ok());
            if let Some(place) = number.and_then(|number| counts.get_mut(number)) {
                *place = Some(report.counts);
            }
        }
        let nothing = |counts: Option<LineCounts>| match counts {
            None if has_data => Err(unread("it left files out".to_string())),
            counts => Ok(counts.unwrap_or_default()),
        };
        counts.into_iter().map(nothing).collect()
    }
}

/// gcov reports counts that it cannot read as zeros and exits with 0, so that any message is an error.
fn check(finished: &Finished, pairs: &[GcovPair]) -> Result<(), HostError> {
    let complaint = finished.stderr.lines().find(|line| !is_harmless(line, pairs));
    match complaint {
        Some(complaint) => Err(unread(complaint.to_string())),
        None if !finished.status.success() => Err(unread(finished.status.to_string())),
        None => Ok(()),
    }
}

fn unread(reason: String) -> HostError {
    HostError::CoverageUnread { reason }
}

/// Messages that gcov prints although nothing is wrong: that data which were not given to it are missing, and about the
/// times of files.
fn is_harmless(line: &str, pairs: &[GcovPair]) -> bool {
    let is_missing = |number: &str| {
        let pair = number.parse::<usize>().ok().and_then(|number| pairs.get(number));
        pair.is_some_and(|pair| pair.data.is_none())
    };
    match line.split_once(".gcda:cannot open data file") {
        Some((number, _)) => is_missing(number),
        None => line.contains("source file is newer than notes file") || line.starts_with("(the message is displayed"),
    }
}

/// The possible gcov programs of this compiler: `gcov-12` beside `gcc-12`, `arm-none-eabi-gcov` beside
/// `arm-none-eabi-gcc`; if the compiler is a link, also beside the target of the link.
fn beside(compiler: &Path) -> Vec<PathBuf> {
    let real = compiler.canonicalize().ok().filter(|real| real != compiler);
    let renamed = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let at = ["gcc", "g++", "c++", "cc"].iter().find_map(|word| Some((name.rfind(word)?, word.len())))?;
        Some(path.with_file_name(format!("{}gcov{}", &name[..at.0], &name[at.0 + at.1..])))
    };
    std::iter::once(compiler).chain(real.as_deref()).filter_map(renamed).collect()
}

/// The last number of the first line that a GNU program prints for `--version`.
fn major_of(version: &str) -> Option<u32> {
    version.split_whitespace().next_back()?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcov_has_the_name_of_its_compiler() {
        for (compiler, expected) in [
            ("/no/gcc-12", "/no/gcov-12"),
            ("/no/arm-none-eabi-g++", "/no/arm-none-eabi-gcov"),
            ("/no/x86_64-linux-gnu-gcc-12", "/no/x86_64-linux-gnu-gcov-12"),
            ("/no/cc", "/no/gcov"),
        ] {
            assert_eq!(beside(Path::new(compiler)), [PathBuf::from(expected)]);
        }
        assert_eq!(beside(Path::new("/no/clang")), Vec::<PathBuf>::new());
        assert_eq!(major_of("gcov (Debian 12.2.0-14+deb12u1) 12.2.0"), Some(12));
        assert_eq!(major_of("gcov (GCC) 11.3.1 20220421 (Red Hat 11.3.1-2)"), Some(11));
        assert_eq!(major_of(""), None);
    }

    #[test]
    fn a_gcov_that_is_not_there_is_named_with_what_brings_it() {
        let error = Gcov::find(77, &[PathBuf::from("/no/such/gcc-77")]).unwrap_err().to_string();
        assert!(error.contains("gcov-77") && error.contains("apt-get install gcc-77"), "{error}");
    }
}
