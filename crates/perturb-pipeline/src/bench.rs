//! A bench: one place where the tests of one build are run, one at a time, in a cell of their own.

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

/// What one run of a test came to.
#[derive(Debug, Clone)]
pub struct Observed {
    pub ending: TestEnding,
    pub cpu: Duration,
    pub wall: Duration,
    pub output: Vec<u8>,
}

/// How a test ended, in its own terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestEnding {
    Passed,
    /// It says that it cannot run here.
    Skipped,
    Failed(Kill),
}

impl TestEnding {
    /// What this says of a mutant. A test that passes on the original and says on the mutant that it cannot run has
    /// noticed the mutant: whoever reads the results of the suite sees that the test was skipped.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Passed => Verdict::Survived,
            Self::Skipped => Verdict::Killed(Kill::Skipped),
            Self::Failed(kill) => Verdict::Killed(kill),
        }
    }
}

/// How long a test may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub cpu: Duration,
    pub wall: Duration,
    /// Its memory is limited too.
    pub is_bounded: bool,
}

/// A place for the tests of one shadow.
#[derive(Debug)]
pub struct Bench<'b> {
    /// One for each kind of permits that its tests have.
    hosts: Vec<BenchHost>,
    tests: &'b [TestCase],
    gate: &'b Gate,
    /// What all benches of the shadow hold while one of their tests runs, where these write to the same folders.
    folders: Vec<String>,
    /// Limits besides those of time.
    limits: Limits,
}

/// Who runs programs: a cell, and in our own tests somebody who fails on purpose.
pub(crate) trait Host: std::fmt::Debug + Send {
    fn run(&mut self, job: &Job<'_>) -> Result<Ended, CellError>;
    /// Whether each run finds what is written to as it was.
    fn has_private_views(&self) -> bool;
    fn stopper(&self) -> Result<Option<Stopper>, CellError>;
    /// The files for the exchange with its jobs.
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

/// A host, and which tests it runs.
#[derive(Debug)]
struct BenchHost {
    host: Box<dyn Host>,
    permits: Permits,
    tests: BTreeSet<TestIdx>,
}

/// Files outside of the shadow that the tests of a bench need.
#[derive(Debug, Clone, Default)]
pub struct TestFiles {
    /// They really write to these.
    pub shared: Vec<PathBuf>,
    /// By these they and we speak to each other.
    pub exchange: Vec<Exchange>,
}

/// What is the same for all benches of a run.
#[derive(Debug, Clone)]
pub struct BenchOptions {
    /// Cells keep their things below this folder.
    pub scratch: PathBuf,
    pub limits: Limits,
    /// Of all processes of a test together.
    pub job_memory: Option<u64>,
    pub confinement: Confinement,
}

impl<'b> Bench<'b> {
    /// Opens a bench for the tests of `shadow`. `number` tells the benches of a run apart.
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

    /// One host for all tests.
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

    /// The files for the exchange with a test.
    pub(crate) fn exchange(&self, test: TestIdx) -> &[File] {
        let bench = self.hosts.iter().find(|one| one.tests.contains(&test));
        bench.map_or(&[], |bench| bench.host.exchange())
    }

    /// The same for each kind of tests.
    pub(crate) fn exchanges(&self) -> impl Iterator<Item = &[File]> {
        self.hosts.iter().map(|one| one.host.exchange())
    }

    /// Whether the exit status alone tells if a test passes.
    pub fn is_judged_by_exit(&self, test: TestIdx) -> bool {
        matches!(self.tests[test].passes, PassRule::ExitStatus(_))
    }

    /// What it means that a test's program ended so, where it is judged by that alone.
    pub fn judged(&self, test: TestIdx, how: End) -> TestEnding {
        judge(&self.tests[test], how, b"")
    }

    /// Runs one test with these variables set besides its own. A run that takes too long by the clock on the wall is
    /// done once more with nothing else running, as it may have been the others' fault.
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
            // It would find what a test that runs beside it writes, whichever that is.
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

/// What a test has of the machine, and any other one with the same permits would have at the same time.
fn shared_with_others(permits: &Permits) -> Vec<String> {
    let paths = permits.write.iter().chain(&permits.devices).map(|path| format!("path {}", path.display()));
    paths.chain(permits.network.then(|| "network".to_string())).collect()
}

fn judge(case: &TestCase, how: End, output: &[u8]) -> TestEnding {
    use perturb_host::Verdict as Judged;
    let (exit, signal) = match how {
        End::CpuTimeout => return TestEnding::Failed(Kill::TimedOut { clock: Clock::Cpu }),
        End::WallTimeout => return TestEnding::Failed(Kill::TimedOut { clock: Clock::Wall }),
        End::Exited(code) => (Exit::Code(code), None),
        End::Signalled(signal) => (Exit::Signal(signal), Some(signal)),
    };
    match (case.passes.judge(exit, output), signal) {
        (Judged::Passed, _) => TestEnding::Passed,
        (Judged::Skipped, _) => TestEnding::Skipped,
        (_, Some(signal)) => TestEnding::Failed(Kill::Crashed { signal }),
        (Judged::Failed, None) => TestEnding::Failed(Kill::Failed),
        (Judged::OutputDiffers, None) => TestEnding::Failed(Kill::OutputDiffers),
    }
}
