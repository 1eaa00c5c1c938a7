//! A bench: a worker's place to run the tests of one build, one at a time, each in a cell.

use crate::gate::Gate;
use crate::PipelineError;
use perturb_cell::{Cell, CellError, CellOptions, End, Ended, Exchange, Job, Limits, Permits, Stopper};
use perturb_host::{Confinement, Exit, PassRule, Shadow, TestCase};
use perturb_model::{Clock, Kill, TestIdx, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The result of one run of a test.
#[derive(Debug, Clone)]
pub struct Observed {
    pub ending: TestEnding,
    pub cpu: Duration,
    pub wall: Duration,
    pub output: Vec<u8>,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestEnding {
    Passed,
    /// The test reports that it cannot run here.
    Skipped,
    Failed(Kill),
}

impl TestEnding {
    /// The verdict on the mutant. A test that passes on the original and skips itself on the mutant has noticed the
    /// mutant: a reader of the suite's results sees the skipped test.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Passed => Verdict::Survived,
            Self::Skipped => Verdict::Killed(Kill::Skipped),
            Self::Failed(kill) => Verdict::Killed(kill),
        }
    }
}

/// The limits for one run of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub cpu: Duration,
    pub wall: Duration,
    /// Whether its memory is limited too.
    pub is_bounded: bool,
}

/// A worker's place to run the tests of one shadow.
#[derive(Debug)]
pub struct Bench<'b> {
    /// One host for each set of permits that tests have.
    hosts: Vec<BenchHost>,
    tests: &'b [TestCase],
    gate: &'b Gate,
    /// Where tests of all benches write to the same folders: the words under which the gate lets only one of them run.
    folders: Vec<String>,
    /// Limits besides time.
    limits: Limits,
}

/// Runs programs: a cell, or a host that fails on purpose in perturb's own tests.
pub(crate) trait Host: std::fmt::Debug + Send {
    fn run(&mut self, job: &Job<'_>) -> Result<Ended, CellError>;
    /// Whether each run starts from unchanged files.
    fn has_private_views(&self) -> bool;
    fn stopper(&self) -> Result<Option<Stopper>, CellError>;
    /// The files that it exchanges with its jobs.
    fn exchange(&self) -> &[File] {
        &[]
    }
}

impl Host for Cell {
    fn run(&mut self, job: &Job<'_>) -> Result<Ended, CellError> {
        Cell::run(self, job)
    }

    fn has_private_views(&self) -> bool {
        self.layers().private_views
    }

    fn stopper(&self) -> Result<Option<Stopper>, CellError> {
        Cell::stopper(self).map(Some)
    }

    fn exchange(&self) -> &[File] {
        Cell::exchange(self)
    }
}

/// A host, and the tests that it runs.
#[derive(Debug)]
struct BenchHost {
    host: Box<dyn Host>,
    permits: Permits,
    tests: BTreeSet<TestIdx>,
}

/// Files outside of the shadow that the tests of a bench need.
#[derive(Debug, Clone, Default)]
pub struct TestFiles {
    /// Files that the tests share: they write to the real ones.
    pub shared: Vec<PathBuf>,
    /// Files through which perturb and the tests communicate.
    pub exchange: Vec<Exchange>,
}

/// The options that all benches of a run share.
#[derive(Debug, Clone)]
pub struct BenchOptions {
    /// The folder below which cells keep their files.
    pub scratch: PathBuf,
    pub limits: Limits,
    /// The memory limit of all processes of a test together.
    pub job_memory: Option<u64>,
    pub confinement: Confinement,
}

impl<'b> Bench<'b> {
    /// Opens a bench for the tests of `shadow`. `number` distinguishes the benches of a run.
    pub fn open(
        shadow: &Shadow,
        tests: &'b [TestCase],
        gate: &'b Gate,
        options: &BenchOptions,
        number: usize,
        files: &TestFiles,
    ) -> Result<Self, PipelineError> {
        let mut by_permits: BTreeMap<Permits, BTreeSet<TestIdx>> = BTreeMap::new();
        for (index, test) in TestIdx::enumerate(tests) {
            by_permits.entry(options.confinement.permits(&test.name)).or_default().insert(index);
        }
        let mut hosts = Vec::new();
        for (kind, (permits, own)) in by_permits.into_iter().enumerate() {
            let mut cell = CellOptions::new(options.scratch.join(format!("{number}-{kind}")));
            cell.private = shadow.folders();
            let programs: BTreeSet<&PathBuf> = own.iter().map(|test| &tests[*test].program).collect();
            cell.programs = programs.into_iter().cloned().collect();
            cell.pristine = Some(shadow.pristine());
            cell.shared = files.shared.clone();
            cell.exchange = files.exchange.clone();
            cell.permits = permits.clone();
            cell.job_memory = options.job_memory;
            cell.sandbox = options.confinement.sandbox;
            cell.memory_bytes = options.confinement.scratch_bytes;
            hosts.push(BenchHost { host: Box::new(Cell::open(&cell)?), permits, tests: own });
        }
        let folders = shadow.folders().iter().map(|folder| format!("folder {}", folder.display())).collect();
        Ok(Self { hosts, tests, gate, folders, limits: options.limits })
    }

    /// A bench with one host for all tests.
    #[cfg(test)]
    pub(crate) fn on(host: Box<dyn Host>, tests: &'b [TestCase], gate: &'b Gate) -> Self {
        let all = BenchHost { host, permits: Permits::default(), tests: TestIdx::all(tests.len()).collect() };
        let folders = vec!["folder of all benches".to_string()];
        Self { hosts: vec![all], tests, gate, folders, limits: Limits::default() }
    }

    pub fn stoppers(&self) -> Result<Vec<Stopper>, PipelineError> {
        let stoppers = self.hosts.iter().map(|one| one.host.stopper());
        Ok(stoppers.filter_map(Result::transpose).collect::<Result<_, CellError>>()?)
    }

    /// The files that are exchanged with a test.
    pub(crate) fn exchange(&self, test: TestIdx) -> &[File] {
        let bench = self.hosts.iter().find(|one| one.tests.contains(&test));
        bench.map_or(&[], |bench| bench.host.exchange())
    }

    /// The exchanged files of each host.
    pub(crate) fn exchanges(&self) -> impl Iterator<Item = &[File]> {
        self.hosts.iter().map(|one| one.host.exchange())
    }

    /// Whether the exit status alone decides if a test passes.
    pub fn is_judged_by_exit(&self, test: TestIdx) -> bool {
        matches!(self.tests[test].passes, PassRule::ExitStatus(_))
    }

    /// The result of a test whose program ended like this, if it is judged by the exit status alone.
    pub fn judged(&self, test: TestIdx, how: End) -> TestEnding {
        judge(&self.tests[test], how, b"")
    }

    /// Runs one test with additional variables. A run that exceeds its wall-clock time is repeated with nothing else
    /// running, because other tests may have slowed it down.
    pub fn run(
        &mut self,
        test: TestIdx,
        variables: &[(&str, String)],
        allowance: Allowance,
    ) -> Result<Observed, PipelineError> {
        let observed = self.run_once(test, variables, allowance, false)?;
        if observed.ending == TestEnding::Failed(Kill::TimedOut { clock: Clock::Wall }) {
            return self.run_once(test, variables, allowance, true);
        }
        Ok(observed)
    }

    fn run_once(
        &mut self,
        test: TestIdx,
        variables: &[(&str, String)],
        allowance: Allowance,
        is_alone: bool,
    ) -> Result<Observed, PipelineError> {
        let case = &self.tests[test];
        let bench = self.hosts.iter_mut().find(|one| one.tests.contains(&test)).expect("every test has a host");
        let mut words = case.exclusive.clone();
        if !bench.host.has_private_views() {
            // Without a private view, tests that run at the same time would see each other's files.
            words.extend(self.folders.iter().cloned());
        }
        words.extend(shared_with_others(&bench.permits));
        let _pass = if is_alone || case.alone { self.gate.enter_alone() } else { self.gate.enter(&words) };
        let own = case.environment.iter().map(|(name, value)| (name.as_str(), value));
        let all = own.chain(variables.iter().map(|(name, value)| (*name, value)));
        let environment: Vec<(OsString, Option<OsString>)> =
            all.map(|(name, value)| (OsString::from(name), Some(OsString::from(value)))).collect();
        let arguments: Vec<OsString> = case.arguments.iter().map(OsString::from).collect();
        let (program, directory): (&Path, &Path) = (&case.program, &case.directory);
        let memory_bytes = self.limits.memory_bytes.filter(|_| allowance.is_bounded);
        let limits = Limits { cpu: allowance.cpu, wall: allowance.wall, memory_bytes, ..self.limits };
        let job = Job { program, arguments: &arguments, directory, environment: &environment, limits };
        let ended = bench.host.run(&job)?;
        let ending = judge(case, ended.how, &ended.output);
        let Ended { how, cpu, wall, .. } = &ended;
        tracing::trace!(test = case.name, ?variables, ?how, ?cpu, ?wall, "ran a test in a cell");
        Ok(Observed { ending, cpu: ended.cpu, wall: ended.wall, output: ended.output })
    }
}

/// Resources that a test may use because of its permits, and that it shares with other tests.
fn shared_with_others(permits: &Permits) -> Vec<String> {
    let paths = permits.write.iter().chain(&permits.devices).map(|path| format!("path {}", path.display()));
    paths.chain(permits.network.then(|| "network".to_string())).collect()
}

fn judge(case: &TestCase, how: End, output: &[u8]) -> TestEnding {
    use perturb_host::TestResult;
    let (exit, signal) = match how {
        End::CpuTimeout => return TestEnding::Failed(Kill::TimedOut { clock: Clock::Cpu }),
        End::WallTimeout => return TestEnding::Failed(Kill::TimedOut { clock: Clock::Wall }),
        End::Exited(code) => (Exit::Code(code), None),
        End::Signalled(signal) => (Exit::Signal(signal), Some(signal)),
    };
    match (case.passes.judge(exit, output), signal) {
        (TestResult::Passed, _) => TestEnding::Passed,
        (TestResult::Skipped, _) => TestEnding::Skipped,
        (_, Some(signal)) => TestEnding::Failed(Kill::Crashed { signal }),
        (TestResult::Failed, None) => TestEnding::Failed(Kill::Failed),
        (TestResult::OutputDiffers, None) => TestEnding::Failed(Kill::OutputDiffers),
    }
}
