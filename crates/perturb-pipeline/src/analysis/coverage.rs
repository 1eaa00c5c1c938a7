//! The second half of MASS step 1: what each test executes, from the source of coverage that the user chooses.

use super::Run;
use crate::clock::StepClock;
use crate::steps::coverage::{
    import, record_gcov, CoverageSource, GcovBench, GcovContext, GcovHome, ImportContext, Recorded, Suite,
};
use crate::steps::execute::TestChoice;
use crate::steps::mutate::FileSchema;
use crate::PipelineError;
use perturb_host::{DiscoverOptions, HostError, Shadow, TestCase};
use perturb_model::{Event, Recording, TestIdx};
use std::time::Duration;

/// The recordings of tests, and the processor time that they took.
type CoverageResult = (Vec<(TestIdx, Recording)>, Duration);

impl Run<'_> {
    /// `own` is the recording of the instrumented build, if there is one; its recordings are moved out of it. That
    /// build is run in any case, because tests must pass on it before it can judge mutants.
    pub(super) fn coverage(
        &mut self,
        plain: &Shadow,
        suite: &Suite,
        schemata: &[FileSchema],
        own: Option<&mut Recorded>,
        clock: StepClock,
    ) -> Result<Vec<(TestIdx, Recording)>, PipelineError> {
        let recording_cpu = own.as_ref().map_or(Duration::ZERO, |recorded| recorded.cpu.iter().sum());
        let (recordings, cpu) = match (&self.options.coverage, own) {
            (CoverageSource::Own, Some(recorded)) => (std::mem::take(&mut recorded.recordings), Duration::ZERO),
            (CoverageSource::Own, None) => self.by_gcov_if_possible(plain, suite, schemata)?,
            (CoverageSource::Gcov, _) => self.by_gcov(plain, suite, schemata)?,
            (CoverageSource::Folder(folder), _) => {
                let scratch = &self.options.work.join("gcov").join("imported");
                let project = self.project;
                let context = ImportContext { folder, scratch, project, mutants: self.mutants, schemata };
                (import(suite, context, self.ledger.events())?, Duration::ZERO)
            }
        };
        let all: Vec<_> = recordings.iter().map(|(_, recording)| recording.clone()).collect();
        self.ledger.store().record_recordings(&all)?;
        self.ledger.store().record_step(clock.stop(recording_cpu + cpu))?;
        Ok(recordings)
    }

    /// Tries gcov in place of the missing instrumented build: without coverage, every test would run on every mutant.
    fn by_gcov_if_possible(
        &mut self,
        plain: &Shadow,
        suite: &Suite,
        schemata: &[FileSchema],
    ) -> Result<CoverageResult, PipelineError> {
        if self.options.test_choice == TestChoice::All {
            return Ok(CoverageResult::default());
        }
        match self.by_gcov(plain, suite, schemata) {
            Err(
                error @ (PipelineError::GcovBuildFailed { .. }
                | PipelineError::Host(
                    HostError::CoverageUnread { .. }
                    | HostError::ProgramMissing { .. }
                    | HostError::ConfigureFailed { .. },
                )),
            ) => {
                self.ledger.report(Event::GcovUnusable { reason: error.to_string() });
                Ok(CoverageResult::default())
            }
            result => result,
        }
    }

    fn by_gcov(
        &mut self,
        plain: &Shadow,
        suite: &Suite,
        schemata: &[FileSchema],
    ) -> Result<CoverageResult, PipelineError> {
        const WHAT: &str = "the project for gcov";
        let home = GcovHome::create(&self.options.work, self.options.jobs)?;
        self.ledger.report(Event::BuildStarted { what: WHAT });
        let options = DiscoverOptions { added_flags: home.flags(), ..self.options.discover.clone() };
        let mut shadow = Shadow::open(self.project, &self.options.work, Some("gcov"), &options, &mut |_| {})?;
        let log = self.ledger.logs().join("gcov-build.log");
        let built = shadow.build(self.options.jobs, &log)?;
        self.check()?;
        self.ledger.report(Event::BuildFinished { what: WHAT, wall: built.wall });
        if !built.success {
            return Err(PipelineError::GcovBuildFailed { log, tail: built.tail });
        }
        let cases: Vec<TestCase> = suite.cases.iter().map(|case| case.moved(plain, &shadow)).collect();
        let benches = self.open_benches(&shadow, &cases, self.options.jobs, &|number| home.files(number))?;
        let numbered = benches.into_iter().enumerate();
        let mut benches: Vec<GcovBench<'_>> = numbered.map(|(number, bench)| GcovBench { bench, number }).collect();
        let project = self.project;
        let mutants = self.mutants;
        let timeout = self.options.test_timeout;
        let context = GcovContext { home: &home, shadow: &shadow, project, mutants, schemata, timeout };
        let (recordings, cpu) = record_gcov(suite, context, &mut benches, self.stop, self.ledger.events())?;
        Ok((recordings, cpu + built.cpu))
    }
}
