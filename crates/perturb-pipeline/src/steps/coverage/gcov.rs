//! Coverage by gcov: every test is run once on a build that counts executed lines.
//!
//! Each run of a test counts into an empty folder, so that data of an earlier run are never read. A variable of the
//! environment names the folder. A process that has lost its environment counts into a folder that is compiled in and
//! shared by all: if that happens, all tests run once more, one at a time. Counts that may be incomplete are not used.

use super::gap::Gaps;
use super::lines::{of_project, FileLines, LineMap};
use super::Suite;
use crate::bench::{Allowance, Bench, TestEnding, TestFiles};
use crate::steps::mutate::FileSchema;
use crate::PipelineError;
use perturb_host::{compilers_of, parallel_map, GcovNotes, HostError, Project, Shadow, Stop};
use perturb_model::{ContentHash, CoverageGap, Event, Mutant, Recording, TestIdx};
use perturb_rt::{gcov_header, has_counted_all, GCOV_PROCESSES, GCOV_VARIABLE};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folders for the counts of a build.
#[derive(Debug)]
pub struct GcovHome {
    folder: PathBuf,
    header: PathBuf,
}

impl GcovHome {
    /// Creates the folders below `work`, or empties them.
    pub fn create(work: &Path, benches: usize) -> Result<Self, PipelineError> {
        let folder = work.join("gcov");
        let text = gcov_header(folder.join("common").as_os_str().as_encoded_bytes());
        // A changed header needs another name, or files that include it would not be compiled again.
        let hash = ContentHash::of(text.as_bytes()).to_string();
        let home = Self { header: folder.join(format!("{}.h", &hash[..16])), folder };
        empty(&home.common())?;
        for number in 0..benches {
            empty(&home.bench(number))?;
        }
        if std::fs::read(&home.header).ok().as_deref() != Some(text.as_bytes()) {
            std::fs::write(&home.header, text).map_err(HostError::io("write", &home.header))?;
        }
        Ok(home)
    }

    /// Additional flags for the compilers of the build, after all flags of the project. They switch off optimisation,
    /// so that each line is counted where it is, and errors for warnings that this causes.
    pub fn flags(&self) -> Vec<OsString> {
        let mut folder = OsString::from("-fprofile-dir=");
        folder.push(self.common());
        let words =
            ["--coverage", "-fprofile-update=prefer-atomic", "-O0", "-fno-lto", "-U_FORTIFY_SOURCE", "-Wno-error"];
        let mut flags: Vec<OsString> = words.iter().map(OsString::from).collect();
        flags.extend([folder, "-include".into(), self.header.clone().into()]);
        flags
    }

    /// The folder that is compiled into the programs.
    fn common(&self) -> PathBuf {
        self.folder.join("common")
    }

    fn bench(&self, number: usize) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// The folders that tests on a bench share with perturb.
    pub fn files(&self, number: usize) -> TestFiles {
        TestFiles { shared: vec![self.bench(number), self.common()], exchange: Vec::new() }
    }
}

/// A bench on the build for gcov.
#[derive(Debug)]
pub struct GcovBench<'b> {
    pub bench: Bench<'b>,
    pub number: usize,
}

/// What is needed to interpret counts.
#[derive(Debug, Clone, Copy)]
pub struct GcovContext<'g> {
    pub home: &'g GcovHome,
    pub shadow: &'g Shadow,
    pub project: &'g Project,
    pub mutants: &'g [Mutant],
    pub schemata: &'g [FileSchema],
    /// The time limit of a test for which the project sets none.
    pub timeout: Duration,
}

/// The recording of each test that takes part, and the processor time of all runs. Tests whose coverage is unknown are
/// left out.
pub fn record_gcov(
    suite: &Suite,
    context: GcovContext<'_>,
    benches: &mut [GcovBench<'_>],
    stop: Stop<'_>,
    events: &mut dyn FnMut(Event),
) -> Result<(Vec<(TestIdx, Recording)>, Duration), PipelineError> {
    let GcovContext { home, shadow, project, .. } = context;
    let notes = GcovNotes::read(&shadow.folders(), &compilers_of(project), &home.folder.join("reading"))?;
    // Programs that the build itself has run have counted too.
    empty(&home.common())?;
    let tests = suite.taking_part();
    events(Event::RecordStarted { tests: tests.len() });
    let mut counter = Counter { suite, context, notes: &notes, is_alone: false };
    let mut counted = counter.all(benches, &tests, stop, events)?;
    if !is_empty(&home.common())? {
        // Some test has lost the environment, and the shared folder does not show which.
        counter.is_alone = true;
        counted = counter.all(&mut benches[..1], &tests, stop, events)?;
    }
    let relative = |path: &Path| path.strip_prefix(shadow.tree()).ok().map(Path::to_path_buf);
    let map = LineMap::new(context.mutants, context.schemata, [&of_project(notes.lines(), relative)]);
    let mut recordings = Vec::new();
    let mut gaps = Gaps::default();
    let mut cpu = Duration::ZERO;
    for (test, Counted { lines, cpu: test_cpu }) in counted {
        let name = suite.tests[test].name.clone();
        cpu += test_cpu;
        match lines {
            Ok(lines) => recordings.push((test, map.recording(name, &lines))),
            Err(gap) => gaps.add(name, gap),
        }
    }
    recordings.sort_by_key(|(test, _)| *test);
    events(Event::RecordFinished);
    gaps.report(events);
    Ok((recordings, cpu))
}

/// The result of one test.
struct Counted {
    lines: Result<FileLines, CoverageGap>,
    cpu: Duration,
}

struct Counter<'c> {
    suite: &'c Suite,
    context: GcovContext<'c>,
    notes: &'c GcovNotes,
    /// Whether one test runs at a time, and counts into the folder that is compiled in.
    is_alone: bool,
}

impl Counter<'_> {
    fn all(
        &self,
        benches: &mut [GcovBench<'_>],
        tests: &[TestIdx],
        stop: Stop<'_>,
        events: &mut dyn FnMut(Event),
    ) -> Result<Vec<(TestIdx, Counted)>, PipelineError> {
        let mut all = Vec::new();
        parallel_map(
            benches,
            tests,
            stop,
            |bench, test| self.one(bench, test),
            |test, counted| {
                events(Event::RecordAdvanced);
                all.push((test, counted));
                Ok(())
            },
        )?;
        if all.len() < tests.len() {
            return Err(PipelineError::stopped(stop));
        }
        Ok(all)
    }

    fn one(&self, bench: &mut GcovBench<'_>, test: TestIdx) -> Result<Counted, PipelineError> {
        let home = self.context.home;
        let prefix = home.bench(bench.number);
        let common = home.common();
        let below = prefix.join(common.strip_prefix("/").unwrap_or(&common));
        let (folder, variables) = match self.is_alone {
            true => (common, Vec::new()),
            false => (below, vec![(GCOV_VARIABLE, prefix.to_string_lossy().into_owned())]),
        };
        // Empties the folders without deleting them, because a cell has them open.
        empty(if self.is_alone { &folder } else { &prefix })?;
        std::fs::create_dir_all(&folder).map_err(HostError::io("create", &folder))?;
        let limit = self.suite.cases[test].timeout.unwrap_or(self.context.timeout);
        let observed = bench.bench.run(test, &variables, Allowance { cpu: limit, wall: limit, is_bounded: false })?;
        let lines = if observed.ending == TestEnding::Passed {
            self.lines(bench.number, &folder, &observed.output)?
        } else {
            Err(CoverageGap::Fails)
        };
        Ok(Counted { lines, cpu: observed.cpu })
    }

    fn lines(
        &self,
        bench: usize,
        folder: &Path,
        output: &[u8],
    ) -> Result<Result<FileLines, CoverageGap>, PipelineError> {
        let processes = folder.join(GCOV_PROCESSES);
        let noted = match std::fs::read(&processes) {
            Ok(noted) => noted,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Err(CoverageGap::NoData)),
            Err(error) => return Err(HostError::io("read", &processes)(error).into()),
        };
        if !has_counted_all(&noted) || has_complained(output) {
            return Ok(Err(CoverageGap::NotWhole));
        }
        let scratch = self.context.home.folder.join(format!("reading-{bench}"));
        match self.notes.counts(folder, &scratch) {
            Ok(counts) => {
                let tree = self.context.shadow.tree();
                Ok(Ok(of_project(&counts, |path| path.strip_prefix(tree).ok().map(Path::to_path_buf))))
            }
            Err(HostError::CoverageUnread { reason }) => Ok(Err(CoverageGap::Unread { reason })),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether gcov's runtime reports that it could not write.
fn has_complained(output: &[u8]) -> bool {
    const WORD: &[u8] = b"profiling:";
    output.split(|byte| *byte == b'\n').any(|line| line.starts_with(WORD))
}

/// Creates a folder, or empties it.
fn empty(folder: &Path) -> Result<(), PipelineError> {
    std::fs::create_dir_all(folder).map_err(HostError::io("create", folder))?;
    for item in std::fs::read_dir(folder).map_err(HostError::io("read", folder))? {
        let path = item.map_err(HostError::io("read", folder))?.path();
        let is_folder = std::fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir());
        let removed = if is_folder { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        removed.map_err(HostError::io("remove", &path))?;
    }
    Ok(())
}

fn is_empty(folder: &Path) -> Result<bool, PipelineError> {
    Ok(std::fs::read_dir(folder).map_err(HostError::io("read", folder))?.next().is_none())
}
