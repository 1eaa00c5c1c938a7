//! Seeds from real life: with what the project's own tests call the functions that tests are wanted for.
//!
//! The project is built once more in a copy, in which these functions tell of each call, and its tests are run once.

use crate::analysis::TrialOptions;
use crate::bench::{Allowance, Bench, BenchOptions, TestFiles};
use crate::gate::Gate;
use crate::steps::compile::quiet_texts;
use crate::PipelineError;
use perturb_cell::memory_of_job;
use perturb_equiv::compare::FunctionSubject;
use perturb_equiv::testgen::{capturing_texts, take_captured};
use perturb_host::{find_tests, parallel_map, HostError, Project, Shadow, Stop, TestCase};
use perturb_model::TestIdx;
use std::path::Path;

/// The name of the copy.
const COPY: &str = "seeds";

/// Adds to each function with what it is called. Answers with why nothing is known of that, if so.
pub(super) fn add_seeds(
    project: &Project,
    functions: &mut [FunctionSubject],
    options: &TrialOptions,
    stop: Stop<'_>,
) -> Result<Option<String>, PipelineError> {
    if functions.is_empty() || stop.is_due() {
        return Ok(None);
    }
    // The copy that discovery made has to be held for as long as there is another one.
    let _held = Shadow::open(project, &options.work, None, &options.discover, &mut |_| {})?;
    let mut shadow = Shadow::open(project, &options.work, Some(COPY), &options.discover, &mut |_| {})?;
    let told = options.work.join("seeds.captured");
    std::fs::write(&told, "").map_err(HostError::io("write", &told))?;
    let logs = options.work.join("logs");
    std::fs::create_dir_all(&logs).map_err(HostError::io("create", &logs))?;
    // The original, which also says what it is called with: the build may run it as it runs without us.
    shadow.release_builds();
    // A project may take warnings for errors, and nobody wants to read any about this text.
    let texts = capturing_texts(functions, &told);
    shadow.replace(&texts.iter().flat_map(|(file, text)| quiet_texts(file, text)).collect())?;
    let log = logs.join("seeds.log");
    if !shadow.build(options.jobs, &log)?.success {
        return Ok(Some(format!(
            "the project does not build with functions that tell of their calls (log: {})",
            log.display()
        )));
    }
    let tests = find_tests(&shadow, project, &options.tests)?.tests;
    run_tests(&shadow, &tests, options, &told, stop)?;
    let lines = std::fs::read(&told).map_err(HostError::io("read", &told))?;
    take_captured(functions, &String::from_utf8_lossy(&lines));
    Ok(None)
}

/// Runs each test once, whatever comes of it.
fn run_tests(
    shadow: &Shadow,
    tests: &[TestCase],
    options: &TrialOptions,
    told: &Path,
    stop: Stop<'_>,
) -> Result<(), PipelineError> {
    let gate = Gate::default();
    let job_memory = memory_of_job(options.jobs, options.limits.memory_bytes);
    let (scratch, confinement) = (options.work.join("cells"), options.confinement.clone());
    let bench_options = BenchOptions { scratch, limits: options.limits, job_memory, confinement };
    let mut benches = Vec::new();
    for number in 0..options.jobs {
        let bench = Bench::open(
            shadow,
            tests,
            &gate,
            &bench_options,
            number,
            &TestFiles { shared: vec![told.to_path_buf()], ..TestFiles::default() },
        )?;
        stop.interrupt.watch(bench.stoppers()?);
        benches.push(bench);
    }
    let allowance = Allowance { cpu: options.test_timeout, wall: options.test_timeout, is_bounded: true };
    let all: Vec<TestIdx> = TestIdx::all(tests.len()).collect();
    let work = |bench: &mut Bench<'_>, test| bench.run(test, &[], allowance);
    parallel_map(&mut benches, &all, stop, work, |_, _| Ok(()))
}
