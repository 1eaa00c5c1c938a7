//! A trial of a project's tests: they are built and run twice as in a run, and nothing is stored.

use crate::bench::{Bench, BenchOptions, TestFiles};
use crate::gate::Gate;
use crate::steps::coverage::{baseline, BaselineOptions};
use crate::PipelineError;
use perturb_cell::{memory_of_job, Limits};
use perturb_host::{
    find_tests, Confinement, DiscoverOptions, HostError, Interrupt, Project, Shadow, Stop, TestOptions,
};
use perturb_model::{ContentHash, Event, Test};
use std::path::PathBuf;
use std::time::Duration;

/// Which tests, and how they are run.
#[derive(Debug, Clone)]
pub struct TrialOptions {
    /// The folder that everything is written to.
    pub work: PathBuf,
    pub discover: DiscoverOptions,
    pub tests: TestOptions,
    pub jobs: usize,
    /// How long a test may take.
    pub test_timeout: Duration,
    pub limits: Limits,
    pub confinement: Confinement,
}

/// Builds the project and runs its tests twice.
pub fn try_tests(
    project: &Project,
    options: &TrialOptions,
    interrupt: &Interrupt,
    events: &mut dyn FnMut(Event),
) -> Result<Vec<Test>, PipelineError> {
    let mut shadow = Shadow::open(project, &options.work, None, &options.discover, &mut |_| {})?;
    let what = "the project as it is";
    events(Event::BuildStarted { what });
    let logs = options.work.join("logs");
    std::fs::create_dir_all(&logs).map_err(HostError::io("create", &logs))?;
    let log = logs.join("trial.log");
    let built = shadow.build(options.jobs, &log)?;
    events(Event::BuildFinished { what, wall: built.wall });
    if !built.success {
        return Err(PipelineError::BuildFailed { log, tail: built.tail });
    }
    let found = find_tests(&shadow, project, &options.tests)?;
    events(Event::TestsFound { tests: found.tests.len(), notices: found.notices });
    let cases = found.tests.clone();
    let gate = Gate::default();
    let scratch = options.work.join("cells");
    let confinement = options.confinement.clone();
    let job_memory = memory_of_job(options.jobs, options.limits.memory_bytes);
    let bench_options = BenchOptions { scratch, limits: options.limits, job_memory, confinement };
    let mut benches = Vec::new();
    for number in 0..options.jobs {
        let bench = Bench::open(&shadow, &cases, &gate, &bench_options, number, &TestFiles::default())?;
        interrupt.watch(bench.stoppers()?);
        benches.push(bench);
    }
    let no_inputs = ContentHash::of(b"");
    let timeout = options.test_timeout;
    let programs = &[];
    let home = options.work.as_path();
    let baseline_options = BaselineOptions { timeout, inputs: no_inputs, programs, home };
    let suite = baseline(found.tests, &mut benches, &baseline_options, Stop { interrupt, deadline: None }, events)?;
    Ok(suite.tests)
}
