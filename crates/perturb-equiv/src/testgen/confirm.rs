//! Confirms every test before it is reported: it is compiled by the project's compiler with its flags, passes on the
//! original and fails on each mutant that it is said to kill.

use super::framework::{Dialect, TestFile};
use super::suite::TestCandidate;
use super::support::Support;
use crate::compare::elsewhere::LinkedUnit;
use crate::compare::tool::Tool;
use crate::compare::FunctionSubject;
use crate::EquivError;
use perturb_cell::{End, Job, Limits};
use perturb_host::{compile_text, Beside, HostError, Including, Made, Needs, Watched};
use perturb_model::{Framework, MutantIdx};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The CPU time limit of a test; far more than any test of one call needs.
const LONGEST: Duration = Duration::from_secs(1);

/// How often the original has to pass.
const TIMES: usize = 3;

/// The files of a suite, in a folder where they can be compiled.
#[derive(Debug, Clone)]
pub(super) struct Placed<'p> {
    pub framework: Framework,
    pub suite: &'p str,
    pub files: &'p [TestFile],
    pub support: &'p Support,
    /// Other units whose functions it calls.
    pub linked: &'p [Arc<LinkedUnit>],
    /// The folder that paths to units are relative to.
    pub root: PathBuf,
    /// Any function of the unit, as all are compiled alike.
    pub subject: &'p FunctionSubject,
    /// The checks by which mutants are detected.
    pub watched: Watched,
}

/// The result of a suite on the original.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum OnOriginal {
    Passes,
    /// These tests do not pass, each with the reason.
    Fails(Vec<(String, String)>),
    /// It cannot be built.
    Refused(String),
}

impl Tool<'_> {
    /// The reason why a suite cannot be built, if so.
    pub(super) fn refusal(&mut self, placed: &Placed<'_>) -> Result<Option<String>, EquivError> {
        Ok(self.make(placed, placed.watched)?.err())
    }

    /// Runs all tests on the original, several times, and with sanitizers where they are installed.
    pub(super) fn try_on_original(&mut self, placed: &Placed<'_>, names: &[&str]) -> Result<OnOriginal, EquivError> {
        self.code.mirror.restore(&placed.subject.file.relative)?;
        for watched in [Watched::Plainly, Watched::BySanitizers] {
            let program = match self.make(placed, watched)? {
                Ok(program) => program,
                Err(why) if watched == Watched::Plainly || watched == placed.watched => {
                    return Ok(OnOriginal::Refused(why));
                }
                // Sanitizers are not installed everywhere.
                Err(_) => continue,
            };
            let times = if watched == Watched::Plainly { TIMES } else { 1 };
            let mut passes = true;
            for _ in 0..times {
                passes = passes && self.run_tests(placed, &program, &[])? == End::Exited(0);
            }
            let mut failed = Vec::new();
            for name in names {
                let end = self.run_tests(placed, &program, &[placed.framework.only(placed.suite, name)])?;
                if end != End::Exited(0) {
                    let with = if watched == Watched::Plainly { "" } else { " with sanitizers" };
                    failed.push((name.to_string(), format!("its test {} on the original{with}", described(end))));
                }
            }
            if !failed.is_empty() {
                return Ok(OnOriginal::Fails(failed));
            }
            if !passes {
                let why = "its test passes on the original by itself, but not with the others".to_string();
                return Ok(OnOriginal::Fails(names.iter().map(|name| (name.to_string(), why.clone())).collect()));
            }
        }
        Ok(OnOriginal::Passes)
    }

    /// Which of the tests said to kill a mutant do so.
    pub(super) fn try_on_mutant(
        &mut self,
        placed: &Placed<'_>,
        mutant: MutantIdx,
        tests: &[&TestCandidate],
    ) -> Result<BTreeSet<String>, EquivError> {
        let relative = &placed.subject.file.relative;
        self.code.mirror.put(relative, &self.mutants[mutant].mutated_text())?;
        let made = self.make(placed, placed.watched);
        let mut killing = BTreeSet::new();
        if let Ok(program) = made? {
            for test in tests.iter().filter(|test| test.kills.contains(&mutant)) {
                let end = self.run_tests(placed, &program, &[placed.framework.only(placed.suite, &test.name)])?;
                if end != End::Exited(0) {
                    killing.insert(test.name.clone());
                }
            }
        }
        self.code.mirror.restore(relative)?;
        Ok(killing)
    }

    /// Builds a suite, or returns the reason why that failed.
    fn make(&mut self, placed: &Placed<'_>, watched: Watched) -> Result<Result<PathBuf, String>, EquivError> {
        let folder = self.folder.join("suite");
        std::fs::create_dir_all(&folder).map_err(HostError::io("create", &folder))?;
        for file in placed.files {
            place(file, &folder)?;
        }
        let needs = match self.needs(placed, watched, &folder)? {
            Ok(needs) => needs,
            Err(why) => return Ok(Err(why)),
        };
        let FunctionSubject { command, facts, .. } = placed.subject;
        let (program, source) = (folder.join("program"), folder.join(&placed.files[0].name));
        let (including, interrupt) = (Including::whole(command, facts, watched, needs), self.stop.interrupt);
        let made = including.make(&self.code.mirror, None, &source, &program, &|| interrupt.is_raised())?;
        Ok(self.made(made).map(|()| program))
    }

    /// What it needs besides the file that includes the unit.
    fn needs(
        &mut self,
        placed: &Placed<'_>,
        watched: Watched,
        folder: &Path,
    ) -> Result<Result<Needs, String>, EquivError> {
        let mut needs = placed.support.needs(&placed.root);
        let interrupt = self.stop.interrupt;
        let stop = || interrupt.is_raised();
        for unit in placed.linked {
            let object = self.folder.join(format!("beside-{}-{watched:?}.o", unit.number));
            if !object.exists() {
                let LinkedUnit { command, facts, .. } = &**unit;
                let made = Beside::whole(command, facts, watched).make(&self.code.mirror, &object, &stop)?;
                if let Err(why) = self.made(made) {
                    let _ = std::fs::remove_file(&object);
                    return Ok(Err(why));
                }
            }
            needs.files.push(object);
        }
        for file in placed.files[1..].iter().filter(|file| !file.is_header()) {
            let (source, object) = (folder.join(&file.name), object(file, folder));
            if !object.exists() {
                let made = compile_text(Path::new("c++"), &[], &source, &object, &stop)?;
                if let Err(why) = self.made(made) {
                    let _ = std::fs::remove_file(&object);
                    return Ok(Err(why));
                }
            }
            needs.files.push(object);
        }
        Ok(Ok(needs))
    }

    /// The reason why something was not built, if so.
    fn made(&mut self, (made, cpu): (Made, Duration)) -> Result<(), String> {
        self.cpu += cpu;
        match made {
            Made::Made => Ok(()),
            Made::Stopped => Err("it was stopped".to_string()),
            Made::Refused(errors) => Err(match errors.first() {
                Some(error) => {
                    // The work folder does not last: the message names the test by its file name, and all else by its
                    // path in the project.
                    let folder = self.folder.join("suite");
                    let named = self.code.mirror.named(&error.file);
                    let named = named.strip_prefix(&folder).unwrap_or(named);
                    format!("{}:{}: {}", named.display(), error.line, error.message)
                }
                None => "it cannot be compiled and linked".to_string(),
            }),
        }
    }

    fn run_tests(&mut self, placed: &Placed<'_>, program: &Path, names: &[String]) -> Result<End, EquivError> {
        let arguments: Vec<OsString> = names.iter().map(OsString::from).collect();
        let limits = Limits { cpu: LONGEST, wall: 20 * LONGEST, ..Limits::default() };
        // The leak checker needs ptrace, which the sandbox denies: a suite with sanitizers turns it off itself. Nor may
        // Check fork for each test.
        let is_told = placed.watched == Watched::BySanitizers;
        let leaks = (!is_told).then(|| ("ASAN_OPTIONS".into(), Some("detect_leaks=0".into())));
        let environment: Vec<_> = leaks.into_iter().chain([("CK_FORK".into(), Some("no".into()))]).collect();
        let job = Job { program, arguments: &arguments, directory: &self.folder, environment: &environment, limits };
        let ended = self.cell.run(&job)?;
        self.cpu += ended.cpu;
        Ok(ended.how)
    }
}

fn described(end: End) -> String {
    match end {
        End::Exited(_) => "fails".to_string(),
        End::Signalled(signal) => format!("is ended by signal {signal}"),
        End::CpuTimeout | End::WallTimeout => "takes too long".to_string(),
    }
}

/// Writes a file unless it is unchanged: objects compiled from it stay valid, whichever mutant is tried next.
fn place(file: &TestFile, folder: &Path) -> Result<(), EquivError> {
    let path = folder.join(&file.name);
    if std::fs::read(&path).is_ok_and(|text| text == file.text.as_bytes()) {
        return Ok(());
    }
    let _ = std::fs::remove_file(object(file, folder));
    std::fs::write(&path, &file.text).map_err(HostError::io("write", &path))?;
    Ok(())
}

/// The objects compiled from files other than the unit.
fn object(file: &TestFile, folder: &Path) -> PathBuf {
    folder.join(format!("{}.o", file.name))
}
